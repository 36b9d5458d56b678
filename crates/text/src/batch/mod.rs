//! Batches: ranges of input bytes with their lines or records, and the range that each batch owns.
//!
//! Reading order: this file, `window.rs` (how text is cut), `memory.rs` and `texts.rs` (batches of text in memory),
//! `line_records.rs` (records of several lines), `records.rs` (a second input), `traces.rs` (alignments that a device found), `slice.rs` (batches of a part of a batch), `residue_index.rs`.

mod line_records;
mod memory;
mod records;
mod residue_index;
mod slice;
mod texts;
#[cfg(feature = "cuda")]
mod traces;
mod window;

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use memchr::{memchr, memrchr};
use smallvec::SmallVec;

use crate::alphabet::count_residues;
use crate::text::MAX_SYMBOL_BYTES;
pub use line_records::{LineRecords, RecordStarts};
pub use memory::MemoryBatches;
pub use nigh_device::{TextBuffer, handles_allocation_failure, handling_allocation_failure};
pub use records::Records;
pub use residue_index::ResidueIndex;
pub use slice::MatchExcerpt;
pub use texts::{TextBatches, TextGroup};
pub use window::Window;

/// A range of input bytes to search: context, the owned range, and the symbol after it.
///
/// A batch *owns* a range of its bytes. A search reports the matches that end in the owned range, and no others. If a
/// line or record was cut before the owned range, the context has as many of its symbols as a match can cover. If it
/// was cut after the owned range, the batch also has its next symbol.
#[derive(Debug, Clone)]
pub struct Batch<'t> {
    pub text: BatchText<'t>,
    /// Range of the batch's bytes in `text`. All other ranges are relative to the start of this range.
    pub held: Range<usize>,
    pub(super) owned: Range<usize>,
    pub layout: Layout,
    /// The batch's bytes as read, if carriage returns or gaps in them were overwritten for the search.
    pub shown: Option<Vec<u8>>,
    /// Bytes of the input that are printed but not searched, in order: the last before the batch's bytes, and those in and
    /// just after them.
    pub hidden: Vec<HiddenBytes>,
    /// The records that the lines form; `None` if each line stands for itself.
    pub records: Option<Box<LineRecords>>,
    /// For each segment of circular records, the length of the record without its repeated residues, once the end of the
    /// record was read; empty if records are linear.
    pub circumferences: Vec<Option<u64>>,
    /// Numbers of residues, counted when they are first needed.
    pub(super) residues: OnceLock<Box<ResidueIndex>>,
    /// The records of a second input, one for each record of this batch; `None` without a second input.
    pub mates: Option<Arc<Records>>,
    /// Alignments that a device found with the hits.
    #[cfg(feature = "cuda")]
    pub traces: traces::BatchTraces,
}

/// Bytes of an input that are printed but not searched, such as an escape sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenBytes {
    /// Offset in the searched bytes of the input before which they stand.
    pub before: u64,
    /// Offset of the first of them in the input.
    pub offset: u64,
    /// The bytes.
    pub bytes: SmallVec<[u8; 16]>,
}

impl HiddenBytes {
    /// Returns the offset in the input of an offset in its searched bytes, which is not less than `before`.
    pub fn offset_after(&self, searched: u64) -> u64 {
        self.offset + self.bytes.len() as u64 + (searched - self.before)
    }
}

/// Returns the offset in the input of an offset in its searched bytes: of the bytes that are hidden there, if there are any.
/// `hidden` has the last hidden bytes before this offset.
pub fn offset_in_input(searched: u64, hidden: &[HiddenBytes]) -> u64 {
    let count = hidden.partition_point(|one| one.before < searched);
    hidden[..count].last().map_or(searched, |last| last.offset_after(searched))
}

/// The memory that holds the bytes of a batch.
#[derive(Debug, Clone)]
pub enum BatchText<'t> {
    /// A buffer of the batch.
    Owned(TextBuffer),
    /// Text that is in memory anyway.
    Borrowed(&'t [u8]),
}

#[cfg(feature = "cuda")]
impl BatchText<'_> {
    /// Returns the buffer of the batch; `None` if the text is borrowed.
    pub fn buffer(&self) -> Option<&TextBuffer> {
        match self {
            BatchText::Owned(buffer) => Some(buffer),
            BatchText::Borrowed(_) => None,
        }
    }
}

