//! Parts of a FASTA file.
//!
//! In the buffer stand, in this order: residues before the cut as context, without line breaks; what the part owns; the
//! residue that follows in the record, if one does; and the name of the record that is open at the start.
//!
//! Whether a part starts inside a header is known only from the parts before. It can only be so up to the end of the line
//! that the cut divides, so what depends on it is small.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use super::excerpt::Excerpt;
use super::part::Part;
use crate::alphabet::{count_residues, is_residue};
use crate::input::batch::{Batch, Layout, Segment};
use crate::input::buffer::make_room;
use crate::input::cut::fasta::{Division, record_starts};
use crate::input::error::InputError;
use crate::input::format::LongLines;

/// So many bytes are looked through at once for the residue that follows, if it is not near.
const STRIDE: usize = 64 << 10;

/// The record that is open between two parts.
#[derive(Debug, Clone)]
pub(crate) struct OpenRecord {
    name: Arc<[u8]>,
    /// How many of its residues came before.
    residues: u64,
    place: Within,
}

/// Where in a record a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Header,
    Residues,
}

/// A part that has been read.
#[derive(Debug, Default)]
pub(crate) struct FastaDraft {
    /// What it owns of the buffer.
    owned: Range<usize>,
    /// Where the line ends that the cut before the part divides.
    line_end: usize,
    /// How many residues that line has here, if it is no header.
    in_line: u64,
    /// How many residues come after it, or after the last header.
    residues: u64,
    /// Where records start.
    starts: Vec<usize>,
    /// The last of them.
    last: Option<OpenRecord>,
    /// How many residues of context stand before what it owns.
    context: usize,
    /// The end of what it owns with the residue that follows.
    length: usize,
    /// Whether the last record ends with it.
    ended: bool,
}

/// Reads a part into a buffer.
pub(crate) fn draft(part: &Part<'_>, buffer: &mut Vec<u8>) -> Result<FastaDraft, InputError> {
    let Some(start) = part.start(b'\n', LongLines::Cut)? else { return Ok(FastaDraft::default()) };
    // One residue more than a match covers: the edges of a match are judged by it.
    let wanted = part.window.reach + 1;
    let room = part.room_before(start.offset, wanted, buffer);
    let mut excerpt = part.excerpt_from(start.offset, buffer, room);
    let owned = room..part.end(&mut excerpt, b'\n', LongLines::Cut)?;
    let mut draft = FastaDraft::new(excerpt.bytes(), owned, start.opens_line);
    let Some(first) = draft.first_residue(excerpt.bytes(), room) else { return Ok(draft) };
    draft.read_behind(&mut excerpt)?;
    if draft.starts.first() != Some(&first) {
        let context = residues_before(part, start.offset, wanted)?;
        draft.context = context.len();
        buffer[room - context.len()..room].copy_from_slice(&context);
    }
    Ok(draft)
}

/// The last residues before some offset, or what seems to be some, as many as there are of so many.
fn residues_before(part: &Part<'_>, mut offset: u64, most: usize) -> Result<Vec<u8>, InputError> {
    let mut backwards = Vec::with_capacity(most);
    // Room for line breaks; blanks may be more.
    let mut stride = most + most / 8 + 64;
    while backwards.len() < most && !part.starts_text(offset) {
        let bytes = part.bytes_before(offset, stride)?;
        let missing = most - backwards.len();
        backwards.extend(bytes.iter().rev().filter(|&&byte| is_residue(byte)).take(missing));
        offset -= bytes.len() as u64;
        stride = STRIDE.max(most);
    }
    backwards.reverse();
    Ok(backwards)
}

impl FastaDraft {
    fn new(bytes: &[u8], owned: Range<usize>, opens_line: bool) -> Self {
        let line_end = match opens_line {
            true => owned.start,
            false => memchr(b'\n', &bytes[owned.clone()]).map_or(owned.end, |length| owned.start + length),
        };
        let bytes = &bytes[..owned.end];
        let mut starts = record_starts(bytes, line_end);
        if opens_line && bytes.get(line_end) == Some(&b'>') {
            starts.insert(0, line_end);
        }
        let in_line = count_residues(&bytes[owned.start..line_end]) as u64;
        let mut draft = FastaDraft { length: owned.end, owned, line_end, in_line, starts, ..FastaDraft::default() };
        if draft.starts.is_empty() {
            draft.residues = count_residues(&bytes[line_end..]) as u64;
        }
        draft
    }

    /// The first residue or header from some place on.
    fn first_residue(&self, bytes: &[u8], from: usize) -> Option<usize> {
        bytes[from..self.owned.end].iter().position(|&byte| is_residue(byte)).map(|length| from + length)
    }

