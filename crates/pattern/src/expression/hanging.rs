//! The automaton of an expression whose matches hang over the start or the end of a text (`--overhang`).
//!
//! In the text, the symbols beyond an end are written as the symbols [`BEYOND`]: one for each end. So a string with three
//! symbols before the start is read as three of the first, then the rest of the string. Each position of the expression has up to
//! M + 2 states, if M symbols of a string must be inside of the text: one that reads a symbol before the start, one for each
//! number of symbols inside so far, up to M, and one that reads a symbol after the end.

use super::{Expression, State, StateCondition, Transition};
use crate::SymbolSet;
use crate::edge::Condition;
use crate::overhang::Overhang;
use crate::problem::MAX_STATES;
use nigh_text::alphabet::Symbol;

/// The symbols in place of those before the start and after the end of a text. No text has them.
pub const BEYOND: [Symbol; 2] = [Symbol::MAX - 3, Symbol::MAX - 1];

/// The largest number of sums of edits and overhangs: each takes sets of states of its own.
const MAX_SUMS: usize = 64;

/// The largest number of transitions between symbols inside, before those of no use are left out.
const MAX_EDGES: usize = 1 << 22;

/// The automaton of the matches of an expression that may hang over.
pub(crate) struct HangingExpression {
    /// Reads one of [`BEYOND`] in place of each symbol beyond an end.
    pub(crate) expression: Expression,
    /// Largest number of symbols before the start, and after the end.
    pub(crate) max_beyond: [usize; 2],
}

/// Where the symbol of a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HangingPart {
    /// Before the start of the text.
    Before,
    /// Inside of the text. The number counts the symbols inside so far, up to the least number that must be inside.
    Inside(usize),
    /// After the end of the text.
    After,
}

/// A position of the expression, and what is read there.
type HangingPlace = (HangingPart, State);

/// A transition from a place, or from the start, to another place; and whether both are in one occurrence of an exact group.
type HangingEdge = (Option<HangingPlace>, HangingPlace, bool);

impl Expression {
    /// Returns the automaton of the matches that may hang over, if the edits and overhangs of a match cost at most `max_sum`
    /// units. Their symbols beyond the ends are in no exact group. Returns `None` if the automaton would be too large, or if
    /// the expression has conditions, no longest string, or no string that is long enough.
    pub(crate) fn hanging_over(&self, overhang: Overhang, max_sum: u64) -> Option<HangingExpression> {
        if self.has_conditions() || overhang.sums(max_sum) > MAX_SUMS {
            return None;
        }
        let (longest, min_overlap) = (self.longest()?, overhang.min_overlap.get());
        if min_overlap > longest || min_overlap * self.transitions.len() > MAX_EDGES {
            return None;
        }
        let max_beyond = overhang.max_beyond(longest, max_sum);
        let mut is_end = vec![false; self.states()];
        self.ends.iter().for_each(|end| is_end[end.state as usize] = true);
        let edges = self.hanging_edges(&is_end, max_beyond, min_overlap);
        let is_accepting = |&(part, state): &HangingPlace| {
            is_end[state as usize] && (part == HangingPart::Inside(min_overlap) || part == HangingPart::After)
        };
        let places = useful_places(&edges, is_accepting);
        if places.is_empty() || places.len() >= MAX_STATES {
            return None;
        }
        let index = |place: &HangingPlace| places.binary_search(place).ok().map(|index| 1 + index as State);
        let transition = |&(from, to, joined): &HangingEdge| {
            let from = from.map_or(Some(0), |from| index(&from))?;
            Some(Transition { to: index(&to)?, from, condition: Condition::FREE, joined })
        };
        let mut transitions: Vec<Transition> = edges.iter().filter_map(transition).collect();
        transitions.sort_unstable();
        transitions.dedup();
        let [before, after] = BEYOND.map(SymbolSet::single);
        let set = |&(part, state): &HangingPlace| match part {
            HangingPart::Inside(_) => self.set(state).expect("a position has symbols").clone(),
            HangingPart::Before => before.clone(),
            HangingPart::After => after.clone(),
        };
        let is_exact = |&(part, state): &HangingPlace| !matches!(part, HangingPart::Inside(_)) || self.is_exact(state);
        let ends = places.iter().filter(|place| is_accepting(place)).filter_map(index);
        let expression = Expression {
            starts: [Condition::FREE].into(),
            sets: places.iter().map(set).collect(),
            exact: places.iter().map(is_exact).collect(),
            transitions: transitions.into(),
            ends: ends.map(|state| StateCondition { state, condition: Condition::FREE }).collect(),
            preferred_length: self.preferred_length,
            order: None,
            required: [].into(),
            longest: self.longest,
        };
        Some(HangingExpression { expression, max_beyond })
    }