impl Deref for BatchText<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            BatchText::Owned(buffer) => buffer,
            BatchText::Borrowed(text) => text,
        }
    }
}

impl From<TextBuffer> for BatchText<'_> {
    fn from(buffer: TextBuffer) -> Self {
        BatchText::Owned(buffer)
    }
}

impl From<Vec<u8>> for BatchText<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        BatchText::Owned(bytes.into())
    }
}

impl From<String> for BatchText<'_> {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl<'t, T: AsRef<[u8]> + ?Sized> From<&'t T> for BatchText<'t> {
    fn from(text: &'t T) -> Self {
        BatchText::Borrowed(text.as_ref())
    }
}

/// The division of a batch into lines or records.
#[derive(Debug, Clone)]
pub enum Layout {
    /// Lines.
    Lines(Lines),
    /// Segments of records, in order. Bytes outside all segments are not searched.
    Records(Vec<Segment>),
}

/// The lines of a batch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The byte that ends a line. The searched bytes may have another one before it, in place of a carriage return.
    pub terminator: u8,
    /// Whether a line starts at the first byte.
    pub opens: bool,
    /// Whether a line ends with the last byte.
    pub closes: bool,
    /// Offset in the input of the batch's first byte.
    pub offset: u64,
    /// The byte order mark before the batch's first byte; empty if there is none. It is printed but is not part of the
    /// line.
    pub mark: &'static [u8],
}

impl Lines {
    /// Returns whole lines that end with one byte.
    pub fn whole(terminator: u8) -> Self {
        Lines { terminator, opens: true, closes: true, offset: 0, mark: b"" }
    }

    /// Moves the start of the batch forward by `bytes` bytes.
    pub fn pass(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        if bytes > 0 {
            self.mark = b"";
        }
    }
}

/// The name of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordName {
    /// A range of the batch.
    Here(Range<usize>),
    /// The name of a record that began in an earlier batch. All batches of the record share it, because it may be long.
    Carried(Arc<[u8]>),
}

impl RecordName {
    /// The name of a record that has none.
    pub const NONE: RecordName = RecordName::Here(0..0);

    /// Returns the name, where `bytes` are those of the batch.
    pub fn of<'a>(&'a self, bytes: &'a [u8]) -> &'a [u8] {
        match self {
            RecordName::Here(range) => &bytes[range.clone()],
            RecordName::Carried(name) => name,
        }
    }

    /// Moves the name with the bytes of the batch, if it is there, `by` bytes back.
    pub fn shift_back(&mut self, by: usize) {
        if let RecordName::Here(range) = self {
            *range = range.start.saturating_sub(by)..range.end.saturating_sub(by);
        }
    }
}

/// A part of a sequence record, or all of it. Ranges are relative to the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The record's name.
    pub name: RecordName,
    /// Range of the residues, with line breaks between them.
    pub bytes: Range<usize>,
    /// Range of the record, from its header to the start of the next record. If the record was cut, the range of its
    /// part in this batch.
    pub record: Range<usize>,
    /// Number of residues of the record before `bytes`.
    pub position: u64,
    /// Whether an earlier batch holds a part of the record.
    pub continues: bool,
    /// Whether `bytes`, which include the context, begin with the record's first residue.
    pub opens: bool,
    /// Whether the record ends in this batch.
    pub closes: bool,
}

impl Segment {
    /// Makes the segment of a whole record without a name.
    pub fn whole(bytes: Range<usize>) -> Self {
        let name = RecordName::NONE;
        Segment { name, record: bytes.clone(), bytes, position: 0, continues: false, opens: true, closes: true }
    }
}

/// The part of a line or record around an end position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The range in the batch.
    pub bytes: Range<usize>,
    /// Whether the line or record starts at the start of the range.
    pub opens: bool,
    /// Whether the line or record ends at the end of the range.
    pub closes: bool,
}

