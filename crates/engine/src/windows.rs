//! Searches only the parts of lines and records that matches can cover, if the patterns have edges or a range of
//! positions that hold matches at one end (`^`, `$`, `-x`, `--within`).
//!
//! The parts are copied to a smaller batch, each as a line or record of its own, and hits are moved back. A part at the
//! start of a line or record ends one symbol after the last symbol that a match can cover, and a part at the end starts
//! one symbol before the first symbol that a match can cover. So a finder judges edges and positions in a part
//! as in the whole. If some patterns match at the start of lines and others at the end, a pattern may wrongly match
//! where a line was cut, so its hits are verified in the whole batch. Records need no such check, because a segment
//! tells whether its record was cut there. Expressions have windows in sequences only, and none where lines would have to be verified, which is for strings.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use nigh_pattern::{Pattern, PatternSet};
use nigh_text::alphabet::{Alphabet, count_residues, is_residue};
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_text::text::MAX_SYMBOL_BYTES;
use nigh_text::text_item::{TextItem, text_items};
use nigh_verify::distance::verify;
use nigh_verify::partial_batch::PartialBatch;
use nigh_verify::{EngineError, WantedHits};

/// The largest share of the text that is copied. With a larger share, all of the text is searched.
const MAX_SHARE: f64 = 0.5;
/// The number of batches that are searched as a whole after a batch of which too much would be copied.
const REST: u32 = 16;
/// The estimated time of a search for each byte of text, in seconds, below which copying does not pay: finding lines
/// and copying their starts takes about as long.
const MIN_SECONDS: f64 = 200e-12;

/// Chooses the parts of lines and records to search.
pub(crate) struct Windows {
    patterns: Arc<PatternSet>,
    sizes: WindowSizes,
}

impl Windows {
    /// Returns the windows of patterns, which are strings or expressions; `None` if they may match anywhere.
    pub(crate) fn of(patterns: &Arc<PatternSet>) -> Option<Self> {
        if patterns.has_expressions() && !patterns.alphabet().is_sequence() {
            return None;
        }
        Some(Windows { sizes: WindowSizes::of(patterns)?, patterns: patterns.clone() })
    }

    /// Returns a description for display.
    pub(crate) fn description(&self) -> String {
        let WindowSizes { head, tail, whole } = self.sizes;
        let sizes = [(head, "the first"), (tail, "the last"), (whole, "all if there are at most")];
        let parts = sizes.iter().filter(|(size, _)| *size > 0).map(|(size, part)| format!("{part} {size} symbols"));
        let parts = parts.collect::<Vec<_>>().join(", ");
        format!("of each line or record only {parts} are searched, unless these are over half of the text")
    }

    /// Returns the share of a batch that is searched. The search of all of it is estimated to take the time `whole`.
    pub(crate) fn share(&self, batch: &Batch, whole: Option<Duration>) -> f64 {
        let parts = if is_slow(batch, whole) { self.parts(batch, Vec::new()) } else { None };
        parts.map_or(1.0, |parts| parts.batch.bytes().len() as f64 / batch.bytes().len().max(1) as f64)
    }

    /// Returns whether hits in the parts must be verified: if parts of lines were cut for several patterns, a hit may be wrong
    /// in the whole batch. It might be the only hit found in a line.
    fn are_verified(&self, batch: &Batch) -> bool {
        batch.lines().is_some() && self.sizes.is_mixed()
    }

    /// Copies the parts to search to `buffer`; returns `None` if they are too large, or if hits of expressions would have to be
    /// verified.
    fn parts(&self, batch: &Batch, buffer: Vec<u8>) -> Option<PartialBatch> {
        if self.patterns.has_expressions() && self.are_verified(batch) {
            return None;
        }
        let text: usize = batch.runs().map(|run| run.len()).sum();
        let max_bytes = (MAX_SHARE * text as f64) as usize;
        let alphabet = self.patterns.alphabet();
        let items = text_items(batch).filter(|item| !item.bytes.is_empty());
        let parts = items.flat_map(|item| self.sizes.parts(alphabet, batch.bytes(), item)).flatten();
        PartialBatch::of_items(batch, parts, buffer, max_bytes)
    }
}

/// Returns whether a search of the batch takes so long that copying parts may pay.
fn is_slow(batch: &Batch, whole: Option<Duration>) -> bool {
    let seconds = |time: Duration| time.as_secs_f64() / batch.owned().len().max(1) as f64;
    whole.is_none_or(|time| seconds(time) >= MIN_SECONDS)
}

