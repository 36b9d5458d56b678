//! Reads parts of a FASTA file.
//!
//! The buffer holds, in this order: residues before the cut as context, without line breaks; the owned range; and the
//! next residue of the record, if there is one.
//!
//! Whether a part starts inside a header depends on the parts before it. This matters only up to the end of the line
//! in which the cut lies, so the work that must wait for the hand-over is small.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use super::excerpt::Excerpt;
use super::part::Part;
use crate::cut::fasta::Division;
use crate::error::InputError;
use crate::format::LongLines;
use nigh_text::alphabet::is_residue;
use nigh_text::batch::{Batch, Layout, RecordName, ResidueIndex, Segment, TextBuffer};

/// Number of bytes that are read and then counted, while they are in the cache.
const CHUNK: usize = 128 << 10;

/// Number of bytes per read in the search for residues before or after a part, if the first read had too few residues.
const STRIDE: usize = 64 << 10;

/// The record that is open at a cut between two parts.
#[derive(Debug, Clone)]
pub(crate) struct OpenRecord {
    name: Arc<[u8]>,
    /// Number of residues of the record before the cut.
    residues: u64,
    location: Location,
}

/// The part of a record in which a cut lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Location {
    Header,
    Residues,
}

/// What the next part must know of this part: the last record that starts in it, or the counts of residues that
/// continue the record of an earlier part.
#[derive(Debug, Clone)]
pub(crate) struct PassedResidues {
    /// The last record that starts in the part, with the number of its residues up to the end of the part.
    last: Option<OpenRecord>,
    /// Number of bytes up to the end of the first line that are residues unless the line is a header.
    in_line: u64,
    /// Number of residues after the first line if no record starts in the part; else 0.
    residues: u64,
    /// Whether no line ends in the part.
    is_one_line: bool,
}

impl PassedResidues {
    /// Returns whether a record starts in the part.
    pub(crate) fn starts_record(&self) -> bool {
        self.last.is_some()
    }

    /// Returns the record that is open after the part, given the one that is open before it.
    pub(crate) fn open_record(&self, before: Option<&OpenRecord>) -> Option<OpenRecord> {
        if self.last.is_some() {
            return self.last.clone();
        }
        let before = before?;
        let in_line = if before.location == Location::Header { 0 } else { self.in_line };
        let location = if self.is_one_line { before.location } else { Location::Residues };
        Some(OpenRecord { name: before.name.clone(), residues: before.residues + in_line + self.residues, location })
    }
}

/// A part that was read, with everything that does not depend on the parts before it.
#[derive(Debug, Default)]
pub(crate) struct FastaDraft {
    /// The bytes of the buffer that this part owns. It reports the hits that end there.
    owned: Range<usize>,
    /// Index in the buffer of the end of the line in which the part's first cut lies; `owned.start` if the cut is at a
    /// line start.
    line_end: usize,
    /// Number of owned bytes before `line_end` that are residues unless the line is a header.
    in_line: u64,
    /// Number of owned residues after `line_end` if no record starts in the part; else 0.
    residues: u64,
    /// Indices in the buffer at which records start, ascending.
    starts: Vec<usize>,
    /// The last record that starts in the part, with the number of its residues up to the end of the part.
    last: Option<OpenRecord>,
    /// Number of context residues before the owned range.
    context: usize,
    /// Index in the buffer just past the owned range and the residue after it.
    length: usize,
    /// Whether the last record ends with the owned range.
    ended: bool,
}

