//! Contexts of positions in a text, by which conditions such as `^` and `\b` are evaluated.

use crate::coded_automaton::ContextSet;
use nigh_pattern::Condition;
use nigh_text::alphabet::{Symbol, is_word_symbol};

/// The number of contexts.
pub const CONTEXTS: usize = 16;

/// The context of a position between two symbols that are no word characters.
pub const FREE_CONTEXT: u8 = context(NeighbourKind::Other, NeighbourKind::Other);

/// The kind of the symbol on one side of a position, as far as conditions distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeighbourKind {
    /// There is no symbol: the line or record starts or ends here.
    None,
    /// A word character in ASCII.
    AsciiWord,
    /// Another word character.
    Word,
    /// Any other symbol.
    Other,
}

const NEIGHBOURS: [NeighbourKind; 4] =
    [NeighbourKind::None, NeighbourKind::AsciiWord, NeighbourKind::Word, NeighbourKind::Other];

impl NeighbourKind {
    pub fn of(symbol: Symbol) -> Self {
        match is_word_symbol(symbol) {
            true if symbol < 0x80 => NeighbourKind::AsciiWord,
            true => NeighbourKind::Word,
            false => NeighbourKind::Other,
        }
    }

    /// Returns an example of a symbol of this kind.
    fn example(self) -> Option<Symbol> {
        match self {
            NeighbourKind::None => None,
            NeighbourKind::AsciiWord => Some(Symbol::from('a')),
            NeighbourKind::Word => Some(Symbol::from('é')),
            NeighbourKind::Other => Some(Symbol::from(' ')),
        }
    }
}

/// Returns the number of a context.
pub const fn context(before: NeighbourKind, after: NeighbourKind) -> u8 {
    before as u8 * 4 + after as u8
}

/// Returns the contexts in which a condition holds, a bit each.
pub(super) fn contexts(condition: Condition) -> ContextSet {
    if condition.is_free() {
        return ContextSet::MAX;
    }
    (0..CONTEXTS as u8).filter(|&context| holds(condition, context)).map(|context| 1 << context).sum()
}

/// Returns whether a condition holds in a context.
pub fn holds(condition: Condition, context: u8) -> bool {
    if condition.is_free() {
        return true;
    }
    let [before, after] = [context / 4, context % 4].map(|index| NEIGHBOURS[usize::from(index)].example());
    condition.holds(before, after)
}
