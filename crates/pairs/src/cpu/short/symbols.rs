//! The bits in which the symbols of many strings differ.

use std::ops::Range;

use crate::pairs::{Pairs, Strings};
use nigh_simd::isa::Isa;
use nigh_simd::vector::{ByteTable, Simd, SimdOp};

/// Maximum number of bytes that are added to a sample one by one.
const SAMPLE: usize = 1024;

/// The numbers of planes for which the matrices are compiled.
const VARIANTS: [usize; 4] = [2, 3, 5, 8];

/// The bits of a byte that tell the symbols of some strings apart.
#[derive(Debug, Clone, Default)]
pub(super) struct SymbolBits {
    /// Bit numbers, in ascending order.
    bits: Vec<u8>,
}

impl SymbolBits {
    /// Chooses the bits for the pairs of a range. Takes the fewest bits that tell the symbols of a sample apart, if all
    /// strings consist of these symbols. Otherwise takes all bits in which any two bytes differ.
    pub(super) fn choose(isa: Isa, pairs: &Pairs<'_>, range: Range<usize>) -> Self {
        let texts = ByteRuns { pairs, range };
        let mut symbols = ByteSample::default();
        texts.each(&mut |strings| strings.iter().for_each(|bytes| symbols.add_sample(bytes)));
        let fewest = symbols.fewest_bits();
        let table = symbols.table();
        let mut has_others = symbols.has_high();
        texts.each(&mut |strings| has_others = has_others || isa.run(HasOthers { strings, table: &table }));
        if !has_others {
            return SymbolBits::new(fewest);
        }
        let mut differing = 0;
        let first = symbols.first();
        texts.each(&mut |strings| differing |= isa.run(DifferingBits { strings, first }));
        SymbolBits::new(bits_of(differing))
    }

    fn new(mut bits: Vec<u8>) -> Self {
        let count = VARIANTS.into_iter().find(|&count| bits.len() <= count).expect("a byte has eight bits");
        let repeated = bits.first().copied().unwrap_or(0);
        bits.resize(count, repeated);
        SymbolBits { bits }
    }

    /// Returns the bit numbers. There are 2, 3, 5 or 8 of them; a number may be repeated.
    pub(super) fn bits(&self) -> &[u8] {
        &self.bits
    }
}

/// The bytes of the strings of a range of pairs, in long runs where they lie together.
struct ByteRuns<'a> {
    pairs: &'a Pairs<'a>,
    range: Range<usize>,
}

impl ByteRuns<'_> {
    /// Calls `found` with lists of all strings, or of runs of them.
    fn each(&self, found: &mut dyn FnMut(&[&[u8]])) {
        match self.pairs {
            Pairs::Zipped { queries, targets } => {
                self.runs(queries, found);
                self.runs(targets, found);
            }
            Pairs::OneToMany { query, targets } => {
                found(&[query]);
                self.runs(targets, found);
            }
        }
    }

    fn runs(&self, strings: &Strings<'_>, found: &mut dyn FnMut(&[&[u8]])) {
        let Range { start, end } = self.range;
        match *strings {
            _ if start == end => {}
            Strings::Equal { bytes, length } => found(&[&bytes[start * length..end * length]]),
            Strings::Packed { bytes, ends } => {
                let first = if start == 0 { 0 } else { ends[start - 1] };
                found(&[&bytes[first..ends[end - 1]]]);
            }
            Strings::Slices(slices) => found(&slices[start..end]),
        }
    }
}

/// A set of bytes.
struct ByteSample {
    has: [bool; 256],
    /// The number of bytes that may still be added one by one.
    left: usize,
}

impl Default for ByteSample {
    fn default() -> Self {
        ByteSample { has: [false; 256], left: 2 * SAMPLE }
    }
}

impl ByteSample {
    /// Adds the first bytes of a run.
    fn add_sample(&mut self, bytes: &[u8]) {
        let sample = &bytes[..bytes.len().min(SAMPLE).min(self.left)];
        self.left -= sample.len();
        sample.iter().for_each(|&byte| self.has[usize::from(byte)] = true);
    }

    fn iter(&self) -> impl Iterator<Item = u8> {
        (0..=255).filter(|&byte| self.has[usize::from(byte)])
    }

    fn first(&self) -> u8 {
        self.iter().next().unwrap_or(0)
    }

    fn has_high(&self) -> bool {
        self.iter().any(|byte| byte >= 0x80)
    }

    /// Returns a table with code 1 for each symbol below 0x80.
    fn table(&self) -> ByteTable {
        ByteTable::new(std::array::from_fn(|byte| u8::from(self.has[byte])))
    }

    /// Returns the fewest bits that tell all symbols apart.
    fn fewest_bits(&self) -> Vec<u8> {
        let first = self.first();
        let differing = self.iter().fold(0, |bits, byte| bits | byte ^ first);
        let subsets = (0..=255u8).filter(|subset| subset & !differing == 0 && self.is_told_apart(*subset));
        bits_of(subsets.min_by_key(|subset| subset.count_ones()).unwrap_or(differing))
    }

    fn is_told_apart(&self, subset: u8) -> bool {
        let mut seen = [false; 256];
        self.iter().all(|byte| !std::mem::replace(&mut seen[usize::from(byte & subset)], true))
    }
}

/// Returns the numbers of the bits that are set.
fn bits_of(byte: u8) -> Vec<u8> {
    (0..8).filter(|bit| byte >> bit & 1 == 1).collect()
}

/// Returns whether any byte has code 0.
struct HasOthers<'a> {
    strings: &'a [&'a [u8]],
    table: &'a ByteTable,
}

impl SimdOp for HasOthers<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Simd>(self) -> bool {
        for string in self.strings {
            let (blocks, tail) = string.as_chunks::<64>();
            for block in blocks {
                if L::bytes_to_planes::<1>(block, self.table) != [!0] {
                    return true;
                }
            }
            if let Some(&last) = tail.last() {
                let mut block = [last; 64];
                block[..tail.len()].copy_from_slice(tail);
                if L::bytes_to_planes::<1>(&block, self.table) != [!0] {
                    return true;
                }
            }
        }
        false
    }
}

/// Returns the bits in which any byte differs from `first`.
struct DifferingBits<'a> {
    strings: &'a [&'a [u8]],
    first: u8,
}

impl SimdOp for DifferingBits<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<L: Simd>(self) -> u8 {
        let mut differing = 0;
        for string in self.strings {
            // The compiler vectorizes this loop for the instruction set of `L`.
            for &byte in *string {
                differing |= byte ^ self.first;
            }
        }
        differing
    }
}
