//! Regular expressions as Glushkov automata: the states, the transitions, and the strings that they spell.
//!
//! An automaton has a state for each position of the expression. A position is a place at which the expression has a
//! symbol. There are no empty transitions, and all transitions into a state read a symbol of the state's set. V. M.
//! Glushkov, "The abstract theory of automata", 1961. The states before the first symbol are *initial*: one for each
//! condition with which a match may start.
//!
//! `glushkov` builds the automaton, `hanging` that of matches that hang over an end of the text, and `spelling` finds the
//! string that an alignment belongs to.

pub(super) mod glushkov;
pub(super) mod hanging;
mod spelling;

pub use spelling::SpelledString;

use std::ops::Range;
use std::sync::Arc;

use super::SymbolSet;
use super::edge::{Condition, Edge};
use super::shared_parts::SharedParts;
use super::string_order::{OrderedText, StringOrder};

/// The number of a state. The initial states come first, then the positions in the order in which they are written.
///
/// Two bytes, since there may be millions of states: an expression has at most 4,096.
pub type State = u16;

/// A transition between two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// The state that the transition leads to, which is a position.
    pub to: State,
    /// The state that the transition leads from.
    pub from: State,
    /// The condition on the position in the text directly before the symbol.
    pub condition: Condition,
    /// Whether both states belong to one occurrence of an exact group, so that nothing may be inserted between them.
    pub joined: bool,
}

/// A state with a condition on a position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateCondition {
    /// The state.
    pub state: State,
    /// The condition.
    pub condition: Condition,
}

/// Choice among the matches with the same start, distance and difference in length. Of matches without edits, an
/// expression with a lazy quantifier prefers [the one that Perl finds](Expression::first_end).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreferredLength {
    /// The longest.
    Longest,
    /// The shortest, since all quantifiers of the expression are lazy.
    Shortest,
}

/// The automaton of a regular expression.
///
/// It spells at least one string that is not empty. Every state is on a path from an initial state to an accepting one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// The condition on the start of a match for each initial state.
    pub(super) starts: Box<[Condition]>,
    /// The symbols of each position.
    pub(super) sets: Arc<[SymbolSet]>,
    /// For each position, whether it belongs to an exact group; empty if none does.
    pub(super) exact: Box<[bool]>,
    /// The transitions, ordered by the state after them.
    pub(super) transitions: Box<[Transition]>,
    /// The accepting states, with the condition on the end of a match. A state may occur with several conditions.
    pub(super) ends: Box<[StateCondition]>,
    pub(super) preferred_length: PreferredLength,
    /// The order of the strings, if the expression is for text and has a lazy quantifier.
    order: Option<Arc<StringOrder>>,
    /// The positions of the symbols that all strings have in common, in order, as indices of `sets`: a range for each
    /// run of such symbols without others in between.
    pub(super) required: Box<[Range<State>]>,
    /// The number of symbols of the longest string; `None` if there is no longest.
    pub(super) longest: Option<State>,
}

impl Expression {
    /// Returns the number of states.
    pub fn states(&self) -> usize {
        self.starts.len() + self.sets.len()
    }

    /// Returns the number of states of the automaton or of its mirror image, whichever has more. The mirror image has an
    /// initial state for each condition on the end of a match.
    pub(super) fn states_in_both_directions(&self) -> usize {
        let mut conditions: Vec<Condition> = self.ends.iter().map(|end| end.condition).collect();
        conditions.sort_unstable();
        conditions.dedup();
        self.starts.len().max(conditions.len()) + self.sets.len()
    }

    /// Returns, for each initial state, the condition on the start of a match. The initial states are 0, 1, 2, ...
    pub fn starts(&self) -> &[Condition] {
        &self.starts
    }

    /// Returns the symbols that a match reads on the way into a state; `None` for an initial state.
    pub fn set(&self, state: State) -> Option<&SymbolSet> {
        self.sets.get((state as usize).checked_sub(self.starts.len())?)
    }

