//! Finds blocks in a deflate stream from any bit on.
//!
//! Deflate marks no block, but the header of a block with its own codes is so redundant that random bits rarely pass
//! for one: three numbers are limited, and three codes must be complete. Blocks with fixed codes and last blocks are
//! not found. A byte costs O(1): a table gives the sum that shows whether the first code is complete.
//!
//! M. Knespel and H. Brunst, "Rapidgzip: Parallel Decompression and Seeking in Gzip Files Using Cache Prefetching"
//! (2023), section 3.4.

use super::bits::BitReader;
use super::lengths::CodeLengths;

/// Number of bits in the header of a block before the lengths of codewords: the type of the block, and the numbers of
/// codewords.
const HEAD_BITS: usize = 17;
/// Number of codeword lengths, of three bits each, that together index [`SUMS`].
const GROUP: usize = 4;
/// The sum of 2^(7 - length) over the codewords of a complete code for lengths.
const COMPLETE: u16 = 128;

/// For four lengths of three bits, the sum of 2^(7 - length) over those that are not 0.
const SUMS: [u16; 1 << (3 * GROUP)] = {
    let mut sums = [0; 1 << (3 * GROUP)];
    let mut lengths = 0;
    while lengths < sums.len() {
        let mut index = 0;
        while index < GROUP {
            let length = lengths >> (3 * index) & 7;
            sums[lengths] += if length == 0 { 0 } else { COMPLETE >> length };
            index += 1;
        }
        lengths += 1;
    }
    sums
};

/// Returns the first bit, from the bit `from` on and before the byte `end`, at which a block seems to start.
pub(crate) fn find_block(input: &[u8], from: usize, end: usize) -> Option<usize> {
    for byte in from / 8..end.min(input.len().saturating_sub(8)) {
        let word = word_at(input, byte)?;
        // Bit i is set if a block that is not the last one and has its own codes can start at bit i of the byte.
        let mut starts = !word & !(word >> 1) & (word >> 2) & 0xff;
        starts |= u64::from(is_stored(input, byte)) << 5;
        if byte == from / 8 {
            starts &= 0xff << (from % 8);
        }
        while starts != 0 {
            let bit = 8 * byte + starts.trailing_zeros() as usize;
            if findable(input, bit) == Some(bit) {
                return Some(bit);
            }
            starts &= starts - 1;
        }
    }
    None
}

/// Returns the bit at which [`find_block`] finds the block that starts at the bit `bit`; `None` if it does not find the
/// block.
///
/// The bits between the type of a stored block and the next byte boundary are 0, like the type, so the block may seem
/// to start at several bits. It is found at the last of them.
pub(crate) fn findable(input: &[u8], bit: usize) -> Option<usize> {
    let word = word_at(input, bit / 8)? >> (bit % 8);
    if word & 7 == 4 {
        return is_coded(input, bit).then_some(bit);
    }
    let start = (bit + 3).next_multiple_of(8) - 3;
    let is_padding_zero = word & ((1 << (start + 3 - bit)) - 1) == 0;
    (is_padding_zero && is_stored_before_block(input, start / 8)).then_some(start)
}

fn word_at(input: &[u8], byte: usize) -> Option<u64> {
    let bytes = input.get(byte..byte + 8)?;
    Some(u64::from_le_bytes(bytes.try_into().expect("the slice has 8 bytes")))
}

/// Returns whether a block with its own codes seems to start at a bit. The caller has checked the block's type.
fn is_coded(input: &[u8], bit: usize) -> bool {
    let Some(head) = word_at(input, bit / 8).map(|word| word >> (bit % 8)) else { return false };
    if head >> 3 & 31 > 29 || head >> 8 & 31 > 29 {
        return false;
    }
    let lengths = bit + HEAD_BITS;
    let Some(word) = word_at(input, lengths / 8) else { return false };
    let count = 4 + (head >> 13 & 15);
    let word = word >> (lengths % 8) & ((1 << (3 * count)) - 1);
    let sum: u16 = (0..5).map(|group| SUMS[(word >> (3 * GROUP * group)) as usize & (SUMS.len() - 1)]).sum();
    sum == COMPLETE && CodeLengths::read(&mut BitReader::new(input, bit + 3)).is_ok()
}

/// Returns whether the last three bits of a byte can be the type of a stored block, whose length follows.
#[inline(always)]
fn is_stored(input: &[u8], byte: usize) -> bool {
    let Some(word) = word_at(input, byte) else { return false };
    word >> 5 & 7 == 0 && (word >> 8 ^ word >> 24) & 0xffff == 0xffff
}

/// Returns whether a stored block seems to start at the last three bits of a byte, with another block after it that
/// seems to be stored or to have its own codes.
fn is_stored_before_block(input: &[u8], byte: usize) -> bool {
    let Some(word) = word_at(input, byte).filter(|_| is_stored(input, byte)) else { return false };
    let next = byte + 5 + (word >> 8 & 0xffff) as usize;
    match word_at(input, next).map(|word| word & 7) {
        Some(4) => is_coded(input, 8 * next),
        Some(0) => {
            let header = word_at(input, next).unwrap_or_default();
            header & 0xff == 0 && (header >> 8 ^ header >> 24) & 0xffff == 0xffff
        }
        _ => false,
    }
}