impl<'t> Batch<'t> {
    /// Makes a batch whose bytes are searched as read.
    pub fn new(text: impl Into<BatchText<'t>>, held: Range<usize>, owned: Range<usize>, layout: Layout) -> Self {
        Batch {
            text: text.into(),
            held,
            owned,
            layout,
            shown: None,
            hidden: Vec::new(),
            records: None,
            circumferences: Vec::new(),
            residues: OnceLock::new(),
            mates: None,
            #[cfg(feature = "cuda")]
            traces: traces::BatchTraces::default(),
        }
    }

    /// Makes a batch of whole lines that owns all of them.
    pub fn of_lines(text: impl Into<BatchText<'t>>, terminator: u8) -> Self {
        let text = text.into();
        let all = 0..text.len();
        Batch::new(text, all.clone(), all, Layout::Lines(Lines::whole(terminator)))
    }

    /// Makes a batch of one whole record without a name that owns all of it.
    pub fn of_record(residues: impl Into<BatchText<'t>>) -> Self {
        let text = residues.into();
        let segment = Segment::whole(0..text.len());
        Batch::of_segments(text, vec![segment])
    }

    /// Makes a batch of segments that owns all of its bytes.
    pub fn of_segments(text: impl Into<BatchText<'t>>, segments: Vec<Segment>) -> Self {
        let text = text.into();
        let all = 0..text.len();
        Batch::new(text, all.clone(), all, Layout::Records(segments))
    }

