//! Finds the string of a regular expression that an alignment belongs to.

use super::{Expression, State};
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::Symbol;

/// The string of an expression that an alignment belongs to, in memory that is reused.
#[derive(Debug, Default)]
pub struct SpelledString {
    /// For each position of the string and then each state, whether a path leads to it.
    reached: Vec<bool>,
    /// The positions of the string, from the last to the first while they are found.
    path: Vec<State>,
}

impl SpelledString {
    /// Returns the positions of a string of `expression` that `cigar` aligns with the symbols of a match. If there are
    /// several, prefers the positions written last, compared from the end of the string. Conditions are ignored. Returns no
    /// positions if there is no such string.
    ///
    /// For n operations and t transitions, time is O(n t).
    pub fn spell(
        &mut self,
        expression: &Expression,
        mut matched: impl Iterator<Item = Symbol>,
        cigar: &Cigar,
    ) -> &[State] {
        let states = expression.states();
        let reached = &mut self.reached;
        reached.clear();
        reached.extend((0..states).map(|state| state < expression.starts.len()));
        for edit in cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length)) {
            let symbol = if matches!(edit, Edit::PatternOnly | Edit::Overhang) { None } else { matched.next() };
            if edit == Edit::TextOnly {
                continue;
            }
            // A substituted symbol may belong to a transposition; then another position reads it.
            let reads = |state: State| match (edit, symbol, expression.set(state)) {
                (Edit::Match, Some(symbol), Some(set)) => set.contains(symbol),
                _ => true,
            };
            let position = reached.len();
            reached.resize(position + states, false);
            let (before, after) = reached.split_at_mut(position);
            let before = &before[position - states..];
            for transition in expression.transitions.iter().filter(|transition| before[transition.from as usize]) {
                after[transition.to as usize] |= reads(transition.to);
            }
        }
        if self.find_path(expression).is_none() {
            self.path.clear();
        }
        &self.path
    }

    /// Finds the positions on a path through the sets of states `reached` to an accepting state.
    fn find_path(&mut self, expression: &Expression) -> Option<()> {
        self.path.clear();
        let mut positions = self.reached.chunks_exact(expression.states()).rev();
        let last = positions.next()?;
        let mut state = expression.ends.iter().rev().map(|end| end.state).find(|&state| last[state as usize])?;
        for before in positions {
            self.path.push(state);
            let first = expression.transitions.partition_point(|transition| transition.to < state);
            let into = expression.transitions[first..].iter().take_while(|transition| transition.to == state);
            state = into.map(|transition| transition.from).filter(|&from| before[from as usize]).last()?;
        }
        self.path.reverse();
        Some(())
    }
}
