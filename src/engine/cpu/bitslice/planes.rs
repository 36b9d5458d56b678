//! From bytes to bit planes in which every bit of a word is a stream of text of its own.
//!
//! The symbols of a batch, line breaks left out, are numbered and divided into as many streams as lanes have bits, each
//! of so many steps: symbol `i` is step `i % steps` of stream `i / steps`. Packing looks 64 bytes up at a time, squeezes
//! out what is no symbol, and writes each finished word of 64 symbols where the transposition wants it. The transposition
//! then turns 64 words of 64 steps into 64 words of 64 streams.

use std::ops::Range;

use super::packer::{ALL, Mark, Packer, STEPS_IN_WORD, Words};
use super::transpose::transpose;
use crate::alphabet::Alphabet;
use crate::engine::cpu::simd::isa::Isa;
use crate::engine::cpu::simd::vector::{ByteTable, PLANES, Simd, SimdOp};
use crate::engine::encoder::{Classes, Code};
use crate::input::Batch;
use crate::text::first_character;

/// How symbols become the codes of planes. Code 0 is for what no pattern matches, and for ends of lines and records.
pub(crate) struct PlaneCodes {
    alphabet: Alphabet,
    codes: [u8; 128],
    planes: usize,
}

impl PlaneCodes {
    /// The codes for some classes; nothing if those are too many for the planes.
    pub(crate) fn new(classes: &Classes) -> Option<Self> {
        let most = classes.plane_codes() - 1;
        let needed = (usize::BITS - most.leading_zeros()) as usize;
        // The loops over planes exist for these numbers.
        let planes = [2, 3, 4, 5, 6, PLANES].into_iter().find(|&planes| planes >= needed)?;
        let codes = std::array::from_fn(|byte| classes.plane_code_of_byte(byte as u8) as u8);
        Some(PlaneCodes { alphabet: classes.alphabet(), codes, planes })
    }

    /// How many planes a code has: 2 to 6, or 8.
    pub(crate) fn planes(&self) -> usize {
        self.planes
    }

    /// The codes of bytes, where this one ends lines.
    fn table(&self, terminator: Option<u8>) -> ByteTable {
        let mut codes = self.codes;
        if let Some(code) = terminator.and_then(|byte| codes.get_mut(usize::from(byte))) {
            *code = 0;
        }
        ByteTable::new(codes)
    }
}

/// 64-bit words left free behind each block of 64 words of lanes. A block of 512 streams is a page long, and the packer
/// goes from block to block: without a gap all its stores would fall into one set of the cache. One core of a Zen 4
/// server, DNA: one pattern of 20, search and all, 3.2 GB/s without
/// and 4.2 with the gap.
const GAP: usize = 8;

/// What lies side by side in planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// The same step of all streams.
    #[default]
    OfStreams,
    /// The symbols as they follow each other: one stream of as many steps.
    OfText,
}

/// For each four bits, the same in the lowest bits of four 16-bit words.
const FOUR_BITS: [u64; 16] = {
    let mut words = [0; 16];
    let mut bits = 0;
    while bits < 16 {
        words[bits] = ((bits & 1) | (bits >> 1 & 1) << 16 | (bits >> 2 & 1) << 32 | (bits >> 3 & 1) << 48) as u64;
        bits += 1;
    }
    words
};

/// The planes of a batch.
#[derive(Default)]
pub(crate) struct Planes {
    order: Order,
    /// `[plane][block of 64 steps][step][word of streams]`, with a gap behind each block; or, in the order of the text,
    /// `[plane][word of 64 symbols]`
    words: Vec<u64>,
    planes: usize,
    /// 64-bit words in a word of lanes.
    width: usize,
    /// 64-bit words from one block to the next.
    stride: usize,
    steps: usize,
    symbols: usize,
    marks: Vec<Mark>,
}

impl Planes {
    /// How many planes there are: 2 to 6, or 8.
    pub(crate) fn planes(&self) -> usize {
        self.planes
    }

    /// How many steps each stream has.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// How many symbols there are in all streams.
    pub(crate) fn symbols(&self) -> usize {
        self.symbols
    }

    /// The words of one step, of one plane.
    #[inline(always)]
    pub(crate) fn step(&self, plane: usize, step: usize) -> &[u64] {
        let block = plane * (self.steps / STEPS_IN_WORD) + step / STEPS_IN_WORD;
        let first = block * self.stride + step % STEPS_IN_WORD * self.width;
        &self.words[first..first + self.width]
    }

    /// The words of one plane, if it is in the order of the text: 64 symbols each.
    pub(crate) fn in_order(&self, plane: usize) -> &[u64] {
        let words = self.steps / STEPS_IN_WORD;
        &self.words[plane * words..(plane + 1) * words]
    }

    /// Copies the classes of some symbols to the start of `codes`, if the planes are in the order of the text.
    #[inline]
    pub(crate) fn copy_codes(&self, classes: &Classes, symbols: Range<usize>, codes: &mut [Code]) {
        for (first, codes) in symbols.clone().step_by(4).zip(codes.chunks_exact_mut(4)) {
            let mut four = 0;
            for plane in 0..self.planes {
                four |= FOUR_BITS[self.four_bits(plane, first)] << plane;
            }
            for (at, code) in codes.iter_mut().enumerate() {
                *code = classes.code_of_plane((four >> (16 * at)) as u16);
            }
        }
    }

