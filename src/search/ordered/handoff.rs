//! Ordered hand-off: passes an item from each part of an input to the next, across threads.
//!
//! Exactly one item exists. Part `i` waits for it, and hands it on to part `i + 1`. The module [`ordered`](super)
//! explains why this cannot deadlock. Memory is one item, and all slots share one condition variable.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Passes an item of type `T` along the parts 0, 1, 2, ...
pub(crate) struct OrderedHandoff<T> {
    state: Mutex<HandoffState<T>>,
    changed: Condvar,
}

struct HandoffState<T> {
    /// Index of the part that receives the item next.
    next: u64,
    item: Option<T>,
    /// Index of the first part that never receives an item; `u64::MAX` while no part has failed.
    end: u64,
    /// Number of waiting threads. It is mostly 0, and then the system call that wakes threads is skipped.
    waiting: usize,
}

/// The position of one part in the hand-off. Dropping it without handing on ends the hand-off, so that later parts do
/// not wait for a part that failed.
pub(crate) struct HandoffSlot<'a, T> {
    handoff: &'a OrderedHandoff<T>,
    part: u64,
}

impl<T> OrderedHandoff<T> {
    /// Makes a hand-off whose first part receives `first`.
    pub(crate) fn new(first: T) -> Self {
        OrderedHandoff {
            state: Mutex::new(HandoffState { next: 0, item: Some(first), end: u64::MAX, waiting: 0 }),
            changed: Condvar::new(),
        }
    }

    /// Returns the slot of a part. Each part must take its slot once.
    pub(crate) fn slot(&self, part: u64) -> HandoffSlot<'_, T> {
        HandoffSlot { handoff: self, part }
    }

    /// Returns whether a slot was dropped without handing on.
    pub(crate) fn has_ended(&self) -> bool {
        self.state().end < u64::MAX
    }

    /// Wakes waiting threads, if there are any.
    fn wake(&self, state: &HandoffState<T>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, HandoffState<T>> {
        self.state.lock().expect("no panic while the lock is held")
    }
}

impl<T> HandoffSlot<'_, T> {
    /// Waits for the item of the previous part; `None` if that part or an earlier one failed.
    pub(crate) fn wait(&self) -> Option<T> {
        let mut state = self.handoff.state();
        while state.next < self.part && self.part < state.end {
            state.waiting += 1;
            state = self.handoff.changed.wait(state).expect("no panic while the lock is held");
            state.waiting -= 1;
        }
        if self.part < state.end { state.item.take() } else { None }
    }

    /// Returns whether [`wait`](Self::wait) would return without blocking.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.handoff.state();
        state.next >= self.part || self.part >= state.end
    }

    /// Hands the item of the previous part on to the next part unchanged.
    pub(crate) fn pass_on(self) {
        if let Some(item) = self.wait() {
            self.hand_on(item);
        }
    }

    /// Hands `item` on to the next part.
    pub(crate) fn hand_on(self, item: T) {
        let mut state = self.handoff.state();
        (state.next, state.item) = (self.part + 1, Some(item));
        self.handoff.wake(&state);
    }
}

impl<T> Drop for HandoffSlot<'_, T> {
    fn drop(&mut self) {
        let mut state = self.handoff.state();
        if state.next <= self.part {
            state.end = state.end.min(self.part + 1);
            self.handoff.wake(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn each_part_gets_what_the_one_before_hands_on() {
        let handoff = OrderedHandoff::new(1);
        thread::scope(|scope| {
            for part in (0..20).rev() {
                let slot = handoff.slot(part);
                scope.spawn(move || {
                    let item: u64 = slot.wait().unwrap();
                    assert_eq!(item, part + 1);
                    slot.hand_on(item + 1);
                });
            }
        });
        assert!(!handoff.has_ended());
    }

    #[test]
    fn what_is_handed_on_is_there_before_the_leg_ends() {
        let handoff = OrderedHandoff::new(());
        let first = handoff.slot(0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| handoff.slot(1).wait());
            while handoff.state().waiting == 0 {
                thread::yield_now();
            }
            first.hand_on(());
            assert!(waiting.join().unwrap().is_some());
        });
    }

    #[test]
    fn no_part_waits_for_one_that_failed() {
        let handoff = OrderedHandoff::new(());
        thread::scope(|scope| {
            let waiting: Vec<_> =
                (3..9).map(|part| handoff.slot(part)).map(|slot| scope.spawn(move || slot.wait())).collect();
            drop(handoff.slot(2));
            assert!(waiting.into_iter().all(|waiting| waiting.join().unwrap().is_none()));
            handoff.slot(0).hand_on(());
            assert!(handoff.slot(1).wait().is_some(), "an earlier part still receives the item");
        });
        assert!(handoff.has_ended());
    }
}
