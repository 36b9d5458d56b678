//! Hands something on from each part of an input to the next, whichever threads have them.

use std::sync::{Condvar, Mutex, MutexGuard};

/// What is handed on, and to whom.
pub(crate) struct OrderedHandoff<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// The part that gets the item.
    next: u64,
    item: Option<T>,
    /// Nothing is handed on to this part and those behind it.
    end: u64,
    /// How many threads wait: mostly none, and waking nobody is a call of the system too.
    waiting: usize,
}

/// The leg of one part. If it is dropped before anything was handed on, the parts behind it get nothing, so that
/// nobody waits for one that failed.
pub(crate) struct HandoffSlot<'a, T> {
    handoff: &'a OrderedHandoff<T>,
    part: u64,
}

impl<T> OrderedHandoff<T> {
    /// A relay of which the first part gets this item.
    pub(crate) fn new(first: T) -> Self {
        OrderedHandoff {
            state: Mutex::new(State { next: 0, item: Some(first), end: u64::MAX, waiting: 0 }),
            changed: Condvar::new(),
        }
    }

    /// The leg of a part; there is one for each.
    pub(crate) fn slot(&self, part: u64) -> HandoffSlot<'_, T> {
        HandoffSlot { handoff: self, part }
    }

    /// Whether a leg ended without handing on.
    pub(crate) fn has_ended(&self) -> bool {
        self.state().end < u64::MAX
    }

    /// Wakes those who wait.
    fn wake(&self, state: &State<T>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("nobody panics with the state in hand")
    }
}

impl<T> HandoffSlot<'_, T> {
    /// Waits for what the part before hands on; `None` if it or one before it failed.
    pub(crate) fn wait(&self) -> Option<T> {
        let mut state = self.handoff.state();
        while state.next < self.part && self.part < state.end {
            state.waiting += 1;
            state = self.handoff.changed.wait(state).expect("nobody panics with the state in hand");
            state.waiting -= 1;
        }
        if self.part < state.end { state.item.take() } else { None }
    }

    /// Whether [`wait`](Self::wait) would return at once.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.handoff.state();
        state.next >= self.part || self.part >= state.end
    }

    /// Hands on to the next part what comes from the one before.
    pub(crate) fn pass_on(self) {
        if let Some(item) = self.wait() {
            self.hand_on(item);
        }
    }

    /// Hands something on to the next part.
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
    fn nobody_waits_behind_one_that_failed() {
        let handoff = OrderedHandoff::new(());
        thread::scope(|scope| {
            let waiting: Vec<_> =
                (3..9).map(|part| handoff.slot(part)).map(|slot| scope.spawn(move || slot.wait())).collect();
            drop(handoff.slot(2));
            assert!(waiting.into_iter().all(|waiting| waiting.join().unwrap().is_none()));
            handoff.slot(0).hand_on(());
            assert!(handoff.slot(1).wait().is_some(), "who comes before it goes on");
        });
        assert!(handoff.has_ended());
    }
}