    /// Returns the transitions between all places, of which some are of no use. `is_end` tells for each state whether it accepts.
    fn hanging_edges(&self, is_end: &[bool], max_beyond: [usize; 2], min_overlap: usize) -> Vec<HangingEdge> {
        let [max_before, max_after] = max_beyond;
        let first = self.starts.len() as State;
        let from_start = self.distances(max_before, |one| (one.from, one.to), |state| state < first);
        let to_end = self.distances(max_after + 1, |one| (one.to, one.from), |state| is_end[state as usize]);
        let is_before = |state: State| state >= first && from_start[state as usize] <= max_before;
        // The number of symbols after a position is one less than that from it on.
        let is_after = |state: State| to_end[state as usize] < max_after;
        let inside = |count: usize| HangingPart::Inside(count.min(min_overlap));
        let mut edges = Vec::new();
        for &Transition { to, from, joined, .. } in &self.transitions {
            let mut add = |before: Option<HangingPart>, after: HangingPart, joined: bool| {
                edges.push((before.map(|part| (part, from)), (after, to), joined));
            };
            let begins = if from < first { Some(None) } else { is_before(from).then_some(Some(HangingPart::Before)) };
            if let Some(before) = begins {
                add(before, inside(1), false);
                if is_before(to) {
                    add(before, HangingPart::Before, false);
                }
            }
            if from >= first {
                (1..=min_overlap).for_each(|count| add(Some(inside(count)), inside(count + 1), joined));
                if is_after(to) {
                    add(Some(inside(min_overlap)), HangingPart::After, false);
                    add(Some(HangingPart::After), HangingPart::After, false);
                }
            }
        }
        edges
    }

    /// Returns for each state the least number of positions that are passed on a way to it from a state that `begins`, or a
    /// number greater than `max`. The states on the way are in no exact group. Transitions are followed in a direction.
    fn distances(
        &self,
        max: usize,
        direction: impl Fn(&Transition) -> (State, State),
        begins: impl Fn(State) -> bool,
    ) -> Vec<usize> {
        let is_passed = |state: State| !self.is_exact(state);
        let start = |state: State| if begins(state) && is_passed(state) { 0 } else { usize::MAX };
        let mut distances: Vec<usize> = (0..self.states() as State).map(start).collect();
        for distance in 0..max.min(self.states()) {
            for (from, to) in self.transitions.iter().map(&direction) {
                if distances[from as usize] == distance && is_passed(to) {
                    let to = &mut distances[to as usize];
                    *to = (*to).min(distance + 1);
                }
            }
        }
        distances
    }
}

/// Returns the places on a way from the start to an accepting one, in order.
fn useful_places(edges: &[HangingEdge], is_accepting: impl Fn(&HangingPlace) -> bool) -> Vec<HangingPlace> {
    let mut all: Vec<HangingPlace> = edges.iter().map(|&(_, to, _)| to).collect();
    all.sort_unstable();
    all.dedup();
    let index = |place: &HangingPlace| all.binary_search(place).ok();
    let indexed: Vec<(Option<usize>, usize)> = edges
        .iter()
        .filter_map(|(from, to, _)| Some((from.map_or(Some(None), |from| index(&from).map(Some))?, index(to)?)))
        .collect();
    let mut forward = vec![Vec::new(); all.len()];
    let mut backward = vec![Vec::new(); all.len()];
    for &(from, to) in &indexed {
        if let Some(from) = from {
            forward[from].push(to);
            backward[to].push(from);
        }
    }
    let first = indexed.iter().filter(|(from, _)| from.is_none()).map(|&(_, to)| to).collect();
    let is_reached = reached(&forward, first);
    let leads_on = reached(&backward, (0..all.len()).filter(|&at| is_accepting(&all[at])).collect());
    let useful = all.iter().zip(is_reached.iter().zip(&leads_on));
    useful.filter(|(_, (is_reached, leads_on))| **is_reached && **leads_on).map(|(place, _)| *place).collect()
}

/// Returns for each node whether a path leads to it from one of the nodes `open`.
fn reached(targets: &[Vec<usize>], mut open: Vec<usize>) -> Vec<bool> {
    let mut is_reached = vec![false; targets.len()];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut is_reached[node], true) {
            open.extend(&targets[node]);
        }
    }
    is_reached
}
