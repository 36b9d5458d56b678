//! Divides a file into parts that are read in any order, each by whoever searches it.
//!
//! A part is nominally `Window::bytes` long. Its real ends are cuts near the nominal ones: at the start of a line if one is
//! near, otherwise in the middle of the line. Where a cut lies follows from the bytes around it alone, so the two parts
//! next to it agree without a word. The little that follows from all the text before, such as the position in a record, is
//! handed over from part to part.

use std::fs::{self, File};
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;

use super::excerpt::Excerpt;
use super::fasta::{self, FastaDraft, OpenRecord};
use super::lines::line_part;
use super::part::{NEAR, Part};
use crate::alphabet::is_residue;
use crate::input::batch::Batch;
use crate::input::cut::delimited::hide_returns;
use crate::input::error::InputError;
use crate::input::format::{BinaryInput, Decoding, Format, LongLines, Origin, Window};
use crate::input::source::open::{BINARY_HEAD, plain_text};

/// With fewer parts a file is not worth dividing.
const MIN_PARTS: u64 = 4;
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
        if !metadata.is_file() || count < MIN_PARTS {
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
        (count >= MIN_PARTS).then_some(Parts { file, text, count: count.into(), format, window, nul })
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
