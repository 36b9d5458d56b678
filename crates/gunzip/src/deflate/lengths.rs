//! The header of a block with its own codes: the lengths of their codewords.

use super::bits::BitReader;
use super::codes::{Coverage, MAX_BITS, coverage};

/// Maximum number of codewords for literals and lengths, and for distances.
pub(crate) const MAX_LITERALS: usize = 286;
const MAX_DISTANCES: usize = 30;
/// The symbol that ends a block.
pub(crate) const END_OF_BLOCK: usize = 256;

/// The order in which a header stores the codeword lengths of the code for lengths.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Longest codeword of the code for lengths, in bits.
const MAX_LENGTH_BITS: usize = 7;

/// The reason why the header of a block cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeLengthError {
    /// The input ends within the header.
    Input,
    Corrupt,
}

/// The lengths of the codewords of a block.
pub(crate) struct CodeLengths {
    lengths: [u8; MAX_LITERALS + MAX_DISTANCES],
    literals: usize,
    count: usize,
}

impl CodeLengths {
    /// Reads the header of a block after its type. Makes the same checks as zlib in the same order, so that damaged
    /// data at the end of the input gives the same error as with zlib.
    pub(crate) fn read(bits: &mut BitReader) -> Result<Self, CodeLengthError> {
        let head = bits.take(14).ok_or(CodeLengthError::Input)? as usize;
        let (literals, distances) = ((head & 31) + 257, (head >> 5 & 31) + 1);
        if literals > MAX_LITERALS || distances > MAX_DISTANCES {
            return Err(CodeLengthError::Corrupt);
        }
        let code = LengthCode::read(bits, (head >> 10) + 4)?;
        let mut lengths = [0; MAX_LITERALS + MAX_DISTANCES];
        let count = literals + distances;
        let mut at = 0;
        while at < count {
            let (symbol, repeats) = code.next(bits)?;
            let length = match symbol {
                0..16 => symbol,
                16 if at == 0 => return Err(CodeLengthError::Corrupt),
                16 => lengths[at - 1],
                _ => 0,
            };
            lengths
                .get_mut(at..at + repeats)
                .filter(|_| at + repeats <= count)
                .ok_or(CodeLengthError::Corrupt)?
                .fill(length);
            at += repeats;
        }
        let read = CodeLengths { lengths, literals, count };
        let is_wrong = |lengths| coverage(lengths) == Coverage::Wrong;
        if read.lengths[END_OF_BLOCK] == 0 || is_wrong(read.literals()) || is_wrong(read.distances()) {
            return Err(CodeLengthError::Corrupt);
        }
        Ok(read)
    }

    /// Returns the length of the codeword for each literal, the end of the block, and each length.
    pub(crate) fn literals(&self) -> &[u8] {
        &self.lengths[..self.literals]
    }

    pub(crate) fn distances(&self) -> &[u8] {
        &self.lengths[self.literals..self.count]
    }
}

/// The code in which the lengths of codewords are stored.
struct LengthCode {
    /// For each value of the next bits, the symbol that they encode and the length of its codeword.
    table: [(u8, u8); 1 << MAX_LENGTH_BITS],
}

impl LengthCode {
    fn read(bits: &mut BitReader, count: usize) -> Result<Self, CodeLengthError> {
        let mut lengths = [0; ORDER.len()];
        for &symbol in &ORDER[..count] {
            lengths[symbol] = bits.take(3).ok_or(CodeLengthError::Input)? as u8;
        }
        let is_empty = lengths.iter().all(|&length| length == 0);
        if coverage(&lengths) != Coverage::Complete && !is_empty {
            return Err(CodeLengthError::Corrupt);
        }
        // With an empty code, each bit decodes as the symbol 0. All codewords then have length 0, which
        // `CodeLengths::read` refuses.
        let mut table = [(0, 1); 1 << MAX_LENGTH_BITS];
        let mut codeword = 0;
        for length in 1..=MAX_LENGTH_BITS {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, other)| usize::from(**other) == length) {
                let reversed = usize::from(u8::reverse_bits(codeword << (MAX_LENGTH_BITS + 1 - length) as u32));
                let same = table[reversed..].iter_mut().step_by(1 << length);
                same.for_each(|slot| *slot = (symbol as u8, length as u8));
                codeword += 1;
            }
            codeword <<= 1;
        }
        Ok(LengthCode { table })
    }

    /// Reads a symbol and the number of codeword lengths that it stands for.
    fn next(&self, bits: &mut BitReader) -> Result<(u8, usize), CodeLengthError> {
        bits.refill();
        let (symbol, length) = self.table[bits.peek() as usize & ((1 << MAX_LENGTH_BITS) - 1)];
        let (extra, base) = match symbol {
            0..16 => (0, 1),
            16 => (2, 3),
            17 => (3, 3),
            _ => (7, 11),
        };
        let length = u32::from(length);
        if bits.available() < length + extra {
            return Err(CodeLengthError::Input);
        }
        let repeats = base + (bits.peek() >> length & ((1 << extra) - 1)) as usize;
        bits.consume(length + extra);
        Ok((symbol, repeats))
    }
}

const _: () = assert!(MAX_BITS < 16);
