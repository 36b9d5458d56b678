//! Conditions on positions in a line or record: `^`, `$`, `\b`, `\B`, `\<`, `\>`, `-w` and `-x`. Automata of expressions look
//! them up by classes of the two symbols: `context.rs` of nigh-tables.

use nigh_text::alphabet::{Symbol, is_word_symbol};

/// A condition on the two symbols on either side of the start or the end of a match. Bits, since there may be millions of
/// conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Edge(u8);

/// Only ASCII bytes are word characters.
const ASCII: u8 = 1;
/// The symbol outside the match is not a word character.
const OUTSIDE: u8 = 2;
/// Both of the symbols are word characters, or neither is.
const NO_BOUNDARY: u8 = 4;
/// Exactly one of the two symbols is a word character.
const BOUNDARY: u8 = 8;
/// The line or record starts or ends here.
const RECORD_END: u8 = 16;

impl Edge {
    /// No condition.
    pub const FREE: Edge = Edge(0);
    /// The start or the end of a line or record: `^`, `$`, `-x`.
    pub const RECORD: Edge = Edge(RECORD_END);
    /// A word boundary: `\b`.
    pub const WORD_BOUNDARY: Edge = Edge(BOUNDARY);
    /// No word boundary: `\B`.
    pub const NO_WORD_BOUNDARY: Edge = Edge(NO_BOUNDARY);
    /// The symbol outside the match is not a word character: `-w`.
    pub const OUTSIDE_WORD: Edge = Edge(OUTSIDE);
    /// At the start of a match, the start of a word: `\<`. At the end of a match, the end of a word: `\>`.
    pub const WORD_INSIDE: Edge = Edge(BOUNDARY | OUTSIDE);

    fn has(self, condition: u8) -> bool {
        self.0 & condition != 0
    }

    /// Returns the same condition for [`Alphabet::Bytes`](nigh_text::alphabet::Alphabet::Bytes), where only ASCII bytes
    /// are word characters.
    pub fn of_bytes(self) -> Edge {
        if self.has(BOUNDARY | NO_BOUNDARY | OUTSIDE) { Edge(self.0 | ASCII) } else { Edge(self.0 & !ASCII) }
    }

    /// Returns the conjunction of two conditions.
    pub fn and(self, other: Edge) -> Edge {
        Edge(self.0 | other.0)
    }

    /// Returns whether there is no condition.
    pub fn is_free(self) -> bool {
        self == Edge::FREE
    }

    /// Returns whether the condition holds only where the line or record starts or ends.
    pub fn needs_record_end(self) -> bool {
        self.has(RECORD_END)
    }

    /// Returns whether a match may start or end between the symbol `outside`, which is not in the match, and the symbol
    /// `inside`, which is. `outside` is `None` at the start or end of the line or record.
    pub fn holds(self, outside: Option<Symbol>, inside: Option<Symbol>) -> bool {
        let in_word = |symbol: Option<Symbol>| {
            symbol.is_some_and(|symbol| is_word_symbol(symbol) && (!self.has(ASCII) || symbol < 0x80))
        };
        (!self.has(RECORD_END) || outside.is_none())
            && (!self.has(BOUNDARY) || in_word(outside) != in_word(inside))
            && (!self.has(NO_BOUNDARY) || in_word(outside) == in_word(inside))
            && (!self.has(OUTSIDE) || !in_word(outside))
    }
}

/// A condition on the two symbols on either side of a position inside a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Condition {
    /// The condition on the position as the start of a match.
    start: Edge,
    /// The condition on the position as the end of a match.
    end: Edge,
}

impl Condition {
    /// No condition.
    pub const FREE: Condition = Condition { start: Edge::FREE, end: Edge::FREE };

    /// Makes the condition that a match may start at the position under the edge `start`, and end there under the edge
    /// `end`.
    pub fn new(start: Edge, end: Edge) -> Self {
        Condition { start, end }
    }

    /// Returns the edge for a match that starts at the position, and the edge for a match that ends there.
    pub fn edges(self) -> (Edge, Edge) {
        (self.start, self.end)
    }

    /// Returns the conjunction of two conditions.
    pub fn and(self, other: Condition) -> Condition {
        Condition { start: self.start.and(other.start), end: self.end.and(other.end) }
    }

    /// Returns whether there is no condition.
    pub fn is_free(self) -> bool {
        self == Condition::FREE
    }

    /// Returns whether the condition holds between the symbols `before` and `after`, which are `None` at the start and
    /// at the end of the line or record.
    pub fn holds(self, before: Option<Symbol>, after: Option<Symbol>) -> bool {
        self.start.holds(before, after) && self.end.holds(after, before)
    }

    /// Returns the condition for the text read from its end to its start.
    pub(super) fn mirrored(self) -> Condition {
        Condition { start: self.end, end: self.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_look_at_both_symbols() {
        let (letter, blank) = (Some(Symbol::from('e')), Some(Symbol::from(' ')));
        assert!(Edge::RECORD.holds(None, letter) && !Edge::RECORD.holds(blank, letter));
        assert!(Edge::WORD_BOUNDARY.holds(None, letter) && Edge::WORD_BOUNDARY.holds(letter, blank));
        assert!(!Edge::WORD_BOUNDARY.holds(blank, blank) && !Edge::WORD_BOUNDARY.holds(letter, letter));
        assert!(Edge::OUTSIDE_WORD.holds(blank, blank) && !Edge::OUTSIDE_WORD.holds(letter, blank));
        assert!(Edge::WORD_INSIDE.holds(blank, letter) && !Edge::WORD_INSIDE.holds(letter, blank));
        assert!(!Edge::WORD_INSIDE.holds(blank, blank) && !Edge::WORD_INSIDE.holds(None, None));
        assert!(Edge::FREE.holds(letter, letter));
    }

    #[test]
    fn a_byte_beyond_ascii_is_no_part_of_a_word() {
        let (letter, byte) = (Some(Symbol::from('e')), Some(0xff));
        assert!(!Edge::OUTSIDE_WORD.holds(byte, letter) && Edge::OUTSIDE_WORD.of_bytes().holds(byte, letter));
        assert!(!Edge::WORD_BOUNDARY.holds(byte, letter) && Edge::WORD_BOUNDARY.of_bytes().holds(byte, letter));
        assert!(Edge::FREE.of_bytes().is_free() && Edge::RECORD.of_bytes() == Edge::RECORD);
    }
}
