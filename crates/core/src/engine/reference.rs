//! The reference engine: Sellers' algorithm over the whole dynamic programming matrix.
//!
//! Cell (i, j) of the matrix holds the least distance of the first i pattern symbols from any text substring that ends
//! after j symbols. Row 0 is 0 wherever a match may start. For a pattern of m symbols and a text of n symbols, the scan
//! takes O(mn) time and O(m) memory. The traceback of a hit takes O(m²) time and O(m²) memory.
//!
//! This is the definition of a hit and of an alignment. All other engines are tested against it.
//!
//! P. H. Sellers, "The theory and computation of evolutionary distances: pattern recognition", 1980.

use std::ops::Range;
use std::sync::Arc;

use super::text_window::MatchStart;
use super::{Aligner, EngineError, EngineFacts, Finder, Scanner, WantedHits};
use crate::alignment::{Alignment, Cigar, Edit};
use crate::alphabet::Alphabet;
use crate::batch::{Batch, Segment};
use crate::hit::{Hit, HitSink};
use crate::pattern::{Pattern, PatternSet};
use crate::text::{PlacedSymbol, symbols};

/// The reference engine.
pub struct ReferenceFinder {
    patterns: Arc<PatternSet>,
    threads: usize,
}

/// A distance larger than any real one, and small enough that sums do not overflow.
const NEVER: usize = usize::MAX / 4;

impl ReferenceFinder {
    /// Makes an engine for `patterns`; `threads` is the number of workers it reports.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Self {
        ReferenceFinder { patterns, threads }
    }
}

