//! The reference engine: the whole matrix of every pattern.
//!
//! Cell (i, j) of the matrix holds the least sum of the ways in which the first i pattern symbols match a text substring
//! that ends after j symbols (`matrix.rs`). A way may start wherever a match may. For a pattern of m symbols and a text
//! of n symbols, the scan takes O(mn) time and O(m) memory; where only some starts are allowed, O(m²) time and memory
//! for each start in turn. Constraints multiply both by the numbers of edits that a match may use.
//!
//! This is the definition of a hit and of an alignment of a string. All other engines are tested against it. It shares
//! nothing with them but the pattern.
//!
//! P. H. Sellers, "The theory and computation of evolutionary distances: pattern recognition", 1980.

mod matrix;

use std::ops::Range;
use std::sync::Arc;

use self::matrix::{End, Rules, WayColumn};
use super::{Aligner, EngineError, EngineFacts, Finder, Scanner, WantedHits};
use nigh_pattern::{Pattern, PatternSet, UNIT};
use nigh_text::alignment::{Alignment, Cigar};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, Segment};
use nigh_text::hit::{Hit, HitSink};
use nigh_text::interrupt;
use nigh_text::text::{PlacedSymbol, symbols};

/// The reference engine.
pub struct ReferenceFinder {
    patterns: Arc<PatternSet>,
    threads: usize,
}

impl ReferenceFinder {
    /// Makes a finder for `patterns`; `threads` is the number of workers it reports.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Self {
        ReferenceFinder { patterns, threads }
    }
}

impl Finder for ReferenceFinder {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn description(&self) -> Vec<String> {
        vec![format!("reference engine, {} workers: the full matrix of every pattern", self.threads)]
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "reference", workers: self.threads, in_flight: 1, batch_bytes: 64 << 10, failure: None }
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(Reference { patterns: &self.patterns }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(Reference { patterns: &self.patterns }))
    }
}

/// A distance larger than any real one, and small enough that sums do not overflow.
const NEVER: usize = usize::MAX / 4;

struct Reference<'a> {
    patterns: &'a PatternSet,
}

impl Scanner for Reference<'_> {
    fn search(&mut self, batch: &Batch, _: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        for text in texts(self.patterns.alphabet(), batch, |_| true) {
            let mut found = Vec::new();
            for (index, pattern) in self.patterns.patterns().iter().enumerate() {
                let rules = Rules::new(pattern, self.patterns.overhang());
                if rules.are_plain() && pattern.max_ambiguous().is_none() {
                    text.plain_hits(pattern, &rules, index, &mut found);
                } else if pattern.is_free() {
                    text.hits(&rules, index, &mut found);
                } else {
                    text.hits_by_start(pattern, &rules, index, &mut found);
                }
            }
            found.retain(|hit| batch.owns(hit.end));
            found.sort_unstable();
            if !found.is_empty() && hits.accept(&found).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Aligner for Reference<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let before = out.len();
        let has_hits = |bytes: &Range<usize>| hits.iter().any(|hit| bytes.contains(&(hit.end - 1)));
        for text in texts(self.patterns.alphabet(), batch, has_hits) {
            let ends = text.symbols.first().map_or(0..0, |first| first.end..text.bytes.end + 1);
            let inside = hits.iter().filter(|hit| ends.contains(&hit.end));
            out.extend(inside.map(|hit| {
                let pattern = &self.patterns.patterns()[hit.pattern];
                text.alignment(pattern, &Rules::new(pattern, self.patterns.overhang()), hit)
            }));
        }
        assert_eq!(out.len() - before, hits.len(), "each hit ends in a line or record of the batch");
        Ok(())
    }
}

