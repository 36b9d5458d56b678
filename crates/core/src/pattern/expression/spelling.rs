//! Finds the string of a regular expression that an alignment belongs to.

use super::{Expression, State};
use crate::alignment::{Cigar, Edit};
use crate::alphabet::Symbol;

impl Expression {
    /// Returns the positions of a string that `cigar` aligns with the symbols of a match. If there are several, prefers
    /// the positions written last, compared from the end of the string. Conditions are ignored. Returns no positions if
    /// there is no such string.
    ///
    /// For n operations and t transitions, time is O(n t).
    pub fn spelled(&self, mut matched: impl Iterator<Item = Symbol>, cigar: &Cigar) -> Vec<State> {
        let states = self.states();
        // For each position of the string and then each state, whether a path leads to it.
        let length: usize = cigar.runs().map(|(length, _)| length).sum();
        let mut reached: Vec<bool> = Vec::with_capacity((length + 1) * states);
        reached.extend((0..states).map(|state| state < self.starts.len()));
        for edit in cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length)) {
            let symbol = if matches!(edit, Edit::PatternOnly | Edit::Overhang) { None } else { matched.next() };
            if edit == Edit::TextOnly {
                continue;
            }
            // A substituted symbol may belong to a transposition; then another position reads it.
            let reads = |state: State| match (edit, symbol, self.set(state)) {
                (Edit::Match, Some(symbol), Some(set)) => set.contains(symbol),
                _ => true,
            };
            let position = reached.len();
            reached.resize(position + states, false);
            let (before, after) = reached.split_at_mut(position);
            let before = &before[position - states..];
            for transition in self.transitions.iter().filter(|transition| before[transition.from as usize]) {
                after[transition.to as usize] |= reads(transition.to);
            }
        }
        self.path(&reached).unwrap_or_default()
    }

    /// Returns the positions on a path through the sets of states `reached` to an accepting state.
    fn path(&self, reached: &[bool]) -> Option<Vec<State>> {
        let mut positions = reached.chunks_exact(self.states()).rev();
        let last = positions.next()?;
        let mut state = self.ends.iter().rev().map(|end| end.state).find(|&state| last[state as usize])?;
        let mut path = Vec::with_capacity(positions.len());
        for before in positions {
            path.push(state);
            let into = self.transitions.iter().rev().filter(|transition| transition.to == state);
            state = into.map(|transition| transition.from).find(|&from| before[from as usize])?;
        }
        path.reverse();
        Some(path)
    }
}
