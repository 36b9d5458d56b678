//! The order in which a worker begins and completes its tasks.
//!
//! To begin a task is to read its batch and to submit it to a device. To complete it is to wait for its hits and to
//! report them. A worker begins the next task before it completes one that it submitted, so the device searches one batch
//! while the next is read. Tasks are completed in their order.

use std::ops::ControlFlow;

/// Where tasks come from, and what is done with them.
pub(crate) trait Tasks {
    type Task;
    type Begun;

    /// Takes the next task. If there is none now but there may be one later, waits if `may_wait` is set, and otherwise
    /// returns `None`.
    fn take(&mut self, may_wait: bool) -> Option<Self::Task>;

    /// Begins a task. Also returns whether a device searches its batch meanwhile.
    fn begin(&mut self, task: Self::Task) -> (Self::Begun, bool);

    /// Completes a task. `Break` ends the work.
    fn complete(&mut self, begun: Self::Begun) -> ControlFlow<()>;
}

/// Runs tasks until there are no more. At most one task is submitted and not completed, and while there is one, the worker
/// does not wait for the next task: a task may get its permit only when that one is complete.
pub(crate) fn run_tasks<T: Tasks>(tasks: &mut T) {
    let mut submitted: Option<T::Begun> = None;
    loop {
        let next = tasks.take(submitted.is_none());
        if next.is_none() && submitted.is_none() {
            return;
        }
        let next = next.map(|task| tasks.begin(task));
        if let Some(before) = submitted.take()
            && tasks.complete(before).is_break()
        {
            return;
        }
        if let Some((begun, is_submitted)) = next {
            if is_submitted {
                submitted = Some(begun);
            } else if tasks.complete(begun).is_break() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks that are numbers, of which some are submitted, and a list of what was done.
    struct Listed {
        next: u32,
        end: u32,
        is_submitted: fn(u32) -> bool,
        done: Vec<(&'static str, u32)>,
    }

    impl Tasks for Listed {
        type Task = u32;
        type Begun = u32;

        fn take(&mut self, may_wait: bool) -> Option<u32> {
            // Every third task is not there yet.
            if self.next == self.end || self.next % 3 == 2 && !may_wait {
                return None;
            }
            self.next += 1;
            Some(self.next - 1)
        }

        fn begin(&mut self, task: u32) -> (u32, bool) {
            self.done.push(("begin", task));
            (task, (self.is_submitted)(task))
        }

        fn complete(&mut self, begun: u32) -> ControlFlow<()> {
            self.done.push(("complete", begun));
            ControlFlow::Continue(())
        }
    }

    fn done(is_submitted: fn(u32) -> bool) -> Vec<(&'static str, u32)> {
        let mut tasks = Listed { next: 0, end: 4, is_submitted, done: Vec::new() };
        run_tasks(&mut tasks);
        tasks.done
    }

    #[test]
    fn a_task_is_begun_before_a_submitted_one_is_completed() {
        let expected = [
            ("begin", 0),
            ("begin", 1),
            ("complete", 0),
            ("complete", 1),
            ("begin", 2),
            ("begin", 3),
            ("complete", 2),
            ("complete", 3),
        ];
        assert_eq!(done(|_| true), expected);
    }

    #[test]
    fn a_task_that_was_not_submitted_is_completed_at_once() {
        let in_turn: Vec<_> = (0..4).flat_map(|task| [("begin", task), ("complete", task)]).collect();
        assert_eq!(done(|_| false), in_turn);
        let expected = [("begin", 0), ("begin", 1), ("complete", 0), ("complete", 1)];
        assert_eq!(done(|task| task == 0)[..4], expected);
    }

    /// Models for loom, which ci/loom runs. loom reports a deadlock as a failure.
    #[cfg(loom)]
    mod models {
        use std::collections::VecDeque;

        use loom::sync::{Arc, Condvar, Mutex};
        use loom::thread;

        use super::super::super::handoff::OrderedHandoff;
        use super::super::super::turn::WriteTurn;
        use super::*;

        /// A channel.
        struct Channel<T> {
            items: Mutex<(VecDeque<T>, bool)>,
            changed: Condvar,
        }

        impl<T> Channel<T> {
            fn new() -> Self {
                Channel { items: Mutex::new((VecDeque::new(), false)), changed: Condvar::new() }
            }

            fn send(&self, item: T) {
                let mut items = self.items.lock().unwrap();
                items.0.push_back(item);
                drop(items);
                self.changed.notify_all();
            }

            fn close(&self) {
                let mut items = self.items.lock().unwrap();
                items.1 = true;
                drop(items);
                self.changed.notify_all();
            }

            /// Returns the next item; `None` if there is none now, or with `may_wait`, none later.
            fn receive(&self, may_wait: bool) -> Option<T> {
                let mut items = self.items.lock().unwrap();
                while may_wait && items.0.is_empty() && !items.1 {
                    items = self.changed.wait(items).unwrap();
                }
                items.0.pop_front()
            }
        }

        /// The queues between the threads, and what workers wait for.
        struct Pipeline {
            work: Channel<u64>,
            events: Channel<u64>,
            turn: WriteTurn,
            parts: OrderedHandoff<u64>,
            undecided: OrderedHandoff<u64>,
        }

        /// A worker all of whose tasks are submitted, and wait for all that there is to wait for.
        struct Worker(Arc<Pipeline>);

        impl Tasks for Worker {
            type Task = u64;
            type Begun = u64;

            fn take(&mut self, may_wait: bool) -> Option<u64> {
                self.0.work.receive(may_wait)
            }

            fn begin(&mut self, task: u64) -> (u64, bool) {
                let slot = self.0.parts.slot(task);
                let before = slot.wait().unwrap();
                slot.hand_on(before + 1);
                (task, true)
            }

            fn complete(&mut self, begun: u64) -> ControlFlow<()> {
                let slot = self.0.undecided.slot(begun);
                let before = slot.wait().unwrap();
                slot.hand_on(before + 1);
                self.0.turn.wait_for(begun);
                self.0.events.send(begun);
                ControlFlow::Continue(())
            }
        }

        /// Two workers and `tasks` tasks. The calling thread reads and writes: it gives out a task for each of `permits`
        /// permits, and one more for each event that it writes.
        fn model(tasks: u64, permits: u64) {
            let mut model = loom::model::Builder::new();
            // With three preemptions, as in the other models, there are 800,000 interleavings.
            model.preemption_bound = Some(2);
            model.check(move || {
                let pipeline = Arc::new(Pipeline {
                    work: Channel::new(),
                    events: Channel::new(),
                    turn: WriteTurn::default(),
                    parts: OrderedHandoff::new(0),
                    undecided: OrderedHandoff::new(0),
                });
                let workers = [0, 1].map(|_| {
                    let mut worker = Worker(pipeline.clone());
                    thread::spawn(move || run_tasks(&mut worker))
                });
                (0..permits.min(tasks)).for_each(|task| pipeline.work.send(task));
                for written in 0..tasks {
                    assert_eq!(pipeline.events.receive(true), Some(written), "events come in order");
                    pipeline.turn.pass_to(written + 1);
                    if written + permits < tasks {
                        pipeline.work.send(written + permits);
                    }
                }
                pipeline.work.close();
                for worker in workers {
                    worker.join().unwrap();
                }
            });
        }

        #[test]
        fn a_worker_has_two_tasks() {
            model(3, 3);
        }

        #[test]
        fn all_permits_belong_to_tasks_in_flight() {
            model(3, 2);
        }
    }
}
