//! A second input that is read record by record with the first.

use std::sync::Arc;

use super::batcher::Batcher;
use super::error::InputError;
use super::source::charset::Charset;
use super::source::mixed::EncodingChange;
use nigh_text::batch::{Batch, Records, TextBuffer};

/// Reads the records of the second input: for each batch of the first input, the same number of records.
pub struct MateReader {
    batcher: Batcher,
    /// The names of the first and the second input in messages.
    labels: [String; 2],
    /// Records that were read and not yet taken, from index `taken` on.
    read: Records,
    taken: usize,
    buffer: TextBuffer,
    /// Number of records taken from the start.
    count: u64,
}

/// Records of the second input, and the reason why there are fewer than wanted.
struct TakenRecords {
    records: Records,
    failure: Option<InputError>,
}

/// Reads an input, and a second one record by record with it if there is one.
pub struct MatedBatcher {
    batcher: Batcher,
    mates: Option<MateReader>,
    /// The error of the second input, until it is returned.
    failure: Option<InputError>,
}

impl MatedBatcher {
    /// Makes a reader of one input.
    pub fn new(batcher: Batcher) -> Self {
        MatedBatcher { batcher, mates: None, failure: None }
    }

    /// Makes a reader of two inputs. The batches of both must hold whole records.
    pub fn with_mates(batcher: Batcher, mates: MateReader) -> Self {
        MatedBatcher { batcher, mates: Some(mates), failure: None }
    }

    /// Returns the encoding from which the first input is decoded, if nothing but its zero bytes shows it.
    pub fn guessed(&self) -> Option<Charset> {
        self.batcher.guessed()
    }

    /// Returns whether the first input is decoded to UTF-8.
    pub fn is_decoded(&self) -> bool {
        self.batcher.is_decoded()
    }

    /// Returns the place where the encoding of decoded text changes, if it is among the bytes read so far.
    pub fn encoding_change(&self) -> Option<EncodingChange> {
        self.batcher.encoding_change()
    }

    /// Returns whether the first input is decompressed.
    pub fn is_compressed(&self) -> bool {
        self.batcher.is_compressed()
    }

    /// Reads the next batch into `buffer`, as [`Batcher::next_batch`] does. If the second input has fewer records, or
    /// cannot be read, the batch has fewer mates than records, and the next call returns the error.
    ///
    /// # Errors
    /// The errors of [`Batcher::next_batch`] for either input, and unequal numbers of records.
    pub fn next_batch(&mut self, buffer: &mut TextBuffer) -> Result<Option<Batch<'static>>, InputError> {
        if let Some(failure) = self.failure.take() {
            self.mates = None;
            return Err(failure);
        }
        let batch = self.batcher.next_batch(buffer)?;
        let Some(mates) = &mut self.mates else { return Ok(batch) };
        match batch {
            Some(mut batch) => {
                let TakenRecords { records, failure } = mates.take(batch.segments().len());
                batch.mates = Some(Arc::new(records));
                self.failure = failure;
                Ok(Some(batch))
            }
            None => mates.end().map(|()| None),
        }
    }
}

impl MateReader {
    /// Makes a reader of the second input, whose batches must hold whole records. `labels` are the names of the first
    /// and the second input.
    pub fn new(batcher: Batcher, labels: [String; 2]) -> Self {
        MateReader { batcher, labels, read: Records::default(), taken: 0, buffer: TextBuffer::default(), count: 0 }
    }

    /// Takes the next `wanted` records. Returns fewer records, and the reason, if the second input has fewer or cannot
    /// be read.
    fn take(&mut self, wanted: usize) -> TakenRecords {
        let mut records = Records::default();
        let mut failure = None;
        while records.len() < wanted && failure.is_none() {
            if self.taken == self.read.len() {
                failure = match self.read_more() {
                    Ok(true) => None,
                    Ok(false) => Some(InputError::MoreRecords { shorter: self.labels[1].clone(), count: self.count }),
                    Err(error) => Some(error),
                };
            }
            let end = self.read.len().min(self.taken + wanted - records.len());
            records.push_some(&self.read, self.taken, end);
            self.count += (end - self.taken) as u64;
            self.taken = end;
        }
        TakenRecords { records, failure }
    }

    /// Checks that all records were taken.
    ///
    /// # Errors
    /// Fails if the second input has more records, or cannot be read.
    fn end(&mut self) -> Result<(), InputError> {
        if self.taken == self.read.len() && !self.read_more()? {
            return Ok(());
        }
        let error = InputError::MoreRecords { shorter: self.labels[0].clone(), count: self.count };
        Err(self.mine(error))
    }

    /// Reads the next batch. Returns false at the end of the input.
    fn read_more(&mut self) -> Result<bool, InputError> {
        self.read.clear();
        self.taken = 0;
        match self.batcher.next_batch(&mut self.buffer) {
            Ok(Some(batch)) => {
                batch.copy_records(&mut self.read);
                self.buffer = batch.into_buffer();
                // A batch may hold blanks only.
                if self.read.is_empty() { self.read_more() } else { Ok(true) }
            }
            Ok(None) => Ok(false),
            Err(error) => Err(self.mine(error)),
        }
    }

    /// Marks an error as an error of the second input.
    fn mine(&self, error: InputError) -> InputError {
        InputError::Mate { label: self.labels[1].clone(), error: Box::new(error) }
    }
}
