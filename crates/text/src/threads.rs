//! Work that several threads do together. No started thread outlives the call that started it.

use std::panic::resume_unwind;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread::{self, Builder};

// In model tests, loom explores the interleavings of threads.
#[cfg(all(test, loom))]
use loom::sync::{Condvar, Mutex, atomic::AtomicUsize};
#[cfg(not(all(test, loom)))]
use std::sync::{Condvar, Mutex, atomic::AtomicUsize};

use crate::interrupt::{self, Inherited};

/// Runs `work` on the calling thread and on up to `threads - 1` others; on fewer if the system refuses to start them.
/// Returns when all have returned. The others can be interrupted as the calling thread can.
pub fn on_threads(threads: usize, work: impl Fn() + Sync) {
    let call = Inherited::current();
    thread::scope(|scope| {
        for _ in 1..threads {
            let _ = Builder::new().spawn_scoped(scope, || call.run(&work));
        }
        work();
    });
    interrupt::check();
}

/// Calls `each` for each item, on up to as many threads as there are items.
pub fn for_each<T: Sync>(items: &[T], each: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    on_threads(items.len(), || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            each(item);
        }
    });
}

/// Runs two functions at the same time, and returns their results. If no thread can be started, they run one after the
/// other.
pub fn join<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let started = Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match started {
            Ok(started) => started.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => first(),
        };
        (first, second)
    })
}

/// Tasks with the numbers 0, 1, 2, ...
pub struct JointTasks {
    count: usize,
    next: AtomicUsize,
    left: Mutex<usize>,
    changed: Condvar,
}

impl JointTasks {
    pub fn new(count: usize) -> Self {
        JointTasks { count, next: AtomicUsize::new(0), left: Mutex::new(count), changed: Condvar::new() }
    }

    /// Runs tasks until none is left to take, and waits for those that other threads have taken. A task that panics
    /// counts as done.
    pub fn help(&self, task: impl Fn(usize)) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                break;
            }
            let _done = TaskGuard(self);
            task(number);
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while *left > 0 {
            left = self.changed.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A guard that counts its task as done when the guard is dropped.
struct TaskGuard<'a>(&'a JointTasks);

impl Drop for TaskGuard<'_> {
    fn drop(&mut self) {
        *self.0.left.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::interrupt::{Interrupted, interruptible};

    #[test]
    fn threads_of_a_call_are_interrupted_with_it() {
        let ended = AtomicUsize::new(0);
        let result = interruptible(
            || true,
            || {
                on_threads(3, || {
                    interrupt::check();
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            },
        );
        assert_eq!((result, ended.into_inner()), (Err(Interrupted), 0));
    }

    #[test]
    fn each_item_is_visited_once() {
        let items: Vec<AtomicUsize> = (0..5).map(|_| AtomicUsize::new(0)).collect();
        for_each(&items, |item| {
            item.fetch_add(1, Ordering::Relaxed);
        });
        assert!(items.into_iter().all(|item| item.into_inner() == 1));
        for_each(&[0; 0], |_| panic!("there is no item"));
    }

    #[test]
    fn every_task_runs_once_and_all_threads_wait_for_the_last() {
        let tasks = JointTasks::new(100);
        let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    tasks.help(|number| {
                        done[number].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
                });
            }
        });
    }

    /// Models for loom, which ci/loom runs.
    #[cfg(loom)]
    mod models {
        use loom::sync::Arc;
        use loom::thread;

        use super::super::*;

        /// Checks that each thread that leaves sees the effects of all tasks.
        fn check(threads: usize, count: usize) {
            loom::model(move || {
                let tasks = Arc::new(JointTasks::new(count));
                let done: Arc<Vec<AtomicUsize>> = Arc::new((0..count).map(|_| AtomicUsize::new(0)).collect());
                let help = || {
                    let (tasks, done) = (tasks.clone(), done.clone());
                    move || {
                        tasks.help(|number| {
                            done[number].fetch_add(1, Ordering::Relaxed);
                        });
                        assert!(done.iter().all(|count| count.load(Ordering::Relaxed) == 1));
                    }
                };
                let others: Vec<_> = (1..threads).map(|_| thread::spawn(help())).collect();
                help()();
                others.into_iter().for_each(|other| other.join().unwrap());
            });
        }

        #[test]
        fn two_threads_see_the_effects_of_all_tasks() {
            check(2, 3);
        }

        #[test]
        fn three_threads_see_the_effects_of_all_tasks() {
            check(3, 1);
        }
    }
}
