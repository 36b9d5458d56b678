//! Uploads the text of a batch, or some of its lines or records: from the batch if its memory is page-locked, otherwise
//! from a staging buffer in pinned memory.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nigh_device::DeviceError;
use nigh_device::driver::{Buffer, Device, Pinned, Queue};
use nigh_text::batch::{Batch, Layout, TextBuffer};
use nigh_text::stage::StageTally;

/// The byte before each record of sequences. It is kept like a residue, so it gets a symbol, but no pattern matches it.
pub(super) const SEPARATOR: u8 = 0xff;

/// Largest number of pieces that are uploaded one by one, from page-locked memory. A staging buffer joins more pieces,
/// so that one copy suffices.
const MAX_SINGLE_COPIES: usize = 4;

/// The uploaded text of a batch, and the positions of its pieces in the batch.
pub(super) struct Staged {
    /// The staging buffer.
    buffer: Pinned<u8>,
    /// Length of the staged text in bytes.
    length: usize,
    /// For each piece, the offset of its first byte in the staged text and in the batch. There is a separator before each
    /// piece but the first.
    pieces: Vec<(u32, u32)>,
    /// The part of the staged text that the batch owns.
    owned: Range<usize>,
    /// The byte that divides lines or records.
    separator: u8,
    tallies: Arc<ScannerTallies>,
}

/// The bytes that the scanners of a device uploaded, and the time that their threads spent on uploads and waits.
#[derive(Default)]
pub(crate) struct ScannerTallies {
    /// Uploads from page-locked batches.
    direct: StageTally,
    /// Uploads from staging buffers.
    staged: StageTally,
    /// Waits for the hits of a search.
    pub(super) wait: StageTally,
    /// Number of hits that were aligned.
    aligned: AtomicU64,
}

impl ScannerTallies {
    /// Counts hits that were aligned.
    pub(super) fn add_aligned(&self, hits: usize) {
        self.aligned.fetch_add(hits as u64, Ordering::Relaxed);
    }
}

impl fmt::Display for ScannerTallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScannerTallies { direct, staged, wait, aligned } = self;
        let aligned = aligned.load(Ordering::Relaxed);
        write!(f, "uploads from batches {direct}, from staging buffers {staged}; waits for hits {wait}; ")?;
        write!(f, "{aligned} hits aligned")
    }
}

impl Staged {
    pub(super) fn new(queue: &Queue, tallies: Arc<ScannerTallies>) -> Result<Self, DeviceError> {
        let (buffer, separator) = (queue.pinned(0)?, SEPARATOR);
        Ok(Staged { buffer, length: 0, pieces: Vec::new(), owned: 0..0, separator, tallies })
    }

    /// Returns the length of a batch's staged text, in bytes.
    pub(super) fn bytes_for(batch: &Batch) -> usize {
        match batch.layout() {
            Layout::Lines(_) => batch.bytes().len(),
            Layout::Records(segments) => {
                segments.iter().map(|segment| segment.bytes.len() + 1).sum::<usize>().max(1) - 1
            }
        }
    }

    /// Sets the pieces of a batch that are uploaded next: ascending ranges of whole lines or records, or what the batch
    /// has of them. There will be a separator between two pieces.
    pub(super) fn set_pieces(&mut self, batch: &Batch, pieces: &[Range<usize>]) {
        self.separator = batch.terminator().unwrap_or(SEPARATOR);
        self.pieces.clear();
        let owned = batch.owned();
        let (mut at, mut first, mut until) = (0, usize::MAX, 0);
        for piece in pieces {
            at += usize::from(!self.pieces.is_empty());
            self.pieces.push((at as u32, piece.start as u32));
            let (owned_from, owned_to) = (piece.start.max(owned.start), piece.end.min(owned.end));
            if owned_from < owned_to {
                first = first.min(at + owned_from - piece.start);
                until = at + owned_to - piece.start;
            }
            at += piece.len();
        }
        (self.length, self.owned) = (at, first.min(until)..until);
    }

    /// Queues the upload of the pieces given to [`Staged::set_pieces`] to `to`, which has room for them.
    ///
    /// # Safety
    /// The batch is not changed or freed before the queue has completed the upload.
    pub(super) unsafe fn upload(
        &mut self,
        (device, queue): (&Device, &Queue),
        (batch, pieces): (&Batch, &[Range<usize>]),
        to: &mut Buffer<u8>,
    ) -> Result<(), DeviceError> {
        let locked = batch.text.buffer().filter(|text| pieces.len() <= MAX_SINGLE_COPIES && text.is_locked(device));
        let tallies = self.tallies.clone();
        let tally = if locked.is_some() { &tallies.direct } else { &tallies.staged };
        tally.add_bytes(self.length);
        // SAFETY: the caller keeps the batch as it is.
        tally.time(|| unsafe { self.upload_pieces(queue, (batch, pieces), to, locked) })
    }

    /// Queues the upload, from the memory of the batch if it is page-locked (`locked`).
    ///
    /// # Safety
    /// As for [`Staged::upload`].
    unsafe fn upload_pieces(
        &mut self,
        queue: &Queue,
        (batch, pieces): (&Batch, &[Range<usize>]),
        to: &mut Buffer<u8>,
        locked: Option<&TextBuffer>,
    ) -> Result<(), DeviceError> {
        if locked.is_none() && self.buffer.length() < self.length {
            self.buffer = queue.pinned(self.length + self.length / 8)?;
        }
        let mut staged = if locked.is_some() { None } else { Some(self.buffer.wait()?) };
        let mut at = 0;
        for (piece, &(first, _)) in pieces.iter().zip(&self.pieces) {
            let (before, first) = (at..first as usize, first as usize);
            at = first + piece.len();
            if let Some(staged) = &mut staged {
                staged[before.clone()].fill(self.separator);
                staged[first..at].copy_from_slice(&batch.bytes()[piece.clone()]);
            }
            let Some(locked) = locked else { continue };
            if !before.is_empty() {
                queue.fill(to, before, self.separator)?;
            }
            let held = batch.held.start;
            // SAFETY: the caller keeps the batch as it is.
            unsafe { queue.upload_text(locked, held + piece.start..held + piece.end, to, first) }?;
        }
        if locked.is_some() { Ok(()) } else { queue.upload(&self.buffer, self.length, to) }
    }

    /// Returns the part of the staged text that the batch owns: from the first to the last byte that it owns.
    pub(super) fn owned(&self) -> Range<usize> {
        self.owned.clone()
    }

    /// Returns the byte that divides lines or records.
    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// Returns the length of the staged text, in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Returns a converter of offsets in the staged text.
    pub(super) fn ends(&self) -> StagedEnds<'_> {
        StagedEnds { pieces: &self.pieces, at: 0 }
    }
}

/// Converts the ends of symbols from offsets in the staged text to offsets in the batch, in ascending order.
pub(super) struct StagedEnds<'a> {
    pieces: &'a [(u32, u32)],
    /// Index of the piece of the last end.
    at: usize,
}

impl StagedEnds<'_> {
    /// Returns the offset in the batch for the offset `end` in the staged text, which must not be less than at the last
    /// call. Returns `None` for the end of a separator.
    pub(super) fn in_batch(&mut self, end: usize) -> Option<usize> {
        let after = self.pieces[self.at..].iter().skip(1);
        self.at += after.take_while(|&&(first, _)| (first as usize) < end).count();
        let (first, start) = self.pieces[self.at];
        let is_separator = self.pieces.get(self.at + 1).is_some_and(|&(next, _)| next as usize == end);
        (!is_separator).then_some(start as usize + end - first as usize)
    }
}
