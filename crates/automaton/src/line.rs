//! A line or record as codes, with the contexts of its positions.

use std::ops::Range;

use memchr::{memchr, memrchr};

use nigh_pattern::PositionRange;
use nigh_tables::context::{FREE_CONTEXT, NeighbourKind, context};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, Layout};
use nigh_text::text::{MAX_SYMBOL_BYTES, symbol_boundary, symbols};
use nigh_text::text_item::{end_of_residue, start_of_residue};
use nigh_verify::encoder::{Classes, Code};

/// The part of a batch that a line or the segment of a record takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemRange {
    /// The range of bytes in the batch.
    pub(super) bytes: Range<usize>,
    /// Whether the line or record starts at the start of the range.
    pub(super) opens: bool,
    /// Number of residues of the record before the range; 0 for a line.
    before: u64,
    /// Number of residues of the record after the range, or 0 for a whole line; `None` if that is not known.
    after: Option<u64>,
}

impl ItemRange {
    /// Returns the line or segment that starts at or after the offset `from`; `None` if there is none.
    pub(super) fn next(batch: &Batch, from: usize) -> Option<Self> {
        match batch.layout() {
            Layout::Lines(lines) => {
                let bytes = batch.bytes();
                if from >= bytes.len() {
                    return None;
                }
                let length = memchr(lines.terminator, &bytes[from..]);
                let end = length.map_or(bytes.len(), |length| from + length);
                Some(ItemRange {
                    bytes: from..end,
                    opens: from > 0 || lines.opens,
                    before: 0,
                    after: (length.is_some() || lines.closes).then_some(0),
                })
            }
            Layout::Records(segments) => {
                let index = segments.partition_point(|segment| segment.bytes.start < from);
                segments.get(index).map(|segment| ItemRange {
                    bytes: segment.bytes.clone(),
                    opens: segment.opens,
                    before: segment.position,
                    after: segment.closes.then_some(0),
                })
            }
        }
    }

    /// Returns the line or segment with the symbol before the offset `end`.
    pub(super) fn around(batch: &Batch, end: usize) -> Self {
        let start = match batch.layout() {
            Layout::Lines(lines) => memrchr(lines.terminator, &batch.bytes()[..end]).map_or(0, |line_end| line_end + 1),
            Layout::Records(segments) => segments[batch.segment_before(end)].bytes.start,
        };
        ItemRange::next(batch, start).expect("a symbol is in a line or record")
    }

    /// Returns whether the line or record ends at the end of the range.
    pub(super) fn closes(&self) -> bool {
        self.after == Some(0)
    }

    /// Returns the part of a line that holds all matches of at most `longest` symbols that end at the offsets `first` to
    /// `last`, and `after` symbols after it. Only patterns without conditions on positions can be searched for in a part
    /// of a line.
    pub(super) fn part_of_line(
        batch: &Batch,
        alphabet: Alphabet,
        (first, last): (usize, usize),
        (longest, after): (usize, usize),
    ) -> Self {
        let bytes = batch.bytes();
        let length = |symbols: usize| symbols.saturating_mul(MAX_SYMBOL_BYTES);
        let terminator = batch.terminator().expect("a batch of lines has a terminator");
        let from = symbol_boundary(alphabet, bytes, first.saturating_sub(length(longest)));
        let start = memrchr(terminator, &bytes[from..first]).map_or(from, |line_end| from + line_end + 1);
        let until = symbol_boundary(alphabet, bytes, bytes.len().min(last.saturating_add(length(after))));
        let end = memchr(terminator, &bytes[last..until]).map_or(until, |length| last + length);
        ItemRange { bytes: start..end, opens: false, before: 0, after: None }
    }

    /// Divides a line into pieces of about `length` bytes, between symbols.
    pub(super) fn pieces(&self, batch: &Batch, alphabet: Alphabet, length: usize) -> impl Iterator<Item = ItemRange> {
        let (bytes, all) = (batch.bytes(), self.bytes.clone());
        let mut start = all.start;
        std::iter::from_fn(move || {
            let end = symbol_boundary(alphabet, bytes, all.end.min(start + length));
            let piece = ItemRange { bytes: start..end, opens: false, before: 0, after: None };
            start = end;
            (!piece.bytes.is_empty()).then_some(piece)
        })
    }

