//! Divides a file into parts that are read in any order, each by whoever searches it.
//!
//! A part is nominally `Window::bytes` long. Its real ends are cuts near the nominal ones: at the start of a line if one is
//! near, otherwise in the middle of the line. Where a cut lies follows from the bytes around it alone, so the two parts
//! next to it agree without a word. The little that follows from all the text before, such as the position in a record, is
//! handed over from part to part.

use std::fs::{self, File};
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;

use super::excerpt::{Excerpt, make_room};
use super::fasta;
use super::fasta::{FastaDraft, OpenRecord};
use crate::alphabet::is_residue;
use crate::input::InputError;
use crate::input::batch::Batch;
use crate::input::batcher::{Format, LongLines, Window};
use crate::input::cut::delimited::hide_returns;
use crate::input::cut::lines::line_part;
use crate::input::source::open::{BINARY_HEAD, BinaryInput, Decoding, Origin, plain_text};
use crate::text::{LONGEST_SYMBOL, symbol_boundary};

/// With fewer parts a file is not worth dividing.
const FEWEST: u64 = 4;
/// Within so many bytes the start of a line is near.
const NEAR: usize = 64 << 10;
/// Shorter than this, `NEAR` would not hold the symbol behind a cut in a line.
const LEAST_NEAR: usize = 4 * LONGEST_SYMBOL;
/// So many bytes are read behind the nominal end of a part at first: most lines are shorter.
const AHEAD: usize = 4 << 10;
/// The low bits of an address in which text in memory is to agree with the file. On a Zen 4 server Linux copies 1 MiB out
/// of the page cache in 0.14 ms, but in 0.44 ms where the low twelve bits are greater by 1 to 15, as behind short lines they
/// often would be.
const ALIGNMENT: usize = 64;

/// A file that is read in parts.
pub struct Parts {
    file: File,
    /// Where the text starts.
    text: u64,
    count: AtomicU64,
    format: Format,
    window: Window,
    /// Offset of the first NUL byte, if there is one near the start.
    nul: Option<u64>,
}

/// A part that has been read; what its batch is depends on the parts before.
pub struct Draft(Kind);

enum Kind {
    /// Lines depend on nothing.
    Lines(Option<Batch>),
    Fasta(FastaDraft),
}

/// What the parts before a place leave open there.
#[derive(Debug, Clone, Default)]
pub struct Handover {
    pub(crate) record: Option<OpenRecord>,
}

impl Parts {
    /// Opens an input to be read in parts. `None`: it has to be read in order, because it is no file, is compressed, is to be decoded,
    /// is too small, is FASTQ, has lines
    /// that end with a string, is to have its records whole, or does not
    /// begin as the format wants; or because it cannot be opened, which reading it in order tells.
    pub fn open(origin: &Origin, decoding: Decoding, format: Format, window: Window) -> Option<Self> {
        let Origin::File(path) = origin else { return None };
        if matches!(format, Format::Fastq | Format::Delimited { .. } | Format::Fasta { long: LongLines::Whole }) {
            return None;
        }
        let metadata = fs::metadata(path).ok()?;
        let count = metadata.len() / window.bytes as u64;
        if !metadata.is_file() || count < FEWEST {
            return None;
        }
        let file = File::open(path).ok()?;
        let mut head = Vec::new();
        let mut excerpt = Excerpt::new(&file, 0, &mut head, 0);
        excerpt.read_to(NEAR).ok()?;
        let mark = plain_text(excerpt.bytes(), decoding)?;
        let nul = memchr(0, excerpt.bytes()).map(|at| at as u64);
        let is_binary = nul.is_some_and(|nul| nul < (mark + BINARY_HEAD) as u64);
        if is_binary && decoding.binary == BinaryInput::Empty {
            return None;
        }
        let text = match format {
            Format::Lines { .. } | Format::ReturnLines { .. } | Format::Delimited { .. } => mark,
            Format::Fasta { .. } | Format::Fastq => {
                let blank = excerpt.bytes()[mark..].iter().position(|&byte| is_residue(byte))?;
                (excerpt.bytes()[mark + blank] == b'>').then_some(mark + blank)?
            }
        } as u64;
        let count = (metadata.len() - text.min(metadata.len())) / window.bytes as u64;
        (count >= FEWEST).then_some(Parts { file, text, count: count.into(), format, window, nul })
    }

