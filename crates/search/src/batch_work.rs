//! The work that workers do on batches: a search for patterns, or a comparison of records.

use std::sync::Arc;
use std::time::Duration;

use super::Input;
use super::ordered::handoff::HandoffSlot;
use super::select::best_hits::CarriedSelection;
use nigh_report::{EarlyRows, EarlySpans, Findings, ReportNeeds};
use nigh_text::batch::{Batch, Window};
use nigh_verify::{EngineError, EngineFacts};

/// The work on the batches of one kind of input. Makes one worker per thread.
pub trait BatchWork: Send + Sync {
    /// Returns the facts about the engine.
    fn facts(&self) -> EngineFacts<'_>;
    /// Returns the size in bytes of the batches that suit a report.
    fn batch_size(&self, _: &ReportNeeds) -> usize {
        self.facts().batch_bytes
    }
    /// Returns the parameters of batches of `bytes` bytes: their size, and the match length that determines their
    /// context.
    fn window(&self, bytes: usize) -> Window;
    /// Estimates the time that one worker needs for a batch; the estimate is right within a small factor. Returns
    /// `None` if the time is unknown.
    fn estimate(&self, _: &Batch) -> Option<Duration> {
        None
    }
    /// Returns a description of the plan for `--debug`, one line per element.
    fn description(&self) -> Vec<String>;
    /// Makes a worker for a report with the needs `needs`.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a worker.
    fn worker<'a>(&'a self, needs: &'a ReportNeeds) -> Result<Box<dyn BatchWorker + 'a>, EngineError>;
}

/// Works on one batch at a time.
pub trait BatchWorker {
    /// Starts the work on a batch if a device does it, and returns whether it did. The batches that were submitted are
    /// worked on in this order. The worker shares a batch until then.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn submit(&mut self, _: &Arc<Batch<'static>>, _: &Input) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Works on a batch. Returns the findings that were not reported early, and the offset in the batch at which the
    /// early reports end.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn work(
        &mut self,
        batch: &Batch,
        input: &Input,
        outputs: BatchOutputs<'_>,
    ) -> Result<(Findings, usize), EngineError>;
}

/// An output of a batch that is reported before the whole batch is searched.
pub enum EarlyOutput {
    /// Rows of the batch.
    Rows(EarlyRows),
    /// Matches of the next line.
    Spans(EarlySpans),
    /// The next lines or records of the batch, with their findings.
    Part(Batch<'static>, Box<Findings>),
}

/// The outputs of a batch besides its findings.
pub struct BatchOutputs<'e> {
    /// Receives the outputs that are too large to keep until the end of the batch.
    pub early: &'e mut dyn FnMut(EarlyOutput),
    /// Passes undecided matches from the previous batch to the next; `None` if no matches are undecided at the end of a
    /// batch, because lines are whole or all hits are reported.
    pub slot: Option<HandoffSlot<'e, CarriedSelection>>,
}
