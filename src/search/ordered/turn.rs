//! Write turns: back-pressure on workers. A worker with a large row buffer blocks until its batch is next to be
//! written.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The number of the batch that is written next.
#[derive(Default)]
pub(crate) struct WriteTurn {
    state: Mutex<State>,
    passed: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Number of waiting threads. It is mostly 0, and then the system call that wakes threads is skipped.
    waiting: usize,
}

impl WriteTurn {
    /// Blocks until everything before this batch is written.
    pub(crate) fn wait_for(&self, number: u64) {
        let mut state = self.state();
        while state.next < number {
            state.waiting += 1;
            state = self.passed.wait(state).expect("no panic while the lock is held");
            state.waiting -= 1;
        }
    }

    /// Marks everything before this batch as written.
    pub(crate) fn pass_to(&self, number: u64) {
        let mut state = self.state();
        state.next = number;
        if state.waiting > 0 {
            self.passed.notify_all();
        }
    }

    /// Ends all waits, since nothing more is written.
    pub(crate) fn end(&self) {
        self.pass_to(u64::MAX);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while the lock is held")
    }
}
