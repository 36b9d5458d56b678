//! The simulation of an automaton with at most k edits, one symbol at a time.
//!
//! Level i is the set of the states that are reached with i edits, as bits. For a symbol of the text, with F(i) the
//! states that follow level i:
//!
//! ```text
//! level'(i) = F(i) & states that read the symbol       a match
//!           | level(i - 1)                             the symbol is inserted
//!           | F(i - 1)                                 the symbol is substituted
//!           | F'(i - 1)                                a symbol of the pattern is deleted
//! ```
//!
//! S. Wu and U. Manber, "Fast text searching allowing errors", 1992, for strings; here the states are those of
//! Glushkov's automaton, so the distances are those of E. W. Myers and W. Miller, "Approximate matching of regular
//! expressions", 1989. With w words a level, n symbols take O(n k w) time, and a state with transitions to others than
//! itself and the next takes O(w) more where it is active.

use super::determinized::SetAutomaton;
use nigh_pattern::{Expression, State};
use nigh_tables::context::{CONTEXTS, holds};
use nigh_verify::encoder::{Classes, Code};

/// A set of states.
pub(crate) type States<const W: usize> = [u64; W];

/// The largest number of words of a set of states.
pub(super) const MAX_WORDS: usize = 64;

/// An automaton as bit masks, for text in codes of classes.
pub(crate) struct Automaton<const W: usize> {
    k: usize,
    direction: ReadingDirection,
    /// The states that read a symbol of each class.
    readers: Vec<States<W>>,
    /// Whether the tables of all contexts are the same.
    is_free: bool,
    contexts: Vec<ContextTables<W>>,
    follows: Vec<TransitionMasks<W>>,
}

/// The tables of an automaton at a position of the text with one context.
#[derive(Clone, Copy)]
struct ContextTables<const W: usize> {
    /// The initial states.
    initial: States<W>,
    /// The accepting states.
    accepting: States<W>,
    /// Index of the transitions in `follows`.
    follow: usize,
}

/// The transitions of an automaton.
#[derive(PartialEq, Eq)]
pub(super) struct TransitionMasks<const W: usize> {
    /// The states with a transition to the next one.
    to_next: States<W>,
    /// The states with a transition to themselves.
    to_same: States<W>,
    /// The states with other transitions.
    to_others: States<W>,
    /// For each state with other transitions, their targets, in the order of the states.
    targets: Vec<States<W>>,
    /// For each word, the number of states with other transitions in the words before it.
    ranks: [u32; W],
    /// The states with the same targets of other transitions, and these targets; empty if there are many such groups.
    groups: Vec<(States<W>, States<W>)>,
}

/// The direction in which an automaton reads text. Backward, it begins in the accepting states and accepts in the
/// initial ones, and follows each transition from the state after it to the state before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingDirection {
    Forward,
    Backward,
}

impl ReadingDirection {
    /// Returns the bit of a state. Backward, the states are in reverse order, so that most transitions lead to the next
    /// bit in both directions.
    pub(super) fn bit(self, state: State, states: usize) -> usize {
        match self {
            ReadingDirection::Forward => state as usize,
            ReadingDirection::Backward => states - 1 - state as usize,
        }
    }
}

impl<const W: usize> Automaton<W> {
    /// Makes the automaton of an expression with at most `k` edits, for text read in a direction. The expression has at
    /// most 64 W states.
    pub(crate) fn new(expression: &Expression, k: usize, classes: &Classes, direction: ReadingDirection) -> Self {
        let bit = |state: State| direction.bit(state, expression.states());
        let mut readers = vec![[0; W]; classes.count()];
        for state in expression.starts().len() as State..expression.states() as State {
            let set = expression.set(state).expect("a position has symbols");
            for &code in classes.codes_in(set) {
                insert(&mut readers[usize::from(code)], bit(state));
            }
        }
        let is_free = !expression.has_conditions();
        let (mut contexts, mut follows) = (Vec::new(), Vec::new());
        for context in 0..if is_free { 1 } else { CONTEXTS } {
            let context = context as u8;
            let (mut initial, mut accepting) = ([0; W], [0; W]);
            for (state, _) in (0..).zip(expression.starts()).filter(|(_, start)| holds(**start, context)) {
                insert(&mut initial, bit(state));
            }
            for end in expression.ends().iter().filter(|end| holds(end.condition, context)) {
                insert(&mut accepting, bit(end.state));
            }
            let active = expression.transitions().iter().filter(|transition| holds(transition.condition, context));
            let follow = TransitionMasks::new(active.map(|transition| match direction {
                ReadingDirection::Forward => (bit(transition.from), bit(transition.to)),
                ReadingDirection::Backward => (bit(transition.to), bit(transition.from)),
            }));
            let index = follows.iter().position(|known| *known == follow).unwrap_or_else(|| {
                follows.push(follow);
                follows.len() - 1
            });
            if direction == ReadingDirection::Backward {
                std::mem::swap(&mut initial, &mut accepting);
            }
            contexts.push(ContextTables { initial, accepting, follow: index });
        }
        Automaton { k, direction, readers, is_free, contexts, follows }
    }