/// Searches the windows of one batch after the other.
pub(crate) struct WindowSearch<'a> {
    windows: &'a Windows,
    buffer: Vec<u8>,
    /// The number of batches to search as a whole.
    rest: u32,
}

impl<'a> WindowSearch<'a> {
    pub(crate) fn new(windows: &'a Windows) -> Self {
        WindowSearch { windows, buffer: Vec::new(), rest: 0 }
    }

    /// Searches a batch, or the parts of it that matches can cover, with `search`, and passes the hits on to `hits`.
    /// `estimate` returns the estimated time for all of the batch.
    ///
    /// # Errors
    /// Errors of `search`.
    pub(crate) fn search(
        &mut self,
        (batch, wanted): (&Batch, WantedHits),
        estimate: impl FnOnce() -> Option<Duration>,
        hits: &mut dyn HitSink,
        search: impl FnOnce(&Batch, WantedHits, &mut dyn HitSink) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let Some(parts) = self.parts(batch, estimate) else { return search(batch, wanted, hits) };
        let (patterns, is_verified) = (&self.windows.patterns, self.windows.are_verified(batch));
        let verified_in = is_verified.then_some(batch);
        let mut sink = PartSink { patterns, verified_in, parts: &parts, moved: Vec::new(), sink: hits };
        search(&parts.batch, if is_verified { WantedHits::All } else { wanted }, &mut sink)?;
        self.buffer = parts.batch.into_buffer().into_vec();
        Ok(())
    }

    /// Returns the parts of the batch to search; `None` if all of it is to be searched.
    fn parts(&mut self, batch: &Batch, estimate: impl FnOnce() -> Option<Duration>) -> Option<PartialBatch> {
        if self.rest > 0 {
            self.rest -= 1;
            return None;
        }
        if !is_slow(batch, estimate()) {
            return None;
        }
        let parts = self.windows.parts(batch, std::mem::take(&mut self.buffer));
        if parts.is_none() {
            self.rest = REST;
        }
        parts
    }
}

/// Moves the hits of parts to the whole batch, and passes them on to a sink.
struct PartSink<'a> {
    patterns: &'a PatternSet,
    /// The whole batch, if hits must be verified in it.
    verified_in: Option<&'a Batch<'a>>,
    parts: &'a PartialBatch,
    moved: Vec<Hit>,
    sink: &'a mut dyn HitSink,
}

impl PartSink<'_> {
    fn verified(&self, hit: Hit) -> Option<Hit> {
        let Some(batch) = self.verified_in else { return Some(hit) };
        verify(self.patterns.alphabet(), batch, &self.patterns.patterns()[hit.pattern], hit)
    }
}

impl HitSink for PartSink<'_> {
    fn accept(&mut self, hits: &[Hit]) -> ControlFlow<()> {
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        moved.extend(hits.iter().filter_map(|&hit| self.verified(self.parts.moved(hit))));
        self.moved = moved;
        if self.moved.is_empty() { ControlFlow::Continue(()) } else { self.sink.accept(&self.moved) }
    }
}

/// The parts of a line or record that matches of some patterns can cover. Sizes are in bytes of ASCII text or in
/// residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WindowSizes {
    /// The size of the part at the start, for patterns whose matches are near the start; 0 if there are none.
    head: usize,
    /// The size of the part at the end, for patterns whose matches are near the end; 0 if there are none.
    tail: usize,
    /// The size up to which a line or record is searched as a whole, for patterns whose matches are near both ends; 0
    /// if there are none.
    whole: usize,
}

impl WindowSizes {
    /// Returns the sizes for all patterns; `None` if there are no patterns, or one of them may match anywhere.
    fn of(set: &PatternSet) -> Option<Self> {
        let patterns = set.patterns().iter();
        let sizes = patterns.map(WindowSizes::of_pattern);
        sizes.reduce(|all, sizes| Some(all?.max(sizes?)))?
    }