    /// How many parts there are.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Divides also what was added to the file since, if that makes more parts. Nobody has been told to read the last one yet.
    pub fn extend(&self) {
        let length = self.file.metadata().map_or(0, |metadata| metadata.len());
        self.count.fetch_max(length.saturating_sub(self.text) / self.window.bytes as u64, Ordering::Relaxed);
    }

    /// Reads a part into a buffer, whose bytes are of no interest.
    ///
    /// The last part holds everything to the end of the file, also what was added since it was opened.
    ///
    /// # Errors
    /// What reading gave; then nothing of the part is to be had.
    pub fn read(&self, index: u64, buffer: &mut Vec<u8>) -> Result<Draft, InputError> {
        if buffer.len() > 2 * (self.window.bytes + self.window.reach + NEAR) {
            // It once held a very long line.
            *buffer = Vec::new();
        }
        let from = self.text + index * self.window.bytes as u64;
        let to = (index + 1 < self.count()).then_some(from + self.window.bytes as u64);
        let part = Part { file: &self.file, text: self.text, from, to, window: self.window, nul: self.nul };
        Ok(Draft(match self.format {
            Format::Lines { terminator, long } => Kind::Lines(line_part(&part, terminator, long, buffer)?),
            Format::ReturnLines { long } | Format::Delimited { long, .. } => {
                let mut batch = line_part(&part, b'\n', long, buffer)?;
                batch.iter_mut().for_each(hide_returns);
                Kind::Lines(batch)
            }
            Format::Fasta { .. } | Format::Fastq => Kind::Fasta(fasta::draft(&part, buffer)?),
        }))
    }
}

impl Draft {
    /// What this part and those before it leave open. It costs no more for a long part than for a short one.
    pub fn handover(&self, before: &Handover) -> Handover {
        match &self.0 {
            Kind::Lines(_) => Handover::default(),
            Kind::Fasta(draft) => Handover { record: draft.open_record(before.record.as_ref()) },
        }
    }

    /// The batch of the part, if it has text of its own. It takes the buffer that the part was read into; without a
    /// batch that stays.
    ///
    /// # Errors
    /// Input that is not of the format.
    pub fn batch(self, before: &Handover, buffer: &mut Vec<u8>) -> Result<Option<Batch>, InputError> {
        match self.0 {
            Kind::Lines(batch) => Ok(batch),
            Kind::Fasta(draft) => draft.batch(before.record.as_ref(), buffer),
        }
    }
}

/// A part as the size of the file gives it.
pub(crate) struct Part<'a> {
    file: &'a File,
    /// Where the text starts.
    text: u64,
    from: u64,
    /// The nominal end, but for the last part.
    to: Option<u64>,
    pub(crate) window: Window,
    /// Offset of the first NUL byte, if there is one near the start of the file.
    nul: Option<u64>,
}

/// Where a part starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    /// Where in the file.
    pub(crate) offset: u64,
    /// Whether that is known to be the start of a line.
    pub(crate) opens_line: bool,
}