    /// Returns the direction in which it reads text.
    pub(super) fn direction(&self) -> ReadingDirection {
        self.direction
    }

    /// Returns whether a state reads the symbols of a class. The automaton must read forward.
    pub(crate) fn reads(&self, state: State, code: Code) -> bool {
        contains(&self.readers[usize::from(code)], state as usize)
    }

    #[inline]
    fn at(&self, context: u8) -> &ContextTables<W> {
        &self.contexts[if self.is_free { 0 } else { usize::from(context) }]
    }

    /// Returns the states that read the symbols of a class.
    pub(crate) fn readers(&self, code: Code) -> &States<W> {
        &self.readers[usize::from(code)]
    }

    /// Returns the initial states at a position.
    pub(crate) fn initial(&self, context: u8) -> &States<W> {
        &self.at(context).initial
    }

    /// Returns whether one of `states` is an accepting state at a position.
    pub(super) fn accepts(&self, states: &States<W>, context: u8) -> bool {
        intersects(states, &self.at(context).accepting)
    }

    /// Returns the states that follow `states` at a position.
    pub(crate) fn follow(&self, states: &States<W>, context: u8) -> States<W> {
        self.follows[self.at(context).follow].of(states)
    }

    /// Adds the states that deletions of pattern symbols lead to: to each level, the states that follow the level with
    /// one edit less.
    fn delete(&self, states: &mut [States<W>], following: &mut [States<W>], context: u8) {
        for level in 0..=self.k {
            if level > 0 {
                states[level] = or(&states[level], &following[level - 1]);
            }
            following[level] = self.follow(&states[level], context);
        }
    }

    /// Reads a symbol. `states` are those of each level, and `following` the states that follow them. `context` is the
    /// context of the position after the symbol.
    #[inline]
    fn step(&self, states: &mut [States<W>], following: &mut [States<W>], (code, context): (Code, u8)) {
        let readers = &self.readers[usize::from(code)];
        let tables = self.at(context);
        let follow = &self.follows[tables.follow];
        // The level below, and the states that follow it, before the symbol.
        let (mut below, mut following_below) = ([0; W], [0; W]);
        // The states that follow the level below, after the symbol. At level 0, the initial states.
        let mut deleted = tables.initial;
        for (states, following) in states.iter_mut().zip(following) {
            let (old, old_following) = (*states, *following);
            *states = std::array::from_fn(|word| {
                old_following[word] & readers[word] | below[word] | following_below[word] | deleted[word]
            });
            *following = follow.of(states);
            (below, following_below, deleted) = (old, old_following, *following);
        }
    }

    /// Returns the least level with an accepting state; `None` if there is none.
    #[inline]
    fn distance(&self, levels: &[States<W>], context: u8) -> Option<usize> {
        let accepting = &self.at(context).accepting;
        levels.iter().position(|states| intersects(states, accepting))
    }
}

/// The levels of all matches up to a position, and the states that follow each.
pub(crate) struct EndLevels<'a, const W: usize>(pub(crate) &'a Automaton<W>);

