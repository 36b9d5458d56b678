//! Divides a file into parts that are read in any order, each by the thread that searches it.
//!
//! A part has a nominal length of `Window::bytes`. Its actual ends are cuts near the nominal ends: at a line start if
//! one is near or lines must stay whole, else inside a line. A cut depends only on the bytes around it, so adjacent
//! parts find the same cut independently. The small state that depends on all text before a part, such as the position
//! in a record, is passed from part to part as a [`BoundaryState`].

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;

use super::excerpt::Excerpt;
use super::fasta::{self, FastaDraft, OpenRecord, PassedResidues};
use super::line_records::record_part;
use super::lines::line_part;
use super::part::{MAX_LINE_SEARCH, Part};
use crate::cut::returns::hide_returns;
use crate::error::InputError;
use crate::format::{BinaryInput, Decoding, Format, LongLines, Origin};
use crate::source::gff::{GFF, first_record};
use crate::source::open::{BINARY_HEAD, plain_text};
use crate::source::text_file::{BlockFiles, TextFile};
use nigh_text::alphabet::is_residue;
use nigh_text::batch::{Batch, TextBuffer, Window};

/// Minimum number of parts. A file with fewer parts is not divided.
const MIN_PARTS: u64 = 4;

/// A file that is read in parts.
pub struct Parts {
    file: TextFile,
    /// Offset in the file of the first byte of text.
    text: u64,
    /// Length of the text in bytes when the file was opened.
    length: u64,
    count: AtomicU64,
    format: Format,
    window: Window,
    /// Offset in the file of the first NUL byte, if there is one near the start.
    nul: Option<u64>,
}

/// A part that was read. Its batch also depends on the parts before it.
pub struct PartDraft(FormatDraft);

enum FormatDraft {
    /// Lines do not depend on the parts before.
    Lines(Option<Batch<'static>>),
    Fasta(FastaDraft),
}

/// The state that one part passes to the next, because it depends on all text before the cut between them.
#[derive(Debug, Clone, Default)]
pub struct BoundaryState {
    pub(crate) record: Option<OpenRecord>,
}

/// The change of the state from the start of a part to its end.
#[derive(Debug, Clone)]
pub struct HandoverStep(Option<PassedResidues>);

impl HandoverStep {
    /// Returns the state after the part, given the state before it.
    pub fn after(&self, before: &BoundaryState) -> BoundaryState {
        BoundaryState { record: self.0.as_ref().and_then(|passed| passed.open_record(before.record.as_ref())) }
    }

    /// Returns whether the state after the part is independent of the state before it.
    fn knows_all(&self) -> bool {
        self.0.as_ref().is_none_or(PassedResidues::starts_record)
    }
}

impl Parts {
    /// Opens an input to be read in parts.
    ///
    /// Returns `None` if the input must be read in order: it is standard input, not a regular file, or too small; it
    /// must be decompressed, decoded, or treated as empty because it is binary; it is FASTQ, or FASTA whose records must
    /// stay whole; or it does not begin as the format requires.
    ///
    /// # Errors
    /// The file cannot be opened, measured, or read at its start. It may still be read in order, but another process
    /// may divide it.
    pub fn open(
        origin: &Origin,
        decoding: Decoding,
        format: Format,
        window: Window,
        blocks: BlockFiles,
    ) -> Result<Option<Self>, InputError> {
        let Origin::File(path) = origin else { return Ok(None) };
        if matches!(format, Format::Fastq | Format::GappedFasta | Format::Fasta { long: LongLines::Whole }) {
            return Ok(None);
        }
        let metadata = fs::metadata(path)?;
        if !metadata.is_file() || (blocks == BlockFiles::InOrder && metadata.len() / (window.bytes as u64) < MIN_PARTS)
        {
            return Ok(None);
        }
        let Some(file) = TextFile::open(path, decoding, blocks)? else { return Ok(None) };
        let mut head = TextBuffer::default();
        let mut excerpt = Excerpt::new(&file, 0, &mut head, 0);
        excerpt.read_to(MAX_LINE_SEARCH)?;
        let Some(mark) = plain_text(excerpt.bytes(), file.decoding(decoding)) else { return Ok(None) };
        let nul = memchr(0, excerpt.bytes()).map(|at| at as u64);
        let is_binary = nul.is_some_and(|nul| nul < (mark + BINARY_HEAD) as u64);
        if is_binary && decoding.binary == BinaryInput::Empty {
            return Ok(None);
        }
        let text = match text_start(&format, excerpt.bytes(), mark) {
            Some(FirstText::BehindAnnotation(at)) => behind_annotation(&file, at)?,
            Some(FirstText::At(at)) => Some(at),
            None => None,
        };
        let Some(text) = text else { return Ok(None) };
        let end = file.length()?;
        let length = end.saturating_sub(text);
        let count = length / window.bytes as u64;
        Ok((count >= MIN_PARTS).then_some(Parts { file, text, length, count: count.into(), format, window, nul }))
    }

