//! Reads a source in order and cuts it into batches.
//!
//! The bytes after a cut, and the context before it, are carried over to the next batch. Memory is bounded by the
//! window and the longest line or record that must stay whole.

use std::time::Duration;

use super::cut::fasta::FastaCutter;
use super::cut::fastq::FastqCutter;
use super::cut::gaps::hide_gaps;
use super::cut::line_records::LineRecordCutter;
use super::cut::lines::LineCutter;
use super::cut::returns::hide_returns;
use super::cut::{Cut, Cutter, InputEnd};
use super::error::InputError;
use super::format::{Format, LongLines};
use super::source::charset::Charset;
use super::source::mixed::EncodingChange;
use super::source::open::Source;
use nigh_text::batch::{Batch, Layout, TextBuffer, Window};

/// The time without input that is a pause.
const PAUSE: Duration = Duration::from_secs(1);

/// Reads the batches of a source, in order.
pub struct Batcher {
    source: Source,
    cutter: Box<dyn Cutter>,
    /// Hides bytes of a batch from the search: carriage returns before line feeds, or gaps in records. `None` if there is
    /// nothing to hide.
    hide: Option<fn(&mut Batch)>,
    window: Window,
    /// The bytes with which the next batch begins: context, then bytes that no batch owned.
    carry: Vec<u8>,
    /// Offset in the input of the first byte that no batch owned.
    offset: u64,
    end: InputEnd,
    /// The read error that ended the input, until it is returned.
    failure: Option<InputError>,
}

impl Batcher {
    /// Makes a batcher for a source of the given format.
    pub fn new(source: Source, format: Format, window: Window) -> Self {
        let offset = source.skipped();
        let hide: Option<fn(&mut Batch)> = match &format {
            Format::ReturnLines { .. } => Some(hide_returns),
            Format::LineRecords { rule, .. } if rule.hides_returns => Some(hide_returns),
            Format::GappedFasta => Some(hide_gaps),
            Format::Lines { .. } | Format::LineRecords { .. } | Format::Fasta { .. } | Format::Fastq => None,
        };
        let cutter: Box<dyn Cutter> = match format {
            Format::Lines { terminator, long } => Box::new(LineCutter::new(terminator, long, window, offset)),
            Format::ReturnLines { long } => Box::new(LineCutter::new(b'\n', long, window, offset)),
            Format::LineRecords { rule, long } => Box::new(LineRecordCutter::new(rule, long, window.alphabet, offset)),
            Format::Fasta { long } => Box::new(FastaCutter::new(long, window)),
            Format::GappedFasta => Box::new(FastaCutter::new(LongLines::Whole, window)),
            Format::Fastq => Box::new(FastqCutter::new()),
        };
        let (carry, end) = (Vec::new(), InputEnd::Ahead);
        Batcher { source, cutter, hide, window, carry, offset, end, failure: None }
    }

    /// Returns the encoding from which the text is decoded, if nothing but its zero bytes shows it.
    pub fn guessed(&self) -> Option<Charset> {
        self.source.guessed()
    }

    /// Returns whether the input is decoded to UTF-8.
    pub fn is_decoded(&self) -> bool {
        self.source.is_decoded()
    }

    /// Returns the place where the encoding of decoded text changes, if it is among the bytes read so far.
    pub fn encoding_change(&self) -> Option<EncodingChange> {
        self.source.encoding_change()
    }

    /// Returns whether the input is decompressed.
    pub fn is_compressed(&self) -> bool {
        self.source.is_compressed()
    }

