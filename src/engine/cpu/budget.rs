//! How many candidates of a pattern a filter may let pass, before searching it in slices would be cheaper.

use super::CpuEngine;
use crate::engine::plan;

/// Which patterns are searched by a filter, and what each may still cost in the batch at hand.
pub(super) struct Budget {
    active: Vec<bool>,
    candidates: Vec<Candidates>,
}

/// The candidates of one pattern in a batch.
#[derive(Clone, Copy, Default)]
struct Candidates {
    /// Where a match without errors would end that holds the last one.
    last: usize,
    /// How many more are worth it.
    affordable: usize,
}

impl Budget {
    /// No pattern is active.
    pub(super) fn new(patterns: usize) -> Self {
        Budget { active: vec![false; patterns], candidates: vec![Candidates::default(); patterns] }
    }

    /// Makes these patterns active.
    pub(super) fn activate(&mut self, filtered: &[bool]) {
        self.active.copy_from_slice(filtered);
    }

    /// Whether a pattern is searched by the filter.
    #[inline]
    pub(super) fn is_active(&self, pattern: usize) -> bool {
        self.active[pattern]
    }

    /// How many patterns are.
    pub(super) fn active(&self) -> usize {
        self.active.iter().filter(|&&active| active).count()
    }

    /// Begins a batch of so many symbols.
    pub(super) fn begin(&mut self, engine: &CpuEngine, symbols: usize) {
        let shares = self.active().max(1);
        for (index, candidates) in self.candidates.iter_mut().enumerate().filter(|(index, _)| self.active[*index]) {
            let (sliced, window) = (engine.sliced_cost(index), engine.window_cost(index));
            let affordable = plan::affordable_windows(sliced, window, shares, symbols);
            *candidates = Candidates { last: usize::MAX, affordable };
        }
    }

    /// Whether a candidate is to be searched: of an active pattern, and not just searched for another piece of it. The
    /// pattern is given up when it has too many.
    #[inline]
    pub(super) fn accepts(&mut self, pattern: usize, end: usize) -> bool {
        let candidates = &mut self.candidates[pattern];
        if !self.active[pattern] || candidates.last == end {
            return false;
        }
        candidates.last = end;
        match candidates.affordable.checked_sub(1) {
            Some(left) => candidates.affordable = left,
            None => self.active[pattern] = false,
        }
        self.active[pattern]
    }
}
