//! The starts of matches: for each end of a match, the best of its starts.
//!
//! Of the matches that end at a position with its distance, the best has the least difference between its insertions and
//! deletions, then the leftmost start. This is the simulation of the levels with a number for each state: the leftmost start of
//! a match that reaches the state with a number of edits, and with a difference between insertions and deletions. For n
//! symbols, t transitions and distances of at most d, time is O(n t d²).

use super::context::holds;
use super::line::EncodedLine;
use crate::engine::encoder::Code;
use crate::pattern::{Expression, State};

/// The value of a state that no match reaches.
const NEVER: u32 = u32::MAX;

/// The end of a match: a position in a line or record, and the least distance there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchEnd {
    pub(super) position: usize,
    pub(super) distance: usize,
}

/// The leftmost starts of a state, for each number of edits and each difference.
struct StartTable {
    /// The number of states.
    states: usize,
    /// The largest number of edits.
    max_edits: usize,
    /// Ordered by the number of edits, the difference and the state.
    starts: Vec<u32>,
}

impl StartTable {
    fn new(states: usize, max_edits: usize) -> Self {
        let levels = max_edits + 1;
        StartTable { states, max_edits, starts: vec![NEVER; levels * (2 * max_edits + 1) * states] }
    }

    /// Returns the starts of all states, for a number of edits and a difference; `None` if they do not fit each other.
    fn level(&self, edits: Option<usize>, difference: isize) -> Option<&[u32]> {
        self.range(edits, difference).map(|range| &self.starts[range])
    }

    fn range(&self, edits: Option<usize>, difference: isize) -> Option<std::ops::Range<usize>> {
        let edits = edits?;
        let row = (edits * (2 * self.max_edits + 1)) as isize + difference + self.max_edits as isize;
        let fits = difference.unsigned_abs() <= edits;
        fits.then(|| row as usize * self.states..(row as usize + 1) * self.states)
    }
}

/// Returns the start of the best match for each end. `ends` are ordered by position, and `reads` tells whether a state
/// reads the symbols of a class.
pub(super) fn best_starts(
    expression: &Expression,
    reads: &dyn Fn(State, Code) -> bool,
    line: &EncodedLine<'_>,
    ends: &[MatchEnd],
) -> Vec<usize> {
    let max_edits = ends.iter().map(|end| end.distance).max().unwrap_or(0);
    let (mut old, mut new) =
        (StartTable::new(expression.states(), max_edits), StartTable::new(expression.states(), max_edits));
    let mut ends = ends.iter().peekable();
    let mut starts = Vec::with_capacity(ends.len());
    for position in line.first..=line.last {
        if ends.peek().is_none() {
            break;
        }
        let step = StartStep { expression, reads, line, position };
        step.advance(&old, &mut new);
        while let Some(end) = ends.next_if(|end| end.position == position) {
            starts.push(step.best(&new, end.distance));
        }
        std::mem::swap(&mut old, &mut new);
    }
    starts
}

/// The step to a position of a line.
struct StartStep<'a> {
    expression: &'a Expression,
    reads: &'a dyn Fn(State, Code) -> bool,
    line: &'a EncodedLine<'a>,
    position: usize,
}

impl StartStep<'_> {
    /// Computes the table of the position from the table of the position before it.
    fn advance(&self, old: &StartTable, new: &mut StartTable) {
        new.starts.fill(NEVER);
        let context = self.line.context(self.position);
        let initial = new.range(Some(0), 0).expect("no edits make no difference");
        for (start, condition) in new.starts[initial].iter_mut().zip(self.expression.starts()) {
            if holds(*condition, context) {
                *start = self.position as u32;
            }
        }
        for edits in 0..=new.max_edits {
            let fewer = edits.checked_sub(1);
            for difference in -(edits as isize)..=edits as isize {
                let range = new.range(Some(edits), difference).expect("the difference fits");
                if self.position > self.line.first {
                    let inserted = old.level(fewer, difference - 1);
                    let target = &mut new.starts[range.clone()];
                    for (start, &before) in target.iter_mut().zip(inserted.into_iter().flatten()) {
                        *start = before.min(*start);
                    }
                    self.consume(old.level(Some(edits), difference), Consumed::Read, target);
                    self.consume(old.level(fewer, difference), Consumed::Substituted, target);
                }
                if let Some(deleted) = new.range(fewer, difference + 1) {
                    // Levels with fewer edits come first.
                    let (before, after) = new.starts.split_at_mut(range.start);
                    self.delete(&before[deleted], &mut after[..range.len()]);
                }
            }
        }
    }

    /// Takes transitions with the symbol before the position.
    fn consume(&self, from: Option<&[u32]>, consumed: Consumed, to: &mut [u32]) {
        let Some(from) = from else { return };
        let code = self.line.codes[self.position - 1];
        let context = self.line.context(self.position - 1);
        for transition in self.expression.transitions() {
            let start = from[transition.from as usize];
            if start < to[transition.to as usize]
                && (consumed == Consumed::Substituted || (self.reads)(transition.to, code))
                && holds(transition.condition, context)
            {
                to[transition.to as usize] = start;
            }
        }
    }

    /// Takes transitions without a symbol.
    fn delete(&self, from: &[u32], to: &mut [u32]) {
        let context = self.line.context(self.position);
        for transition in self.expression.transitions() {
            let start = from[transition.from as usize];
            if start < to[transition.to as usize] && holds(transition.condition, context) {
                to[transition.to as usize] = start;
            }
        }
    }

    /// Returns the start of the best match that ends at the position with a distance.
    fn best(&self, table: &StartTable, distance: usize) -> usize {
        let context = self.line.context(self.position);
        let ends = self.expression.ends().iter().filter(|end| holds(end.condition, context));
        let starts = ends.flat_map(|end| {
            (-(distance as isize)..=distance as isize).filter_map(move |difference| {
                let start = table.level(Some(distance), difference)?[end.state as usize];
                (start != NEVER).then_some((difference.unsigned_abs(), start as usize))
            })
        });
        starts.min().expect("a match ends here").1
    }
}

/// How a symbol of the text is consumed by a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consumed {
    Read,
    Substituted,
}
