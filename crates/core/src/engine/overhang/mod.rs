//! Matches of patterns that hang over the start or the end of a line or record (`--overhang`), on top of any engine.
//!
//! A match is an alignment of a part of the pattern with a part of the text. The symbols of the pattern before that
//! part hang over the start of the line or record, and those after it over its end. The distance of a hit is the least
//! sum of edits and costs of these symbols, rounded down. Without an overhang this is Sellers' definition.
//!
//! The inner engine finds the matches without an overhang. `last_column` finds the patterns that match with an
//! overhang, from the symbols beside the ends of the lines and records (`ends`). For a match over the end its sum is
//! exact. For the few other matches, Sellers' matrix is computed (`matrix`), over the overlapping symbols of pattern
//! and text, or over a text that is shorter than the pattern.

mod ends;
mod last_column;
mod matrix;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use self::ends::TextConditions;
use self::last_column::{Direction, EndTexts, FirstColumn, Overlap, OverlapFinder};
use self::matrix::{BestOverhang, OverhangCase, OverhangMatrix, OverhangStart};
use super::encoder::{Classes, Code};
use super::match_window::MatchWindow;
use super::merging_sink::MergingSink;
use super::text_item::{TextItem, text_items};
use super::verify::verify;
use super::{Aligner, Engine, EngineError, EngineFacts, Scanner};
use crate::alignment::Alignment;
use crate::batch::Batch;
use crate::hit::{Hit, HitSink};
use crate::pattern::{Overhang, OverhangLimits, Pattern, PatternSet};
use crate::simd::isa::Isa;
use crate::text::{PlacedSymbol, next_symbol, symbols};

/// Number of lines or records whose ends are searched together. Their codes stay in the L1 cache.
const ITEMS: usize = 64;

/// An engine for patterns that may hang over the ends of lines and records.
pub(super) struct OverhangEngine {
    inner: Arc<dyn Engine>,
    overhang: Overhang,
    classes: Classes,
    conditions: Option<TextConditions>,
    over_end: OverlapFinder,
    /// Finds matches over the start, with reversed patterns.
    over_start: OverlapFinder,
    /// Largest number of text symbols that a match covers.
    longest: usize,
    /// Largest number of text symbols that a match over both ends covers.
    longest_over_both: usize,
}

impl OverhangEngine {
    /// Makes an engine that adds the matches with overhangs to those of `inner`. The patterns have neither constraints
    /// nor edges.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(inner: Arc<dyn Engine>, overhang: Overhang, isa: Isa) -> Result<Self, EngineError> {
        let set = inner.patterns().clone();
        let limited = set.patterns().iter().map(|pattern| (pattern, pattern.overhang_limits(overhang))).enumerate();
        let limited = limited.map(|(index, (pattern, limits))| (index, pattern, limits));
        let patterns: Vec<_> = limited.filter(|(_, _, limits)| limits.max_overhang > 0).collect();
        let classes = Classes::new(&set)?;
        let longest = |beyond| {
            let lengths = patterns.iter().map(|(_, pattern, limits)| limits.longest(pattern.symbols().len(), beyond));
            lengths.max().unwrap_or(0)
        };
        Ok(OverhangEngine {
            conditions: patterns.first().map(|(_, pattern, _)| TextConditions::new(set.alphabet(), pattern)),
            over_end: OverlapFinder::new(&patterns, &classes, Direction::Forward, isa),
            over_start: OverlapFinder::new(&patterns, &classes, Direction::Backward, isa),
            longest: longest(1),
            longest_over_both: longest(2),
            classes,
            overhang,
            inner,
        })
    }

    fn pattern(&self, index: usize) -> &Pattern {
        &self.inner.patterns().patterns()[index]
    }

    fn limits(&self, index: usize) -> OverhangLimits {
        self.pattern(index).overhang_limits(self.overhang)
    }
}

