//! Decodes bytes into symbols, forwards and backwards, from any offset.
//!
//! UTF-8 is self-synchronising (RFC 3629): whether a byte begins a symbol depends on at most the three bytes before it
//! and the two after it, even among invalid bytes. A decoder can therefore start at any offset and resynchronise within
//! [`MAX_SYMBOL_BYTES`] bytes, in constant time.

use crate::alphabet::{Alphabet, INVALID_BYTE, Symbol, count_residues, is_residue};

/// Length in bytes of the longest symbol.
pub const MAX_SYMBOL_BYTES: usize = 4;

/// A symbol and its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedSymbol {
    /// The symbol.
    pub symbol: Symbol,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset just past its last byte.
    pub end: usize,
}

/// Decodes the first symbol of `bytes` under [`Alphabet::Text`], and returns the symbol and its length in bytes; `None`
/// if `bytes` is empty.
#[inline]
pub fn first_character(bytes: &[u8]) -> Option<(Symbol, usize)> {
    match bstr::decode_utf8(bytes) {
        (Some(character), length) => Some((character as Symbol, length)),
        (None, 0) => None,
        // The decoder may group several invalid bytes; here each invalid byte is a symbol.
        (None, _) => Some((INVALID_BYTE + Symbol::from(bytes[0]), 1)),
    }
}

fn last_character(bytes: &[u8]) -> Option<(Symbol, usize)> {
    match bstr::decode_last_utf8(bytes) {
        (Some(character), length) => Some((character as Symbol, length)),
        (None, _) => bytes.last().map(|&b| (INVALID_BYTE + Symbol::from(b), 1)),
    }
}

/// Returns the first symbol at or after `from`, which must be a symbol boundary. Skips blanks in sequences.
#[inline]
pub fn next_symbol(alphabet: Alphabet, bytes: &[u8], from: usize) -> Option<PlacedSymbol> {
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
    Some(PlacedSymbol { symbol, start, end: start + length })
}

/// Returns the last symbol that ends at or before `end`, which must be a symbol boundary. Skips blanks in sequences.
pub fn previous_symbol(alphabet: Alphabet, bytes: &[u8], end: usize) -> Option<PlacedSymbol> {
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
    Some(PlacedSymbol { symbol, start: end - length, end })
}

/// Appends the last `count` symbols of `bytes`, or all if there are fewer, to `symbols`, the last one first. Offsets are those
/// in `bytes` plus `offset`. `bytes` must begin at a symbol boundary. Skips blanks in sequences.
pub fn last_symbols(
    alphabet: Alphabet,
    (bytes, offset): (&[u8], usize),
    count: usize,
    symbols: &mut Vec<PlacedSymbol>,
) {
    let one_byte = |(at, &byte): (usize, &u8)| {
        let start = offset + at;
        PlacedSymbol { symbol: alphabet.symbol_of_byte(byte), start, end: start + 1 }
    };
    match alphabet {
        Alphabet::Dna | Alphabet::Protein => {
            let residues = bytes.iter().enumerate().rev().filter(|&(_, &byte)| is_residue(byte));
            symbols.extend(residues.take(count).map(one_byte));
        }
        Alphabet::Text if !bytes[bytes.len().saturating_sub(count)..].is_ascii() => {
            let mut at = bytes.len();
            symbols.extend(
                std::iter::from_fn(|| {
                    let placed = previous_symbol(alphabet, bytes, at)?;
                    at = placed.start;
                    Some(PlacedSymbol { start: offset + placed.start, end: offset + placed.end, ..placed })
                })
                .take(count),
            );
        }
        Alphabet::Text | Alphabet::Bytes => symbols.extend(bytes.iter().enumerate().rev().take(count).map(one_byte)),
    }
}

/// Returns the offset at which the last `count` symbols of `bytes` start, or 0 if there are fewer symbols. In
/// sequences, blanks may lie between the offset and the first of the symbols.
pub fn start_of_last(alphabet: Alphabet, bytes: &[u8], count: usize) -> usize {
    let single_byte_start = bytes.len().saturating_sub(count);
    match alphabet {
        Alphabet::Bytes => single_byte_start,
        Alphabet::Text if bytes[single_byte_start..].is_ascii() => single_byte_start,
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

/// Returns the offset just past the first `count` symbols of `bytes`, or its length if there are fewer symbols.
pub fn end_of_first(alphabet: Alphabet, bytes: &[u8], count: usize) -> usize {
    let single_byte_end = bytes.len().min(count);
    match alphabet {
        Alphabet::Bytes => single_byte_end,
        Alphabet::Text if bytes[..single_byte_end].is_ascii() => single_byte_end,
        Alphabet::Text => symbols(alphabet, bytes).take(count).last().map_or(0, |placed| placed.end),
        Alphabet::Dna | Alphabet::Protein => {
            let (mut end, mut missing) = (0, count);
            while missing > 0 && end < bytes.len() {
                let after = bytes.len().min(end.saturating_add(missing));
                missing -= count_residues(&bytes[end..after]);
                end = after;
            }
            end
        }
    }
}

/// Iterates over the symbols of `bytes`, in order.
pub fn symbols(alphabet: Alphabet, bytes: &[u8]) -> impl Iterator<Item = PlacedSymbol> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let placed = next_symbol(alphabet, bytes, at)?;
        at = placed.end;
        Some(placed)
    })
}

/// Returns the last symbol boundary at or before the offset `at`.
pub fn symbol_boundary(alphabet: Alphabet, bytes: &[u8], at: usize) -> usize {
    if alphabet != Alphabet::Text {
        return at;
    }
    // A symbol that spans `at` starts with the lead byte of a valid sequence, at most three bytes before `at`.
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
    fn symbols_are_the_same_forward_and_backward() {
        let forward: Vec<PlacedSymbol> = symbols(Alphabet::Text, MIXED).collect();
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
    fn the_last_symbols_start_where_a_walk_back_ends() {
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
    fn the_first_symbols_end_before_the_next_one() {
        for (alphabet, bytes) in
            [(Alphabet::Text, MIXED), (Alphabet::Bytes, MIXED), (Alphabet::Dna, b"\nAC\r\nG\n\n\nT\n".as_slice())]
        {
            let all: Vec<PlacedSymbol> = symbols(alphabet, bytes).collect();
            for count in 0..all.len() + 3 {
                let first = symbols(alphabet, &bytes[..end_of_first(alphabet, bytes, count)]);
                assert!(first.eq(all.iter().copied().take(count)), "{bytes:?}, {count}");
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