/// Reads a part into a buffer.
pub(crate) fn draft(part: &Part<'_>, buffer: &mut TextBuffer) -> Result<FastaDraft, InputError> {
    let Some(start) = part.start(b'\n', LongLines::Cut)? else { return Ok(FastaDraft::default()) };
    // One residue more than a match covers, to evaluate the edges of a match.
    let wanted = part.window.max_match_len + 1;
    let room = part.room_before(start.offset, wanted, buffer);
    let mut excerpt = part.excerpt_from(start.offset, buffer, room);
    let mut index = ResidueIndex::new(room);
    let nominal_end = part.to.map_or(room, |to| excerpt.index_of(to));
    while excerpt.bytes().len() < nominal_end && !excerpt.has_ended() {
        let chunk = excerpt.bytes().len() + CHUNK;
        excerpt.read_to(chunk.min(nominal_end))?;
        if excerpt.bytes().len() == chunk {
            index.read(excerpt.bytes(), chunk);
        }
    }
    let owned = room..part.end(&mut excerpt, room, b'\n', LongLines::Cut)?;
    index.read(excerpt.bytes(), owned.end);
    let mut draft = FastaDraft::new(excerpt.bytes(), owned, start.opens_line, &index);
    let Some(first) = draft.first_residue(excerpt.bytes(), room) else { return Ok(draft) };
    draft.read_after(&mut excerpt, &index)?;
    if draft.starts.first() != Some(&first) {
        let context = residues_before(part, start.offset, wanted)?;
        draft.context = context.len();
        buffer[room - context.len()..room].copy_from_slice(&context);
    }
    Ok(draft)
}

/// Returns the last residues before `offset`, at most `max`. They may include bytes of a header.
fn residues_before(part: &Part<'_>, mut offset: u64, max: usize) -> Result<Vec<u8>, InputError> {
    let mut backwards = Vec::with_capacity(max);
    // Allows for line breaks. If there are more blanks, the loop reads again.
    let mut stride = max + max / 8 + 64;
    while backwards.len() < max && !part.starts_text(offset) {
        let bytes = part.bytes_before(offset, stride)?;
        let missing = max - backwards.len();
        backwards.extend(bytes.iter().rev().filter(|&&byte| is_residue(byte)).take(missing));
        offset -= bytes.len() as u64;
        stride = STRIDE.max(max);
    }
    backwards.reverse();
    Ok(backwards)
}

impl FastaDraft {
    fn new(bytes: &[u8], owned: Range<usize>, opens_line: bool, index: &ResidueIndex) -> Self {
        let line_end = if opens_line {
            owned.start
        } else {
            memchr(b'\n', &bytes[owned.clone()]).map_or(owned.end, |length| owned.start + length)
        };
        let bytes = &bytes[..owned.end];
        // No line feed of the part precedes its first byte.
        let mut starts = index.record_starts().to_vec();
        if opens_line && bytes.get(line_end) == Some(&b'>') {
            starts.insert(0, line_end);
        }
        let in_line = index.residues_in(bytes, owned.start..line_end);
        let mut draft = FastaDraft { length: owned.end, owned, line_end, in_line, starts, ..FastaDraft::default() };
        if draft.starts.is_empty() {
            draft.residues = index.residues_in(bytes, line_end..bytes.len());
        }
        draft
    }

    /// Returns the index of the first owned residue or header at or after `from`.
    fn first_residue(&self, bytes: &[u8], from: usize) -> Option<usize> {
        bytes[from..self.owned.end].iter().position(|&byte| is_residue(byte)).map(|length| from + length)
    }

    /// Sets `last`. If the last header extends past the part, appends the rest of the record's name and a line break.
    /// Then appends the next residue of the record, if there is one.
    fn read_after(&mut self, excerpt: &mut Excerpt<'_>, index: &ResidueIndex) -> Result<(), InputError> {
        let end = self.owned.end;
        let mut location = Location::Residues;
        if let Some(&start) = self.starts.last() {
            let name_end = excerpt.find(start + 1, usize::MAX, |bytes| bytes.iter().position(|&b| !is_residue(b)))?;
            let name_end = name_end.unwrap_or(excerpt.bytes().len());
            let name = Arc::from(&excerpt.bytes()[start + 1..name_end]);
            let header_end = memchr(b'\n', &excerpt.bytes()[start..end]);
            if header_end.is_none() {
                location = Location::Header;
                self.length = end.max(name_end);
            }
            let body = header_end.map_or(end, |length| start + length);
            let residues = index.residues_in(excerpt.bytes(), body..end);
            self.last = Some(OpenRecord { name, residues, location });
        }
        let next = residue_after(excerpt, end, location)?;
        self.ended = next.is_none();
        excerpt.truncate(self.length);
        if location == Location::Header {
            excerpt.push(b"\n");
        }
        excerpt.push(next.as_slice());
        self.length = excerpt.bytes().len();
        Ok(())
    }

