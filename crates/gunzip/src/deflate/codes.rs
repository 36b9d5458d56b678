//! Huffman codes as tables of two levels.
//!
//! The low bits of the input index the first level, whose entry decodes a whole codeword, or refers to a part of the
//! second level if the codeword is longer. In the code for literals and lengths, an entry decodes up to three literals
//! whose codewords fit in the index together. A table of 2^p entries is built in O(2^p) time.
//!
//! Canonical codes: D. A. Huffman (1952), E. S. Schwartz and B. Kallick (1964). Tables: M. Adler, zlib (1995);
//! several literals an entry: E. Biggers, libdeflate (2016), and J. Guilford et al., ISA-L (2016).

use super::bits::BitReader;

/// Longest codeword, in bits.
pub(crate) const MAX_BITS: usize = 15;

/// The meaning of a codeword: a symbol with its parameters, in 32 bits.
///
/// | bits | literals | length, distance | second level | end, invalid |
/// | --- | --- | --- | --- | --- |
/// | 0..5 | bits to consume | the same | the same | the same |
/// | 5..7 | number of literals | 0 | 0 | 0 |
/// | 7 | 0 | 0 | 1 | 1 |
/// | 8..12 | first literal (8 bits) | number of extra bits | 0 | 1, 2 |
/// | 16..32 | others (8 bits each) | base value | offset | 0 |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeEntry(u32);

const EXCEPTION: u32 = 1 << 7;
const LINK: u32 = 0;
const END: u32 = 1;
const INVALID: u32 = 2;

impl CodeEntry {
    /// An entry for bits that begin no codeword. It consumes one bit: an incomplete code has at most one codeword, of
    /// one bit, so the first bit shows that no codeword follows.
    const NO_CODEWORD: CodeEntry = CodeEntry(EXCEPTION | INVALID << 8 | 1);

    pub(crate) const fn literal(byte: u8) -> Self {
        CodeEntry((byte as u32) << 8 | 1 << 5)
    }

    /// Makes the entry for a value of `base` plus the next `extra` bits of the input.
    pub(crate) const fn number(base: u16, extra: u8) -> Self {
        CodeEntry((base as u32) << 16 | (extra as u32) << 8)
    }

    pub(crate) const fn end() -> Self {
        CodeEntry(EXCEPTION | END << 8)
    }

    pub(crate) const fn invalid() -> Self {
        CodeEntry(EXCEPTION | INVALID << 8)
    }

    const fn link(offset: usize) -> Self {
        CodeEntry((offset as u32) << 16 | EXCEPTION | LINK << 8)
    }

    const fn with_bits(self, bits: usize) -> Self {
        CodeEntry(self.0 | bits as u32)
    }

    /// Returns the number of bits to consume.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0 & 31
    }

    /// Returns the number of literals, 0 to 3.
    #[inline(always)]
    pub(crate) fn literals(self) -> usize {
        (self.0 >> 5 & 3) as usize
    }

    /// Returns the literals in the first [`CodeEntry::literals`] bytes. The other bytes have no meaning.
    #[inline(always)]
    pub(crate) fn bytes(self) -> [u8; 4] {
        (self.0 >> 8).to_le_bytes()
    }

    #[inline(always)]
    pub(crate) fn is_exception(self) -> bool {
        self.0 & EXCEPTION != 0
    }

    pub(crate) fn is_end(self) -> bool {
        self.0 >> 7 & 31 == (END << 1 | 1)
    }

    #[inline(always)]
    fn is_link(self) -> bool {
        self.0 >> 7 & 31 == (LINK << 1 | 1)
    }

    #[inline(always)]
    fn offset(self) -> usize {
        (self.0 >> 16) as usize
    }

    /// Returns the value of a length or distance, whose extra bits are the lowest ones of `after`.
    #[inline(always)]
    pub(crate) fn value(self, after: u64) -> usize {
        let extra = self.0 >> 8 & 15;
        (self.0 >> 16) as usize + (after & ((1 << extra) - 1)) as usize
    }

    /// Returns the number of extra bits of a length or distance.
    #[inline(always)]
    pub(crate) fn extra(self) -> u32 {
        self.0 >> 8 & 15
    }

    /// Returns the number of extra bits; 0 if the entry is neither a length nor a distance.
    pub(crate) fn extra_of_number(self) -> u32 {
        if self.is_exception() || self.literals() > 0 { 0 } else { self.extra() }
    }
}

/// Tells whether every sequence of bits begins with a codeword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    Complete,
    /// No codeword, or a single one of one bit. Deflate permits such a code.
    AtMostOne,
    /// More codewords than there can be, or too few.
    Wrong,
}

