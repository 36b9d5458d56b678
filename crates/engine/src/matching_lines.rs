//! Finds the lines with which records of several lines begin, such as the messages of a log with their stack traces.

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bstr::ByteSlice;
use memchr::{memchr, memrchr};

use super::{Engine, engine};
use crate::EngineChoice;
use nigh_pattern::{MaxEdits, PatternError, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, RecordStarts};
use nigh_text::hit::{Hit, HitSink};
use nigh_verify::{EngineError, WantedHits};

/// The lines that a regular expression matches without edits, as the first lines of records.
pub struct MatchingLines {
    expression: Box<[u8]>,
    engine: Arc<Engine>,
}

/// The reason why an expression cannot find the first lines of records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchingLinesError {
    /// The expression is not valid.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The engine does not support the expression.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl MatchingLines {
    /// Makes the rule of the lines, which end with the byte `terminator`, that `expression` matches. `alphabet` is one of
    /// text.
    ///
    /// # Errors
    /// Fails if the expression is not valid, or if the engine on the CPU does not support it.
    pub fn new(expression: &[u8], alphabet: Alphabet, terminator: u8) -> Result<Self, MatchingLinesError> {
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(0)).terminator(terminator);
        let patterns = builder.build(&[PatternSource::new(expression)])?;
        let engine = engine(EngineChoice::cpu(), Arc::new(patterns), 1)?;
        engine.scanner()?;
        Ok(MatchingLines { expression: expression.into(), engine })
    }

    /// Returns the preferred size in bytes of the batches of lines.
    pub fn batch_bytes(&self) -> usize {
        self.engine.facts().batch_bytes
    }
}

/// The lines of a batch that have a hit.
struct HitLines<'b> {
    batch: &'b Batch<'b>,
    terminator: u8,
    /// Offsets at which the lines start.
    starts: Vec<usize>,
    /// Offset of the end of the last of these lines.
    end: usize,
}

impl HitSink for HitLines<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        let bytes = self.batch.bytes();
        for hit in hits {
            if self.starts.is_empty() || self.end < hit.end {
                self.starts.push(memrchr(self.terminator, &bytes[..hit.end]).map_or(0, |line_end| line_end + 1));
                self.end = memchr(self.terminator, &bytes[hit.end..]).map_or(bytes.len(), |length| hit.end + length);
            }
        }
        ControlFlow::Continue(())
    }
}

impl fmt::Display for MatchingLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expression.as_bstr().fmt(f)
    }
}

impl RecordStarts for MatchingLines {
    fn of(&self, lines: &Batch<'_>) -> Vec<usize> {
        let terminator = lines.terminator().expect("records of lines are in text");
        let mut found = HitLines { batch: lines, terminator, starts: Vec::new(), end: 0 };
        let mut scanner = self.engine.scanner().expect("the first scanner could be made");
        scanner.search(lines, WantedHits::One, &mut found).expect("a search on the CPU does not fail");
        let patterns = self.engine.patterns();
        if patterns.empty().is_empty() {
            return found.starts;
        }
        let (bytes, mut with_hits) = (lines.bytes(), found.starts.into_iter().peekable());
        let is_selected = |line: &Range<usize>| {
            with_hits.next_if_eq(&line.start).is_some() || patterns.has_empty_match(&bytes[line.clone()])
        };
        lines.lines_in(0..bytes.len()).filter(is_selected).map(|line| line.start).collect()
    }
}
