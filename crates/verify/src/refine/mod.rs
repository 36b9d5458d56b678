//! Refinements: functions from the hits of a batch to hits. They drop, change or add hits.
//!
//! An engine applies a list of refinements to the hits of a finder, one after the other ([`Refined`]). The hits of a part of
//! the batch pass through the whole list, then those of the next part.

pub mod constraints;
pub mod merger;
pub mod overhang;

use std::ops::ControlFlow;

use super::deliver::deliver;
use super::{Aligner, EngineError, WantedHits};
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};

/// A refinement of the hits of some patterns.
pub trait Refinement: Send + Sync {
    /// Returns a description for display; `None` if there is nothing to say.
    fn description(&self) -> Option<String>;

    /// Returns the hits that must be found before, if `wanted` hits are wanted.
    fn needed(&self, wanted: WantedHits) -> WantedHits {
        wanted
    }

    /// Makes a refiner, for one thread.
    fn refiner(&self) -> Box<dyn Refiner + '_>;

    /// Makes an aligner of refined hits. `inner` aligns the hits before.
    fn aligner<'a>(&'a self, inner: Box<dyn Aligner + 'a>) -> Box<dyn Aligner + 'a> {
        inner
    }
}

/// Appends the alignments of `hits` to `out`: those that are `known`, and those that `inner` makes of the other hits.
///
/// # Errors
/// Fails if `inner` does.
pub fn align_others(
    inner: &mut dyn Aligner,
    (batch, hits): (&Batch, &[Hit]),
    known: Vec<Option<Alignment>>,
    out: &mut Vec<Alignment>,
) -> Result<(), EngineError> {
    let others = hits.iter().zip(&known).filter(|(_, known)| known.is_none());
    let others: Vec<Hit> = others.map(|(hit, _)| *hit).collect();
    let mut aligned = Vec::with_capacity(others.len());
    inner.align(batch, &others, &mut aligned)?;
    let mut aligned = aligned.into_iter();
    out.extend(known.into_iter().map(|one| one.unwrap_or_else(|| aligned.next().expect("one alignment per hit"))));
    Ok(())
}

/// Applies a refinement to one batch after the other.
pub trait Refiner: Send {
    /// Starts a batch, of which `wanted` hits are wanted.
    fn begin(&mut self, _: &Batch, _: WantedHits) {}

    /// Replaces hits, ordered by (end, pattern), by refined hits in this order. `hits` are all hits of the batch that end
    /// after the offset `until` of the last call and at or before this one. Hits may be kept back for a later call. In the
    /// last call for a batch, `until` is `usize::MAX`.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError>;

    /// Returns the largest number of bytes of the text in which a call may have to find hits.
    fn max_bytes(&self) -> usize {
        usize::MAX
    }
}

/// Passes the hits of a batch through refiners, and on to a sink.
pub struct Refined<'r> {
    batch: &'r Batch<'r>,
    refiners: Vec<&'r mut dyn Refiner>,
    /// The largest number of bytes of the text that are refined at a time.
    max_bytes: usize,
    /// The offset up to which hits were refined.
    at: usize,
    hits: Vec<Hit>,
    sink: &'r mut dyn HitSink,
    /// Whether the sink returned `Break`.
    has_enough: bool,
    failure: Option<EngineError>,
}

impl<'r> Refined<'r> {
    /// Makes a sink for the hits of a batch that the refiners have begun.
    pub fn new(
        batch: &'r Batch<'r>,
        refiners: impl IntoIterator<Item = &'r mut dyn Refiner>,
        sink: &'r mut dyn HitSink,
    ) -> Self {
        let refiners: Vec<_> = refiners.into_iter().collect();
        let max_bytes = refiners.iter().map(|refiner| refiner.max_bytes()).min().unwrap_or(usize::MAX);
        let at = batch.owned().start;
        Refined { batch, refiners, max_bytes, at, hits: Vec::new(), sink, has_enough: false, failure: None }
    }

    /// Refines what is left at the end of the batch.
    ///
    /// # Errors
    /// Fails if a refiner failed.
    pub fn finish(mut self) -> Result<(), EngineError> {
        if !self.has_enough && self.failure.is_none() {
            // These are the last hits of the batch, so a `Break` from the sink changes nothing.
            let _ = self.advance(&[], usize::MAX);
        }
        self.failure.map_or(Ok(()), Err)
    }

    /// Refines `hits`, all that end after `self.at` and at or before `until`.
    fn advance(&mut self, mut hits: &[Hit], until: usize) -> ControlFlow<()> {
        loop {
            let is_last = until.saturating_sub(self.at) <= self.max_bytes || self.at >= self.batch.owned().end;
            let next = if is_last { until } else { self.at + self.max_bytes };
            let (now, rest) = hits.split_at(hits.partition_point(|hit| hit.end <= next));
            self.hits.clear();
            self.hits.extend_from_slice(now);
            for refiner in &mut self.refiners {
                if let Err(error) = refiner.refine(self.batch, &mut self.hits, next) {
                    self.failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            if deliver(&self.hits, self.sink).is_break() {
                self.has_enough = true;
                return ControlFlow::Break(());
            }
            if is_last {
                self.at = until;
                return ControlFlow::Continue(());
            }
            (hits, self.at) = (rest, next);
        }
    }
}

impl HitSink for Refined<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        hits.last().map_or(ControlFlow::Continue(()), |last| self.advance(hits, last.end))
    }
}