    /// Returns the symbols of each position.
    pub fn sets(&self) -> &[SymbolSet] {
        &self.sets
    }

    /// Returns whether any position belongs to an exact group.
    pub fn has_exact_groups(&self) -> bool {
        !self.exact.is_empty()
    }

    /// Returns whether a state is a position of an exact group, whose symbol must not be edited.
    pub fn is_exact(&self, state: State) -> bool {
        let position = (state as usize).checked_sub(self.starts.len());
        position.and_then(|position| self.exact.get(position)).is_some_and(|&is_exact| is_exact)
    }

    /// Returns the transitions, ordered by the state after them, then by the state before them.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// Returns the accepting states, with the condition on the end of a match.
    pub fn ends(&self) -> &[StateCondition] {
        &self.ends
    }

    /// Returns which of several matches with the same start is shown.
    pub fn preferred_length(&self) -> PreferredLength {
        self.preferred_length
    }

    /// Returns whether matches without edits end where those of Perl do, because the expression has a lazy quantifier.
    pub fn ends_as_in_perl(&self) -> bool {
        self.order.is_some()
    }

    /// Returns the end of the match without edits that Perl finds in a text from the first of its positions on; `None` if
    /// there is no match. Must only be called if matches [end as in Perl](Self::ends_as_in_perl).
    pub fn first_end<R, H>(&self, text: &OrderedText<R, H>) -> Option<usize>
    where
        R: Fn(State, usize) -> bool,
        H: Fn(Condition, usize) -> bool,
    {
        self.order.as_ref().expect("the expression has an order").first_end(text)
    }

    /// Returns the symbols that all strings have in common, in order: a slice for each run of such symbols. Between two
    /// runs are symbols that only some strings have.
    pub fn required(&self) -> impl Iterator<Item = &[SymbolSet]> {
        self.required.iter().map(|run| &self.sets[run.start as usize..run.end as usize])
    }

    /// Returns whether an initial or accepting state or a transition has a condition.
    pub fn has_conditions(&self) -> bool {
        let of_states = self.starts.iter().copied().chain(self.ends.iter().map(|end| end.condition));
        let mut all = of_states.chain(self.transitions.iter().map(|transition| transition.condition));
        all.any(|condition| !condition.is_free())
    }

    /// Returns the positions of the shortest string that is not empty; of several, one that is written early in the
    /// expression. Conditions are ignored.
    pub fn shortest(&self) -> Vec<State> {
        self.shortest_of(|_| true).expect("an expression spells a string that is not empty")
    }

    /// Like [`shortest`](Self::shortest), but of the strings whose positions all have symbols that `is_wanted` selects;
    /// `None` if there is no such string.
    pub(super) fn shortest_of(&self, is_wanted: impl Fn(&SymbolSet) -> bool) -> Option<Vec<State>> {
        // The states that follow each state: a range of `following`.
        let mut bounds = vec![0; self.states() + 1];
        self.transitions.iter().for_each(|transition| bounds[transition.from as usize + 1] += 1);
        for state in 0..self.states() {
            bounds[state + 1] += bounds[state];
        }
        let (mut filled, mut following) = (bounds.clone(), vec![0; self.transitions.len()]);
        for transition in &self.transitions {
            let place = &mut filled[transition.from as usize];
            following[*place] = transition.to;
            *place += 1;
        }
        // Breadth-first search. The state before each state on a shortest path to it.
        let mut before: Vec<Option<State>> = vec![None; self.states()];
        let mut reached: Vec<State> = (0..self.starts.len() as State).collect();
        let mut at = 0;
        while let Some(&state) = reached.get(at) {
            at += 1;
            if state as usize >= self.starts.len() && self.ends.iter().any(|end| end.state == state) {
                let back = |&state: &State| before[state as usize];
                let path = std::iter::successors(Some(state), back);
                let mut positions: Vec<State> = path.filter(|&state| self.set(state).is_some()).collect();
                positions.reverse();
                return Some(positions);
            }
            for &next in &following[bounds[state as usize]..bounds[state as usize + 1]] {
                if before[next as usize].is_none() && self.set(next).is_none_or(&is_wanted) {
                    before[next as usize] = Some(state);
                    reached.push(next);
                }
            }
        }
        None
    }

