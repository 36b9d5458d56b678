//! Search engines: find the hits of patterns in batches, and align them. Engines do no I/O.
//!
//! Every engine reports the same hits: every end position, in the range that the batch owns, where a pattern matches
//! with at most k edits. The distance of a hit is the least distance of the pattern's matches that end there. The
//! module [`reference`](mod@reference) is the definition.
//!
//! A pattern that is searched for in place of a pattern with constraints may count insertions and deletions only (its
//! edit model). Scanners of all engines but the reference then report the indel distance. Aligners are not asked for
//! alignments of such a pattern.
//!
//! A finder may report more hits than there are. What is true of a hit is decided here, with a matrix: its distance, its
//! start, its constraints. The traits [`Finder`], [`Scanner`] and [`Aligner`] in this file are the contract of finders. Read
//! on in this order:
//!
//! 1. [`reference`](mod@reference) is the oracle of strings: Sellers' recurrence over the whole matrix.
//! 2. `encoder` maps symbols to dense codes. All finders but the reference search codes instead of symbols.
//! 3. `distance` and `match_window` compute the true distance of a candidate within its line or record, and `text_window`
//!    caches encoded text for tracebacks. `deliver` and `partial_batch` hand hits on.
//! 4. `matrix` computes costs and starts of matches with constraints, whose edits a `tally` counts.
//! 5. `refine` has the refinements: limits by kind of edit, edit costs, transpositions and exact groups; matches that hang
//!    over the ends of lines and records.
//! 6. `choice` has the rules that choose among hits, and `later` the matches that take the place of others.
//! 7. `forecast` is the expected time of a search.

#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod deliver;
#[doc(hidden)]
pub mod distance;
#[doc(hidden)]
pub mod encoder;
pub mod forecast;
mod later;
#[doc(hidden)]
pub mod match_window;
#[doc(hidden)]
pub mod matrix;
#[doc(hidden)]
pub mod partial_batch;
#[doc(hidden)]
pub mod reference;
#[doc(hidden)]
pub mod refine;
#[doc(hidden)]
pub mod tally;
#[doc(hidden)]
pub mod text_window;

use std::sync::Arc;
use std::time::Duration;

pub use forecast::Forecast;
pub use later::{excesses, later_match};
pub use refine::constraints::starts::{StartAligner, StartMatch, StartPatterns};

use nigh_device::DeviceError;
use nigh_pattern::PatternSet;
use nigh_text::alignment::{Alignment, Cigar};
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink, LaterMatch};

/// Finds the hits of some patterns in batches, and aligns them. Makes one scanner and one aligner per worker.
pub trait Finder: Send + Sync {
    /// Returns the patterns that the finder searches for.
    fn patterns(&self) -> &Arc<PatternSet>;
    /// Returns a description of the search plan for display, one element per line. The plan depends on the patterns and
    /// on the text seen so far.
    fn description(&self) -> Vec<String>;
    /// Returns the facts about the finder. They change when devices are opened or fail.
    fn facts(&self) -> EngineFacts<'_>;
    /// Estimates the time that one scanner needs for a batch, within a small factor. Returns `None` if the finder
    /// cannot tell.
    fn estimate(&self, _: &Batch) -> Option<Duration> {
        None
    }
    /// Forecasts the time of a search from the patterns alone, within a small factor. Returns `None` if it depends on
    /// the text.
    fn forecast(&self) -> Option<Forecast> {
        None
    }
    /// Makes a scanner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for a scanner.
    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError>;
    /// Makes an aligner.
    ///
    /// # Errors
    /// Fails if the hardware lacks the resources for an aligner.
    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError>;
}

/// Facts about an engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineFacts<'a> {
    /// Name of the engine on the command line.
    pub name: &'static str,
    /// Number of workers needed to keep the hardware busy.
    pub workers: usize,
    /// Number of batches that a worker should have in flight; 1 if submitting them early gains nothing.
    pub in_flight: usize,
    /// Preferred size of a batch, in bytes.
    pub batch_bytes: usize,
    /// The failure after which the engine fell back to another engine, if any.
    pub failure: Option<&'a EngineError>,
}

/// Scans batches and owns the buffers for them.
pub trait Scanner: Send {
    /// Starts the search of a batch if a device does it, and returns whether it did. Call [`search`](Self::search) with
    /// the same batch and the same `wanted` hits to wait for the hits. Batches are searched in the order in which they
    /// were submitted, and there are at most [`in_flight`](EngineFacts::in_flight) at a time. The scanner shares a batch
    /// until it is searched.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    fn submit(&mut self, _: &Arc<Batch<'static>>, _: WantedHits) -> Result<bool, EngineError> {
        Ok(false)
    }

    /// Passes hits that end in the range that the batch owns to the sink `hits`, in chunks, ordered by (end, pattern): the
    /// `wanted` hits, and maybe others. Stops early when the sink returns `Break`.
    ///
    /// # Errors
    /// Fails if the hardware fails. Hits delivered before the failure are valid.
    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError>;

    /// Passes every hit that ends in the range that the batch owns to the sink `hits`, as [`search`](Self::search) does.
    ///
    /// # Errors
    /// Fails as [`search`](Self::search) does.
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        self.search(batch, WantedHits::All, hits)
    }
}

