//! Limits the candidates that a filter may pass per pattern and batch: beyond the limit, a bit-sliced search is
//! cheaper.

use super::seed_finder::TestLimit;
use crate::compiled::Compiled;
use crate::cost;

/// The number of batches for which the filter leaves a pattern out after giving it up. The number doubles each time, up
/// to `MAX_REST`.
const FIRST_REST: u32 = 16;
const MAX_REST: u32 = 1024;

/// The patterns that the filter searches for, and the remaining budget of each in the current batch.
pub(crate) struct FilterBudget {
    patterns: Vec<PatternBudget>,
    active: usize,
    /// A counter that increases when the set of active patterns changes.
    version: u64,
    /// The cost of a bit-sliced search for all active patterns.
    bitsliced: f64,
}

/// The state and budget of one pattern.
#[derive(Clone, Copy)]
struct PatternBudget {
    state: BudgetState,
    /// The number of batches to rest the next time the pattern is given up.
    next_rest: u32,
    /// The nominal end of the last candidate, which is the end of an exact match around its seed. In the text filter
    /// the end is an offset in the batch. See [`FilterBudget::try_spend_dedup`].
    last: usize,
    /// The remaining budget of the pattern in this batch, as a number of windows.
    affordable: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BudgetState {
    /// The filter does not cover the pattern.
    NotFiltered,
    /// The filter searches for the pattern.
    Active,
    /// The pattern was given up, and rests for this number of further batches.
    Resting(u32),
}

impl PatternBudget {
    fn give_up(&mut self) {
        self.state = BudgetState::Resting(self.next_rest);
        self.next_rest = MAX_REST.min(2 * self.next_rest);
    }
}

impl FilterBudget {
    /// Makes a budget. The patterns that the filter covers, marked in `filtered`, are active.
    pub(crate) fn new(filtered: &[bool]) -> Self {
        let share = |&filtered: &bool| {
            let state = if filtered { BudgetState::Active } else { BudgetState::NotFiltered };
            PatternBudget { state, next_rest: FIRST_REST, last: usize::MAX, affordable: 0 }
        };
        let active = filtered.iter().filter(|&&filtered| filtered).count();
        FilterBudget { patterns: filtered.iter().map(share).collect(), active, version: 0, bitsliced: 0.0 }
    }

    /// Returns whether the filter searches for a pattern.
    #[inline]
    pub(crate) fn is_active(&self, pattern: usize) -> bool {
        self.patterns[pattern].state == BudgetState::Active
    }

    /// Returns the number of active patterns.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// Returns a counter that increases when the set of active patterns changes.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Starts a batch of about `symbols` symbols: activates the patterns that have rested long enough, and refills the
    /// budgets.
    pub(crate) fn begin(&mut self, compiled: &Compiled, symbols: usize) {
        for share in &mut self.patterns {
            match &mut share.state {
                BudgetState::Resting(0) => {
                    share.state = BudgetState::Active;
                    self.active += 1;
                    self.version += 1;
                }
                BudgetState::Resting(left) => *left -= 1,
                BudgetState::Active | BudgetState::NotFiltered => {}
            }
        }
        let shares = self.active.max(1);
        self.bitsliced = 0.0;
        for (index, share) in
            self.patterns.iter_mut().enumerate().filter(|(_, share)| share.state == BudgetState::Active)
        {
            let (bitsliced, window) = (compiled.bitsliced_cost(index), compiled.window_cost(index));
            self.bitsliced += bitsliced;
            share.last = usize::MAX;
            share.affordable = cost::affordable_windows(bitsliced, window, shares, symbols);
        }
    }

    /// Like [`try_spend`](Self::try_spend) with cost 1, but rejects a candidate with the same nominal end as the
    /// previous one: their windows are equal, so the window was searched for another seed already.
    #[inline]
    pub(crate) fn try_spend_dedup(&mut self, pattern: usize, end: usize) -> bool {
        if self.patterns[pattern].last == end {
            return false;
        }
        self.patterns[pattern].last = end;
        self.try_spend(pattern, 1)
    }

    /// Returns the number of seeds that may be tested in a batch of `symbols` symbols.
    pub(crate) fn affordable_tests(&self, symbols: usize) -> TestLimit {
        TestLimit(cost::affordable_tests(self.bitsliced, symbols))
    }

    /// Gives up all active patterns.
    pub(crate) fn give_up_all(&mut self) {
        for share in self.patterns.iter_mut().filter(|share| share.state == BudgetState::Active) {
            share.give_up();
        }
        self.active = 0;
        self.version += 1;
    }

    /// Spends `cost`, the cost of a candidate in windows. Returns whether to search around the candidate. Gives the
    /// pattern up if its budget is exhausted.
    #[inline]
    pub(crate) fn try_spend(&mut self, pattern: usize, cost: usize) -> bool {
        let share = &mut self.patterns[pattern];
        if share.state != BudgetState::Active {
            return false;
        }
        match share.affordable.checked_sub(cost) {
            Some(left) => share.affordable = left,
            None => {
                share.give_up();
                self.active -= 1;
                self.version += 1;
            }
        }
        share.state == BudgetState::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_beyond_their_budget_rest_and_return() {
        let mut budget = FilterBudget::new(&[true, false]);
        budget.patterns[0].affordable = 2;
        let ends = [7, 7, 8, 9, 10];
        assert_eq!(ends.map(|end| budget.try_spend_dedup(0, end)), [true, false, true, false, false]);
        assert!(!budget.try_spend_dedup(1, 7) && !budget.try_spend(0, 1));
        assert_eq!((budget.active(), budget.version()), (0, 1));
        assert!(
            budget.patterns[0].state == BudgetState::Resting(FIRST_REST)
                && budget.patterns[0].next_rest == 2 * FIRST_REST
        );
    }
}
