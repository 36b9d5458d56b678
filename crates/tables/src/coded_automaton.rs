//! Automata of regular expressions over codes of symbols, as bit-sliced searches simulate them: on the processor
//! (`bitslice::automaton` of nigh-cpu) and on devices (`automaton_tables` of nigh-cuda).

use super::code_sets::CodeSets;
use nigh_verify::encoder::Code;

/// A set of contexts, a bit each. The number of a context is 4 b + a, where b and a stand for the symbols before and
/// after a position: 0 for none, 1 for a word character in ASCII, 2 for another word character, 3 for any other symbol.
pub type ContextSet = u16;

/// All contexts.
const EVERYWHERE: ContextSet = ContextSet::MAX;

/// The parts of an automaton: its states, with the initial ones first, and its transitions.
pub struct AutomatonParts<'a> {
    /// The largest number of edits.
    pub k: usize,
    /// For each initial state, the contexts in which it is active.
    pub initial: Vec<ContextSet>,
    /// For each other state, the codes of the symbols that it reads.
    pub readers: Vec<&'a [Code]>,
    /// The transitions: a state, its predecessor, and the contexts in which the transition may be taken. Ordered by
    /// state.
    pub transitions: Vec<(u32, u32, ContextSet)>,
    /// The accepting states, with the contexts in which they accept.
    pub accepting: Vec<(u32, ContextSet)>,
    /// The codes of word characters: those in ASCII, and the others; `None` if there are no conditions.
    pub words: Option<[Vec<Code>; 2]>,
    /// The number of codes of classes.
    pub classes: usize,
    /// The code of ends of lines and records.
    pub ends: Code,
}

/// An automaton over codes.
pub struct CodedAutomaton {
    pub k: usize,
    /// For each initial state, the index of its condition.
    pub initial: Box<[u32]>,
    /// For each other state, the index in `sets` of the symbols that it reads.
    pub readers: Box<[u32]>,
    /// The sets of codes, in this order: the ends of lines and records; if there are conditions, the word characters in
    /// ASCII and the other word characters; the sets that states read.
    pub sets: CodeSets,
    /// For each set, whether `sets` holds the codes that are not in the set.
    pub is_inverted: Box<[bool]>,
    /// For each state that is not initial, the index in `before` just past its predecessors.
    pub ends_of_before: Box<[u32]>,
    /// The predecessors of each state, by transitions without a condition.
    pub before: Box<[u32]>,
    /// The transitions with a condition: a state, its predecessor, and the index of the condition.
    pub guarded: Box<[(u32, u32, u32)]>,
    /// The accepting states, with the indices of their conditions.
    pub accepting: Box<[(u32, u32)]>,
    /// The contexts in which each condition holds. The first condition always holds.
    pub conditions: Box<[ContextSet]>,
}

/// The index in `sets` of the ends of lines and records.
pub const ENDS: usize = 0;
/// The index in `sets` of word characters in ASCII; the other word characters follow.
pub const WORDS: usize = 1;
/// The index of the condition that always holds.
pub const ALWAYS: u32 = 0;

impl CodedAutomaton {
    pub fn new(parts: &AutomatonParts<'_>) -> Self {
        let mut conditions = vec![EVERYWHERE];
        let mut condition = |contexts: ContextSet| {
            let index = conditions.iter().position(|known| *known == contexts).unwrap_or_else(|| {
                conditions.push(contexts);
                conditions.len() - 1
            });
            index as u32
        };
        let mut sets: Vec<Vec<Code>> = vec![vec![parts.ends]];
        let mut is_inverted = vec![false];
        if let Some(words) = &parts.words {
            sets.extend(words.iter().cloned());
            is_inverted.extend([false; 2]);
        }
        let mut set_of: Vec<(&[Code], u32)> = Vec::new();
        let readers = parts.readers.iter().map(|&codes| {
            if let Some(&(_, index)) = set_of.iter().find(|(known, _)| *known == codes) {
                return index;
            }
            let invert = codes.len() > parts.classes / 2;
            let others = || (0..parts.classes as Code).filter(|code| !codes.contains(code)).collect();
            sets.push(if invert { others() } else { codes.to_vec() });
            is_inverted.push(invert);
            let index = sets.len() as u32 - 1;
            set_of.push((codes, index));
            index
        });
        let readers: Box<[u32]> = readers.collect();
        let (mut before, mut ends_of_before, mut guarded) = (Vec::new(), Vec::new(), Vec::new());
        let mut transitions = parts.transitions.iter().peekable();
        for state in parts.initial.len()..parts.initial.len() + readers.len() {
            while let Some(&(to, from, contexts)) = transitions.next_if(|(to, ..)| *to as usize == state) {
                match condition(contexts) {
                    ALWAYS => before.push(from),
                    guard => guarded.push((to, from, guard)),
                }
            }
            ends_of_before.push(before.len() as u32);
        }
        let initial = parts.initial.iter().map(|&contexts| condition(contexts)).collect();
        let accepting = parts.accepting.iter().map(|&(state, contexts)| (state, condition(contexts))).collect();
        let sets: Vec<&[Code]> = sets.iter().map(Vec::as_slice).collect();
        CodedAutomaton {
            k: parts.k,
            initial,
            readers,
            sets: CodeSets::new(&sets),
            is_inverted: is_inverted.into(),
            ends_of_before: ends_of_before.into(),
            before: before.into(),
            guarded: guarded.into(),
            accepting,
            conditions: conditions.into(),
        }
    }

    pub fn states(&self) -> usize {
        self.initial.len() + self.readers.len()
    }
}
