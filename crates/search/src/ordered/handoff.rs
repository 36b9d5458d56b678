//! Ordered hand-off: passes an item from each part of an input to the next, across threads.
//!
//! Part `i` receives the item of part `i - 1`, and hands an item on to part `i + 1`. It may hand on before it receives:
//! either an item that does not depend on the received one, or a function that computes its item from the received one.
//! The thread that hands on an item calls the functions that wait for the item, while it holds the lock, so a chain of
//! parts needs no thread switches. The module [`ordered`](super) explains why this cannot deadlock. Memory is one item
//! or function for each part in flight, and all slots share one condition variable.

use std::collections::{BTreeMap, BTreeSet};

use super::sync::{Condvar, Mutex, MutexGuard};

/// Passes an item of type `T` along the parts 0, 1, 2, ...
pub(crate) struct OrderedHandoff<T> {
    state: Mutex<HandoffState<T>>,
    changed: Condvar,
}

/// Computes the item that a part hands on from the item that it receives.
type HandoffStep<T> = Box<dyn FnOnce(&T) -> T + Send>;

struct HandoffState<T> {
    /// Items not yet received, keyed by the receiving part.
    items: BTreeMap<u64, T>,
    /// Functions that wait for the item of an earlier part, keyed by the part that handed them on.
    steps: BTreeMap<u64, HandoffStep<T>>,
    /// Index of the first part that has not handed on an item.
    next: u64,
    /// Indices of the parts after `next` that have handed on an item.
    ahead: BTreeSet<u64>,
    /// Parts whose slot was dropped before an item arrived for them. That item will be discarded.
    ended: BTreeSet<u64>,
    /// Index of the first part that never receives an item; `u64::MAX` while no part has failed.
    end: u64,
    /// Number of waiting threads. If it is 0, as in most calls, no wake-up call is made.
    waiting: usize,
}

/// The position of one part in the hand-off. Dropping it without handing on ends the hand-off, so that later parts do
/// not wait for a part that failed.
pub struct HandoffSlot<'a, T> {
    handoff: &'a OrderedHandoff<T>,
    part: u64,
}