impl Finder for ReferenceFinder {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn plan(&self) -> Vec<String> {
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

struct Reference<'a> {
    patterns: &'a PatternSet,
}

impl Scanner for Reference<'_> {
    fn search(&mut self, batch: &Batch, _: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        for text in texts(self.patterns.alphabet(), batch, |_| true) {
            let mut found = Vec::new();
            for (index, pattern) in self.patterns.patterns().iter().enumerate() {
                text.hits(pattern, index, &mut found);
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
            out.extend(inside.map(|hit| text.alignment(&self.patterns.patterns()[hit.pattern], hit)));
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

    fn hits(&self, pattern: &Pattern, index: usize, found: &mut Vec<Hit>) {
        if pattern.max_ambiguous().is_some() {
            return self.bounded_hits(pattern, index, found);
        }
        let length = pattern.symbols().len();
        // column[i]: the least distance of the first i pattern symbols from any text substring that ends here.
        let mut column: Vec<usize> = (0..=length).collect();
        if !self.may_start(pattern, 0) {
            column.fill(NEVER);
        }
        for (before, placed) in self.symbols.iter().enumerate() {
            let mut diagonal = column[0];
            column[0] = if self.may_start(pattern, before + 1) { 0 } else { column[0].saturating_add(1) };
            for (row, set) in pattern.symbols().iter().enumerate() {
                let step = diagonal + usize::from(!set.contains(placed.symbol));
                diagonal = column[row + 1];
                column[row + 1] = step.min(column[row + 1] + 1).min(column[row] + 1);
            }
            let distance = column[length];
            if distance <= pattern.k() && self.may_end(pattern, before + 1) {
                let start = self.fixed_start(pattern, before + 1, distance);
                found.push(Hit { end: placed.end, pattern: index, distance, start });
            }
        }
    }

    /// Like `hits`, for a pattern that limits the ambiguous letters of its matches. Tries every start for every end.
    fn bounded_hits(&self, pattern: &Pattern, index: usize, found: &mut Vec<Hit>) {
        let (length, max) = (pattern.symbols().len(), pattern.max_ambiguous().unwrap_or(usize::MAX));
        for end in (1..=self.symbols.len()).filter(|&end| self.may_end(pattern, end)) {
            let is_allowed =
                |&start: &usize| self.may_start(pattern, start) && self.ambiguous[end] - self.ambiguous[start] <= max;
            let starts = (0..end).rev().take(pattern.max_match_len()).filter(is_allowed);
            let matches = starts.map(|start| (self.distance(pattern, start..end), start));
            let best = matches.min_by_key(|&(distance, start)| (distance, (end - start).abs_diff(length), end - start));
            if let Some((distance, start)) = best.filter(|&(distance, _)| distance <= pattern.k()) {
                let start = Some(self.symbols[start].start);
                found.push(Hit { end: self.symbols[end - 1].end, pattern: index, distance, start });
            }
        }
    }

    /// Returns the distance of the pattern from a range of symbols.
    fn distance(&self, pattern: &Pattern, symbols: Range<usize>) -> usize {
        *matrix(pattern, &self.symbols[symbols], MatchStart::Fixed).last().expect("the matrix is not empty")
    }

    /// Returns the start offset of the match that ends just before the symbol with the index `end`; `None` if the
    /// pattern has no edges. Of all starts with the distance `distance`, chooses the one whose match length is closest
    /// to the pattern's, then the later one.
    fn fixed_start(&self, pattern: &Pattern, end: usize, distance: usize) -> Option<usize> {
        if pattern.is_free() {
            return None;
        }
        let starts = (0..end)
            .rev()
            .take(pattern.max_match_len())
            .filter(|&start| self.may_start(pattern, start) && self.distance(pattern, start..end) == distance);
        let length = pattern.symbols().len();
        let start = starts.min_by_key(|start| ((end - start).abs_diff(length), end - start));
        start.map(|start| self.symbols[start].start)
    }

    fn alignment(&self, pattern: &Pattern, hit: &Hit) -> Alignment {
        let end = self.symbols.partition_point(|placed| placed.end <= hit.end);
        let (start, match_start) = match hit.start {
            Some(start) => (self.symbols.partition_point(|placed| placed.start < start), MatchStart::Fixed),
            None => (end.saturating_sub(pattern.symbols().len() + hit.distance), MatchStart::Anywhere),
        };
        let covered = &self.symbols[start..end];
        let (edits, first) = walk_back(pattern, covered, match_start);
        let start = covered.get(first).map_or(hit.end, |placed| placed.start);
        Alignment { start, end: hit.end, cigar: Cigar::from_backward(edits) }
    }
}

/// Returns the cells of the distance matrix, column by column. A column stands for a prefix of `text`, a row for a
/// prefix of the pattern; both start with the empty prefix.
fn matrix(pattern: &Pattern, text: &[PlacedSymbol], match_start: MatchStart) -> Vec<usize> {
    let rows = pattern.symbols().len() + 1;
    let mut cells: Vec<usize> = (0..rows).collect();
    for (column, placed) in text.iter().enumerate() {
        let left = column * rows;
        cells.push(if match_start == MatchStart::Anywhere { 0 } else { column + 1 });
        for (row, set) in pattern.symbols().iter().enumerate() {
            let diagonal = cells[left + row] + usize::from(!set.contains(placed.symbol));
            let above = cells[left + rows + row] + 1;
            cells.push(diagonal.min(above).min(cells[left + row + 1] + 1));
        }
    }
    cells
}

/// Walks from the last cell of the matrix back to the top row, or to its first cell for [`MatchStart::Fixed`]. Returns
/// the edits, last first, and the index of the column where the walk ends.
fn walk_back(pattern: &Pattern, text: &[PlacedSymbol], match_start: MatchStart) -> (Vec<Edit>, usize) {
    let cells = matrix(pattern, text, match_start);
    let rows = pattern.symbols().len() + 1;
    let at = |row: usize, column: usize| cells[column * rows + row];
    let (mut row, mut column) = (rows - 1, text.len());
    let mut edits = Vec::new();
    while row > 0 || (column > 0 && match_start == MatchStart::Fixed) {
        let here = at(row, column);
        let matches = row > 0 && column > 0 && pattern.symbols()[row - 1].contains(text[column - 1].symbol);
        if matches && at(row - 1, column - 1) == here {
            edits.push(Edit::Match);
            (row, column) = (row - 1, column - 1);
        } else if row > 0 && column > 0 && at(row - 1, column - 1) + 1 == here {
            edits.push(Edit::Substitution);
            (row, column) = (row - 1, column - 1);
        } else if row > 0 && at(row - 1, column) + 1 == here {
            edits.push(Edit::PatternOnly);
            row -= 1;
        } else {
            edits.push(Edit::TextOnly);
            column -= 1;
        }
    }
    (edits, column)
}
