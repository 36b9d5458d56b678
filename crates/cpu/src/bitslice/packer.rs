//! Packs symbols into bit planes, 64 bytes of text at a time.

use std::ops::Range;

use nigh_simd::vector::{ByteTable, Simd};
use nigh_text::alphabet::Alphabet;
use nigh_text::text::first_character;
use nigh_verify::encoder::{Classes, Code};

/// The number of steps packed into one word.
pub(crate) const STEPS_IN_WORD: usize = 64;

/// The mask of 64 bytes that all start a symbol.
pub(crate) const ALL: u64 = !0;

/// Marks which bytes of a block of at most 64 bytes start a symbol. If all 64 do, the mark also covers the following
/// blocks, up to the next mark.
#[derive(Clone, Copy, Default)]
pub(crate) struct SymbolStarts {
    /// Index of the first symbol that starts in the block, or of the separator.
    pub(crate) symbol: u32,
    /// Offset of the block in the batch.
    pub(crate) byte: u32,
    /// A bit for each byte that starts a symbol; 0 for the separator between two records.
    pub(crate) starts: u64,
}

/// The destination of packed words.
pub(crate) struct PackedWords<'a> {
    /// The words of all planes, one plane after the other.
    pub(crate) words: &'a mut [u64],
    /// 64-bit words per plane.
    pub(crate) plane_words: usize,
    /// Distance from one block of 64 steps to the next, in 64-bit words.
    pub(crate) stride: usize,
}

/// Appends symbols to all P planes.
///
/// Only inlined functions get a reference to a packer, so that its counters stay in registers.
pub(crate) struct Packer<'a, const P: usize> {
    classes: &'a Classes,
    alphabet: Alphabet,
    table: ByteTable,
    /// The words of each plane.
    words: [&'a mut [u64]; P],
    marks: &'a mut [SymbolStarts],
    /// Distance from one block of 64 steps to the next, in 64-bit words.
    stride: usize,
    /// The current, incomplete word of each plane.
    bits: [u64; P],
    /// The number of symbols packed.
    symbols: usize,
    /// The number of marks set.
    marked: usize,
    /// The index in each plane at which the current word will be stored.
    to: usize,
    /// The number of leading bytes of the next block that belong to the previous symbol.
    skip: usize,
    /// Whether the last mark covers the following blocks.
    is_dense: bool,
}

impl<'a, const P: usize> Packer<'a, P> {
    /// Makes a packer that writes to `words`. `table` holds the codes of the bytes of `alphabet`.
    #[inline(always)]
    pub(crate) fn new(
        classes: &'a Classes,
        alphabet: Alphabet,
        table: ByteTable,
        words: PackedWords<'a>,
        marks: &'a mut [SymbolStarts],
    ) -> Self {
        let PackedWords { words, plane_words, stride } = words;
        let mut per_plane = words.chunks_exact_mut(plane_words);
        Packer {
            classes,
            alphabet,
            table,
            words: std::array::from_fn(|_| per_plane.next().expect("the words suffice for all planes")),
            marks,
            stride,
            bits: [0; P],
            symbols: 0,
            marked: 0,
            to: 0,
            skip: 0,
            is_dense: false,
        }
    }

    /// Appends a symbol with the code `code` at the offset `at`, between two records or after the last line or record.
    #[inline(always)]
    pub(crate) fn separate(&mut self, at: usize, code: Code) {
        self.mark(at, 0);
        self.append(std::array::from_fn(|plane| u64::from(code) >> plane & 1), 1);
    }

    #[inline(always)]
    fn mark(&mut self, byte: usize, starts: u64) {
        self.marks[self.marked] = SymbolStarts { symbol: self.symbols as u32, byte: byte as u32, starts };
        self.marked += 1;
    }

    #[inline(always)]
    pub(crate) fn pack_run<L: Simd>(&mut self, bytes: &[u8], run: Range<usize>) {
        if self.alphabet.is_sequence() {
            self.pack_sequence::<L>(bytes, run);
        } else {
            self.pack_text::<L>(&bytes[..run.end], run);
        }
    }

    /// Packs the residues of a run of a sequence, leaving out line breaks and blanks.
    #[inline(always)]
    fn pack_sequence<L: Simd>(&mut self, bytes: &[u8], run: Range<usize>) {
        let (whole, rest) = bytes[run.clone()].as_chunks::<64>();
        let mut at = run.start;
        for block in whole {
            self.pack_residues::<L>(at, block);
            at += 64;
        }
        if !rest.is_empty() {
            let mut block = [b'\n'; 64];
            block[..rest.len()].copy_from_slice(rest);
            self.pack_residues::<L>(at, &block);
        }
    }

    /// Packs the residues of the block at offset `at`. Nearly every block has a line break, so checking for one would
    /// cost more than it saves.
    #[inline(always)]
    fn pack_residues<L: Simd>(&mut self, at: usize, block: &[u8; 64]) {
        let keep = L::above_blank(block);
        if keep == 0 {
            return;
        }
        self.mark(at, keep);
        let mut planes = L::bytes_to_planes(block, &self.table);
        for bits in &mut planes {
            *bits = L::compress(*bits, keep);
        }
        self.append(planes, keep.count_ones() as usize);
    }