impl Engine for OverhangEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        self.inner.patterns()
    }

    fn plan(&self) -> Vec<String> {
        let mut lines = self.inner.plan();
        lines.push("patterns that hang over a start or an end: the last column of Myers' matrix".to_owned());
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        self.inner.facts()
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        self.inner.estimate(batch)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let texts = |stride, first_column| PlacedTexts::new(EndTexts::new(stride, &self.classes, first_column));
        Ok(Box::new(OverhangScanner {
            engine: self,
            inner: self.inner.scanner()?,
            tails: texts(self.longest, FirstColumn::Deletions),
            heads: texts(self.longest, FirstColumn::Deletions),
            wholes: texts(self.longest_over_both, FirstColumn::Free),
            overlaps: Vec::new(),
            codes: Vec::new(),
            starts: Vec::new(),
        }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(OverhangAligner { engine: self, inner: self.inner.aligner()? }))
    }
}

/// Texts at ends, and their ranges in the batch.
struct PlacedTexts {
    texts: EndTexts,
    ranges: Vec<Range<usize>>,
}

impl PlacedTexts {
    fn new(texts: EndTexts) -> Self {
        PlacedTexts { texts, ranges: Vec::new() }
    }

    fn push(&mut self, range: Range<usize>, codes: impl ExactSizeIterator<Item = Code>) {
        self.texts.push(codes);
        self.ranges.push(range);
    }

    fn clear(&mut self) {
        self.texts.clear();
        self.ranges.clear();
    }
}

struct OverhangScanner<'a> {
    engine: &'a OverhangEngine,
    inner: Box<dyn Scanner + 'a>,
    /// The last symbols of lines and records.
    tails: PlacedTexts,
    /// The first symbols of lines and records, reversed.
    heads: PlacedTexts,
    /// The lines and records that are so short that a match may hang over both ends.
    wholes: PlacedTexts,
    overlaps: Vec<Overlap>,
    codes: Vec<Code>,
    /// Offsets of the symbols of `codes`, which are not used.
    starts: Vec<usize>,
}

impl Scanner for OverhangScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let found = self.hits(batch);
        let mut sink = MergingSink::new(&found, &Some, hits);
        self.inner.scan(batch, &mut sink)?;
        sink.finish();
        Ok(())
    }

    fn select(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let found = self.hits(batch);
        let mut sink = MergingSink::new(&found, &Some, hits);
        self.inner.select(batch, &mut sink)?;
        sink.finish();
        Ok(())
    }
}