    /// Returns the number of symbols of the longest string; `None` if there is no longest.
    pub fn longest(&self) -> Option<usize> {
        self.longest.map(usize::from)
    }

    /// Returns the automaton with further conditions: matches also satisfy the edge `start` at their start and `end` at
    /// their end.
    pub(super) fn between(mut self, start: Edge, end: Edge) -> Expression {
        let (start, end) = (Condition::new(start, Edge::FREE), Condition::new(Edge::FREE, end));
        self.starts.iter_mut().for_each(|condition| *condition = condition.and(start));
        self.ends.iter_mut().for_each(|last| last.condition = last.condition.and(end));
        self.order = self.order.map(|order| Arc::new(Arc::unwrap_or_clone(order).ending(end)));
        self
    }

    /// Replaces the symbols of each position.
    pub(super) fn map_sets(&mut self, change: impl FnOnce(&mut [SymbolSet])) {
        change(Arc::make_mut(&mut self.sets));
    }

    /// Makes equal sets share their memory.
    pub(super) fn share_sets(&mut self, sets: &mut SharedParts) {
        self.map_sets(|own| sets.share(own));
    }

    /// Returns the automaton of the reversed strings, for text read from its end to its start.
    pub(super) fn mirrored(&self) -> Expression {
        let first_position = self.starts.len() as State;
        let mut starts: Vec<Condition> = self.ends.iter().map(|end| end.condition.mirrored()).collect();
        starts.sort_unstable();
        starts.dedup();
        let start_of = |condition: Condition| {
            starts.binary_search(&condition.mirrored()).expect("each end has its condition") as State
        };
        // Position p becomes position n - 1 - p.
        let positions = self.sets.len() as State;
        let mirror = |state: State| starts.len() as State + positions - 1 - (state - first_position);
        let (mut transitions, mut ends) = (Vec::with_capacity(self.transitions.len()), Vec::new());
        for &Transition { to, from, condition, joined } in &self.transitions {
            let condition = condition.mirrored();
            match self.starts.get(from as usize) {
                Some(start) => {
                    ends.push(StateCondition { state: mirror(to), condition: condition.and(start.mirrored()) });
                }
                None => transitions.push(Transition { to: mirror(from), from: mirror(to), condition, joined }),
            }
        }
        let first = self.ends.iter().map(|end| Transition {
            to: mirror(end.state),
            from: start_of(end.condition),
            condition: Condition::FREE,
            joined: false,
        });
        transitions.extend(first);
        transitions.sort_unstable();
        ends.sort_unstable();
        ends.dedup();
        let sets = self.sets.iter().rev().cloned().collect();
        let exact = self.exact.iter().rev().copied().collect();
        let required = self.required.iter().rev().map(|run| positions - run.end..positions - run.start).collect();
        Expression {
            starts: starts.into(),
            sets,
            exact,
            transitions: transitions.into(),
            ends: ends.into(),
            preferred_length: self.preferred_length,
            order: None,
            required,
            longest: self.longest,
        }
    }
}

/// Returns the number of symbols of the longest string of an automaton with this number of states and these ordered
/// transitions; `None` if there is no longest.
pub(super) fn longest(states: usize, transitions: &[Transition]) -> Option<State> {
    let mut lengths = vec![0; states];
    for &Transition { to, from, .. } in transitions {
        // Positions are in the order in which they are written, so only a repeat leads back.
        if to <= from {
            return None;
        }
        lengths[to as usize] = lengths[to as usize].max(lengths[from as usize] + 1);
    }
    lengths.into_iter().max()
}
