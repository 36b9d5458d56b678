//! Filter for matches that hang over, of many patterns: a search for their parts that are always inside.
//!
//! If at most b symbols of a pattern of m symbols are before the start of a text, the last m - b symbols of every match that
//! hangs over the start are inside. They have no more edits than a match with one symbol before the start may have. So a
//! search for strings finds these parts in the first symbols of all lines and records, and only patterns with a hit there
//! may hang over; likewise for the end. The last column of the matrix is computed for these only
//! ([`last_column`](super::last_column)), and for all patterns if they are few, or if a part is too short for the edits.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::last_column::Direction;
use crate::{EngineError, Finder, Scanner, WantedHits};
use nigh_pattern::{OverhangLimits, Pattern, PatternSet};
use nigh_text::batch::{Batch, Segment};
use nigh_text::hit::{Hit, HitSink};

/// The least number of patterns with a filter.
const MANY: usize = 256;

/// The least number of symbols of a part, divided by its edits plus one: so long is a seed of the search.
const MIN_SEED: usize = 5;
/// The number of bytes of ends that are filtered together. This bounds the memory of chance hits.
pub(super) const FILTERED_BYTES: usize = 256 << 10;

/// Makes a finder of strings.
pub(crate) type MakeFinder<'f> = &'f dyn Fn(Arc<PatternSet>) -> Result<Arc<dyn Finder>, EngineError>;

/// Finds the patterns that may hang over an end.
pub(super) struct OverhangFilter {
    finder: Arc<dyn Finder>,
    /// For each part, the index of its pattern.
    patterns: Vec<usize>,
}

/// A pattern that may hang over a line or record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OverhangCandidate {
    /// The number of the line or record among those that are filtered together.
    pub(super) item: usize,
    /// The index of the pattern.
    pub(super) pattern: usize,
}

impl OverhangFilter {
    /// Makes the filter of some patterns of a set for one end; `None` if they are few, or if a part is too short.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(
        set: &PatternSet,
        patterns: &[(usize, &Pattern, OverhangLimits)],
        direction: Direction,
        finder: MakeFinder<'_>,
    ) -> Result<Option<Self>, EngineError> {
        let hanging: Vec<_> = patterns.iter().filter(|(_, _, limits)| direction.max_beyond(*limits) > 0).collect();
        if hanging.len() < MANY {
            return Ok(None);
        }
        let part = |&(_, pattern, limits): &(usize, &Pattern, OverhangLimits)| {
            let length = pattern.symbols().len();
            let inside = length - direction.max_beyond(limits);
            let edits = limits.max_edits(1)?;
            let range = match direction {
                Direction::Forward => 0..inside,
                Direction::Backward => length - inside..length,
            };
            (inside >= MIN_SEED * (edits + 1)).then_some((range, edits))
        };
        let Some(parts) = hanging.iter().map(|one| part(one)).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let indices: Vec<usize> = hanging.iter().map(|(index, _, _)| *index).collect();
        let parts = set.parts(indices.iter().copied().zip(parts));
        Ok(Some(OverhangFilter { finder: finder(Arc::new(parts))?, patterns: indices }))
    }

    /// Makes a scanner for [`candidates`](Self::candidates).
    pub(super) fn scanner(&self) -> Box<dyn Scanner + '_> {
        self.finder.scanner().expect("the processor needs no resources for a scanner")
    }

    /// Returns the patterns that may hang over, ordered by line or record, then by pattern. `ends` are the symbols that a match
    /// can cover of each line or record, which are filtered together.
    pub(super) fn candidates(
        &self,
        scanner: &mut dyn Scanner,
        batch: &Batch,
        ends: impl Iterator<Item = Range<usize>>,
    ) -> Vec<OverhangCandidate> {
        let separator = batch.terminator().unwrap_or(b'\n');
        let (mut bytes, mut segments, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for end in ends {
            let start = bytes.len();
            starts.push(start);
            bytes.extend_from_slice(&batch.bytes()[end]);
            if batch.lines().is_none() && start < bytes.len() {
                segments.push(Segment::whole(start..bytes.len()));
            }
            bytes.push(separator);
        }
        let copied = match batch.lines() {
            Some(_) => Batch::of_lines(bytes, separator),
            None => Batch::of_segments(bytes, segments),
        };
        let mut sink = CandidateSink { starts: &starts, patterns: &self.patterns, candidates: Vec::new() };
        scanner.search(&copied, WantedHits::All, &mut sink).expect("the processor does not fail");
        sink.candidates
    }
}

/// Collects the patterns of hits of parts, each once for a line or record.
struct CandidateSink<'a> {
    /// The offset at which each line or record starts.
    starts: &'a [usize],
    patterns: &'a [usize],
    candidates: Vec<OverhangCandidate>,
}

impl HitSink for CandidateSink<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        // Hits arrive in the order of their ends, so only the candidates of the last line or record are not in order.
        let last = self.candidates.last().map_or(0, |last| last.item);
        let known = self.candidates.partition_point(|candidate| candidate.item < last);
        let mut others = self.candidates.split_off(known);
        others.extend(hits.iter().map(|hit| OverhangCandidate {
            item: self.starts.partition_point(|&start| start < hit.end) - 1,
            pattern: self.patterns[hit.pattern],
        }));
        others.sort_unstable();
        others.dedup();
        self.candidates.append(&mut others);
        ControlFlow::Continue(())
    }
}