impl<T> OrderedHandoff<T> {
    /// Makes a hand-off whose first part receives `first`.
    pub(crate) fn new(first: T) -> Self {
        OrderedHandoff {
            state: Mutex::new(HandoffState {
                items: BTreeMap::from([(0, first)]),
                steps: BTreeMap::new(),
                next: 0,
                ahead: BTreeSet::new(),
                ended: BTreeSet::new(),
                end: u64::MAX,
                waiting: 0,
            }),
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

impl<T> HandoffState<T> {
    fn has_handed_on(&self, part: u64) -> bool {
        part < self.next || self.ahead.contains(&part)
    }

    /// Returns whether a part can stop waiting: the item for it was handed on, or never will be.
    fn is_ready(&self, part: u64) -> bool {
        part >= self.end || part.checked_sub(1).is_none_or(|before| self.has_handed_on(before))
    }

    fn hand_on(&mut self, mut part: u64, mut item: T) {
        loop {
            self.ahead.insert(part);
            while self.ahead.remove(&self.next) {
                self.next += 1;
            }
            let receiver = part + 1;
            let next = self.steps.remove(&receiver).map(|step| step(&item));
            if !self.ended.remove(&receiver) {
                self.items.insert(receiver, item);
            }
            let Some(next) = next else { return };
            (part, item) = (receiver, next);
        }
    }

    fn end(&mut self, part: u64) {
        if !self.has_handed_on(part) && !self.steps.contains_key(&part) {
            self.end = self.end.min(part + 1);
        }
        if self.items.remove(&part).is_none() && !self.is_ready(part) {
            self.ended.insert(part);
        }
    }
}

impl<T> HandoffSlot<'_, T> {
    /// Waits for the item of the previous part. Returns `None` if an earlier part failed, or if the item was already
    /// received.
    pub fn wait(&self) -> Option<T> {
        let mut state = self.handoff.state();
        while !state.is_ready(self.part) {
            state.waiting += 1;
            state = self.handoff.changed.wait(state).expect("no panic while the lock is held");
            state.waiting -= 1;
        }
        state.items.remove(&self.part)
    }

    /// Returns whether [`wait`](Self::wait) would return without blocking.
    pub fn is_ready(&self) -> bool {
        self.handoff.state().is_ready(self.part)
    }

    /// Hands the item of the previous part on to the next part unchanged.
    pub fn pass_on(self) {
        if let Some(item) = self.wait() {
            self.hand_on(item);
        }
    }

    /// Hands on `step(item)`, where `item` is that of the previous part. If it has not arrived yet, the thread that
    /// delivers it calls `step`. Call this before [`wait`](Self::wait), and hand on nothing else.
    pub fn hand_on_step(&self, step: impl FnOnce(&T) -> T + Send + 'static) {
        let mut state = self.handoff.state();
        let Some(received) = state.items.get(&self.part) else {
            state.steps.insert(self.part, Box::new(step));
            return;
        };
        let item = step(received);
        state.hand_on(self.part, item);
        self.handoff.wake(&state);
    }

    /// Hands `item` on to the next part.
    pub fn hand_on(&self, item: T) {
        let mut state = self.handoff.state();
        state.hand_on(self.part, item);
        self.handoff.wake(&state);
    }
}

impl<T> Drop for HandoffSlot<'_, T> {
    fn drop(&mut self) {
        let mut state = self.handoff.state();
        state.end(self.part);
        if state.end <= self.part + 1 {
            self.handoff.wake(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn each_part_gets_the_item_of_the_part_before() {
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
    fn an_item_is_available_before_the_slot_is_dropped() {
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
    fn a_part_may_hand_on_before_it_receives() {
        let handoff = OrderedHandoff::new(0);
        let (first, second, third) = (handoff.slot(0), handoff.slot(1), handoff.slot(2));
        second.hand_on(2);
        assert!(third.is_ready() && !second.is_ready());
        assert_eq!(third.wait(), Some(2));
        third.hand_on(3);
        drop(third);
        first.hand_on(1);
        assert_eq!((second.wait(), second.wait()), (Some(1), None));
        drop((first, second));
        // An item without a receiver is dropped, whenever it arrives.
        let (fourth, fifth) = (handoff.slot(3), handoff.slot(4));
        fifth.hand_on(5);
        drop(fifth);
        fourth.hand_on(4);
        drop(fourth);
        assert_eq!(handoff.state().items.keys().collect::<Vec<_>>(), [&5]);
        assert!(handoff.state().ended.is_empty() && !handoff.has_ended());
    }

    #[test]
    fn a_step_is_applied_by_the_thread_that_hands_on() {
        let handoff = OrderedHandoff::new(0);
        let slots: Vec<_> = (0..6).map(|part| handoff.slot(part)).collect();
        [1, 2, 4].into_iter().for_each(|part: usize| slots[part].hand_on_step(|item| item + 1));
        assert!(!slots[1].is_ready() && !slots[3].is_ready());
        slots[0].hand_on_step(|item| item + 1);
        assert_eq!((slots[0].wait(), slots[1].wait(), slots[3].wait()), (Some(0), Some(1), Some(3)));
        slots[3].hand_on(7);
        assert_eq!((slots[2].wait(), slots[4].wait(), slots[5].wait()), (Some(2), Some(7), Some(8)));
        slots[5].hand_on(9);
        drop(slots);
        assert!(!handoff.has_ended());
        let state = handoff.state();
        assert!(state.steps.is_empty() && state.ended.is_empty());
    }

    #[test]
    fn no_step_is_applied_after_a_part_that_failed() {
        let handoff = OrderedHandoff::new(0);
        let [first, second, third] = [0, 1, 2].map(|part| handoff.slot(part));
        third.hand_on_step(|item| item + 1);
        drop(second);
        first.hand_on_step(|item| item + 1);
        assert_eq!((third.wait(), handoff.slot(3).wait()), (None, None));
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

    /// Models for loom, which ci/loom runs. loom reports a deadlock as a failure.
    #[cfg(loom)]
    mod models {
        use loom::sync::Arc;
        use loom::thread;

        use super::super::*;

        /// Runs each of `parts` in a thread of its own, but the first in the calling thread.
        fn model(parts: &'static [fn(HandoffSlot<'_, u64>)], check: fn(&OrderedHandoff<u64>)) {
            loom::model(move || {
                let handoff = Arc::new(OrderedHandoff::new(0));
                let others = (1..).zip(&parts[1..]).map(|(number, part)| {
                    let handoff = handoff.clone();
                    thread::spawn(move || part(handoff.slot(number)))
                });
                let others: Vec<_> = others.collect();
                parts[0](handoff.slot(0));
                others.into_iter().for_each(|thread| thread.join().unwrap());
                check(&handoff);
            });
        }

        fn add_one(slot: HandoffSlot<'_, u64>) {
            let item = slot.wait().unwrap();
            assert_eq!(item, slot.part);
            slot.hand_on(item + 1);
        }

        fn hand_on_first(slot: HandoffSlot<'_, u64>) {
            slot.hand_on(slot.part + 1);
            assert_eq!(slot.wait(), Some(slot.part));
        }

        fn hand_on_one_more(slot: HandoffSlot<'_, u64>) {
            slot.hand_on_step(|item| item + 1);
            assert_eq!(slot.wait(), Some(slot.part));
        }

        fn fail(_: HandoffSlot<'_, u64>) {}

        fn receive_nothing(slot: HandoffSlot<'_, u64>) {
            assert_eq!(slot.wait(), None);
        }

        #[test]
        fn each_part_gets_the_item_of_the_part_before() {
            model(&[add_one, add_one, add_one], |handoff| assert!(!handoff.has_ended()));
        }

        #[test]
        fn a_part_may_hand_on_before_it_receives() {
            model(&[add_one, hand_on_first, add_one], |handoff| assert!(!handoff.has_ended()));
        }

        #[test]
        fn a_part_may_hand_on_a_step_before_it_receives() {
            model(&[add_one, hand_on_one_more, hand_on_one_more], |handoff| assert!(!handoff.has_ended()));
        }

        #[test]
        fn no_step_is_applied_after_a_part_that_failed() {
            fn hand_on_step_in_vain(slot: HandoffSlot<'_, u64>) {
                slot.hand_on_step(|item| item + 1);
                assert_eq!(slot.wait(), None);
            }
            model(&[add_one, fail, hand_on_step_in_vain], |handoff| assert!(handoff.has_ended()));
        }

        #[test]
        fn no_part_waits_for_one_that_failed() {
            model(&[add_one, fail, receive_nothing], |handoff| assert!(handoff.has_ended()));
        }
    }
}
