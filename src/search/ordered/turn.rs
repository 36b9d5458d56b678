//! Whose batch is being written: who has more rows than should wait in memory waits for this turn.

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
    /// The number of threads that wait: mostly none, and waking nobody is a call of the system too.
    waiting: usize,
}

impl WriteTurn {
    /// Waits until everything before this batch is written.
    pub(crate) fn wait_for(&self, number: u64) {
        let mut state = self.state();
        while state.next < number {
            state.waiting += 1;
            state = self.passed.wait(state).expect("nobody panics with the turn in hand");
            state.waiting -= 1;
        }
    }

    /// Everything before this batch is written.
    pub(crate) fn pass_to(&self, number: u64) {
        let mut state = self.state();
        state.next = number;
        if state.waiting > 0 {
            self.passed.notify_all();
        }
    }

    /// Nothing is written any more, so nobody need wait.
    pub(crate) fn end(&self) {
        self.pass_to(u64::MAX);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with the turn in hand")
    }
}
