//! Turns the bytes of a batch into bit planes with one text stream per bit.
//!
//! The symbols of a batch are divided into as many streams as a vector has bits. Blanks of sequences are no symbols;
//! line terminators of text count as symbols. With streams of `steps` symbols, symbol `i` is step `i % steps` of stream
//! `i / steps`. Packing encodes 64 bytes at a time, drops bytes that start no symbol, and stores each finished word of
//! 64 symbols in transposition order. The transposition then turns 64 words of 64 steps into 64 words of 64 streams.

use std::ops::Range;

use super::packer::{ALL, PackedWords, Packer, STEPS_IN_WORD, SymbolStarts};
use crate::sections::BatchSection;
use nigh_simd::isa::Isa;
use nigh_simd::transpose::transpose;
use nigh_simd::vector::{ByteTable, PLANES, Simd, SimdOp};
use nigh_text::alphabet::Alphabet;
use nigh_text::text::first_character;
use nigh_verify::encoder::{Classes, Code, OTHER};

/// The codes of ASCII bytes, and the number of planes that hold all codes.
pub struct ByteCodes {
    alphabet: Alphabet,
    codes: [u8; 128],
    planes: usize,
    /// The code of ends of lines and records.
    ends: u8,
}

impl ByteCodes {
    /// Makes the codes of ASCII bytes; `None` if there are too many classes for the planes. Ends of lines and records
    /// have the code of symbols that no pattern matches.
    pub(crate) fn new(classes: &Classes) -> Option<Self> {
        ByteCodes::with_ends(classes, OTHER)
    }

    /// Like [`new`](Self::new), but ends of lines and records have a code that no symbol has: the number of classes. An
    /// end is also added after the last line or record.
    pub fn with_own_ends(classes: &Classes) -> Option<Self> {
        ByteCodes::with_ends(classes, Code::try_from(classes.count()).ok()?)
    }

    fn with_ends(classes: &Classes, ends: Code) -> Option<Self> {
        let max_code = usize::from(ends).max(classes.count() - 1);
        let needed = (usize::BITS - max_code.leading_zeros()) as usize;
        // The search loops are instantiated for these numbers of planes.
        let planes = [2, 3, 4, 5, 6, PLANES].into_iter().find(|&planes| planes >= needed)?;
        let codes = std::array::from_fn(|byte| classes.code_of_byte(byte as u8) as u8);
        Some(ByteCodes { alphabet: classes.alphabet(), codes, planes, ends: ends as u8 })
    }

    /// Returns the number of planes: 2 to 6, or 8.
    pub(crate) fn planes(&self) -> usize {
        self.planes
    }

    /// Returns the code of ends of lines and records.
    pub(crate) fn ends(&self) -> Code {
        Code::from(self.ends)
    }

    /// Returns the codes of bytes. The line terminator has the code of ends.
    fn table(&self, terminator: Option<u8>) -> ByteTable {
        let mut codes = self.codes;
        if let Some(code) = terminator.and_then(|byte| codes.get_mut(usize::from(byte))) {
            *code = self.ends;
        }
        ByteTable::new(codes)
    }
}

/// 64-bit words of padding after each block of 64 vectors. A block of 512 streams is one page long, and the packer
/// steps from block to block: without padding, all its stores would fall into one cache set. One core of a Zen 4
/// server, DNA, one pattern of 20, including the search: 3.2 GB/s without and 4.2 GB/s with the padding.
const GAP: usize = 8;

/// The order of the bits of a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneOrder {
    /// By step: the bits of one step in all streams are adjacent.
    #[default]
    ByStep,
    /// By text: the bits of consecutive symbols are adjacent, so there is one stream with all steps.
    ByText,
}

/// The vector width, the order and the least length of planes.
#[derive(Debug, Clone, Copy)]
pub struct PlaneLayout {
    pub isa: Isa,
    pub order: PlaneOrder,
    /// The least number of steps of a stream, used with [`PlaneOrder::ByStep`]. The last streams may have no text.
    pub min_steps: usize,
}

/// For each value of four bits, a word with these bits as the lowest bits of its four 16-bit parts.
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
pub struct Planes {
    order: PlaneOrder,
    /// `[plane][block of 64 steps][step][word of streams]`, with padding after each block; or, in text order,
    /// `[plane][word of 64 symbols]`.
    words: Vec<u64>,
    planes: usize,
    /// 64-bit words in a vector; 1 in text order.
    width: usize,
    /// Distance from one block to the next, in 64-bit words.
    stride: usize,
    steps: usize,
    symbols: usize,
    marks: Vec<SymbolStarts>,
}

impl Planes {
    /// Returns the number of planes: 2 to 6, or 8.
    pub(crate) fn planes(&self) -> usize {
        self.planes
    }

    /// Returns the number of steps of each stream.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Returns the number of symbols in all streams.
    pub(crate) fn symbols(&self) -> usize {
        self.symbols
    }

    /// Returns the words of step `step` in plane `plane`: one bit per stream.
    #[inline(always)]
    pub(crate) fn step(&self, plane: usize, step: usize) -> &[u64] {
        let block = plane * (self.steps / STEPS_IN_WORD) + step / STEPS_IN_WORD;
        let first = block * self.stride + step % STEPS_IN_WORD * self.width;
        &self.words[first..first + self.width]
    }