/// A line, or a segment of a record.
struct ReferenceText {
    bytes: Range<usize>,
    symbols: Vec<PlacedSymbol>,
    /// Whether the line or record starts with the first symbol.
    opens: bool,
    /// Whether the line or record ends with the last symbol.
    closes: bool,
    /// The position in the line or record of each symbol's start, and of the end of the last symbol.
    positions: Vec<u64>,
    /// The number of ambiguous letters before each symbol. The last element is the number of all ambiguous letters.
    ambiguous: Vec<usize>,
}

/// Returns the lines or segments of a batch that are wanted, given their bytes.
fn texts(alphabet: Alphabet, batch: &Batch, is_wanted: impl Fn(&Range<usize>) -> bool) -> Vec<ReferenceText> {
    let text = |bytes: Range<usize>, opens, closes| {
        let shift = bytes.start;
        let placed = symbols(alphabet, &batch.bytes()[bytes.clone()]);
        let symbols: Vec<PlacedSymbol> =
            placed.map(|p| PlacedSymbol { start: p.start + shift, end: p.end + shift, ..p }).collect();
        let ends = symbols.iter().map(|placed| (placed.end - shift) as u64);
        let positions = std::iter::once(0).chain(ends).collect();
        let mut ambiguous = vec![0];
        for (index, placed) in symbols.iter().enumerate() {
            ambiguous.push(ambiguous[index] + usize::from(alphabet.is_ambiguous(placed.symbol)));
        }
        ReferenceText { bytes, symbols, opens, closes, positions, ambiguous }
    };
    let Some(lines) = batch.lines() else {
        let of_segment = |segment: &Segment| {
            let text = text(segment.bytes.clone(), segment.opens, segment.closes);
            let positions = segment.position..=segment.position + text.symbols.len() as u64;
            ReferenceText { positions: positions.collect(), ..text }
        };
        return batch.segments().iter().filter(|segment| is_wanted(&segment.bytes)).map(of_segment).collect();
    };
    let mut start = 0;
    let mut texts = Vec::new();
    for line in batch.bytes().split_inclusive(|&byte| byte == lines.terminator) {
        let ended = line.ends_with(&[lines.terminator]);
        let stop = start + line.len() - usize::from(ended);
        if is_wanted(&(start..stop)) {
            texts.push(text(start..stop, start > 0 || lines.opens, ended || lines.closes));
        }
        start += line.len();
    }
    texts
}

impl ReferenceText {
    /// Returns whether a match may start just before the symbol with the index `index`.
    fn may_start(&self, pattern: &Pattern, index: usize) -> bool {
        let outside = if index == 0 { None } else { Some(self.symbols[index - 1].symbol) };
        let known = index > 0 || self.opens || pattern.start().is_free();
        let is_within = self.allowed(pattern).start <= self.positions[index];
        known && is_within && pattern.start().holds(outside, self.symbols.get(index).map(|p| p.symbol))
    }

    /// Returns whether a match may end just before the symbol with the index `index`.
    fn may_end(&self, pattern: &Pattern, index: usize) -> bool {
        let outside = self.symbols.get(index).map(|p| p.symbol);
        let known = outside.is_some() || self.closes || pattern.end().is_free();
        let is_within = self.positions[index] <= self.allowed(pattern).end;
        known && is_within && pattern.end().holds(outside, Some(self.symbols[index - 1].symbol))
    }

    /// Returns the range of positions in which matches of the pattern must lie.
    fn allowed(&self, pattern: &Pattern) -> Range<u64> {
        let end = self.positions[self.symbols.len()];
        pattern.within().of_length(if self.closes { end } else { u64::MAX })
    }

    /// Returns whether a match may cover a range of symbols: whether it may start and end there, with as many ambiguous
    /// letters.
    fn allows(&self, pattern: &Pattern, range: Range<usize>) -> bool {
        let ambiguous = self.ambiguous[range.end] - self.ambiguous[range.start];
        self.may_start(pattern, range.start)
            && self.may_end(pattern, range.end)
            && pattern.max_ambiguous().is_none_or(|max| ambiguous <= max)
    }

