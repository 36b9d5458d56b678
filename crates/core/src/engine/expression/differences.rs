//! The simulation of an automaton that also tells the differences between insertions and deletions.
//!
//! There is one set of states for each number of edits e and each difference from -e to e, so the step of `automaton`
//! becomes, with F(e, δ) the states that follow a set:
//!
//! ```text
//! set'(e, δ) = F(e, δ) & states that read the symbol      a match
//!            | set(e - 1, δ - 1)                          the symbol is inserted
//!            | F(e - 1, δ)                                the symbol is substituted
//!            | F'(e - 1, δ + 1)                           a symbol of the pattern is deleted
//! ```
//!
//! With d edits and w words a set, n symbols take O(n d² w) time. Empty sets take none, and few sets are not empty if
//! matches start at a single position.

use super::automaton::{Automaton, States};
use super::line::EncodedLine;
use crate::engine::encoder::{Code, OTHER};
use crate::interrupt;

/// The end of a match with a given number of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RatedEnd {
    pub(super) position: usize,
    /// The least difference between insertions and deletions of a match that ends there.
    pub(super) difference: usize,
}

/// The sets of states at a position, ordered by edits and difference.
#[derive(Clone)]
pub(super) struct DifferenceSets<const W: usize>(Vec<SetHere<W>>);

/// A set of states at a position, and the states that follow them there.
#[derive(Clone, Copy)]
struct SetHere<const W: usize> {
    states: States<W>,
    following: States<W>,
}

/// Passes the end of each match in `line` with `distance` edits that starts at one of the positions `starts`, which
/// ascend, to `found`, up to the position `until`.
pub(super) fn for_each_end<const W: usize>(
    automaton: &Automaton<W>,
    line: &EncodedLine<'_>,
    (starts, until): (&[usize], usize),
    distance: usize,
    found: &mut dyn FnMut(RatedEnd),
) {
    let mut here = DifferenceSets::new(distance);
    let mut before = here.clone();
    let mut starts = starts.iter().copied().peekable();
    let mut next = starts.peek().copied();
    while let Some(position) = next.filter(|&position| position <= until) {
        interrupt::check_at(position);
        let context = line.context(position);
        let is_start = starts.next_if_eq(&position).is_some();
        // Before the first start the sets are empty, so the symbol is of no consequence.
        let code = position.checked_sub(1).map_or(OTHER, |before| line.codes[before]);
        std::mem::swap(&mut here, &mut before);
        let initial = if is_start { *automaton.initial(context) } else { [0; W] };
        let is_open = here.step(automaton, &before, (code, context), &initial);
        let accepts = |difference| automaton.accepts(here.states(distance, difference), context);
        let least = (0..=distance as isize).find(|&least| accepts(least) || accepts(-least));
        if let Some(difference) = least {
            found(RatedEnd { position, difference: difference.unsigned_abs() });
        }
        next = if is_open { Some(position + 1) } else { starts.peek().copied() };
    }
}

/// Returns the index of the set of a number of edits and a difference; `None` if there is no such set.
fn index(edits: Option<usize>, difference: isize) -> Option<usize> {
    let edits = edits.filter(|&edits| difference.unsigned_abs() <= edits)?;
    // The sets of fewer edits, with 2 e + 1 differences for e edits, come first.
    Some(edits * edits + (difference + edits as isize) as usize)
}

impl<const W: usize> DifferenceSets<W> {
    /// Makes empty sets for matches with at most `distance` edits.
    pub(super) fn new(distance: usize) -> Self {
        let none = SetHere { states: [0; W], following: [0; W] };
        DifferenceSets(vec![none; (distance + 1) * (distance + 1)])
    }

    /// Returns the states that are reached with a number of edits and a difference, which is at most that number.
    pub(super) fn states(&self, edits: usize, difference: isize) -> &States<W> {
        &self.0[index(Some(edits), difference).expect("there is such a set")].states
    }

    /// Computes the sets after a symbol from those `before` it. `context` is that of the position after the symbol, and
    /// the states `initial` are reached there without edits. Returns whether a set has states.
    pub(super) fn step(
        &mut self,
        automaton: &Automaton<W>,
        before: &Self,
        (code, context): (Code, u8),
        initial: &States<W>,
    ) -> bool {
        let readers = automaton.readers(code);
        let none = [0; W];
        let mut is_open = false;
        let (mut edits, mut difference) = (0, 0);
        for at in 0..self.0.len() {
            let fewer = usize::checked_sub(edits, 1);
            let inserted = index(fewer, difference - 1).map_or(&none, |at| &before.0[at].states);
            let substituted = index(fewer, difference).map_or(&none, |at| &before.0[at].following);
            let deleted = index(fewer, difference + 1).map_or(&none, |at| &self.0[at].following);
            let reached = if edits == 0 { initial } else { &none };
            let states: States<W> = std::array::from_fn(|word| {
                let read = before.0[at].following[word] & readers[word];
                read | inserted[word] | substituted[word] | deleted[word] | reached[word]
            });
            let is_empty = states.iter().all(|&word| word == 0);
            let following = if is_empty { none } else { automaton.follow(&states, context) };
            self.0[at] = SetHere { states, following };
            is_open |= !is_empty;
            difference += 1;
            if difference > edits as isize {
                edits += 1;
                difference = -(edits as isize);
            }
        }
        is_open
    }
}