impl OverhangScanner<'_> {
    /// Returns the hits with overhangs that the batch owns, ordered by (end, pattern), each with the least distance.
    fn hits(&mut self, batch: &Batch) -> Vec<Hit> {
        let mut found = Vec::new();
        let Some(conditions) = self.engine.conditions else { return found };
        let mut items = text_items(batch).peekable();
        while items.peek().is_some() {
            for item in items.by_ref().take(ITEMS) {
                self.add_item(batch, conditions, item);
            }
            self.add_hits(batch, &mut found);
        }
        found
    }

    /// Adds the ends of a line or record to the texts to search.
    fn add_item(&mut self, batch: &Batch, conditions: TextConditions, item: TextItem) {
        let (bytes, engine) = (batch.bytes(), self.engine);
        let item = conditions.allowed(bytes, item);
        let head = if item.opens { conditions.head(bytes, &item, engine.longest) } else { 0..0 };
        if head.end > batch.owned().start && !head.is_empty() {
            self.encode(bytes, &head);
            self.heads.push(head, self.codes.iter().rev().copied());
        }
        let tail = if item.closes { conditions.tail(bytes, &item, engine.longest) } else { 0..0 };
        if batch.owns(tail.end) && !tail.is_empty() {
            self.encode(bytes, &tail);
            let is_whole = item.opens && tail.start == item.bytes.start;
            if is_whole && self.codes.len() <= engine.longest_over_both {
                self.wholes.push(tail.clone(), self.codes.iter().copied());
            }
            self.tails.push(tail, self.codes.iter().copied());
        }
    }

    /// Replaces `codes` by those of a part of a line or record.
    fn encode(&mut self, bytes: &[u8], part: &Range<usize>) {
        self.codes.clear();
        self.starts.clear();
        self.engine.classes.encode(bytes, part.clone(), &mut self.codes, &mut self.starts);
    }

    /// Appends the hits in the texts to `found`, and forgets the texts.
    fn add_hits(&mut self, batch: &Batch, found: &mut Vec<Hit>) {
        let mut hits = Vec::new();
        self.add_hits_over_end(&mut hits);
        self.add_hits_over_start(batch, &mut hits);
        self.add_hits_over_both(batch, &mut hits);
        [&mut self.tails, &mut self.heads, &mut self.wholes].into_iter().for_each(PlacedTexts::clear);
        hits.sort_unstable();
        hits.dedup_by_key(|hit| (hit.end, hit.pattern));
        found.append(&mut hits);
    }

    fn add_hits_over_end(&mut self, found: &mut Vec<Hit>) {
        self.overlaps.clear();
        self.engine.over_end.find(&self.tails.texts, FirstColumn::Deletions, &mut self.overlaps);
        for &Overlap { text, pattern, sum, .. } in &self.overlaps {
            let end = self.tails.ranges[text].end;
            let distance = self.engine.limits(pattern).distance(sum);
            found.extend(distance.map(|distance| Hit { end, pattern, distance, start: None }));
        }
    }

    fn add_hits_over_start(&mut self, batch: &Batch, found: &mut Vec<Hit>) {
        self.overlaps.clear();
        self.engine.over_start.find(&self.heads.texts, FirstColumn::Deletions, &mut self.overlaps);
        for &Overlap { text, pattern: index, longest, .. } in &self.overlaps {
            let (pattern, limits) = (self.engine.pattern(index), self.engine.limits(index));
            // A match over the start consists of at most these last symbols of the pattern.
            let first = pattern.symbols().len() - longest;
            let columns = longest + limits.max_edits(first).unwrap_or(0);
            let text = placed_symbols(self.engine.patterns(), batch, &self.heads.ranges[text], columns);
            let start = OverhangStart::Over(first..limits.max_overhang + 1);
            let case = OverhangCase { symbols: &pattern.symbols()[first..], first, limits, text: &text, start };
            let matrix = OverhangMatrix::new(case);
            let hits = matrix.sums_by_end().zip(&text).filter_map(|(sum, placed)| {
                let distance = limits.distance(sum)?;
                Some(Hit { end: placed.end, pattern: index, distance, start: None })
            });
            found.extend(hits.filter(|hit| batch.owns(hit.end)));
        }
    }

    fn add_hits_over_both(&mut self, batch: &Batch, found: &mut Vec<Hit>) {
        self.overlaps.clear();
        self.engine.over_end.find(&self.wholes.texts, FirstColumn::Free, &mut self.overlaps);
        for &Overlap { text, pattern: index, .. } in &self.overlaps {
            let (pattern, limits) = (self.engine.pattern(index), self.engine.limits(index));
            let range = &self.wholes.ranges[text];
            let text = placed_symbols(self.engine.patterns(), batch, range, usize::MAX);
            let starts = starts_over(limits, starts_at_once(pattern, limits, text.len()));
            let best = starts.filter_map(|start| {
                let matrix = OverhangMatrix::new(OverhangCase::new(pattern, limits, &text, start.clone()));
                Some(matrix.best(1..most_after(&start, limits) + 1)?.sum)
            });
            let distance = best.min().and_then(|sum| limits.distance(sum));
            found.extend(distance.map(|distance| Hit { end: range.end, pattern: index, distance, start: None }));
        }
    }
}

/// Returns the first symbols of a range of the batch, at most `count`.
fn placed_symbols(set: &PatternSet, batch: &Batch, range: &Range<usize>, count: usize) -> Vec<PlacedSymbol> {
    let shift = range.start;
    let placed = symbols(set.alphabet(), &batch.bytes()[range.clone()]).take(count);
    placed.map(|placed| PlacedSymbol { start: placed.start + shift, end: placed.end + shift, ..placed }).collect()
}

