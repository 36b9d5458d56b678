//! Merges the hits of two searches.

use std::ops::ControlFlow;

use crate::engine::deliver::deliver;
use crate::hit::{Hit, HitSink};

/// Receives the hits of an engine, and passes them on to a sink among other hits of the same batch.
pub(in crate::engine) struct MergingSink<'a> {
    /// The other hits that are not passed on yet, in the order (end, pattern).
    others: &'a [Hit],
    /// Returns the hit to pass on in place of a hit of the engine; `None` drops the hit.
    change: &'a dyn Fn(Hit) -> Option<Hit>,
    merged: Vec<Hit>,
    /// Whether the sink returned `Break`.
    has_enough: bool,
    sink: &'a mut dyn HitSink,
}

impl<'a> MergingSink<'a> {
    pub(in crate::engine) fn new(
        others: &'a [Hit],
        change: &'a dyn Fn(Hit) -> Option<Hit>,
        sink: &'a mut dyn HitSink,
    ) -> MergingSink<'a> {
        MergingSink { others, change, merged: Vec::new(), has_enough: false, sink }
    }

    /// Passes on the other hits that are left, after the last hit of the engine.
    pub(in crate::engine) fn finish(self) {
        if !self.has_enough {
            // These are the last hits of the batch, so a `Break` from the sink changes nothing.
            let _ = deliver(self.others, self.sink);
        }
    }
}

impl HitSink for MergingSink<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        let Some(last) = hits.last() else { return ControlFlow::Continue(()) };
        let (before, after) = self.others.split_at(self.others.partition_point(|hit| hit.end <= last.end));
        self.others = after;
        self.merged.clear();
        self.merged.extend_from_slice(before);
        self.merged.extend(hits.iter().filter_map(|&hit| (self.change)(hit)));
        if !before.is_empty() {
            // Of hits with the same end and pattern, the one with the least distance comes first; of equal distances,
            // one with a start.
            self.merged
                .sort_unstable_by_key(|hit| (hit.end, hit.pattern, hit.distance, hit.start.is_none(), hit.start));
            self.merged.dedup_by_key(|hit| (hit.end, hit.pattern));
        }
        let flow = if self.merged.is_empty() { ControlFlow::Continue(()) } else { deliver(&self.merged, self.sink) };
        self.has_enough = flow.is_break();
        flow
    }
}
