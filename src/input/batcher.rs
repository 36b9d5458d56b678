//! Reads a source and cuts it into batches, so that memory does not grow with the input.

use std::sync::Arc;

use super::batch::{Batch, Layout};
use super::delimited::{DelimitedCutter, ReturnCutter};
use super::excerpt::make_room;
use super::fasta::FastaCutter;
use super::fastq::FastqCutter;
use super::lines::LineCutter;
use super::{InputError, Source};
use crate::alphabet::Alphabet;

/// What an input is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// Lines that end with this byte.
    Lines {
        /// The byte.
        terminator: u8,
        /// What to do with long ones.
        long: LongLines,
    },
    /// Lines that end with a line feed, or with a carriage return and a line feed.
    ReturnLines {
        /// What to do with long ones.
        long: LongLines,
    },
    /// Lines that end with a string.
    Delimited {
        /// The string, which is not empty.
        delimiter: Arc<[u8]>,
        /// What to do with long ones.
        long: LongLines,
    },
    /// Records of FASTA.
    Fasta {
        /// What to do with long ones.
        long: LongLines,
    },
    /// Records of FASTQ; they are always whole.
    Fastq,
}

/// What becomes of a line or record that is longer than a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// It is read whole, so that it can be printed.
    Whole,
    /// It is cut, and memory stays bounded.
    Cut,
}

/// How batches are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many bytes to read for a batch. A line that is to stay whole and the context come on top.
    pub bytes: usize,
    /// How many symbols before the part that a batch owns a match that ends in it can cover.
    pub reach: usize,
    /// What symbols are.
    pub alphabet: Alphabet,
}

/// Where a batch ends, and what the next one begins with.
pub(super) struct Cut {
    pub(super) owned: std::ops::Range<usize>,
    /// The end of the bytes that belong to the batch.
    pub(super) length: usize,
    pub(super) layout: Layout,
}

/// Divides the bytes that were read.
pub(super) trait Cutter: Send {
    /// Decides what of `bytes` is the next batch, and puts what the one after it begins with into `carry`.
    /// `None`: there is nothing to own yet. After the end of the input it owns everything.
    fn cut(&mut self, bytes: &[u8], ended: bool, carry: &mut Vec<u8>) -> Result<Option<Cut>, InputError>;

    /// Makes the batch of the last cut such that it can be searched.
    fn finish(&self, _batch: &mut Batch) {}
}

/// Makes batches of a source.
pub struct Batcher {
    source: Source,
    cutter: Box<dyn Cutter>,
    window: Window,
    /// What the next batch begins with: context, and bytes that no batch owned.
    carry: Vec<u8>,
    ended: bool,
    /// Why reading ended early.
    failure: Option<InputError>,
}

impl Batcher {
    /// Cuts a source into batches of a format.
    pub fn new(source: Source, format: Format, window: Window) -> Self {
        let cutter: Box<dyn Cutter> = match format {
            Format::Lines { terminator, long } => Box::new(LineCutter::new(terminator, long, window, source.skipped())),
            Format::ReturnLines { long } => {
                Box::new(ReturnCutter(LineCutter::new(b'\n', long, window, source.skipped())))
            }
            Format::Delimited { delimiter, long } => {
                Box::new(DelimitedCutter::new(delimiter, long, window, source.skipped()))
            }
            Format::Fasta { long } => Box::new(FastaCutter::new(long, window)),
            Format::Fastq => Box::new(FastqCutter::new()),
        };
        Batcher { source, cutter, window, carry: Vec::new(), ended: false, failure: None }
    }

    /// Reads the next batch into a buffer, whose bytes are of no interest; `None` at the end.
    ///
    /// What has come is handed out before a read that would wait. The batch takes the buffer; without one it stays.
    ///
    /// # Errors
    /// What reading gave, after everything that was read before; or input that is not of the format. The source is
    /// then at its end.
    pub fn next_batch(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Batch>, InputError> {
        let batch = self.read_batch(buffer);
        self.ended |= batch.is_err();
        match (batch, self.failure.take()) {
            (Ok(None), Some(failure)) => Err(failure),
            (batch, failure) => {
                self.failure = failure;
                batch
            }
        }
    }

    fn read_batch(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Batch>, InputError> {
        let mut length = self.carry.len();
        let mut target = length + self.window.bytes;
        if buffer.len() > 2 * target {
            // It once held a very long line.
            *buffer = Vec::new();
        }
        make_room(buffer, target);
        buffer[..length].copy_from_slice(&self.carry);
        loop {
            self.fill(&mut buffer[..target], &mut length);
            if self.ended && length == 0 {
                return Ok(None);
            }
            if let Some(cut) = self.cutter.cut(&buffer[..length], self.ended, &mut self.carry)? {
                let Cut { owned, length, layout } = cut;
                let mut batch = Batch::new(std::mem::take(buffer), 0..length, owned, layout);
                self.cutter.finish(&mut batch);
                return Ok(Some(batch));
            }
            if self.ended {
                return Ok(None);
            }
            if length == target {
                // An eighth more each time: few copies, and little more than the longest line.
                target += self.window.bytes.max(length / 8);
                make_room(buffer, target);
            }
        }
    }

    /// Reads at least something, and then what can be had without waiting, up to the buffer's end.
    /// A failure is kept until what came before it has been handed out.
    fn fill(&mut self, buffer: &mut [u8], length: &mut usize) {
        while *length < buffer.len() && !self.ended {
            let read = self.source.read(&mut buffer[*length..]).unwrap_or_else(|failure| {
                self.failure = Some(failure);
                0
            });
            self.ended = read == 0;
            *length += read;
            if !self.source.is_ready() {
                break;
            }
        }
    }
}