    /// Finds out how the last record goes on: its name, if its header is not all in the part, and the residue that follows.
    fn read_behind(&mut self, excerpt: &mut Excerpt<'_>) -> Result<(), InputError> {
        let end = self.owned.end;
        let mut place = Within::Residues;
        if let Some(&start) = self.starts.last() {
            let name_end = excerpt.find(start + 1, usize::MAX, |bytes| bytes.iter().position(|&b| !is_residue(b)))?;
            let name_end = name_end.unwrap_or(excerpt.bytes().len());
            let name = Arc::from(&excerpt.bytes()[start + 1..name_end]);
            let header_end = memchr(b'\n', &excerpt.bytes()[start..end]);
            if header_end.is_none() {
                place = Within::Header;
                self.length = end.max(name_end);
            }
            let body = header_end.map_or(end, |length| start + length);
            let residues = count_residues(&excerpt.bytes()[body..end]) as u64;
            self.last = Some(OpenRecord { name, residues, place });
        }
        let next = residue_behind(excerpt, end, place)?;
        self.ended = next.is_none();
        excerpt.truncate(self.length);
        if place == Within::Header {
            excerpt.push(b"\n");
        }
        excerpt.push(next.as_slice());
        self.length = excerpt.bytes().len();
        Ok(())
    }

    /// The record that is open behind the part, where the one before it is known.
    pub(crate) fn open_record(&self, before: Option<&OpenRecord>) -> Option<OpenRecord> {
        if self.last.is_some() {
            return self.last.clone();
        }
        let before = before?;
        let in_line = if before.place == Within::Header { 0 } else { self.in_line };
        let place = if self.line_end == self.owned.end { before.place } else { Within::Residues };
        Some(OpenRecord { name: before.name.clone(), residues: before.residues + in_line + self.residues, place })
    }

    /// Makes the batch, if the part has residues or headers; see [`crate::input::Draft::batch`].
    pub(crate) fn batch(self, before: Option<&OpenRecord>, buffer: &mut Vec<u8>) -> Result<Option<Batch>, InputError> {
        let in_header = before.is_some_and(|record| record.place == Within::Header);
        let from = if in_header { self.line_end } else { self.owned.start };
        let Some(first) = self.first_residue(buffer, from) else { return Ok(None) };
        let goes_on = self.starts.first() != Some(&first);
        let open = before.filter(|_| goes_on).map(|record| self.segment(record, from, buffer));
        let at = match (&open, self.starts.first()) {
            (Some(_), _) => from,
            (None, Some(&start)) => start,
            (None, None) => return Ok(None),
        };
        let length = open.as_ref().map_or(self.length, |segment| segment.name.end);
        let (bytes, ended) = (&buffer[..self.length], self.ended);
        let mut division = Division { bytes, ended, starts: &self.starts, segments: Vec::new(), at };
        let open = division.divide(open, 0, usize::MAX)?;
        let owned = self.owned.start..division.at;
        let mut segments = division.segments;
        segments.extend(open);
        Ok(Some(Batch::new(std::mem::take(buffer), 0..length, owned, Layout::Records(segments))))
    }

    /// The segment of a record that goes on here, as far as the parts before give it; its name is put behind all else.
    fn segment(&self, record: &OpenRecord, at: usize, buffer: &mut Vec<u8>) -> Segment {
        let name = self.length..self.length + record.name.len();
        make_room(buffer, name.end);
        buffer[name.clone()].copy_from_slice(&record.name);
        let context = record.residues.min(self.context as u64);
        Segment {
            name,
            bytes: at - context as usize..at,
            record: at..at,
            position: record.residues - context,
            continues: true,
            opens: record.residues == context,
            closes: false,
        }
    }
}

/// The residue that follows in a record behind a part, unless the record ends there.
fn residue_behind(excerpt: &Excerpt<'_>, end: usize, place: Within) -> Result<Option<u8>, InputError> {
    let mut ahead = Ahead { place, before: excerpt.bytes()[end - 1] };
    let mut next = ahead.look(&excerpt.bytes()[end..]);
    let (mut offset, mut ended) = (excerpt.offset_of(excerpt.bytes().len()), excerpt.has_ended());
    let mut stride = Vec::new();
    while next == Next::NotSeen && !ended {
        let mut farther = excerpt.elsewhere(offset, &mut stride);
        farther.read_to(STRIDE)?;
        next = ahead.look(farther.bytes());
        (offset, ended) = (farther.offset_of(farther.bytes().len()), farther.has_ended());
    }
    Ok(match next {
        Next::Residue(residue) => Some(residue),
        Next::Header | Next::NotSeen => None,
    })
}

/// Looks for what comes next in a record, in one piece of it after the other.
struct Ahead {
    place: Within,
    /// The byte before.
    before: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Residue(u8),
    Header,
    NotSeen,
}

impl Ahead {
    fn look(&mut self, bytes: &[u8]) -> Next {
        let mut rest = bytes;
        if self.place == Within::Header {
            let Some(line_end) = memchr(b'\n', bytes) else { return Next::NotSeen };
            (self.place, rest) = (Within::Residues, &bytes[line_end..]);
        }
        for &byte in rest {
            match byte {
                b'>' if self.before == b'\n' => return Next::Header,
                _ if is_residue(byte) => return Next::Residue(byte),
                _ => self.before = byte,
            }
        }
        Next::NotSeen
    }
}