    /// Returns the line that contains the symbol before the offset `first`. Of a record, returns the part that may be
    /// covered by matches of at most `longest` symbols that end at the offsets `first` to `last`, with one more symbol
    /// on each side.
    pub(super) fn around_matches(batch: &Batch, (first, last): (usize, usize), longest: usize) -> Self {
        let item = ItemRange::around(batch, first);
        if batch.lines().is_some() {
            return item;
        }
        let start = start_of_residue(batch.bytes(), item.bytes.start..first, longest.saturating_add(1));
        let end = end_of_residue(&batch.bytes()[..item.bytes.end], last, 1);
        ItemRange {
            opens: item.opens && start == item.bytes.start,
            before: item.before + batch.residues_in(item.bytes.start..start),
            after: item.after.map(|after| after + batch.residues_in(end..item.bytes.end)),
            bytes: start..end,
        }
    }

    /// Returns an offset in the batch after this line or segment, at or before the start of the next one.
    pub(super) fn after(&self) -> usize {
        self.bytes.end + 1
    }
}

/// Encodes one line or record at a time, and owns the memory for it.
pub(super) struct LineEncoder<'a> {
    classes: &'a Classes,
    /// Whether an expression has conditions.
    has_conditions: bool,
    item: Option<ItemRange>,
    codes: Vec<Code>,
    /// The offset in the batch at which each symbol starts; empty if each byte of the item is a symbol.
    starts: Vec<usize>,
    contexts: Vec<u8>,
}

/// The end of a match: a position in a line or record, and the least distance there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatchEnd {
    pub(super) position: usize,
    pub(super) distance: usize,
}

/// The best match that ends at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BestMatch {
    pub(super) distance: usize,
    /// The difference between the numbers of insertions and deletions.
    pub(super) difference: usize,
    pub(super) start: usize,
}

/// The symbols of a line or record, and the positions at which a pattern may match. A position between symbols is the
/// number of symbols before it.
#[derive(Clone, Copy)]
pub(super) struct EncodedLine<'a> {
    /// The code of each symbol.
    pub(super) codes: &'a [Code],
    /// The context of each position; empty if no expression has conditions.
    contexts: &'a [u8],
    /// The first and the last position of a match.
    pub(super) first: usize,
    pub(super) last: usize,
}

impl<'a> EncodedLine<'a> {
    /// Makes a line of symbols without conditions on its positions.
    pub(super) fn of_codes(codes: &'a [Code]) -> Self {
        EncodedLine { codes, contexts: &[], first: 0, last: codes.len() }
    }

    /// Iterates over the symbols in a range: the position after the symbol, its code, and the context of this position.
    #[inline]
    pub(super) fn forward(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Code, u8)> {
        let codes = (range.start + 1..).zip(&self.codes[range]);
        codes.map(|(position, &code)| (position, code, self.context(position)))
    }

    /// Iterates over the symbols in a range, the last first: the position before the symbol, its code, and the context of
    /// this position.
    #[inline]
    pub(super) fn backward(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Code, u8)> {
        let codes = range.clone().zip(&self.codes[range]).rev();
        codes.map(|(position, &code)| (position, code, self.context(position)))
    }

    /// Returns the context of a position.
    #[inline]
    pub(super) fn context(&self, position: usize) -> u8 {
        self.contexts.get(position).copied().unwrap_or(FREE_CONTEXT)
    }
}

impl<'a> LineEncoder<'a> {
    pub(super) fn new(classes: &'a Classes, has_conditions: bool) -> Self {
        LineEncoder { classes, has_conditions, item: None, codes: Vec::new(), starts: Vec::new(), contexts: Vec::new() }
    }