/// Returns the number of starts before a text of `length` symbols that one matrix may cover, for matches that hang over
/// both ends: all starts, or one if symbols beyond the end of the text may make the overlap too short.
fn starts_at_once(pattern: &Pattern, limits: OverhangLimits, length: usize) -> usize {
    if length >= limits.min_overlap + pattern.k() { limits.max_overhang } else { 1 }
}

/// Returns the starts of matches that hang over the start of a text, in ranges of `at_once`.
fn starts_over(limits: OverhangLimits, at_once: usize) -> impl Iterator<Item = OverhangStart> {
    (1..=limits.max_overhang).step_by(at_once).map(move |first| OverhangStart::Over(first..first + at_once))
}

/// Returns the largest number of symbols beyond the end of a text for a match with this start.
fn most_after(start: &OverhangStart, limits: OverhangLimits) -> usize {
    match start {
        OverhangStart::Inside => limits.max_overhang,
        OverhangStart::Over(range) => limits.max_overhang - range.start,
    }
}

struct OverhangAligner<'a> {
    engine: &'a OverhangEngine,
    inner: Box<dyn Aligner + 'a>,
}

impl Aligner for OverhangAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let over: Vec<Option<Alignment>> = hits.iter().map(|hit| self.engine.overhanging(batch, hit)).collect();
        let inside = hits.iter().zip(&over).filter(|(_, alignment)| alignment.is_none());
        let inside: Vec<Hit> = inside.map(|(hit, _)| *hit).collect();
        let mut aligned = Vec::with_capacity(inside.len());
        self.inner.align(batch, &inside, &mut aligned)?;
        let mut aligned = aligned.into_iter();
        out.extend(
            over.into_iter()
                .map(|alignment| alignment.unwrap_or_else(|| aligned.next().expect("one alignment per hit"))),
        );
        Ok(())
    }
}

impl OverhangEngine {
    /// Returns the alignment of a hit whose distance only matches with an overhang reach; `None` if a match without an
    /// overhang has the same distance. Of several matches with the least sum, prefers one that does not hang over the
    /// start.
    fn overhanging(&self, batch: &Batch, hit: &Hit) -> Option<Alignment> {
        let (alphabet, pattern, limits) =
            (self.patterns().alphabet(), self.pattern(hit.pattern), self.limits(hit.pattern));
        let window = MatchWindow::before(alphabet, batch, pattern, hit.end);
        let around = batch.surroundings(hit.end, 1);
        let at_end = around.closes && next_symbol(alphabet, &batch.bytes()[..around.bytes.end], hit.end).is_none();
        let text = window.longest_match(pattern);
        let plain = || verify(alphabet, batch, pattern, *hit);
        if limits.max_overhang == 0
            || (!text.opens && !at_end)
            || plain().is_some_and(|plain| plain.distance <= hit.distance)
        {
            return None;
        }
        let at_once = if at_end { starts_at_once(pattern, limits, text.symbols.len()) } else { limits.max_overhang };
        let over_start = starts_over(limits, at_once).take_while(|_| text.opens);
        let matrices = at_end.then_some(OverhangStart::Inside).into_iter().chain(over_start).filter_map(|start| {
            let after = match (&start, at_end) {
                (OverhangStart::Inside, _) => 1..limits.max_overhang + 1,
                (OverhangStart::Over(_), true) => 0..most_after(&start, limits) + 1,
                (OverhangStart::Over(_), false) => 0..1,
            };
            let matrix = OverhangMatrix::new(OverhangCase::new(pattern, limits, &text.symbols, start));
            let best = matrix.best(after)?;
            Some((matrix, best))
        });
        let (matrix, BestOverhang { after, .. }) = matrices.min_by_key(|(_, best)| best.sum)?;
        let cigar = matrix.cigar(after);
        let start = text.symbols[text.symbols.len() - cigar.text_length()].start;
        Some(Alignment { start, end: hit.end, cigar })
    }
}
