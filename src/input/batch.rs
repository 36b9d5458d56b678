//! A batch: some bytes of an input, with the lines or records in them and the part it answers for.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::alphabet::count_residues;
use crate::text::MAX_SYMBOL_BYTES;

/// A run of input bytes to be searched.
///
/// It *owns* a range of them: whoever searches it reports the matches that end there, and no others. Before that
/// range it has context, as many symbols as a match may cover; behind it, the symbol that follows, if there is one.
#[derive(Debug, Clone)]
pub struct Batch {
    pub(super) buffer: Vec<u8>,
    /// Where in the buffer its bytes stand; all other ranges count from there.
    pub(super) held: Range<usize>,
    pub(super) owned: Range<usize>,
    pub(super) layout: Layout,
    /// The bytes as they were read, where the ends of lines were overwritten for the search.
    pub(super) shown: Option<Vec<u8>>,
    /// What ends lines, if that is more than a byte.
    pub(super) delimiter: Option<Arc<[u8]>>,
}

/// How the bytes of a batch are divided.
#[derive(Debug, Clone)]
pub enum Layout {
    /// Into lines.
    Lines(Lines),
    /// Into parts of records, in order; bytes outside them are no text.
    Records(Vec<Segment>),
}

/// Text in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The byte that ends a line.
    pub terminator: u8,
    /// How many of it end a line. In the bytes that are searched there may be one more.
    pub width: usize,
    /// Whether a line starts at the first byte.
    pub opens: bool,
    /// Whether a line ends with the last byte.
    pub closes: bool,
    /// Offset of the first byte in the input.
    pub offset: u64,
    /// The byte order mark before the first byte, if the text starts there. It is printed, and otherwise no part of the line.
    pub mark: &'static [u8],
}

impl Lines {
    /// Goes on by so many bytes.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        if bytes > 0 {
            self.mark = b"";
        }
    }
}

/// A part of a record of sequences, or all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Where the record's name stands in the batch.
    pub name: Range<usize>,
    /// Where the residues stand in the batch, with line breaks between them.
    pub bytes: Range<usize>,
    /// Where the record stands in the batch, from its header to the start of the next with all that is between; of a
    /// record that was cut, what of it is here.
    pub record: Range<usize>,
    /// How many residues of the record come before these.
    pub position: u64,
    /// Whether an earlier batch had a part of the record.
    pub continues: bool,
    /// Whether the record starts here, in the part or in its context.
    pub opens: bool,
    /// Whether the record ends here.
    pub closes: bool,
}

/// The part of a line or record around a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// Where it lies in the batch.
    pub bytes: Range<usize>,
    /// Whether the line or record starts with it.
    pub opens: bool,
    /// Whether the line or record ends with it.
    pub closes: bool,
}

impl Batch {
    /// A batch of bytes that are searched as they were read.
    pub(super) fn new(buffer: Vec<u8>, held: Range<usize>, owned: Range<usize>, layout: Layout) -> Self {
        Batch { buffer, held, owned, layout, shown: None, delimiter: None }
    }

    /// A batch of whole lines that owns all of them.
    pub fn of_lines(bytes: impl Into<Vec<u8>>, terminator: u8) -> Self {
        let buffer = bytes.into();
        let lines = Lines { terminator, width: 1, opens: true, closes: true, offset: 0, mark: b"" };
        let all = 0..buffer.len();
        Batch::new(buffer, all.clone(), all, Layout::Lines(lines))
    }

    /// A batch of one whole record without a name that owns all of it.
    pub fn of_record(residues: impl Into<Vec<u8>>) -> Self {
        let buffer = residues.into();
        let length = buffer.len();
        let all = 0..length;
        let segment = Segment {
            name: 0..0,
            bytes: all.clone(),
            record: all,
            position: 0,
            continues: false,
            opens: true,
            closes: true,
        };
        Batch::new(buffer, 0..length, 0..length, Layout::Records(vec![segment]))
    }