    /// Returns the words of one plane in text order, 64 symbols each.
    pub(crate) fn in_order(&self, plane: usize) -> &[u64] {
        let words = self.steps / STEPS_IN_WORD;
        &self.words[plane * words..(plane + 1) * words]
    }

    /// Copies the codes of the symbols with the indices `symbols` to the start of `codes`, rounded up to a multiple of
    /// four codes. The planes must be in text order.
    #[inline]
    pub(crate) fn copy_codes(&self, symbols: Range<usize>, codes: &mut [Code]) {
        for (first, codes) in symbols.clone().step_by(4).zip(codes.chunks_exact_mut(4)) {
            let mut four = 0;
            for plane in 0..self.planes {
                four |= FOUR_BITS[self.four_bits(plane, first)] << plane;
            }
            for (at, code) in codes.iter_mut().enumerate() {
                *code = (four >> (16 * at)) as Code;
            }
        }
    }

    /// Returns the bits in plane `plane` of the four symbols from index `first` on.
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

    /// Fills the planes with the text of a section.
    pub fn fill(&mut self, layout: PlaneLayout, classes: &Classes, codes: &ByteCodes, section: &BatchSection<'_>) {
        let PlaneLayout { isa, order, min_steps } = layout;
        self.order = order;
        self.width = match order {
            PlaneOrder::ByStep => isa.streams() / 64,
            PlaneOrder::ByText => 1,
        };
        self.planes = codes.planes();
        // There may be a separator before each run, and one after the last run.
        let max_symbols: usize = section.runs().map(|run| run.len() + 1).sum::<usize>() + 1;
        match order {
            PlaneOrder::ByStep => {
                let steps = max_symbols.div_ceil(isa.streams()).max(min_steps);
                self.steps = steps.next_multiple_of(STEPS_IN_WORD).max(STEPS_IN_WORD);
                self.stride = STEPS_IN_WORD * self.width + GAP;
            }
            PlaneOrder::ByText => (self.steps, self.stride) = (max_symbols.max(1).next_multiple_of(STEPS_IN_WORD), 1),
        }
        self.words.clear();
        self.words.resize(self.planes * self.steps / STEPS_IN_WORD * self.stride, 0);
        // One mark for each full block of 64 bytes, two marks for each run (its separator and its last, incomplete
        // block), and one mark for the separator after the last run.
        self.marks.resize(max_symbols / 64 + 2 * section.runs().count() + 1, SymbolStarts::default());
        isa.run(Fill { planes: self, classes, codes, section });
    }

    /// Returns the offset in the batch just past the symbol with the index `symbol`, which must exist; `None` for the
    /// separator between two records. `mark_hint` is the index of the last mark used, and is updated.
    pub fn end_of(&self, alphabet: Alphabet, bytes: &[u8], symbol: usize, mark_hint: &mut usize) -> Option<usize> {
        *mark_hint = self.mark_before(symbol, *mark_hint);
        let mark = self.marks[*mark_hint];
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

    /// Returns the index of the last mark whose first symbol is at or before `symbol`. Tries the marks from `mark_hint`
    /// on before all others.
    fn mark_before(&self, symbol: usize, mark_hint: usize) -> usize {
        const HINTED: usize = 16;
        let is_before = |mark: &SymbolStarts| mark.symbol as usize <= symbol;
        let after = match self.marks.get(mark_hint..mark_hint + HINTED) {
            Some(marks) if is_before(&marks[0]) && !is_before(&marks[HINTED - 1]) => {
                mark_hint + marks.partition_point(is_before)
            }
            _ => self.marks.partition_point(is_before),
        };
        after - 1
    }
}

/// Returns the position of the `n`-th set bit of `bits`, counting from 0. `bits` must have more than `n` set bits.
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
    codes: &'a ByteCodes,
    section: &'a BatchSection<'a>,
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
        let Fill { planes, classes, codes, section } = self;
        let batch = section.batch;
        let plane_words = planes.steps / STEPS_IN_WORD * planes.stride;
        let words = PackedWords { words: &mut planes.words, plane_words, stride: planes.stride };
        let table = codes.table(batch.terminator());
        let mut packer: Packer<'_, P> = Packer::new(classes, codes.alphabet, table, words, &mut planes.marks);
        for run in section.runs() {
            if batch.lines().is_none() {
                packer.separate(run.start, codes.ends());
            }
            packer.pack_run::<L>(batch.bytes(), run);
        }
        if codes.ends() != OTHER {
            packer.separate(section.text().end, codes.ends());
        }
        let (symbols, marks) = packer.finish();
        planes.symbols = symbols;
        planes.marks.truncate(marks);
        if planes.order == PlaneOrder::ByStep {
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
    fn nth_one_finds_every_set_bit() {
        for bits in [1, 1 << 63, !0, 0x8000_0100_0040_0013] {
            let ones: Vec<usize> = (0..64).filter(|&at| bits >> at & 1 == 1).collect();
            let found: Vec<usize> = (0..ones.len()).map(|n| nth_one(bits, n)).collect();
            assert_eq!(found, ones);
        }
    }
}
