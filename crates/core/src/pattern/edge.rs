//! Conditions on positions in a line or record: `^`, `$`, `\b`, `\B`, `\<`, `\>`, `-w` and `-x`.

use crate::alphabet::{Symbol, is_word_symbol};

/// A condition on the two symbols on either side of the start or the end of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Edge {
    /// The line or record starts or ends here.
    record: bool,
    /// Exactly one of the two symbols is a word character.
    word_boundary: bool,
    /// Both of the symbols are word characters, or neither is.
    no_word_boundary: bool,
    /// The symbol outside the match is not a word character.
    outside_word: bool,
    /// Only ASCII bytes are word characters.
    ascii: bool,
}

impl Edge {
    /// No condition.
    pub const FREE: Edge =
        Edge { record: false, word_boundary: false, no_word_boundary: false, outside_word: false, ascii: false };
    /// The start or the end of a line or record: `^`, `$`, `-x`.
    pub const RECORD: Edge = Edge { record: true, ..Edge::FREE };
    /// A word boundary: `\b`.
    pub const WORD_BOUNDARY: Edge = Edge { word_boundary: true, ..Edge::FREE };
    /// No word boundary: `\B`.
    pub const NO_WORD_BOUNDARY: Edge = Edge { no_word_boundary: true, ..Edge::FREE };
    /// The symbol outside the match is not a word character: `-w`.
    pub const OUTSIDE_WORD: Edge = Edge { outside_word: true, ..Edge::FREE };
    /// At the start of a match, the start of a word: `\<`. At the end of a match, the end of a word: `\>`.
    pub const WORD_INSIDE: Edge = Edge { word_boundary: true, outside_word: true, ..Edge::FREE };

    /// Returns the same condition for [`Alphabet::Bytes`](crate::alphabet::Alphabet::Bytes), where only ASCII bytes
    /// are word characters.
    pub fn of_bytes(self) -> Edge {
        Edge { ascii: self.word_boundary || self.no_word_boundary || self.outside_word, ..self }
    }

    /// Returns the conjunction of two conditions.
    pub fn and(self, other: Edge) -> Edge {
        Edge {
            record: self.record || other.record,
            word_boundary: self.word_boundary || other.word_boundary,
            no_word_boundary: self.no_word_boundary || other.no_word_boundary,
            outside_word: self.outside_word || other.outside_word,
            ascii: self.ascii || other.ascii,
        }
    }

    /// Returns whether there is no condition.
    pub fn is_free(self) -> bool {
        self == Edge::FREE
    }

    /// Returns whether the condition holds only where the line or record starts or ends.
    pub fn needs_record_end(self) -> bool {
        self.record
    }

    /// Returns whether a match may start or end between the symbol `outside`, which is not in the match, and the symbol
    /// `inside`, which is. `outside` is `None` at the start or end of the line or record.
    pub fn holds(self, outside: Option<Symbol>, inside: Option<Symbol>) -> bool {
        let in_word = |symbol: Option<Symbol>| {
            symbol.is_some_and(|symbol| is_word_symbol(symbol) && (!self.ascii || symbol < 0x80))
        };
        (!self.record || outside.is_none())
            && (!self.word_boundary || in_word(outside) != in_word(inside))
            && (!self.no_word_boundary || in_word(outside) == in_word(inside))
            && (!self.outside_word || !in_word(outside))
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
