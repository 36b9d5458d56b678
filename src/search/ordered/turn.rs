//! Write turns: back-pressure on workers. A worker with a large row buffer blocks until its batch is next to be
//! written.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The sequence number of the work whose results are written next.
#[derive(Default)]
pub(crate) struct WriteTurn {
    state: Mutex<TurnState>,
    passed: Condvar,
}

#[derive(Default)]
struct TurnState {
    next: u64,
    /// Number of waiting threads. It is mostly 0, and then the system call that wakes threads is skipped.
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

    /// Ends all waits, present and future. Call it when nothing more is written.
    pub(crate) fn end(&self) {
        self.pass_to(u64::MAX);
    }

    fn state(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().expect("no panic while the lock is held")
    }
}
