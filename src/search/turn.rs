//! Whose batch is being written: who has more rows than should wait in memory waits for this turn.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The number of the batch that is written next.
#[derive(Default)]
pub(super) struct Turn {
    next: Mutex<u64>,
    passed: Condvar,
}

impl Turn {
    /// Waits until everything before this batch is written.
    pub(super) fn wait_for(&self, number: u64) {
        let waiting = self.passed.wait_while(self.next(), |next| *next < number);
        drop(waiting.expect("nobody panics with the turn in hand"));
    }

    /// Everything before this batch is written.
    pub(super) fn pass_to(&self, number: u64) {
        *self.next() = number;
        self.passed.notify_all();
    }

    /// Nothing is written any more, so nobody need wait.
    pub(super) fn end(&self) {
        self.pass_to(u64::MAX);
    }

    fn next(&self) -> MutexGuard<'_, u64> {
        self.next.lock().expect("nobody panics with the turn in hand")
    }
}