impl Part<'_> {
    /// The cut near the nominal start; `None` if it lies at or behind that near the nominal end, so that the part is empty.
    pub(crate) fn start(&self, terminator: u8, long: LongLines) -> Result<Option<Start>, InputError> {
        if self.from == self.text {
            return Ok(Some(Start { offset: self.text, opens_line: true }));
        }
        let mut head = Vec::new();
        // A cut between two symbols may lie a little before the place asked for.
        let mut excerpt =
            self.excerpt_from(self.text.max(self.from.saturating_sub(LONGEST_SYMBOL as u64)), &mut head, 0);
        let Some(at) = self.cut(&mut excerpt, self.from, terminator, long)? else { return Ok(None) };
        let opens_line = at > 0 && excerpt.bytes()[at - 1] == terminator;
        let start = Start { offset: excerpt.offset_of(at), opens_line };
        Ok(Some(start).filter(|start| self.to.is_none_or(|to| start.offset < to)))
    }

    /// Reads the part and finds the cut near its nominal end.
    pub(crate) fn end(&self, excerpt: &mut Excerpt<'_>, terminator: u8, long: LongLines) -> Result<usize, InputError> {
        let start = excerpt.bytes().len();
        let Some(to) = self.to else {
            excerpt.read_to(start + 2 * self.window.bytes)?;
            excerpt.read_to_end()?;
            return Ok(excerpt.bytes().len());
        };
        excerpt.read_to(excerpt.index_of(to) + self.window.bytes.min(AHEAD))?;
        let end = self.cut(excerpt, to, terminator, long)?.unwrap_or(excerpt.bytes().len());
        // The symbol behind a cut in a line.
        excerpt.read_to(end + 2 * LONGEST_SYMBOL)?;
        // Never before the start, whatever somebody writes into the file meanwhile.
        Ok(end.max(start))
    }

    /// The cut near a nominal start or end of a part; `None` if there is none within the part that starts there.
    fn cut(
        &self,
        excerpt: &mut Excerpt<'_>,
        place: u64,
        terminator: u8,
        long: LongLines,
    ) -> Result<Option<usize>, InputError> {
        let at = excerpt.index_of(place);
        let most = match self.to {
            Some(to) if place < to => (to - place) as usize,
            _ => usize::MAX,
        };
        match self.cutting(long, place) {
            LongLines::Whole => excerpt.line_start(at, most, terminator),
            LongLines::WholeText => excerpt.line_start_or_nul(at, most, LEAST_NEAR, terminator),
            LongLines::Cut => match excerpt.line_start(at, self.near(), terminator)? {
                Some(start) => Ok(Some(start)),
                None => Ok(Some(self.boundary(excerpt, at))),
            },
        }
    }

    /// How lines are cut near a nominal end of a part: behind a NUL byte, all of them may be.
    fn cutting(&self, long: LongLines, place: u64) -> LongLines {
        match (long, self.nul) {
            (LongLines::WholeText, Some(nul)) if nul < place => LongLines::Cut,
            _ => long,
        }
    }

    /// The bytes from some offset on, none of which has been read.
    pub(crate) fn excerpt_from<'b>(&'b self, offset: u64, buffer: &'b mut Vec<u8>, room: usize) -> Excerpt<'b> {
        Excerpt::new(self.file, offset, buffer, room)
    }

    /// How much room to leave in a buffer, so much at least, before the bytes from some offset on.
    pub(crate) fn room_before(&self, offset: u64, least: usize, buffer: &mut Vec<u8>) -> usize {
        // All of it now: an address holds only until the buffer grows.
        make_room(buffer, least + ALIGNMENT + self.window.bytes + 2 * AHEAD);
        let address = buffer.as_ptr().addr() + least;
        least + (offset as usize).wrapping_sub(address) % ALIGNMENT
    }

    /// The last bytes before some offset, as many as there are of so many.
    pub(crate) fn bytes_before(&self, offset: u64, most: usize) -> Result<Vec<u8>, InputError> {
        let length = (offset - self.text).min(most as u64) as usize;
        let mut bytes = Vec::with_capacity(length);
        self.excerpt_from(offset - length as u64, &mut bytes, 0).read_to(length)?;
        Ok(bytes)
    }

    /// Whether the text starts there.
    pub(crate) fn starts_text(&self, offset: u64) -> bool {
        offset == self.text
    }

    /// Among how many places the start of a line is near.
    fn near(&self) -> usize {
        self.window.bytes.clamp(LEAST_NEAR, NEAR)
    }

    fn boundary(&self, excerpt: &Excerpt<'_>, at: usize) -> usize {
        symbol_boundary(self.window.alphabet, excerpt.bytes(), at.min(excerpt.bytes().len()))
    }
}