    fn of_pattern(pattern: &Pattern) -> Option<Self> {
        let within = pattern.within();
        let of_edge = |is_at_end: bool| is_at_end.then_some(pattern.max_match_len() + 1);
        let [is_at_start, is_at_end] = pattern.is_at_ends();
        // One more symbol, because edges depend on it.
        let of_range = |units: Option<u64>| units.map(|units| size(units).saturating_add(1));
        let head = least(of_edge(is_at_start), of_range(within.last_end()));
        let tail = least(of_edge(is_at_end), of_range(within.first_start()));
        // A part is so large that a bound that counts from its other end holds in the part if it holds in the whole
        // line or record.
        let reach = within.reach();
        match (head, tail) {
            (None, None) => None,
            (Some(head), None) => {
                Some(WindowSizes { head: head.saturating_add(size(reach.from_end)), ..WindowSizes::default() })
            }
            (None, Some(tail)) => {
                Some(WindowSizes { tail: tail.saturating_add(size(reach.from_start)), ..WindowSizes::default() })
            }
            (Some(head), Some(tail)) => {
                Some(WindowSizes { whole: head.saturating_add(tail), ..WindowSizes::default() })
            }
        }
    }

    fn max(self, other: Self) -> Self {
        WindowSizes {
            head: self.head.max(other.head),
            tail: self.tail.max(other.tail),
            whole: self.whole.max(other.whole),
        }
    }

    /// Returns whether a pattern may be searched for in parts that were cut for other patterns.
    fn is_mixed(self) -> bool {
        [self.head, self.tail, self.whole].iter().filter(|&&size| size > 0).count() > 1
    }

    /// Returns the parts of a line or record to search: none, one, or one at each end.
    fn parts(self, alphabet: Alphabet, bytes: &[u8], item: TextItem) -> [Option<TextItem>; 2] {
        let text = &bytes[item.bytes.clone()];
        let (opens, closes) = (item.opens, item.closes);
        // If a line started in an earlier batch, the position of its part in this batch is not known.
        let position = if alphabet.is_sequence() || opens { Some(size(item.position)) } else { None };
        let left = |size: usize| position.map_or(0, |position| size.saturating_sub(position));
        let head = head_end(alphabet, text, left(self.head));
        let tail = if closes { tail_start(alphabet, text, self.tail) } else { text.len() };
        let is_short = || closes && head_end(alphabet, text, left(self.whole)) == text.len();
        if head >= tail || is_short() {
            return [Some(item), None];
        }
        let start = item.bytes.start;
        // The part at the end is long enough that its position may be taken to be 0.
        let at_end = TextItem { bytes: start + tail..item.bytes.end, position: 0, opens: false, closes };
        let at_start = TextItem { bytes: start..start + head, closes: false, ..item };
        let filled = |part: TextItem| if part.bytes.is_empty() { None } else { Some(part) };
        [filled(at_start), filled(at_end)]
    }
}

/// Returns a number of units as a size.
fn size(units: u64) -> usize {
    usize::try_from(units).unwrap_or(usize::MAX)
}

/// Returns the lesser of two sizes, either of which may be missing.
fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

/// Returns an offset in `text` after at least `count` symbols and at least `count` bytes, or its length if it has
/// fewer. Of the symbols before the offset, only the last may be cut, and only in text that is not ASCII.
fn head_end(alphabet: Alphabet, text: &[u8], count: usize) -> usize {
    let head = &text[..count.min(text.len())];
    if alphabet.is_sequence() {
        if count_residues(head) == head.len() {
            return head.len();
        }
        let mut residues = text.iter().enumerate().filter(|(_, byte)| is_residue(**byte));
        return residues.nth(count.saturating_sub(1)).map_or(text.len(), |(at, _)| at + 1);
    }
    if head.is_ascii() { head.len() } else { count.saturating_mul(MAX_SYMBOL_BYTES).min(text.len()) }
}

/// Returns an offset in `text` before at least `count` symbols and at least `count` bytes, or 0 if it has fewer. Of the
/// symbols after the offset, only the first may be cut.
fn tail_start(alphabet: Alphabet, text: &[u8], count: usize) -> usize {
    let start = text.len().saturating_sub(count);
    if alphabet.is_sequence() {
        if count_residues(&text[start..]) == text.len() - start {
            return start;
        }
        let mut residues = text.iter().enumerate().rev().filter(|(_, byte)| is_residue(**byte));
        return residues.nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
    }
    match text[start..].is_ascii() {
        true => start,
        // Where a symbol starts depends on the bytes before it.
        false => text.len().saturating_sub(count.saturating_add(1).saturating_mul(MAX_SYMBOL_BYTES)),
    }
}