    /// Returns the summary of this part for the next part.
    pub(crate) fn passed(&self) -> PassedResidues {
        PassedResidues {
            last: self.last.clone(),
            in_line: self.in_line,
            residues: self.residues,
            is_one_line: self.line_end == self.owned.end,
        }
    }

    /// Makes the batch, if the part has residues or headers; see [`crate::PartDraft::batch`].
    pub(crate) fn batch(
        self,
        before: Option<&OpenRecord>,
        buffer: &mut TextBuffer,
    ) -> Result<Option<Batch<'static>>, InputError> {
        let in_header = before.is_some_and(|record| record.location == Location::Header);
        let from = if in_header { self.line_end } else { self.owned.start };
        let Some(first) = self.first_residue(buffer, from) else { return Ok(None) };
        let continues = self.starts.first() != Some(&first);
        let open = before.filter(|_| continues).map(|record| self.segment(record, from));
        let at = match (&open, self.starts.first()) {
            (Some(_), _) => from,
            (None, Some(&start)) => start,
            (None, None) => return Ok(None),
        };
        let (bytes, ended) = (&buffer[..self.length], self.ended);
        let mut division = Division { bytes, ended, starts: &self.starts, segments: Vec::new(), at };
        let open = division.divide(open, 0, usize::MAX)?;
        let owned = self.owned.start..division.at;
        let mut segments = division.segments;
        segments.extend(open);
        Ok(Some(Batch::new(std::mem::take(buffer), 0..self.length, owned, Layout::Records(segments))))
    }

    /// Returns the segment of `record`, which continues at index `at`.
    fn segment(&self, record: &OpenRecord, at: usize) -> Segment {
        let context = record.residues.min(self.context as u64);
        Segment {
            name: RecordName::Carried(record.name.clone()),
            bytes: at - context as usize..at,
            record: at..at,
            position: record.residues - context,
            continues: true,
            opens: record.residues == context,
            closes: false,
        }
    }
}

/// Returns the next residue at or after index `end` of the open record; `None` if the record has no more residues.
fn residue_after(excerpt: &Excerpt<'_>, end: usize, location: Location) -> Result<Option<u8>, InputError> {
    let mut ahead = ResidueLookahead { location, before: excerpt.bytes()[end - 1] };
    let mut next = ahead.look(&excerpt.bytes()[end..]);
    let (mut offset, mut ended) = (excerpt.offset_of(excerpt.bytes().len()), excerpt.has_ended());
    let mut stride = TextBuffer::default();
    while next == NextSymbol::NotSeen && !ended {
        let mut farther = excerpt.elsewhere(offset, &mut stride);
        farther.read_to(STRIDE)?;
        next = ahead.look(farther.bytes());
        (offset, ended) = (farther.offset_of(farther.bytes().len()), farther.has_ended());
    }
    Ok(match next {
        NextSymbol::Residue(residue) => Some(residue),
        NextSymbol::Header | NextSymbol::NotSeen => None,
    })
}

/// Looks for the next residue or header in successive slices of the file.
struct ResidueLookahead {
    location: Location,
    /// The byte before the next slice.
    before: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextSymbol {
    Residue(u8),
    Header,
    NotSeen,
}

impl ResidueLookahead {
    fn look(&mut self, bytes: &[u8]) -> NextSymbol {
        let mut rest = bytes;
        if self.location == Location::Header {
            let Some(line_end) = memchr(b'\n', bytes) else { return NextSymbol::NotSeen };
            (self.location, rest) = (Location::Residues, &bytes[line_end..]);
        }
        for &byte in rest {
            match byte {
                b'>' if self.before == b'\n' => return NextSymbol::Header,
                _ if is_residue(byte) => return NextSymbol::Residue(byte),
                _ => self.before = byte,
            }
        }
        NextSymbol::NotSeen
    }
}