/// The hits of each line or record that a search must find. It may find others too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedHits {
    /// All hits.
    All,
    /// All hits, most of which will be aligned: a device traces them with the search.
    Aligned,
    /// The first hit and the last one, and of a long line, those of each of its parts that have hits.
    Outermost,
    /// Any hit. For an expression that is searched for as strings, its distance is that of some match with this end, which
    /// may not be the least.
    One,
}

impl WantedHits {
    /// Returns whether all hits are wanted.
    pub fn are_all(self) -> bool {
        matches!(self, WantedHits::All | WantedHits::Aligned)
    }
}

/// Traces hits back to their start.
pub trait Aligner: Send {
    /// Appends one alignment per hit to `out`, in the order of the hits. Ties between alignments of equal distance are
    /// broken on the walk back from the end: first the diagonal step, then the pattern-only step, then the text-only
    /// step.
    ///
    /// `hits` must be hits that a scanner of this engine reported for this batch, all or some of them, ordered by end.
    ///
    /// # Errors
    /// Fails if the hardware fails.
    ///
    /// # Panics
    /// May panic on other hits, or append meaningless alignments. Never accesses memory out of bounds.
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError>;

    /// Returns the start and the excess of the match of each hit, as its alignment has them. `None` if computing them
    /// is no cheaper than aligning. `hits` have no start, and must be hits that [`align`](Self::align) accepts.
    fn places(&mut self, _: &Batch, hits: &[Hit]) -> Vec<Option<MatchPlace>> {
        vec![None; hits.len()]
    }

    /// Appends the shown matches of a line with at most `max_distance` edits to `shown`, in order. `hits` are hits of the
    /// line, ordered by end, and at least the [needed](Self::needed_hits) ones. If they are all hits, the matches of other
    /// hits do not count. Returns `false` if the shown matches must be selected from the matches of all hits, one distance
    /// at a time.
    fn add_shown_matches(
        &mut self,
        _: &Batch,
        _hits: (&[Hit], WantedHits),
        _max_distance: usize,
        _shown: &mut ShownMatches,
    ) -> bool {
        false
    }

    /// Returns the hits of a line that [`add_shown_matches`](Self::add_shown_matches) needs.
    fn needed_hits(&self) -> WantedHits {
        WantedHits::All
    }

    /// Returns for each match without edits, which has a start, whether a match with this start that Perl would find ends
    /// elsewhere. It is `false` unless an expression [ends as in Perl](nigh_pattern::Expression::ends_as_in_perl).
    fn end_elsewhere(&mut self, _: &Batch, matches: &[Hit]) -> Vec<bool> {
        vec![false; matches.len()]
    }

    /// Implements [`later_match`] for regular expressions.
    fn later_match(&mut self, _: &Batch, _: Hit, _: usize) -> Option<LaterMatch> {
        None
    }
}

/// The matches shown in lines.
#[derive(Debug, Default)]
pub struct ShownMatches {
    /// The matches, with their starts.
    pub hits: Vec<Hit>,
    /// Whether their alignments are wanted.
    pub are_aligned: bool,
    /// The edits of each match, if alignments are wanted.
    pub cigars: Vec<Cigar>,
}

/// Start of the match of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchPlace {
    /// Offset in the batch of the first byte.
    pub start: usize,
    /// The difference between the insertions and the deletions of the match; one more if a match without edits
    /// [ends elsewhere](Aligner::end_elsewhere).
    pub excess: usize,
}

/// An error that keeps an engine from being built, or from continuing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The patterns distinguish more classes of symbols than there are codes.
    #[error(
        "the patterns have {classes} classes of symbols, but at most {max} are supported; search for fewer patterns at a time"
    )]
    TooManyClasses {
        /// The number of classes in the patterns.
        classes: usize,
        /// The largest number of classes allowed.
        max: usize,
    },
    /// A pair of strings whose score may not fit into 32 bits.
    #[error(
        "strings of {query} and {target} symbols are too long for scores of 32 bits; compare shorter strings, or use smaller scores"
    )]
    PairTooLong {
        /// Number of symbols of the query.
        query: usize,
        /// Number of symbols of the target.
        target: usize,
    },
    /// A device is missing or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// The number of bytes to search, if known.
pub type InputSize = Option<u64>;
