//! Numbers of residues before an offset, for texts in which many are asked for.
//!
//! The residues before each block are counted once: those of a part of a FASTA file while it is read, because its bytes are
//! in the cache then. A query counts those of one block: O(1) time after O(n).

use std::ops::Range;

use memchr::memchr;

use crate::alphabet::count_residues;
use crate::simd::isa::Isa;
use crate::simd::vector::{Simd, SimdOp};

/// Number of bytes of a block. Counting one takes about 20 ns.
const BLOCK: usize = 512;

/// The number of residues before each block of a text of sequences, and its headers, whose bytes are no residues.
#[derive(Debug, Clone)]
pub struct ResidueIndex {
    isa: Isa,
    /// Offset of the first byte.
    first: usize,
    /// Offset just past the last byte that was read.
    end: usize,
    /// For each block from `first` on, the number of residues before it.
    before: Vec<u64>,
    /// Number of residues.
    residues: u64,
    /// The headers, ascending: each from its `>` up to the end of its line.
    headers: Vec<Range<usize>>,
    /// Whether the end of the last header was not read yet.
    is_in_header: bool,
}

/// Whether a `>` at the start of a line begins a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Headers {
    /// It does not.
    No,
    /// It does. A line also starts at this offset.
    Yes { line_start: Option<usize> },
}

impl ResidueIndex {
    /// Makes the index of an empty text that begins at the offset `first`.
    pub fn new(first: usize) -> Self {
        let (isa, before, headers) = (Isa::preferred(), Vec::new(), Vec::new());
        ResidueIndex { isa, first, end: first, before, residues: 0, headers, is_in_header: false }
    }

    /// Makes the index of a text in which no line is a header.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut index = ResidueIndex::new(0);
        index.add(bytes, bytes.len(), Headers::No);
        index
    }

    /// Adds the bytes up to the offset `to`. A `>` after a line feed begins a header, and so does one at `line_start`.
    pub fn read(&mut self, bytes: &[u8], to: usize, line_start: Option<usize>) {
        self.add(bytes, to, Headers::Yes { line_start });
    }

    fn add(&mut self, bytes: &[u8], to: usize, headers: Headers) {
        self.before.reserve(to.saturating_sub(self.end) / BLOCK + 1);
        self.isa.run(AddBytes { index: self, bytes, to, headers });
    }

    /// Returns the offsets at which headers begin, ascending.
    pub fn header_starts(&self) -> Vec<usize> {
        self.headers.iter().map(|header| header.start).collect()
    }

    /// Returns the number of residues in a range that ends in the text; `bytes` is the text. Bytes before the first are residues
    /// or blanks.
    pub fn residues_in(&self, bytes: &[u8], range: Range<usize>) -> u64 {
        let from = range.start.max(self.first.min(range.end));
        let context = count_residues(&bytes[range.start..from]) as u64;
        context + self.before(bytes, range.end) - self.before(bytes, from)
    }

    /// Returns the number of residues from the first byte up to the offset `at`.
    fn before(&self, bytes: &[u8], at: usize) -> u64 {
        let Some(last) = at.min(self.end).checked_sub(self.first + 1) else { return 0 };
        let block = last / BLOCK;
        let range = self.first + block * BLOCK..at.min(self.end);
        let mut count = count_residues(&bytes[range.clone()]);
        let first = self.headers.partition_point(|header| header.end <= range.start);
        for header in self.headers[first..].iter().take_while(|header| header.start < range.end) {
            count -= count_residues(&bytes[header.start.max(range.start)..header.end.min(range.end)]);
        }
        self.before[block] + count as u64
    }

    /// Adds a block that may have headers. Returns its number of residues.
    fn divide(&mut self, bytes: &[u8], block: Range<usize>, headers: Headers) -> usize {
        let (mut at, mut residues) = (block.start, 0);
        loop {
            if self.is_in_header {
                let end = memchr(b'\n', &bytes[at..block.end]).map(|length| at + length);
                self.is_in_header = end.is_none();
                at = end.unwrap_or(block.end);
                self.headers.last_mut().expect("a header is open").end = at;
            }
            let begins = |&at: &usize| match headers {
                Headers::No => false,
                Headers::Yes { line_start } => line_start == Some(at) || at > self.first && bytes[at - 1] == b'\n',
            };
            let start = memchr::memchr_iter(b'>', &bytes[at..block.end]).map(|length| at + length).find(begins);
            residues += count_residues(&bytes[at..start.unwrap_or(block.end)]);
            let Some(start) = start else { return residues };
            self.headers.push(start..start);
            (self.is_in_header, at) = (true, start);
        }
    }
}

/// Adds bytes, a block at a time.
struct AddBytes<'a> {
    index: &'a mut ResidueIndex,
    bytes: &'a [u8],
    to: usize,
    headers: Headers,
}

impl SimdOp for AddBytes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let AddBytes { index, bytes, to, headers } = self;
        while index.end < to {
            let (start, within) = (index.end, (index.end - index.first) % BLOCK);
            if within == 0 {
                index.before.push(index.residues);
            }
            index.end = to.min(start + BLOCK - within);
            let block = bytes[start..index.end].as_chunks::<64>().0;
            let (mut residues, mut starts) = (0, 0);
            for part in block {
                residues += L::above_blank(part).count_ones() as usize;
                starts |= L::equal_to(part, b'>');
            }
            if index.is_in_header || starts != 0 || 64 * block.len() < index.end - start {
                residues = index.divide(bytes, start..index.end, headers);
            }
            index.residues += residues as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::is_residue;

    /// For each byte, whether it is a residue outside a header, by a scan of lines; and the starts of the headers.
    fn by_lines(text: &[u8], opens_line: bool) -> (Vec<bool>, Vec<usize>) {
        let (mut residues, mut starts) = (Vec::new(), Vec::new());
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let is_header = line[0] == b'>' && (opens_line || !residues.is_empty());
            if is_header {
                starts.push(residues.len());
            }
            residues.extend(line.iter().map(|&byte| !is_header && is_residue(byte)));
        }
        (residues, starts)
    }

    #[test]
    fn residues_of_random_texts_are_counted_in_any_steps() {
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..300 {
            let letters: &[u8] =
                if round % 2 == 0 { b"ACGT\n>" } else { b"ACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTAACGT \r\n" };
            let context = rng.usize(..40);
            let mut text = vec![b'A'; context];
            text.extend((0..rng.usize(..3000)).map(|_| *rng.choice(letters).unwrap()));
            if rng.bool() && text.len() > context + 600 {
                text.splice(context + 300..context + 301, *b"\n>a header, of one line ACGT\n");
            }
            let opens_line = rng.bool();
            let mut index = ResidueIndex::new(context);
            let mut at = context;
            while at < text.len() {
                at = (at + 1 + rng.usize(..900)).min(text.len());
                index.read(&text, at, opens_line.then_some(context));
            }
            let (residues, starts) = by_lines(&text[context..], opens_line);
            assert_eq!(index.header_starts(), starts.iter().map(|at| context + at).collect::<Vec<_>>());
            for _ in 0..50 {
                let from = rng.usize(..=text.len());
                let to = rng.usize(from..=text.len());
                let is_residue = |at: usize| at < context || residues[at - context];
                let expected = (from..to).filter(|&at| is_residue(at)).count() as u64;
                assert_eq!(index.residues_in(&text, from..to), expected, "{context}: {from}..{to}");
            }
        }
    }

    #[test]
    fn a_text_without_headers_has_none() {
        let text = b"AC\n>GT\n".repeat(200);
        assert_eq!(ResidueIndex::of(&text).residues_in(&text, 0..text.len()), 1000);
    }
}