    /// Encodes a line or segment of a batch.
    pub(super) fn encode(&mut self, batch: &Batch, item: &ItemRange) {
        self.codes.clear();
        self.starts.clear();
        let text = &batch.bytes()[item.bytes.clone()];
        match self.classes.has_plain_symbols(text) {
            true => self.classes.encode_plain(text, &mut self.codes),
            false => self.classes.encode(batch.bytes(), item.bytes.clone(), &mut self.codes, &mut self.starts),
        }
        self.contexts.clear();
        if self.has_conditions {
            self.add_contexts(&batch.bytes()[item.bytes.clone()], item);
        }
        self.item = Some(item.clone());
    }

    fn add_contexts(&mut self, text: &[u8], item: &ItemRange) {
        // In sequences, the symbol beyond a cut is some residue.
        let beyond = |is_end: bool| if is_end { NeighbourKind::None } else { NeighbourKind::Other };
        let mut before = beyond(item.opens);
        for placed in symbols(self.classes.alphabet(), text) {
            let after = NeighbourKind::of(placed.symbol);
            self.contexts.push(context(before, after));
            before = after;
        }
        self.contexts.push(context(before, beyond(item.after == Some(0))));
    }

    /// Returns the line or record for a pattern whose matches must lie in the range `within`; `None` if no position is
    /// in this range.
    pub(super) fn line(&self, within: PositionRange) -> Option<EncodedLine<'_>> {
        let all = EncodedLine { codes: &self.codes, contexts: &self.contexts, first: 0, last: self.codes.len() };
        if within.is_all() {
            return Some(all);
        }
        let item = self.item.as_ref().expect("a line was encoded");
        let length = item.after.map(|after| self.units(self.codes.len()) + after);
        let allowed = within.of_length(length.unwrap_or(u64::MAX));
        // The number of units before a position never falls from one position to the next.
        let positions = self.codes.len() + 1;
        let first = partition_point(positions, |position| self.units(position) < allowed.start);
        let after = partition_point(positions, |position| self.units(position) <= allowed.end);
        (first < after).then(|| EncodedLine { first, last: after - 1, ..all })
    }

    /// Returns the number of bytes of the line, or residues of the record, before a position.
    fn units(&self, position: usize) -> u64 {
        let item = self.item.as_ref().expect("a line was encoded");
        if self.classes.alphabet().is_sequence() {
            return item.before + position as u64;
        }
        (self.offset(position) - item.bytes.start) as u64
    }

    /// Returns the offset in the batch of the first byte of the symbol after a position.
    pub(super) fn start(&self, position: usize) -> usize {
        self.offset(position)
    }

    /// Returns the offset in the batch of the first byte of the symbol after a position, or of the end of the item.
    fn offset(&self, position: usize) -> usize {
        let item = &self.item.as_ref().expect("a line was encoded").bytes;
        match self.starts.is_empty() {
            true => item.start + position,
            false => self.starts.get(position).copied().unwrap_or(item.end),
        }
    }

    /// Returns the offset in the batch just past the symbol before a position.
    pub(super) fn end(&self, position: usize) -> usize {
        match self.classes.alphabet() {
            Alphabet::Text | Alphabet::Bytes => self.offset(position),
            Alphabet::Dna | Alphabet::Protein => self.offset(position - 1) + 1,
        }
    }

    /// Returns the position after the symbol that ends at an offset.
    pub(super) fn position_of_end(&self, end: usize) -> usize {
        self.position_at(end)
    }

    /// Returns the position before the symbol that starts at an offset.
    pub(super) fn position_of_start(&self, start: usize) -> usize {
        self.position_at(start)
    }

    /// Returns the number of symbols that start before an offset.
    fn position_at(&self, offset: usize) -> usize {
        if self.starts.is_empty() {
            let start = self.item.as_ref().expect("a line was encoded").bytes.start;
            return offset.saturating_sub(start).min(self.codes.len());
        }
        self.starts.partition_point(|&start| start < offset)
    }
}

/// Returns the first number below `count` for which `is_before` is false; `count` if there is none.
fn partition_point(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
