//! The scanners of a worker: one for each batch that it has in flight.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::search::CudaScanner;
use super::select::Stage;
use super::staging::{ScannerTallies, Staged};
use crate::device_tables::LoadedTables;
use nigh_device::DeviceError;
use nigh_device::driver::{Device, WaitOnDrop};
use nigh_pattern::PatternSet;
use nigh_text::batch::Batch;
use nigh_text::hit::HitSink;
use nigh_verify::{EngineError, Scanner, WantedHits};

/// Scans batches on one device, several at a time, each with a queue of its own.
pub(crate) struct CudaScanners<'a> {
    patterns: &'a PatternSet,
    device: Arc<Device>,
    loaded: Arc<LoadedTables>,
    tallies: Arc<ScannerTallies>,
    /// The largest number of batches in flight. With 1, nothing is submitted.
    limit: usize,
    /// The scanners of submitted batches, in order.
    busy: VecDeque<BatchScanner<'a>>,
    free: Vec<BatchScanner<'a>>,
}

impl<'a> CudaScanners<'a> {
    /// Makes scanners for at most `limit` batches in flight.
    ///
    /// # Errors
    /// Errors of the device.
    pub(crate) fn new(
        patterns: &'a PatternSet,
        (device, loaded): (Arc<Device>, Arc<LoadedTables>),
        tallies: Arc<ScannerTallies>,
        limit: usize,
    ) -> Result<Self, DeviceError> {
        let mut scanners =
            CudaScanners { patterns, device, loaded, tallies, limit, busy: VecDeque::new(), free: Vec::new() };
        let first = scanners.take_free()?;
        scanners.free.push(first);
        Ok(scanners)
    }

    /// Returns whether the kernels can search a batch for some patterns. Their 32-bit offsets must suffice and, for
    /// regular expressions, lines must be short. A long line can make a batch as large as its file.
    pub(crate) fn takes(patterns: &PatternSet, batch: &Batch) -> bool {
        CudaScanner::takes(patterns, batch)
    }

    fn take_free(&mut self) -> Result<BatchScanner<'a>, DeviceError> {
        if let Some(free) = self.free.pop() {
            return Ok(free);
        }
        let scanner = CudaScanner::new(self.patterns, self.device.clone(), self.loaded.clone(), self.tallies.clone())?;
        Ok(BatchScanner { submitted: None, scanner })
    }
}

impl Scanner for CudaScanners<'_> {
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<bool, EngineError> {
        if self.limit <= 1 || self.busy.len() >= self.limit {
            return Ok(false);
        }
        let mut scanner = self.take_free()?;
        scanner.submit(batch, wanted)?;
        self.busy.push_back(scanner);
        Ok(true)
    }

    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let submitted = self.busy.iter().position(|scanner| scanner.has_submitted(batch));
        // Batches that were submitted before this one are not searched any more.
        for mut scanner in self.busy.drain(..submitted.unwrap_or(0)) {
            scanner.submitted = None;
            self.free.push(scanner);
        }
        let mut scanner = match submitted.and_then(|_| self.busy.pop_front()) {
            Some(scanner) => scanner,
            None => self.take_free()?,
        };
        scanner.search(batch, wanted, hits)?;
        self.free.push(scanner);
        Ok(())
    }
}

/// A scanner, and the batch that it has in flight. Fields are dropped in this order.
struct BatchScanner<'a> {
    submitted: Option<SubmittedBatch>,
    scanner: CudaScanner<'a>,
}

/// A batch whose search was begun. Fields are dropped in this order, so the device no longer reads the batch when it is
/// freed.
struct SubmittedBatch {
    begun: BegunSearch,
    wait: WaitOnDrop,
    batch: Arc<Batch<'static>>,
}

/// A search whose first step is queued.
enum BegunSearch {
    /// There is nothing to search.
    Nothing,
    /// The search of the whole batch for all patterns.
    OfAll,
    /// The first of these stages of a selection.
    OfItems(Vec<Stage>),
}

impl BatchScanner<'_> {
    /// Starts the search of a batch. The scanner must have no other.
    fn submit(&mut self, batch: &Arc<Batch<'static>>, wanted: WantedHits) -> Result<(), DeviceError> {
        let (batch, wait) = (batch.clone(), self.scanner.queue.wait_on_drop());
        // SAFETY: the guard is dropped before this share of the batch, in this function or with `submitted`.
        let begun = unsafe { self.begin(&batch, wanted) }?;
        self.scanner.queue.mark()?;
        self.submitted = Some(SubmittedBatch { begun, wait, batch });
        Ok(())
    }

    /// Returns whether this batch was submitted.
    fn has_submitted(&self, batch: &Batch) -> bool {
        self.submitted.as_ref().is_some_and(|submitted| std::ptr::eq(&*submitted.batch, batch))
    }

    /// Searches a batch, or waits for its search if it was submitted.
    fn search(&mut self, batch: &Batch, wanted: WantedHits, sink: &mut dyn HitSink) -> Result<(), DeviceError> {
        let (begun, _wait) = match self.submitted.take() {
            Some(SubmittedBatch { begun, wait, .. }) => (begun, wait),
            None => {
                let wait = self.scanner.queue.wait_on_drop();
                // SAFETY: the guard is dropped in this function, which borrows the batch.
                (unsafe { self.begin(batch, wanted) }?, wait)
            }
        };
        match begun {
            BegunSearch::Nothing => Ok(()),
            BegunSearch::OfAll => self.scanner.finish_pieces(batch, sink),
            BegunSearch::OfItems(stages) => self.scanner.finish_selection(batch, &stages, sink),
        }
    }

    /// Queues the first step of the search of a batch.
    ///
    /// # Safety
    /// The batch is not changed or freed before the upload is complete: a guard from
    /// [`Queue::wait_on_drop`](nigh_device::driver::Queue::wait_on_drop) is dropped before.
    unsafe fn begin(&mut self, batch: &Batch, wanted: WantedHits) -> Result<BegunSearch, DeviceError> {
        let scanner = &mut self.scanner;
        if Staged::bytes_for(batch) == 0 || scanner.loaded.groups.is_empty() {
            return Ok(BegunSearch::Nothing);
        }
        scanner.reach = scanner.reach_in(batch);
        scanner.traces.are_wanted = wanted == WantedHits::Aligned;
        if wanted == WantedHits::One && scanner.can_select() {
            // SAFETY: the caller keeps the batch as it is.
            let stages = unsafe { scanner.begin_selection(batch) }?;
            return Ok(stages.map_or(BegunSearch::Nothing, BegunSearch::OfItems));
        }
        let pieces: Vec<Range<usize>> = batch.runs().collect();
        // SAFETY: the caller keeps the batch as it is.
        unsafe { scanner.begin_pieces(batch, &pieces) }?;
        Ok(BegunSearch::OfAll)
    }
}