    /// All bytes: context, owned, and the symbol behind.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.held.clone()]
    }

    /// The same bytes, as they are to be printed. Lines are divided in these by what [`Lines`] says.
    pub fn shown(&self) -> &[u8] {
        self.shown.as_deref().unwrap_or(self.bytes())
    }

    /// What ends a line of the input.
    pub fn line_end(&self) -> &[u8] {
        match (&self.delimiter, &self.layout) {
            (Some(delimiter), _) => delimiter,
            (None, Layout::Lines(lines)) => std::slice::from_ref(&lines.terminator),
            (None, Layout::Records(_)) => b"\n",
        }
    }

    /// The range in which the matches end that are to be reported.
    pub fn owned(&self) -> Range<usize> {
        self.owned.clone()
    }

    /// Whether the batch owns the match that ends at `end`, that is, its last symbol.
    #[inline]
    pub fn owns(&self, end: usize) -> bool {
        self.owned.start < end && end <= self.owned.end
    }

    /// How the bytes are divided.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The lines, if it is text.
    pub fn lines(&self) -> Option<&Lines> {
        match &self.layout {
            Layout::Lines(lines) => Some(lines),
            Layout::Records(_) => None,
        }
    }

    /// The segments of records; none if it is text.
    pub fn segments(&self) -> &[Segment] {
        match &self.layout {
            Layout::Lines(_) => &[],
            Layout::Records(segments) => segments,
        }
    }

    /// The byte at which lines end, if it is text.
    pub fn terminator(&self) -> Option<u8> {
        self.lines().map(|lines| lines.terminator)
    }

    /// The ranges of bytes that are text, in order. No match reaches from one into the next.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let whole = self.lines().map(|_| 0..self.held.len());
        whole.into_iter().chain(self.segments().iter().map(|segment| segment.bytes.clone()))
    }

    /// Index of the segment that holds the last byte before `end`.
    pub fn segment_before(&self, end: usize) -> usize {
        let segments = self.segments();
        segments.partition_point(|segment| segment.bytes.start < end).saturating_sub(1)
    }

    /// The position of a place: how many residues of its record come before it, or how many bytes of the text.
    pub fn position(&self, at: usize) -> u64 {
        match &self.layout {
            Layout::Lines(lines) => lines.offset + at as u64,
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(at + 1)];
                segment.position + count_residues(&self.bytes()[segment.bytes.start..at]) as u64
            }
        }
    }

    /// The line or record around `end`, as far as `reach` symbols before it and one symbol behind it need.
    pub fn surroundings(&self, end: usize, reach: usize) -> Surroundings {
        match &self.layout {
            Layout::Lines(lines) => self.surroundings_in_line(lines, end, reach),
            Layout::Records(segments) => {
                let segment = &segments[self.segment_before(end)];
                Surroundings { bytes: segment.bytes.clone(), opens: segment.opens, closes: segment.closes }
            }
        }
    }

    fn surroundings_in_line(&self, lines: &Lines, end: usize, reach: usize) -> Surroundings {
        let bytes = self.bytes();
        // One symbol more than asked for, so that no symbol within reach is cut.
        let floor = end.saturating_sub((reach + 1) * MAX_SYMBOL_BYTES);
        let (start, opens) = match memrchr(lines.terminator, &bytes[floor..end]) {
            Some(before) => (floor + before + 1, true),
            None => (floor, floor == 0 && lines.opens),
        };
        let ceiling = bytes.len().min(end + MAX_SYMBOL_BYTES);
        let (stop, closes) = match memchr(lines.terminator, &bytes[end..ceiling]) {
            Some(behind) => (end + behind, true),
            None => (ceiling, ceiling == bytes.len() && lines.closes),
        };
        Surroundings { bytes: start..stop, opens, closes }
    }

    /// Takes the buffer out, to be filled again.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}