    /// The bits of four symbols in one plane.
    #[inline]
    fn four_bits(&self, plane: usize, first: usize) -> usize {
        let words = self.in_order(plane);
        let (word, shift) = (first / 64, first % 64);
        let mut bits = words[word] >> shift;
        if shift > 60 {
            bits |= words.get(word + 1).copied().unwrap_or(0) << (64 - shift);
        }
        bits as usize & 15
    }

    /// Fills the planes with the text of a batch.
    pub(crate) fn fill(&mut self, (isa, order): (Isa, Order), classes: &Classes, codes: &PlaneCodes, batch: &Batch) {
        self.order = order;
        self.width = match order {
            Order::OfStreams => isa.streams() / 64,
            Order::OfText => 1,
        };
        self.planes = codes.planes();
        // Each run may need a break before it.
        let most: usize = batch.runs().map(|run| run.len() + 1).sum();
        match order {
            Order::OfStreams => {
                self.steps = most.div_ceil(isa.streams()).next_multiple_of(STEPS_IN_WORD).max(STEPS_IN_WORD);
                self.stride = STEPS_IN_WORD * self.width + GAP;
            }
            Order::OfText => (self.steps, self.stride) = (most.max(1).next_multiple_of(STEPS_IN_WORD), 1),
        }
        self.words.clear();
        self.words.resize(self.planes * self.steps / STEPS_IN_WORD * self.stride, 0);
        // One for each run, each 64 bytes and each rest of them.
        self.marks.resize(most / 64 + 2 * batch.runs().count(), Mark::default());
        isa.run(Fill { planes: self, classes, codes, batch });
    }

    /// Where the symbol of this index, which must be there, ends in the batch; nothing if it is what stands between two records.
    pub(crate) fn end_of(&self, alphabet: Alphabet, bytes: &[u8], symbol: usize, near: &mut usize) -> Option<usize> {
        *near = self.mark_before(symbol, *near);
        let mark = self.marks[*near];
        if mark.starts == 0 {
            return None;
        }
        let within = symbol - mark.symbol as usize;
        let start = mark.byte as usize + if mark.starts == ALL { within } else { nth_one(mark.starts, within) };
        let length = match alphabet {
            Alphabet::Text if bytes[start] >= 0x80 => first_character(&bytes[start..])?.1,
            _ => 1,
        };
        Some(start + length)
    }

    /// Index of the last mark that does not come behind a symbol; it is looked for from `near` on first.
    fn mark_before(&self, symbol: usize, near: usize) -> usize {
        const NEAR: usize = 16;
        let is_before = |mark: &Mark| mark.symbol as usize <= symbol;
        let after = match self.marks.get(near..near + NEAR) {
            Some(marks) if is_before(&marks[0]) && !is_before(&marks[NEAR - 1]) => {
                near + marks.partition_point(is_before)
            }
            _ => self.marks.partition_point(is_before),
        };
        after - 1
    }
}

/// The place of the n-th one, from 0, which must be there.
fn nth_one(bits: u64, n: usize) -> usize {
    let (mut shift, mut left) = (0, n);
    loop {
        let here = (bits >> shift & 0xff).count_ones() as usize;
        if left < here {
            break;
        }
        left -= here;
        shift += 8;
    }
    let mut byte = bits >> shift & 0xff;
    for _ in 0..left {
        byte &= byte - 1;
    }
    shift + byte.trailing_zeros() as usize
}

struct Fill<'a> {
    planes: &'a mut Planes,
    classes: &'a Classes,
    codes: &'a PlaneCodes,
    batch: &'a Batch,
}

impl SimdOp for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        match self.codes.planes {
            2 => self.fill::<L, 2>(),
            3 => self.fill::<L, 3>(),
            4 => self.fill::<L, 4>(),
            5 => self.fill::<L, 5>(),
            6 => self.fill::<L, 6>(),
            _ => self.fill::<L, PLANES>(),
        }
    }
}

impl Fill<'_> {
    #[inline(always)]
    fn fill<L: Simd, const P: usize>(self) {
        let Fill { planes, classes, codes, batch } = self;
        let plane_words = planes.steps / STEPS_IN_WORD * planes.stride;
        let words = Words { words: &mut planes.words, of_plane: plane_words, stride: planes.stride };
        let text = (codes.alphabet, codes.table(batch.terminator()));
        let mut packer: Packer<'_, P> = Packer::new(classes, text, words, &mut planes.marks);
        for run in batch.runs() {
            if batch.lines().is_none() {
                packer.part_records(run.start);
            }
            packer.pack_run::<L>(batch.bytes(), run);
        }
        let (symbols, marks) = packer.finish();
        planes.symbols = symbols;
        planes.marks.truncate(marks);
        if planes.order == Order::OfStreams {
            for block in planes.words.chunks_exact_mut(planes.stride) {
                transpose::<L>(block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_one_is_found_by_its_number() {
        for bits in [1, 1 << 63, !0, 0x8000_0100_0040_0013] {
            let ones: Vec<usize> = (0..64).filter(|&at| bits >> at & 1 == 1).collect();
            let found: Vec<usize> = (0..ones.len()).map(|n| nth_one(bits, n)).collect();
            assert_eq!(found, ones);
        }
    }
}