    /// Returns the number of parts.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Extends the division to bytes appended to the file since it was opened. Call this before the last part is
    /// assigned to a reader.
    pub fn extend(&self) {
        let length = self.file.length().unwrap_or(0).saturating_sub(self.text);
        self.count.fetch_max(length / self.window.bytes as u64, Ordering::Relaxed);
    }

    /// Returns the number of bytes from the start of the text to the nominal start of a part, or to the end of the file
    /// as it was opened if there is no such part.
    pub fn nominal_start(&self, index: u64) -> u64 {
        (index * self.window.bytes as u64).min(self.length)
    }

    /// Returns the state before a part. Reads the parts before it back to the start of the record that is open there.
    ///
    /// # Errors
    /// A read error.
    pub fn handover_before(&self, index: u64) -> Result<BoundaryState, InputError> {
        let mut buffer = TextBuffer::default();
        let mut steps = Vec::new();
        for before in (0..index).rev() {
            let step = self.read(before, &mut buffer)?.handover_step();
            let knows_all = step.knows_all();
            steps.push(step);
            if knows_all {
                break;
            }
        }
        Ok(steps.iter().rev().fold(BoundaryState::default(), |before, step| step.after(&before)))
    }

    /// Reads a part into `buffer`, whose content is overwritten.
    ///
    /// The last part extends to the current end of the file.
    ///
    /// # Errors
    /// A read error; the part is then lost.
    pub fn read(&self, index: u64, buffer: &mut TextBuffer) -> Result<PartDraft, InputError> {
        if buffer.len() > 2 * (self.window.bytes + self.window.max_match_len + MAX_LINE_SEARCH) {
            // The buffer once held a very long line.
            buffer.reset();
        }
        let from = self.text + index * self.window.bytes as u64;
        let to = (index + 1 < self.count()).then_some(from + self.window.bytes as u64);
        let part = Part { file: &self.file, text: self.text, from, to, window: self.window, nul: self.nul };
        Ok(PartDraft(match &self.format {
            &Format::Lines { terminator, long } => FormatDraft::Lines(line_part(&part, terminator, long, buffer)?),
            &Format::ReturnLines { long } => {
                let mut batch = line_part(&part, b'\n', long, buffer)?;
                batch.iter_mut().for_each(hide_returns);
                FormatDraft::Lines(batch)
            }
            Format::LineRecords { rule, long } => FormatDraft::Lines(record_part(&part, rule, *long, buffer)?),
            Format::Fasta { .. } | Format::GappedFasta | Format::Fastq => {
                FormatDraft::Fasta(fasta::draft(&part, buffer)?)
            }
        }))
    }
}

/// The start of the first record or line.
enum FirstText {
    /// This offset.
    At(u64),
    /// An offset behind the annotation of GFF, which begins at this one.
    BehindAnnotation(u64),
}

/// Returns the start of the first record, or of the first line after a byte order mark of `mark` bytes, in text that
/// begins with `bytes`; `None` if no record starts there.
fn text_start(format: &Format, bytes: &[u8], mark: usize) -> Option<FirstText> {
    match format {
        Format::Lines { .. } | Format::ReturnLines { .. } | Format::LineRecords { .. } => {
            Some(FirstText::At(mark as u64))
        }
        Format::Fasta { .. } | Format::GappedFasta | Format::Fastq => {
            let start = mark + bytes[mark..].iter().position(|&byte| is_residue(byte))?;
            match &bytes[start..] {
                [b'>', ..] => Some(FirstText::At(start as u64)),
                symbols => symbols.starts_with(GFF).then_some(FirstText::BehindAnnotation(start as u64)),
            }
        }
    }
}

/// Returns the offset of the first record behind annotation that begins at `start`; `None` if there is none.
fn behind_annotation(file: &TextFile, start: u64) -> Result<Option<u64>, InputError> {
    let mut at = start;
    let record = first_record(|buffer| {
        let length = file.read_at(buffer, at)?;
        at += length as u64;
        Ok::<_, InputError>(length)
    })?;
    Ok(record.map(|record| start + record.offset))
}

impl PartDraft {
    /// Returns the change of the state from the start of this part to its end. Its cost does not depend on the length
    /// of the part.
    pub fn handover_step(&self) -> HandoverStep {
        match &self.0 {
            FormatDraft::Lines(_) => HandoverStep(None),
            FormatDraft::Fasta(draft) => HandoverStep(Some(draft.passed())),
        }
    }

    /// Returns the batch of the part, or `None` if the part has no text. The batch takes the buffer that the part was
    /// read into; without a batch the buffer is left in place.
    ///
    /// # Errors
    /// Input that is not of the format.
    pub fn batch(self, before: &BoundaryState, buffer: &mut TextBuffer) -> Result<Option<Batch<'static>>, InputError> {
        match self.0 {
            FormatDraft::Lines(batch) => Ok(batch),
            FormatDraft::Fasta(draft) => draft.batch(before.record.as_ref(), buffer),
        }
    }
}