/// Returns the coverage of a code, given the length of each codeword; the length 0 means that there is no codeword.
pub(crate) fn coverage(lengths: &[u8]) -> Coverage {
    let (mut sum, mut longest) = (0, 0);
    for &length in lengths.iter().filter(|&&length| length > 0) {
        sum += 1usize << (MAX_BITS - usize::from(length));
        longest = longest.max(length);
    }
    match sum {
        0 => Coverage::AtMostOne,
        sum if sum == 1 << MAX_BITS => Coverage::Complete,
        sum if longest == 1 && sum < 1 << MAX_BITS => Coverage::AtMostOne,
        _ => Coverage::Wrong,
    }
}

/// A code as a table. The first level has `N` entries, a power of two.
pub(crate) struct CodeTable<const N: usize> {
    first: Box<[CodeEntry; N]>,
    second: Vec<CodeEntry>,
    /// Number of bits that index a part of the second level.
    second_bits: usize,
}

impl<const N: usize> CodeTable<N> {
    const FIRST_BITS: usize = N.ilog2() as usize;

    pub(crate) fn new() -> Self {
        CodeTable { first: Box::new([CodeEntry::NO_CODEWORD; N]), second: Vec::new(), second_bits: 0 }
    }

    /// Sets the code, given the length of the codeword for each entry. The coverage of the code must not be
    /// [`Coverage::Wrong`].
    pub(crate) fn set(&mut self, lengths: &[u8], entries: &[CodeEntry]) {
        self.first.fill(CodeEntry::NO_CODEWORD);
        self.second.clear();
        let longest = usize::from(lengths.iter().copied().max().unwrap_or(0));
        self.second_bits = longest.saturating_sub(Self::FIRST_BITS);
        let mut codewords = first_codewords(lengths);
        for (&length, &entry) in lengths.iter().zip(entries).filter(|(length, _)| **length > 0) {
            let length = usize::from(length);
            let codeword = usize::from(codewords[length].reverse_bits() >> (16 - length));
            codewords[length] += 1;
            if length <= Self::FIRST_BITS {
                let same = self.first[codeword..].iter_mut().step_by(1 << length);
                same.for_each(|slot| *slot = entry.with_bits(length));
            } else {
                self.set_long(codeword, length, entry);
            }
        }
    }

    /// Sets the entry for a codeword that is longer than the index of the first level.
    fn set_long(&mut self, codeword: usize, length: usize, entry: CodeEntry) {
        let first = &mut self.first[codeword & (N - 1)];
        if !first.is_link() {
            *first = CodeEntry::link(self.second.len()).with_bits(Self::FIRST_BITS);
            self.second.resize(self.second.len() + (1 << self.second_bits), CodeEntry::NO_CODEWORD);
        }
        let part = &mut self.second[first.offset()..][..1 << self.second_bits];
        let rest = length - Self::FIRST_BITS;
        let same = part[codeword >> Self::FIRST_BITS..].iter_mut().step_by(1 << rest);
        same.for_each(|slot| *slot = entry.with_bits(rest));
    }

    /// Joins entries, so that one entry decodes up to three literals.
    pub(crate) fn join_literals(&mut self) {
        // The loop looks up entries with lower indexes, which still have one literal each.
        for index in (0..N).rev() {
            let mut joined = self.first[index];
            if joined.literals() != 1 {
                continue;
            }
            for count in 2..=3 {
                let next = self.first[index >> joined.bits()];
                let bits = joined.bits() + next.bits();
                if next.literals() != 1 || bits as usize > Self::FIRST_BITS {
                    break;
                }
                let bytes = joined.0 & !0xff | u32::from(next.bytes()[0]) << (8 * count);
                joined = CodeEntry(bytes | (count as u32) << 5 | bits);
            }
            self.first[index] = joined;
        }
    }

    /// Returns the entry of the first level for the next bits.
    #[inline(always)]
    pub(crate) fn first(&self, bits: u64) -> CodeEntry {
        self.first[bits as usize & (N - 1)]
    }

    /// Follows the link of an entry, if it has one, and consumes the bits of the first level.
    #[inline(always)]
    pub(crate) fn follow(&self, entry: CodeEntry, bits: &mut BitReader) -> CodeEntry {
        if !entry.is_link() {
            return entry;
        }
        bits.consume(entry.bits());
        self.second[entry.offset() + (bits.peek() as usize & ((1 << self.second_bits) - 1))]
    }
}

/// Returns the first codeword of each length.
fn first_codewords(lengths: &[u8]) -> [u16; MAX_BITS + 1] {
    let mut counts = [0u16; MAX_BITS + 1];
    lengths.iter().for_each(|&length| counts[usize::from(length)] += 1);
    counts[0] = 0;
    let mut first = [0; MAX_BITS + 1];
    for length in 1..=MAX_BITS {
        first[length] = (first[length - 1] + counts[length - 1]) << 1;
    }
    first
}