    /// Returns the rows of the matrix in which a match may start that covers no symbol before the one with the index
    /// `index`.
    fn start_rows(&self, rules: &Rules<'_>, index: usize) -> std::ops::RangeInclusive<usize> {
        if index == 0 && self.opens { rules.rows_over_start() } else { 0..=0 }
    }

    /// Returns whether the text ends after `count` symbols.
    fn ends_after(&self, count: usize) -> bool {
        self.closes && count == self.symbols.len()
    }

    /// Finds the hits of a pattern whose cells have one way and whose matches may have any ambiguous letters. Cell i of
    /// a column is a number: the least distance of the first i pattern symbols from any text substring that ends there.
    fn plain_hits(&self, pattern: &Pattern, rules: &Rules<'_>, index: usize, found: &mut Vec<Hit>) {
        let length = pattern.symbols().len();
        let mut column: Vec<usize> = (0..=length).collect();
        if !self.may_start(pattern, 0) {
            column.fill(NEVER);
        }
        for (before, placed) in self.symbols.iter().enumerate() {
            let (mut diagonal, end) = (column[0], before + 1);
            column[0] = if self.may_start(pattern, end) { 0 } else { column[0] + 1 };
            for (row, set) in pattern.symbols().iter().enumerate() {
                let step = diagonal + usize::from(!set.contains(placed.symbol));
                diagonal = column[row + 1];
                column[row + 1] = step.min(column[row + 1] + 1).min(column[row] + 1);
            }
            let distance = column[length];
            if distance <= pattern.k() && self.may_end(pattern, end) {
                let start = (!pattern.is_free()).then(|| self.start(pattern, rules, end, distance));
                found.push(Hit { end: placed.end, pattern: index, distance, start });
            }
        }
    }

    /// Returns the start offset of the match with the distance `distance` that ends just before the symbol with the
    /// index `end`: of several, the one whose length is closest to the pattern's, then the later one.
    fn start(&self, pattern: &Pattern, rules: &Rules<'_>, end: usize, distance: usize) -> usize {
        let has_distance = |&start: &usize| {
            let text = &self.symbols[start..end];
            let columns = columns(rules, text, |column| (column == 0).then_some(0).into_iter());
            let last = columns.last().expect("there is a column for each symbol");
            rules.ends(last, false).any(|end| end.sum == distance as u64 * UNIT)
        };
        let length = pattern.symbols().len();
        let mut starts: Vec<usize> = (end.saturating_sub(pattern.max_match_len())..end).collect();
        starts.retain(|&start| self.may_start(pattern, start));
        starts.sort_by_key(|start| ((end - start).abs_diff(length), end - start));
        let start = starts.into_iter().find(has_distance).expect("a match with the distance has a start");
        self.symbols[start].start
    }

    /// Finds the hits of a pattern that matches anywhere.
    fn hits(&self, rules: &Rules<'_>, index: usize, found: &mut Vec<Hit>) {
        let mut last: Vec<WayColumn> = Vec::new();
        for count in 0..=self.symbols.len() {
            interrupt::check();
            let column = rules.column(&self.symbols, count, &last, self.start_rows(rules, count));
            let least = rules.ends(&column, self.ends_after(count)).map(|end| end.sum).min();
            found.extend(least.map(|sum| self.hit(count, index, sum, None)));
            last.push(column);
            if last.len() > 2 {
                last.remove(0);
            }
        }
    }