impl<const W: usize> SetAutomaton for EndLevels<'_, W> {
    fn words(&self) -> usize {
        2 * (self.0.k + 1) * W
    }

    fn begin(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        let (states, following) = to.as_chunks_mut::<W>().0.split_at_mut(self.0.k + 1);
        states[0] = self.0.at(context).initial;
        self.0.delete(states, following, context);
        // A match covers at least one symbol.
        None
    }

    fn step(&self, from: &[u64], code: Code, context: u8, to: &mut [u64]) -> Option<u16> {
        to.copy_from_slice(from);
        let (states, following) = to.as_chunks_mut::<W>().0.split_at_mut(self.0.k + 1);
        self.0.step(states, following, (code, context));
        self.0.distance(states, context).map(|edits| edits as u16)
    }
}

impl<const W: usize> TransitionMasks<W> {
    /// Makes the masks of transitions, each from the state of one bit to that of another.
    pub(super) fn new(transitions: impl Iterator<Item = (usize, usize)>) -> Self {
        let (mut to_next, mut to_same, mut to_others) = ([0; W], [0; W], [0; W]);
        let mut others: Vec<(usize, usize)> = Vec::new();
        for (from, to) in transitions {
            match to {
                _ if to == from => insert(&mut to_same, from),
                _ if to == from + 1 => insert(&mut to_next, from),
                _ => {
                    insert(&mut to_others, from);
                    others.push((from, to));
                }
            }
        }
        let mut ranks = [0; W];
        for word in 1..W {
            ranks[word] = ranks[word - 1] + to_others[word - 1].count_ones();
        }
        let mut targets = vec![[0; W]; to_others.iter().map(|word| word.count_ones() as usize).sum()];
        for (from, to) in others {
            let before = to_others[from / 64] & ((1 << (from % 64)) - 1);
            insert(&mut targets[(ranks[from / 64] + before.count_ones()) as usize], to);
        }
        let groups = Self::groups(&to_others, &targets);
        TransitionMasks { to_next, to_same, to_others, targets, ranks, groups }
    }

    /// Returns the states `from` by their `targets`, which are in the order of the states.
    fn groups(from: &States<W>, targets: &[States<W>]) -> Vec<(States<W>, States<W>)> {
        const MAX_GROUPS: usize = 4;
        let mut groups: Vec<(States<W>, States<W>)> = Vec::new();
        let states = (0..64 * W).filter(|&state| contains(from, state));
        for (state, targets) in states.zip(targets) {
            let known = groups.iter().position(|(_, known)| known == targets);
            let at = known.unwrap_or_else(|| {
                groups.push(([0; W], *targets));
                groups.len() - 1
            });
            insert(&mut groups[at].0, state);
            if groups.len() > MAX_GROUPS {
                return Vec::new();
            }
        }
        groups
    }

    /// Returns the states to which transitions lead from `states`.
    #[inline]
    pub(super) fn of(&self, states: &States<W>) -> States<W> {
        let mut following = [0; W];
        let mut carry = 0;
        for (word, following) in following.iter_mut().enumerate() {
            let next = states[word] & self.to_next[word];
            *following = next << 1 | carry | states[word] & self.to_same[word];
            carry = next >> 63;
        }
        if !self.groups.is_empty() {
            for (from, targets) in &self.groups {
                if intersects(states, from) {
                    following = or(&following, targets);
                }
            }
            return following;
        }
        for (word, (&states, &to_others)) in states.iter().zip(&self.to_others).enumerate() {
            let mut rest = states & to_others;
            while rest != 0 {
                let before = to_others & ((rest & rest.wrapping_neg()) - 1);
                following = or(&following, &self.targets[(self.ranks[word] + before.count_ones()) as usize]);
                rest &= rest - 1;
            }
        }
        following
    }
}

/// Adds a state.
pub(super) fn insert<const W: usize>(states: &mut States<W>, state: usize) {
    states[state / 64] |= 1 << (state % 64);
}

/// Returns whether a state is in the set.
pub(crate) fn contains<const W: usize>(states: &States<W>, state: usize) -> bool {
    states[state / 64] >> (state % 64) & 1 == 1
}

#[inline]
pub(super) fn or<const W: usize>(a: &States<W>, b: &States<W>) -> States<W> {
    std::array::from_fn(|word| a[word] | b[word])
}

#[inline]
fn intersects<const W: usize>(a: &States<W>, b: &States<W>) -> bool {
    (0..W).any(|word| a[word] & b[word] != 0)
}
