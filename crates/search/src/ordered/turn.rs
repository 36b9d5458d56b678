//! Write turns: back-pressure on workers. A worker with a large row buffer blocks until its batch is next to be
//! written.

use super::sync::{Condvar, Mutex, MutexGuard};

/// The sequence number of the work whose results are written next.
#[derive(Default)]
pub(crate) struct WriteTurn {
    state: Mutex<TurnState>,
    passed: Condvar,
}

#[derive(Default)]
struct TurnState {
    next: u64,
    /// Number of waiting threads. If it is 0, as in most calls, the system call that wakes threads is skipped.
    waiting: usize,
}

impl WriteTurn {
    /// Blocks until the results of all work with lower sequence numbers are written.
    pub(crate) fn wait_for(&self, number: u64) {
        let mut state = self.state();
        while state.next < number {
            state.waiting += 1;
            state = self.passed.wait(state).expect("no panic while the lock is held");
            state.waiting -= 1;
        }
    }

    /// Marks the results of all work with lower sequence numbers as written.
    pub(crate) fn pass_to(&self, number: u64) {
        let mut state = self.state();
        state.next = number;
        if state.waiting > 0 {
            self.passed.notify_all();
        }
    }

    /// Ends all waits, also those that begin later. Call it when nothing more will be written.
    pub(crate) fn end(&self) {
        self.pass_to(u64::MAX);
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().expect("no panic while the lock is held")
    }
}

#[cfg(test)]
mod tests {
    /// Models for loom, which ci/loom runs. loom reports a deadlock as a failure.
    #[cfg(loom)]
    mod models {
        use loom::sync::Arc;
        use loom::sync::atomic::{AtomicU64, Ordering};
        use loom::thread;

        use super::super::*;

        /// Starts a thread that waits for its turn, and then counts up.
        fn worker(turn: &Arc<WriteTurn>, count: &Arc<AtomicU64>, number: u64) -> thread::JoinHandle<u64> {
            let (turn, count) = (turn.clone(), count.clone());
            thread::spawn(move || {
                turn.wait_for(number);
                count.fetch_add(1, Ordering::Relaxed)
            })
        }

        #[test]
        fn workers_wait_for_their_turns() {
            loom::model(|| {
                let (turn, count) = (Arc::new(WriteTurn::default()), Arc::new(AtomicU64::new(0)));
                let workers = [1, 2].map(|number| worker(&turn, &count, number));
                assert_eq!(count.load(Ordering::Relaxed), 0);
                turn.pass_to(1);
                let [first, second] = workers;
                assert_eq!(first.join().unwrap(), 0);
                turn.pass_to(2);
                assert_eq!(second.join().unwrap(), 1);
            });
        }

        #[test]
        fn the_end_ends_all_waits() {
            loom::model(|| {
                let (turn, count) = (Arc::new(WriteTurn::default()), Arc::new(AtomicU64::new(0)));
                let workers = [1, 2].map(|number| worker(&turn, &count, number));
                turn.end();
                for worker in workers {
                    worker.join().unwrap();
                }
                assert_eq!(count.load(Ordering::Relaxed), 2);
            });
        }
    }
}