    /// Returns all bytes to search: context, owned range, and the symbol after it.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.text[self.held.clone()]
    }

    /// Returns the bytes to overwrite some of them; `None` if the text is borrowed.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.text {
            BatchText::Owned(buffer) => Some(&mut buffer[self.held.clone()]),
            BatchText::Borrowed(_) => None,
        }
    }

    /// Returns the same bytes for printing: carriage returns and gaps are as read.
    pub fn shown(&self) -> &[u8] {
        self.shown.as_deref().unwrap_or(self.bytes())
    }

    /// Returns the offset in the input of an offset in its searched bytes, which is in the batch or just after it.
    pub fn offset_in_input(&self, searched: u64) -> u64 {
        offset_in_input(searched, &self.hidden)
    }

    /// Returns the byte that ends a line in the input.
    pub fn line_end(&self) -> &[u8] {
        match &self.layout {
            Layout::Lines(lines) => std::slice::from_ref(&lines.terminator),
            Layout::Records(_) => b"\n",
        }
    }

    /// Returns the owned range. A match that is reported ends in this range.
    pub fn owned(&self) -> Range<usize> {
        self.owned.clone()
    }

    /// Returns whether the batch owns a match that ends at `end`, which is the case if it owns the match's last
    /// symbol.
    #[inline]
    pub fn owns(&self, end: usize) -> bool {
        self.owned.start < end && end <= self.owned.end
    }

    /// Returns the division into lines or records.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the lines; `None` for sequences.
    pub fn lines(&self) -> Option<&Lines> {
        match &self.layout {
            Layout::Lines(lines) => Some(lines),
            Layout::Records(_) => None,
        }
    }

    /// Returns the segments of records; empty for text.
    pub fn segments(&self) -> &[Segment] {
        match &self.layout {
            Layout::Lines(_) => &[],
            Layout::Records(segments) => segments,
        }
    }

    /// Returns the byte that ends a line; `None` for sequences.
    pub fn terminator(&self) -> Option<u8> {
        self.lines().map(|lines| lines.terminator)
    }

    /// Iterates over the ranges of text, in order. No match crosses from one range to the next.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let whole = self.lines().map(|_| 0..self.held.len());
        whole.into_iter().chain(self.segments().iter().map(|segment| segment.bytes.clone()))
    }

    /// Returns the index of the segment that contains the last byte before `end`.
    pub fn segment_before(&self, end: usize) -> usize {
        let segments = self.segments();
        segments.partition_point(|segment| segment.bytes.start < end).saturating_sub(1)
    }

    /// Returns the position of the offset `at`: the number of residues before it in its record, or of bytes before it
    /// in the input.
    pub fn position(&self, at: usize) -> u64 {
        match &self.layout {
            Layout::Lines(lines) => lines.offset + at as u64,
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(at + 1)];
                segment.position + count_residues(&self.bytes()[segment.bytes.start..at]) as u64
            }
        }
    }

    /// Returns the number of residues of the record, or of bytes of the line, before the offset `end`. Searches a line
    /// backwards for at most `max` bytes, and returns `max` if it starts before them.
    ///
    /// The batch must hold whole lines.
    pub fn units_before(&self, end: usize, max: u64) -> u64 {
        match &self.layout {
            Layout::Lines(lines) => {
                let floor = end.saturating_sub(usize::try_from(max).unwrap_or(usize::MAX));
                let line_end = memrchr(lines.terminator, &self.bytes()[floor..end]);
                (end - line_end.map_or(floor, |at| floor + at + 1)) as u64
            }
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(end)];
                segment.position + self.residues_in(segment.bytes.start..end)
            }
        }
    }

    /// Returns the number of residues of the record, or of bytes of the line, after the offset `end`. Searches a line
    /// forwards for at most `max` bytes, and returns `max` if it ends after them. Returns `u64::MAX` for a record that
    /// does not end in the batch.
    ///
    /// The batch must hold whole lines.
    pub fn units_after(&self, end: usize, max: u64) -> u64 {
        let bytes = self.bytes();
        match &self.layout {
            Layout::Lines(lines) => {
                let ceiling = end.saturating_add(usize::try_from(max).unwrap_or(usize::MAX)).min(bytes.len());
                let line_end = memchr(lines.terminator, &bytes[end..ceiling]);
                line_end.unwrap_or(ceiling - end) as u64
            }
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(end)];
                if segment.closes { self.residues_in(end..segment.bytes.end) } else { u64::MAX }
            }
        }
    }

    pub fn residues_in(&self, range: Range<usize>) -> u64 {
        /// Number of bytes that are counted in about 100 ns.
        const FEW: usize = 4 << 10;
        if range.len() <= FEW {
            return count_residues(&self.bytes()[range]) as u64;
        }
        let index = self.residues.get_or_init(|| Box::new(ResidueIndex::of(self.bytes())));
        index.residues_in(self.bytes(), range)
    }

    /// Returns the part of the line or record around `end` that has at least `max_match_len` symbols before `end` and
    /// one after it, unless the line or record has fewer.
    pub fn surroundings(&self, end: usize, max_match_len: usize) -> Surroundings {
        match &self.layout {
            Layout::Lines(lines) => self.surroundings_in_line(lines, end, max_match_len),
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(end)];
                Surroundings { bytes: segment.bytes.clone(), opens: segment.opens, closes: segment.closes }
            }
        }
    }

    fn surroundings_in_line(&self, lines: &Lines, end: usize, max_match_len: usize) -> Surroundings {
        let bytes = self.bytes();
        // One symbol more than `max_match_len`, so that no symbol within reach is cut.
        let floor = end.saturating_sub((max_match_len + 1) * MAX_SYMBOL_BYTES);
        let (start, opens) = match memrchr(lines.terminator, &bytes[floor..end]) {
            Some(line_end) => (floor + line_end + 1, true),
            None => (floor, floor == 0 && lines.opens),
        };
        let ceiling = bytes.len().min(end + MAX_SYMBOL_BYTES);
        let (stop, closes) = match memchr(lines.terminator, &bytes[end..ceiling]) {
            Some(length) => (end + length, true),
            None => (ceiling, ceiling == bytes.len() && lines.closes),
        };
        Surroundings { bytes: start..stop, opens, closes }
    }

    /// Appends the records of this batch, which must hold whole records, to `records`.
    pub fn copy_records(&self, records: &mut Records) {
        for segment in self.segments() {
            debug_assert!(segment.opens && segment.closes, "the batch holds whole records");
            records.push(segment.name.of(self.bytes()), &self.bytes()[segment.bytes.clone()]);
        }
    }

    /// Returns the records of a second input, one for each record of this batch; `None` without a second input.
    pub fn mates(&self) -> Option<&Records> {
        self.mates.as_deref()
    }

    /// Returns the buffer for reuse; an empty one if the text is borrowed.
    pub fn into_buffer(self) -> TextBuffer {
        match self.text {
            BatchText::Owned(buffer) => buffer,
            BatchText::Borrowed(_) => TextBuffer::default(),
        }
    }
}
