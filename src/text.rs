//! Symbols in bytes: where one begins and ends, forwards and backwards.
//!
//! UTF-8 synchronises itself: whether a byte begins a symbol depends on at most three bytes before it, also
//! between bytes that are not UTF-8. So a text can be entered anywhere, from either side.

use crate::alphabet::{Alphabet, INVALID_BYTE, Symbol, count_residues, is_residue};

/// The most bytes a symbol of text has.
pub const MAX_SYMBOL_BYTES: usize = 4;

/// A symbol and the bytes it stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The symbol.
    pub symbol: Symbol,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset just past its last byte.
    pub end: usize,
}

/// The first symbol of text in characters, and its length in bytes.
#[inline]
pub fn first_character(bytes: &[u8]) -> Option<(Symbol, usize)> {
    match bstr::decode_utf8(bytes) {
        (Some(character), length) => Some((character as Symbol, length)),
        (None, 0) => None,
        // Each byte that is not UTF-8 is a symbol, where the decoder takes several for one.
        (None, _) => Some((INVALID_BYTE + Symbol::from(bytes[0]), 1)),
    }
}

fn last_character(bytes: &[u8]) -> Option<(Symbol, usize)> {
    match bstr::decode_last_utf8(bytes) {
        (Some(character), length) => Some((character as Symbol, length)),
        (None, _) => bytes.last().map(|&b| (INVALID_BYTE + Symbol::from(b), 1)),
    }
}

/// The first symbol at or after `from`, which is where a symbol begins; blanks of sequences are passed over.
pub fn next_symbol(alphabet: Alphabet, bytes: &[u8], from: usize) -> Option<Placed> {
    let (symbol, start, length) = match alphabet {
        Alphabet::Text => {
            let (symbol, length) = first_character(&bytes[from..])?;
            (symbol, from, length)
        }
        Alphabet::Bytes => (Symbol::from(*bytes.get(from)?), from, 1),
        Alphabet::Dna | Alphabet::Protein => {
            let start = from + bytes[from..].iter().position(|&b| is_residue(b))?;
            (alphabet.symbol_of_byte(bytes[start]), start, 1)
        }
    };
    Some(Placed { symbol, start, end: start + length })
}

/// The last symbol that ends at or before `end`, which is where a symbol ends; blanks of sequences are passed over.
pub fn previous_symbol(alphabet: Alphabet, bytes: &[u8], end: usize) -> Option<Placed> {
    let (symbol, end, length) = match alphabet {
        Alphabet::Text => {
            let (symbol, length) = last_character(&bytes[..end])?;
            (symbol, end, length)
        }
        Alphabet::Bytes => (Symbol::from(*bytes[..end].last()?), end, 1),
        Alphabet::Dna | Alphabet::Protein => {
            let last = bytes[..end].iter().rposition(|&b| is_residue(b))?;
            (alphabet.symbol_of_byte(bytes[last]), last + 1, 1)
        }
    };
    Some(Placed { symbol, start: end - length, end })
}

/// Where the last `count` symbols of some bytes start, or all if there are fewer; blanks of sequences may stand there.
pub fn start_of_last(alphabet: Alphabet, bytes: &[u8], count: usize) -> usize {
    let so_many_bytes = bytes.len().saturating_sub(count);
    match alphabet {
        Alphabet::Bytes => so_many_bytes,
        Alphabet::Text if bytes[so_many_bytes..].is_ascii() => so_many_bytes,
        Alphabet::Text => {
            let backward = |&end: &usize| previous_symbol(alphabet, bytes, end).map(|placed| placed.start);
            let mut starts = std::iter::successors(Some(bytes.len()), backward);
            starts.by_ref().take(count + 1).last().unwrap_or(0)
        }
        Alphabet::Dna | Alphabet::Protein => {
            let (mut start, mut missing) = (bytes.len(), count);
            while missing > 0 && start > 0 {
                let before = start.saturating_sub(missing);
                missing -= count_residues(&bytes[before..start]);
                start = before;
            }
            start
        }
    }
}

/// All symbols of some bytes, in order.
pub fn symbols(alphabet: Alphabet, bytes: &[u8]) -> impl Iterator<Item = Placed> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let placed = next_symbol(alphabet, bytes, at)?;
        at = placed.end;
        Some(placed)
    })
}

/// The nearest place at or before `at` where a symbol begins.
pub fn symbol_boundary(alphabet: Alphabet, bytes: &[u8], at: usize) -> usize {
    if alphabet != Alphabet::Text {
        return at;
    }
    // A symbol that reaches over `at` begins with the lead byte of a valid sequence, at most three bytes back.
    (at.saturating_sub(MAX_SYMBOL_BYTES - 1)..at)
        .rev()
        .find(|&lead| match bstr::decode_utf8(&bytes[lead..]) {
            (Some(_), length) => lead + length > at,
            (None, _) => false,
        })
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &[u8] = b"a\xffn\xc3\xafv\xe6\x97\xa5\xf0\x9f\x98\x80\xc3\xe6\x97\x80z\xf0\x9f\x98";

    #[test]
    fn symbols_are_the_same_from_both_sides() {
        let forward: Vec<Placed> = symbols(Alphabet::Text, MIXED).collect();
        let mut backward = Vec::new();
        let mut end = MIXED.len();
        while let Some(placed) = previous_symbol(Alphabet::Text, MIXED, end) {
            end = placed.start;
            backward.push(placed);
        }
        backward.reverse();
        assert_eq!(forward, backward);
        assert_eq!(forward[1].symbol, INVALID_BYTE + 0xff);
        assert_eq!(forward[3].symbol, 'ï' as Symbol);
    }

    #[test]
    fn a_boundary_is_found_from_any_byte() {
        let starts: Vec<usize> = symbols(Alphabet::Text, MIXED).map(|p| p.start).collect();
        for at in 0..MIXED.len() {
            let expected = *starts.iter().rfind(|&&start| start <= at).unwrap();
            assert_eq!(symbol_boundary(Alphabet::Text, MIXED, at), expected, "at {at}");
        }
    }

    #[test]
    fn the_last_symbols_start_where_walking_back_says() {
        for (alphabet, bytes) in [
            (Alphabet::Text, MIXED),
            (Alphabet::Text, b"plain"),
            (Alphabet::Bytes, MIXED),
            (Alphabet::Dna, b"\nAC\r\nG\n\n\nT\n"),
        ] {
            let starts: Vec<usize> = symbols(alphabet, bytes).map(|placed| placed.start).collect();
            for count in 0..starts.len() + 3 {
                let from = start_of_last(alphabet, bytes, count);
                let inside = symbols(alphabet, &bytes[from..]).map(|placed| from + placed.start);
                assert!(inside.eq(starts[starts.len().saturating_sub(count)..].iter().copied()), "{bytes:?}, {count}");
            }
        }
    }

    #[test]
    fn line_breaks_of_sequences_are_no_symbols() {
        let placed: Vec<usize> = symbols(Alphabet::Dna, b"AC\r\nG\n").map(|p| p.start).collect();
        assert_eq!(placed, [0, 1, 4]);
        assert_eq!(previous_symbol(Alphabet::Dna, b"AC\r\nG\n", 4).unwrap().start, 1);
    }
}