    /// Reads the next batch into `buffer`, whose content is overwritten. Returns `None` at the end of the input.
    ///
    /// Unless the input is compressed, bytes that have arrived are returned before a read that would block. The batch
    /// takes the buffer; if there is no batch, the buffer is left in place.
    ///
    /// # Errors
    /// A read error, once all bytes before it were returned in batches, or input that is not of the format. The source
    /// is then at its end.
    pub fn next_batch(&mut self, buffer: &mut TextBuffer) -> Result<Option<Batch<'static>>, InputError> {
        let batch = self.read_batch(buffer);
        if batch.is_err() {
            self.end = InputEnd::Broken;
        }
        match (batch, self.failure.take()) {
            (Ok(None), Some(failure)) => Err(failure),
            (batch, failure) => {
                self.failure = failure;
                batch
            }
        }
    }

    fn read_batch(&mut self, buffer: &mut TextBuffer) -> Result<Option<Batch<'static>>, InputError> {
        let mut length = self.carry.len();
        if self.end != InputEnd::Ahead && length == 0 {
            return Ok(None);
        }
        let mut target = length + self.window.bytes;
        if buffer.len() > 2 * target {
            // The buffer once held a very long line.
            buffer.reset();
        }
        if let Some(whole) = self.source.take_whole(self.window.bytes) {
            (length, target) = (whole.len(), whole.len());
            *buffer = whole.into();
            self.end = InputEnd::Reached;
        } else {
            buffer.grow(target);
            buffer[..length].copy_from_slice(&self.carry);
        }
        loop {
            let at_pause = match self.pauses(length) {
                true => self.cutter.cut(&buffer[..length], InputEnd::Paused, &mut self.carry)?,
                false => None,
            };
            let cut = match at_pause {
                Some(cut) => Some(cut),
                None => {
                    self.fill(&mut buffer[..target], &mut length);
                    if self.end != InputEnd::Ahead && length == 0 {
                        return Ok(None);
                    }
                    self.cutter.cut(&buffer[..length], self.end, &mut self.carry)?
                }
            };
            if let Some(cut) = cut {
                let Cut { owned, length: held, layout, records } = cut;
                self.offset += owned.len() as u64;
                let start = match &layout {
                    Layout::Lines(lines) => lines.offset,
                    Layout::Records(_) => 0,
                };
                let hidden = self.source.take_escapes(start + held as u64, start + (length - self.carry.len()) as u64);
                let mut batch = Batch::new(std::mem::take(buffer), 0..held, owned, layout);
                (batch.hidden, batch.records) = (hidden, records.map(Box::new));
                if let (Some(circumferences), Layout::Records(segments)) = (self.source.circumferences(), &batch.layout)
                {
                    batch.circumferences = circumferences.take(segments);
                }
                if let Some(hide) = self.hide {
                    hide(&mut batch);
                }
                return Ok(Some(batch));
            }
            if self.end != InputEnd::Ahead {
                return Ok(None);
            }
            if length == target {
                // Growing by an eighth costs few copies and little memory beyond the longest line.
                target += self.window.bytes.max(length / 8);
                buffer.try_grow(target).map_err(|_| InputError::TooLong { offset: self.offset })?;
            }
        }
    }

    /// Returns whether a record ends because nothing arrives for a second after the `length` bytes read.
    fn pauses(&self, length: usize) -> bool {
        let may_pause = self.end == InputEnd::Ahead && length > 0 && self.cutter.ends_at_pause();
        may_pause && !self.source.is_ready_within(PAUSE)
    }

    /// Reads at least one byte into `buffer` from `length` on, then more bytes while `Source::is_ready`, up to the end
    /// of the buffer. Keeps a read error until the bytes before it have been returned.
    fn fill(&mut self, buffer: &mut [u8], length: &mut usize) {
        while *length < buffer.len() && self.end == InputEnd::Ahead {
            match self.source.read(&mut buffer[*length..]) {
                Ok(0) => self.end = InputEnd::Reached,
                Ok(read) => *length += read,
                Err(failure) => {
                    self.end = match failure {
                        InputError::Garbage(_) => InputEnd::Reached,
                        _ => InputEnd::Broken,
                    };
                    self.failure = Some(failure);
                }
            }
            if !self.source.is_ready() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::retry::tests::Stormy;
    use nigh_text::alphabet::Alphabet;

    /// Returns the concatenation of the owned ranges of all batches of a reader.
    fn owned(reader: impl std::io::Read + Send + 'static, format: &Format, alphabet: Alphabet) -> Vec<u8> {
        let window = Window { bytes: 50, max_match_len: 5, alphabet };
        let mut batcher = Batcher::new(Source::from_reader(reader), format.clone(), window);
        let (mut buffer, mut owned) = (TextBuffer::default(), Vec::new());
        while let Some(batch) = batcher.next_batch(&mut buffer).unwrap() {
            owned.extend_from_slice(&batch.bytes()[batch.owned()]);
            buffer = batch.into_buffer();
        }
        owned
    }

    #[test]
    fn interrupted_and_short_reads_change_nothing() {
        let lines: String = (0..200).map(|number| format!("line {number}\n")).collect();
        let fasta: String = (0..50).map(|number| format!(">r{number}\nACGT\nGATTACA\n")).collect();
        let fastq: String = (0..50).map(|number| format!("@r{number}\nACGT\n+\nIIII\n")).collect();
        for (text, format, alphabet) in [
            (lines, Format::Lines { terminator: b'\n', long: LongLines::WholeText }, Alphabet::Text),
            (fasta, Format::Fasta { long: LongLines::Cut }, Alphabet::Dna),
            (fastq, Format::Fastq, Alphabet::Dna),
        ] {
            for seed in 0..20 {
                let stormy = Stormy::new(text.clone().into_bytes(), seed);
                assert!(owned(stormy, &format, alphabet) == text.as_bytes(), "{format:?} with seed {seed}");
            }
        }
    }

    #[test]
    fn a_last_line_without_an_end_needs_no_batch_of_its_own() {
        let window = Window { bytes: 50, max_match_len: 5, alphabet: Alphabet::Text };
        for format in [
            Format::Lines { terminator: b'\n', long: LongLines::WholeText },
            Format::ReturnLines { long: LongLines::WholeText },
        ] {
            let mut batcher = Batcher::new(Source::from_reader(&b"one\ntwo"[..]), format, window);
            let batch = batcher.next_batch(&mut TextBuffer::default()).unwrap().unwrap();
            assert_eq!(batch.owned(), 0.."one\ntwo".len());
            assert!(batcher.next_batch(&mut TextBuffer::default()).unwrap().is_none());
        }
    }
}
