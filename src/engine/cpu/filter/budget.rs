//! How many candidates of a pattern a filter may let pass, before searching it in slices would be cheaper.

use crate::engine::cpu::compiled::Compiled;
use crate::engine::cpu::cost;

/// A pattern that was given up is tried again after so many batches; each time it is given up, after twice as many.
const FIRST_REST: u32 = 16;
const MAX_REST: u32 = 1024;

/// Which patterns are searched by a filter, and what each may still cost in the batch at hand.
pub(crate) struct FilterBudget {
    patterns: Vec<Share>,
    active: usize,
    /// Changes with the set of active patterns.
    version: u64,
}

/// What is known of one pattern.
#[derive(Clone, Copy)]
struct Share {
    state: State,
    /// How long it rests when it is given up next.
    next_rest: u32,
    /// Where a match without errors would end that holds the last candidate, as the filter counts; see
    /// [`FilterBudget::try_spend_dedup`].
    last: usize,
    /// How many more candidates of this batch are worth it.
    affordable: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The filter does not have it.
    NotFiltered,
    /// It is searched by the filter.
    Active,
    /// It was given up, for so many batches more.
    Resting(u32),
}

impl FilterBudget {
    /// The patterns that a filter has are active.
    pub(crate) fn new(filtered: &[bool]) -> Self {
        let share = |&filtered: &bool| {
            let state = if filtered { State::Active } else { State::NotFiltered };
            Share { state, next_rest: FIRST_REST, last: usize::MAX, affordable: 0 }
        };
        let active = filtered.iter().filter(|&&filtered| filtered).count();
        FilterBudget { patterns: filtered.iter().map(share).collect(), active, version: 0 }
    }

    /// Whether a pattern is searched by the filter.
    #[inline]
    pub(crate) fn is_active(&self, pattern: usize) -> bool {
        self.patterns[pattern].state == State::Active
    }

    /// How many patterns are.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// A number that changes with the set of active patterns.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Begins a batch of about so many symbols.
    pub(crate) fn begin(&mut self, compiled: &Compiled, symbols: usize) {
        for share in &mut self.patterns {
            match &mut share.state {
                State::Resting(0) => {
                    share.state = State::Active;
                    self.active += 1;
                    self.version += 1;
                }
                State::Resting(left) => *left -= 1,
                State::Active | State::NotFiltered => {}
            }
        }
        let shares = self.active.max(1);
        for (index, share) in self.patterns.iter_mut().enumerate().filter(|(_, share)| share.state == State::Active) {
            let (bitsliced, window) = (compiled.bitsliced_cost(index), compiled.window_cost(index));
            share.last = usize::MAX;
            share.affordable = cost::affordable_windows(bitsliced, window, shares, symbols);
        }
    }

    /// The same for a candidate whose window is that of all candidates with this end: if it was the last one, it has been
    /// searched, for another seed.
    #[inline]
    pub(crate) fn try_spend_dedup(&mut self, pattern: usize, end: usize) -> bool {
        if self.patterns[pattern].last == end {
            return false;
        }
        self.patterns[pattern].last = end;
        self.try_spend(pattern, 1)
    }

    /// Whether a candidate is to be searched that costs as much as so many: of an active pattern, which is given up when it
    /// has too many.
    #[inline]
    pub(crate) fn try_spend(&mut self, pattern: usize, cost: usize) -> bool {
        let share = &mut self.patterns[pattern];
        if share.state != State::Active {
            return false;
        }
        match share.affordable.checked_sub(cost) {
            Some(left) => share.affordable = left,
            None => {
                share.state = State::Resting(share.next_rest);
                share.next_rest = MAX_REST.min(2 * share.next_rest);
                self.active -= 1;
                self.version += 1;
            }
        }
        share.state == State::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_too_much_rests_and_comes_back() {
        let mut budget = FilterBudget::new(&[true, false]);
        budget.patterns[0].affordable = 2;
        let ends = [7, 7, 8, 9, 10];
        assert_eq!(ends.map(|end| budget.try_spend_dedup(0, end)), [true, false, true, false, false]);
        assert!(!budget.try_spend_dedup(1, 7) && !budget.try_spend(0, 1));
        assert_eq!((budget.active(), budget.version()), (0, 1));
        assert!(
            budget.patterns[0].state == State::Resting(FIRST_REST) && budget.patterns[0].next_rest == 2 * FIRST_REST
        );
    }
}