    /// Finds the hits of a pattern that may start and end only at some places. Of the starts with the least distance,
    /// chooses the one whose match length is closest to the pattern's, then the later one.
    fn hits_by_start(&self, pattern: &Pattern, rules: &Rules<'_>, index: usize, found: &mut Vec<Hit>) {
        let length = pattern.symbols().len();
        // For each end, the best match inside of the text, and the least sum of those that hang over.
        let mut inside: Vec<Option<(u64, usize, usize)>> = vec![None; self.symbols.len() + 1];
        let mut over: Vec<Option<u64>> = inside.iter().map(|_| None).collect();
        for start in (0..self.symbols.len()).filter(|&start| self.may_start(pattern, start)) {
            interrupt::check();
            let text = &self.symbols[start..];
            let mut columns: Vec<WayColumn> = Vec::new();
            for covered in 0..=text.len() {
                let rows = if covered == 0 { Some(self.start_rows(rules, start)) } else { None };
                let column = rules.column(text, covered, &columns, rows.into_iter().flatten());
                // A transposition leads over one column.
                let is_dead = |column: &WayColumn| column.iter().all(|cell| cell.is_empty());
                if is_dead(&column) && columns.last().is_none_or(is_dead) {
                    break;
                }
                let end = start + covered;
                if covered > 0 && self.allows(pattern, start..end) {
                    for one in rules.ends(&column, self.ends_after(end)) {
                        let best = (one.sum, covered.abs_diff(length), covered);
                        match one.hangs_over() {
                            false => inside[end] = inside[end].into_iter().chain([best]).min(),
                            true => over[end] = over[end].into_iter().chain([one.sum]).min(),
                        }
                    }
                }
                columns.push(column);
            }
        }
        for (end, (inside, over)) in inside.into_iter().zip(over).enumerate() {
            let fixed =
                inside.map(|(sum, _, covered)| self.hit(end, index, sum, Some(self.symbols[end - covered].start)));
            let hanging = over.map(|sum| self.hit(end, index, sum, None));
            found.extend(fixed.into_iter().chain(hanging).min_by_key(|hit| hit.distance));
        }
    }

    /// Returns the hit of a pattern after the first `count` symbols.
    fn hit(&self, count: usize, pattern: usize, sum: u64, start: Option<usize>) -> Hit {
        Hit { end: self.symbols[count - 1].end, pattern, distance: (sum / UNIT) as usize, start }
    }

    /// Returns the alignment of a hit: of a match inside of the text, unless only matches that hang over have the
    /// distance of the hit.
    fn alignment(&self, pattern: &Pattern, rules: &Rules<'_>, hit: &Hit) -> Alignment {
        let end = self.symbols.partition_point(|placed| placed.end <= hit.end);
        let first = match hit.start {
            Some(start) => self.symbols.partition_point(|placed| placed.start < start),
            None => end.saturating_sub(pattern.max_match_len()),
        };
        let text = &self.symbols[first..end];
        let starts = |column: usize| {
            let index = first + column;
            let is_start = index < end && (column == 0 || hit.start.is_none()) && self.allows(pattern, index..end);
            is_start.then(|| self.start_rows(rules, index)).into_iter().flatten()
        };
        let columns = columns(rules, text, starts);
        let ends: Vec<End> = rules.ends(&columns[text.len()], self.ends_after(end)).collect();
        let is_inside = |end: &&End| !end.hangs_over() && (end.sum / UNIT) as usize <= hit.distance;
        let inside = ends.iter().filter(is_inside).min_by_key(|end| end.rank());
        let best = inside.or_else(|| ends.iter().filter(|end| end.hangs_over()).min_by_key(|end| end.rank()));
        let best = best.expect("the hit has a match").rank();
        let equal: Vec<End> = ends.iter().copied().filter(|end| end.rank() == best).collect();
        let (edits, column) = rules.walk_back(text, &columns, &equal, starts);
        Alignment { start: text[column].start, end: hit.end, cigar: Cigar::from_backward(edits) }
    }
}

/// Returns all columns of a text. `starts` maps a column to the rows in which a match may start.
fn columns<I: Iterator<Item = usize>>(
    rules: &Rules<'_>,
    text: &[PlacedSymbol],
    starts: impl Fn(usize) -> I,
) -> Vec<WayColumn> {
    let mut columns: Vec<WayColumn> = Vec::new();
    for column in 0..=text.len() {
        columns.push(rules.column(text, column, &columns, starts(column)));
    }
    columns
}
