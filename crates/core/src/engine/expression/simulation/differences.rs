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
use super::determinized::SetAutomaton;
use crate::engine::encoder::{Code, OTHER};
use crate::pattern::State;

/// The positions at which matches may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum StartsAt {
    /// At the first position of the text.
    First,
    /// At each position.
    Anywhere,
}

/// The simulation of matches with exactly `distance` edits.
pub(in crate::engine) struct RatedSets<'a, const W: usize> {
    pub(in crate::engine) automaton: &'a Automaton<W>,
    pub(in crate::engine) distance: usize,
    pub(in crate::engine) starts: StartsAt,
}

/// A set of states at a position, and the states that follow them there. The sets of a position are ordered by edits and
/// difference.
type SetHere<const W: usize> = [States<W>; 2];

/// Returns the number of sets of matches with at most `distance` edits.
fn count(distance: usize) -> usize {
    (distance + 1) * (distance + 1)
}

/// Returns the index of the set of a number of edits and a difference; `None` if there is no such set.
fn index(edits: Option<usize>, difference: isize) -> Option<usize> {
    let edits = edits.filter(|&edits| difference.unsigned_abs() <= edits)?;
    // The sets of fewer edits, with 2 e + 1 differences for e edits, come first.
    Some(edits * edits + (difference + edits as isize) as usize)
}

/// Returns whether a state is reached with a number of edits and a difference, which is at most that number. `sets` are
/// those of [`RatedSets`] at a position, for matches with `distance` edits.
pub(in crate::engine) fn has_state(
    sets: &[u64],
    distance: usize,
    (state, edits, difference): (State, usize, isize),
) -> bool {
    let words = sets.len() / (2 * count(distance));
    let at = index(Some(edits), difference).expect("there is such a set");
    let state = state as usize;
    sets[2 * words * at + state / 64] >> (state % 64) & 1 == 1
}

/// Computes the sets after a symbol, `here`, from those before it.
fn step<const W: usize>(
    automaton: &Automaton<W>,
    (before, (code, context)): (&[SetHere<W>], (Code, u8)),
    initial: &States<W>,
    here: &mut [SetHere<W>],
) {
    let readers = automaton.readers(code);
    let none = [0; W];
    let (mut edits, mut difference) = (0, 0);
    for at in 0..here.len() {
        let fewer = usize::checked_sub(edits, 1);
        let inserted = index(fewer, difference - 1).map_or(&none, |at| &before[at][0]);
        let substituted = index(fewer, difference).map_or(&none, |at| &before[at][1]);
        let deleted = index(fewer, difference + 1).map_or(&none, |at| &here[at][1]);
        let reached = if edits == 0 { initial } else { &none };
        let states: States<W> = std::array::from_fn(|word| {
            let read = before[at][1][word] & readers[word];
            read | inserted[word] | substituted[word] | deleted[word] | reached[word]
        });
        let is_empty = states.iter().all(|&word| word == 0);
        let following = if is_empty { none } else { automaton.follow(&states, context) };
        here[at] = [states, following];
        difference += 1;
        if difference > edits as isize {
            edits += 1;
            difference = -(edits as isize);
        }
    }
}

impl<const W: usize> RatedSets<'_, W> {
    /// Computes the sets after a symbol, and the least difference of the matches that end there.
    fn step_to(&self, from: &[u64], symbol: (Code, u8), initial: &States<W>, to: &mut [u64]) -> Option<u16> {
        let (before, here) =
            (from.as_chunks::<W>().0.as_chunks::<2>().0, to.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0);
        step(self.automaton, (before, symbol), initial, here);
        let accepts = |difference| {
            let at = index(Some(self.distance), difference).expect("there is such a set");
            self.automaton.accepts(&here[at][0], symbol.1)
        };
        (0..=self.distance as isize).find(|&least| accepts(least) || accepts(-least)).map(|least| least as u16)
    }
}

impl<const W: usize> SetAutomaton for RatedSets<'_, W> {
    fn words(&self) -> usize {
        2 * W * count(self.distance)
    }

    fn begin(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        // There is no state before this position, so the symbol is of no consequence.
        self.step_to(&vec![0; to.len()], (OTHER, context), self.automaton.initial(context), to)
    }

    fn step(&self, from: &[u64], code: Code, context: u8, to: &mut [u64]) -> Option<u16> {
        let initial = match self.starts {
            StartsAt::First => &[0; W],
            StartsAt::Anywhere => self.automaton.initial(context),
        };
        self.step_to(from, (code, context), initial, to)
    }
}