    /// Packs a run of text.
    #[inline(always)]
    fn pack_text<L: Simd>(&mut self, bytes: &[u8], run: Range<usize>) {
        (self.skip, self.is_dense) = (0, false);
        let (whole, rest) = bytes[run.clone()].as_chunks::<64>();
        let mut at = run.start;
        for block in whole {
            // Most blocks are ASCII and follow another such block.
            match self.is_dense && self.skip == 0 && L::not_ascii(block) == 0 {
                true => self.append(L::bytes_to_planes(block, &self.table), 64),
                false => self.pack_characters::<L>(bytes, at, block, ALL),
            }
            at += 64;
        }
        if !rest.is_empty() {
            let mut block = [0; 64];
            block[..rest.len()].copy_from_slice(rest);
            self.pack_characters::<L>(bytes, at, &block, ALL >> (64 - rest.len()));
        }
    }

    /// Packs the bytes of the block at offset `at` whose bit in `inside` is set.
    #[inline(always)]
    fn pack_characters<L: Simd>(&mut self, bytes: &[u8], at: usize, block: &[u8; 64], inside: u64) {
        let mut planes = L::bytes_to_planes(block, &self.table);
        let high = L::not_ascii(block) & inside;
        let mut keep = inside;
        if self.alphabet == Alphabet::Bytes {
            add_high_bytes(self.classes, block, high, &mut planes);
        } else if high != 0 || self.skip > 0 {
            let characters = Characters { classes: self.classes, bytes: &bytes[at..], skip: self.skip };
            let (starts, skip) = characters.add(high, &mut planes);
            self.skip = skip;
            keep &= starts;
        }
        if !(self.is_dense && keep == ALL) {
            self.mark(at, keep);
            self.is_dense = keep == ALL;
        }
        if keep != ALL {
            for bits in &mut planes {
                *bits = L::compress(*bits, keep);
            }
        }
        self.append(planes, keep.count_ones() as usize);
    }

    /// Appends `count` symbols; their codes are in the lowest bits of `planes`.
    #[inline(always)]
    fn append(&mut self, planes: [u64; P], count: usize) {
        let filled = self.symbols % STEPS_IN_WORD;
        for (word, &new) in self.bits.iter_mut().zip(&planes) {
            *word |= new << filled;
        }
        self.symbols += count;
        if filled + count >= STEPS_IN_WORD {
            self.store_word();
            // Two shifts, because `filled` may be 0 and a shift by 64 overflows.
            for (word, &new) in self.bits.iter_mut().zip(&planes) {
                *word = new >> 1 >> (STEPS_IN_WORD - 1 - filled);
            }
        }
    }

    /// Stores the current words in transposition order: successive words of a stream lie in successive blocks.
    #[inline(always)]
    fn store_word(&mut self) {
        let length = self.words[0].len();
        for (words, &bits) in self.words.iter_mut().zip(&self.bits) {
            words[self.to] = bits;
        }
        self.to += self.stride;
        if self.to >= length {
            self.to = self.to - length + 1;
        }
    }

    /// Stores the incomplete words. Returns the number of symbols and the number of marks.
    #[inline(always)]
    pub(crate) fn finish(mut self) -> (usize, usize) {
        if !self.symbols.is_multiple_of(STEPS_IN_WORD) {
            self.store_word();
        }
        (self.symbols, self.marked)
    }
}

/// Adds the codes of the bytes at or above 0x80, marked in `high`, which are symbols by themselves.
#[inline(never)]
fn add_high_bytes<const P: usize>(classes: &Classes, block: &[u8; 64], high: u64, planes: &mut [u64; P]) {
    let mut left = high;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        set_code(planes, at, classes.code_of_byte(block[at]));
        left &= left - 1;
    }
}

/// Text with multi-byte characters.
struct Characters<'a> {
    classes: &'a Classes,
    /// The text from the current block of 64 bytes on.
    bytes: &'a [u8],
    /// The number of leading bytes that belong to the previous symbol.
    skip: usize,
}

impl Characters<'_> {
    /// Adds the codes of the characters that begin with a byte marked in `high`, the bytes at or above 0x80. Returns
    /// the mask of the bytes that start a symbol, and the number of bytes after the block that belong to the last
    /// symbol of the block.
    #[inline(never)]
    fn add<const P: usize>(self, high: u64, planes: &mut [u64; P]) -> (u64, usize) {
        let mut starts = !0 << self.skip;
        let mut left = high & starts;
        let mut skip = 0;
        while left != 0 {
            let lead = left.trailing_zeros() as usize;
            let (symbol, length) = first_character(&self.bytes[lead..]).expect("the slice is not empty");
            set_code(planes, lead, self.classes.code(symbol));
            let others = ((1 << length) - 2) << lead;
            starts &= !others;
            left &= left - 1;
            left &= !others;
            skip = (lead + length).saturating_sub(64);
        }
        (starts, skip)
    }
}

fn set_code<const P: usize>(planes: &mut [u64; P], at: usize, code: Code) {
    for (plane, bits) in planes.iter_mut().enumerate() {
        *bits |= (u64::from(code) >> plane & 1) << at;
    }
}
