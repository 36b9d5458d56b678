//! Matches of patterns that hang over the start or the end of a line or record (`--overhang`).
//!
//! A match is an alignment of a part of the pattern with a part of the text. The symbols of the pattern before that
//! part hang over the start of the line or record, and those after it over its end. The distance of a hit is the least
//! sum of edits and costs of these symbols, rounded down. Without an overhang this is Sellers' definition.
//!
//! The hits that are refined are those of matches without an overhang. `last_column` finds the patterns that match with an
//! overhang, from the symbols beside the ends of the lines and records (`ends`), if there are many, only those of a search for
//! parts of them (`filter`). For a pattern without
//! constraints and edges, its sum is exact over the end, and Sellers' recurrence gives those over the start (`over_start`).
//! Each end of any other match that it finds is a candidate, for which the matrix of the constraints is computed
//! (`matches`).

mod aligner;
pub(in crate::engine) mod ends;
mod filter;
mod last_column;
mod matches;
mod over_start;
mod tables;

use std::ops::Range;
use std::sync::Arc;

use self::aligner::OverhangAligner;
use self::ends::TextConditions;
use self::filter::{MakeFinder, OverhangCandidate, OverhangFilter};
use self::last_column::{EndTexts, FirstColumn, Overlap, WantedOverlaps};
use self::over_start::for_each_end;
use self::tables::{OverhangTables, placed_symbols};
use super::merger::Merger;
use super::{Refinement, Refiner};
use crate::batch::Batch;
use crate::engine::encoder::Code;
use crate::engine::matrix::Matrix;
use crate::engine::text_item::{TextItem, text_items};
use crate::engine::{Aligner, EngineError, Scanner, WantedHits};
use crate::hit::Hit;
use crate::interrupt;
use crate::pattern::{Overhang, PatternSet};
use crate::simd::isa::Isa;
use crate::text::PlacedSymbol;

/// Number of lines or records whose ends are searched together. Their codes stay in the L1 cache.
const ITEMS: usize = 64;

/// The matches with overhangs, which are added to those without.
pub(in crate::engine) struct Overhangs(OverhangTables);

impl Overhangs {
    /// Makes the refinement for patterns, which are strings. `finder` finds parts of them on the processor.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(in crate::engine) fn new(
        patterns: Arc<PatternSet>,
        overhang: Overhang,
        (isa, finder): (Isa, MakeFinder<'_>),
    ) -> Result<Self, EngineError> {
        Ok(Overhangs(OverhangTables::new(patterns, overhang, (isa, finder))?))
    }
}

impl Refinement for Overhangs {
    fn plan(&self) -> Option<String> {
        let has_filter = self.0.filters.iter().any(Option::is_some);
        let after = if has_filter { ", after a search for the parts that are inside" } else { "" };
        Some(format!("patterns that hang over a start or an end: the last column of Myers' matrix{after}"))
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        let tables = &self.0;
        let texts = |stride, first_column| PlacedTexts::new(EndTexts::new(stride, &tables.classes, first_column));
        let search = OverhangSearch {
            tables,
            tails: texts(tables.longest, FirstColumn::Deletions),
            heads: texts(tables.longest, FirstColumn::Deletions),
            wholes: texts(tables.longest_over_both, FirstColumn::Free),
            scanners: tables.filters.each_ref().map(|filter| filter.as_ref().map(OverhangFilter::scanner)),
            one_text: EndTexts::new(tables.longest, &tables.classes, FirstColumn::Deletions),
            overlaps: Vec::new(),
            candidates: Vec::new(),
            matrix: Matrix::default(),
            codes: Vec::new(),
            starts: Vec::new(),
        };
        Box::new(OverhangRefiner { search, merger: Merger::default() })
    }

    fn aligner<'a>(&'a self, inner: Box<dyn Aligner + 'a>) -> Box<dyn Aligner + 'a> {
        Box::new(OverhangAligner::new(&self.0, inner))
    }
}

/// Adds the hits with overhangs.
struct OverhangRefiner<'a> {
    search: OverhangSearch<'a>,
    merger: Merger,
}

impl Refiner for OverhangRefiner<'_> {
    fn begin(&mut self, batch: &Batch, wanted: WantedHits) {
        // An overlap of a pattern with constraints or edges may be no match.
        let any = wanted == WantedHits::One && !self.search.tables.has_conditions;
        self.merger.replace(self.search.hits(batch, if any { WantedOverlaps::Any } else { WantedOverlaps::All }));
    }

    fn refine(&mut self, batch: &Batch, hits: &mut Vec<Hit>, until: usize) -> Result<(), EngineError> {
        self.merger.refine(batch, hits, until)
    }
}

/// Texts at ends, and their ranges in the batch.
struct PlacedTexts {
    texts: EndTexts,
    ranges: Vec<Range<usize>>,
    /// For each text, the number of its line or record among those that are searched together.
    items: Vec<usize>,
}

impl PlacedTexts {
    fn new(texts: EndTexts) -> Self {
        PlacedTexts { texts, ranges: Vec::new(), items: Vec::new() }
    }

    fn push(&mut self, range: Range<usize>, item: usize, codes: impl ExactSizeIterator<Item = Code>) {
        self.texts.push(codes);
        self.ranges.push(range);
        self.items.push(item);
    }

    /// Leaves out the texts of the lines and records in `found`.
    fn leave_out(&mut self, found: &[bool; ITEMS]) {
        let texts = self.items.iter().enumerate().filter(|&(_, &item)| found[item]);
        texts.for_each(|(text, _)| self.texts.leave_out(text));
    }

    fn clear(&mut self) {
        self.texts.clear();
        self.ranges.clear();
        self.items.clear();
    }
}

/// Finds the hits with overhangs.
struct OverhangSearch<'a> {
    tables: &'a OverhangTables,
    /// The last symbols of lines and records.
    tails: PlacedTexts,
    /// The first symbols of lines and records, reversed.
    heads: PlacedTexts,
    /// The lines and records that are so short that a match may hang over both ends.
    wholes: PlacedTexts,
    /// The scanners of the filters.
    scanners: [Option<Box<dyn Scanner + 'a>>; 2],
    /// A text whose overlaps with few patterns are searched for.
    one_text: EndTexts,
    overlaps: Vec<Overlap>,
    /// Ends and patterns of possible matches.
    candidates: Vec<(usize, usize)>,
    matrix: Matrix,
    codes: Vec<Code>,
    /// Offsets of the symbols of `codes`, which are not used.
    starts: Vec<usize>,
}

impl OverhangSearch<'_> {
    /// Returns the hits with overhangs that the batch owns, ordered by (end, pattern), each with the least distance. If
    /// any overlaps are wanted, returns at least one of each line or record that has any.
    fn hits(&mut self, batch: &Batch, wanted: WantedOverlaps) -> Vec<Hit> {
        let mut found = Vec::new();
        let Some(conditions) = self.tables.conditions else { return found };
        let filtered = [0, 1].map(|end| self.filtered(batch, conditions, end));
        let mut left = filtered.each_ref().map(|candidates| candidates.as_deref());
        let mut items = text_items(batch).enumerate().peekable();
        while let Some(&(first, _)) = items.peek() {
            interrupt::check();
            for (number, (_, item)) in items.by_ref().take(ITEMS).enumerate() {
                self.add_item(batch, conditions, item, number);
            }
            let of_these = left.each_mut().map(|left| {
                let (these, rest) =
                    left.map(|all| all.split_at(all.partition_point(|one| one.item < first + ITEMS)))?;
                *left = Some(rest);
                Some(these)
            });
            self.add_hits(batch, (wanted, first, of_these), &mut found);
        }
        found
    }

    /// Returns the patterns that may hang over the starts of lines and records, or with `end` = 1 over their ends; `None` if
    /// there is no filter.
    fn filtered(&mut self, batch: &Batch, conditions: TextConditions, end: usize) -> Option<Vec<OverhangCandidate>> {
        let tables = self.tables;
        let (filter, scanner) = (tables.filters[end].as_ref()?, self.scanners[end].as_mut()?);
        let part = |item| {
            let [head, tail] = tables.ends(batch, conditions.allowed(batch.bytes(), item));
            if end == 0 { head } else { tail }
        };
        Some(filter.candidates(scanner.as_mut(), batch, text_items(batch).map(part)))
    }

    /// Adds the ends of a line or record to the texts to search. `number` is its number among those that are searched
    /// together.
    fn add_item(&mut self, batch: &Batch, conditions: TextConditions, item: TextItem, number: usize) {
        let (bytes, tables) = (batch.bytes(), self.tables);
        let item = conditions.allowed(bytes, item);
        let (opens, first) = (item.opens, item.bytes.start);
        let [head, tail] = tables.ends(batch, item);
        if !head.is_empty() {
            self.encode(bytes, &head);
            self.heads.push(head, number, self.codes.iter().rev().copied());
        }
        if !tail.is_empty() {
            self.encode(bytes, &tail);
            let is_whole = opens && tail.start == first;
            if is_whole && self.codes.len() <= tables.longest_over_both {
                self.wholes.push(tail.clone(), number, self.codes.iter().copied());
            }
            self.tails.push(tail, number, self.codes.iter().copied());
        }
    }

    /// Replaces `codes` by those of a part of a line or record.
    fn encode(&mut self, bytes: &[u8], part: &Range<usize>) {
        self.codes.clear();
        self.starts.clear();
        self.tables.classes.encode(bytes, part.clone(), &mut self.codes, &mut self.starts);
    }

    /// Appends the hits in the texts to `found`, and forgets the texts. They are of the lines or records from the number
    /// `first` on, and `filtered` are the patterns that may hang over these, for each end with a filter.
    fn add_hits(
        &mut self,
        batch: &Batch,
        (wanted, first, filtered): (WantedOverlaps, usize, [Option<&[OverhangCandidate]>; 2]),
        found: &mut Vec<Hit>,
    ) {
        let mut hits = Vec::new();
        self.overlaps.clear();
        match filtered[1] {
            Some(candidates) => self.find_over_end(first, candidates),
            None => {
                let (texts, overlaps) = (&mut self.tails.texts, &mut self.overlaps);
                self.tables.over_end.find(texts, FirstColumn::Deletions, wanted, overlaps);
            }
        }
        self.add_hits_over_end(&mut hits);
        if wanted == WantedOverlaps::Any {
            let mut has_hit = [false; ITEMS];
            self.overlaps.iter().for_each(|overlap| has_hit[self.tails.items[overlap.text]] = true);
            self.heads.leave_out(&has_hit);
            self.wholes.leave_out(&has_hit);
        }
        self.overlaps.clear();
        match filtered[0] {
            Some(candidates) => self.find_over_start(first, candidates),
            None => {
                let (texts, overlaps) = (&mut self.heads.texts, &mut self.overlaps);
                self.tables.over_start.find(texts, FirstColumn::Deletions, WantedOverlaps::All, overlaps);
            }
        }
        self.add_hits_over_start(batch, &mut hits);
        self.add_candidates_over_both();
        self.verify_candidates(batch, &mut hits);
        [&mut self.tails, &mut self.heads, &mut self.wholes].into_iter().for_each(PlacedTexts::clear);
        hits.sort_unstable();
        hits.dedup_by_key(|hit| (hit.end, hit.pattern));
        found.append(&mut hits);
    }

    /// Finds the overlaps of candidates with the ends of the texts.
    fn find_over_end(&mut self, first: usize, candidates: &[OverhangCandidate]) {
        for of_item in candidates.chunk_by(|a, b| a.item == b.item) {
            let Ok(text) = self.tails.items.binary_search(&(of_item[0].item - first)) else { continue };
            self.one_text.copy(&self.tails.texts, text);
            let before = self.overlaps.len();
            let patterns = of_item.iter().map(|one| one.pattern);
            self.tables.over_end.find_of(patterns, &self.one_text, &mut self.overlaps);
            self.overlaps[before..].iter_mut().for_each(|overlap| overlap.text = text);
        }
    }

    /// Replaces the overlaps with the starts of the texts by those that candidates may have.
    fn find_over_start(&mut self, first: usize, candidates: &[OverhangCandidate]) {
        for &OverhangCandidate { item, pattern } in candidates {
            let text = self.heads.items.binary_search(&(item - first));
            let Some(text) = text.ok().filter(|&text| !self.heads.texts.is_left_out(text)) else { continue };
            let longest = self.tables.pattern(pattern).symbols().len() - 1;
            self.overlaps.push(Overlap { text, pattern, longest, sum: 0, beyond: 1, edits: 0, edits_of_whole: 0 });
        }
    }

    fn add_hits_over_end(&mut self, found: &mut Vec<Hit>) {
        for &Overlap { text, pattern, sum, .. } in &self.overlaps {
            let end = self.tails.ranges[text].end;
            if self.tables.pattern(pattern).has_conditions_on_overhangs() {
                self.candidates.push((end, pattern));
                continue;
            }
            let distance = self.tables.limits(pattern).distance(sum);
            found.extend(distance.map(|distance| Hit { end, pattern, distance, start: None }));
        }
    }

    fn add_hits_over_start(&mut self, batch: &Batch, found: &mut Vec<Hit>) {
        for &Overlap { text, pattern: index, longest, .. } in &self.overlaps {
            let (pattern, limits) = (self.tables.pattern(index), self.tables.limits(index));
            // A match over the start consists of at most these last symbols of the pattern.
            let first = pattern.symbols().len() - longest;
            let columns = longest + limits.max_edits(first).unwrap_or(0);
            let text = placed_symbols(self.tables.patterns(), batch, &self.heads.ranges[text], columns);
            if pattern.has_conditions_on_overhangs() {
                let ends = text.iter().map(|placed| placed.end).filter(|&end| batch.owns(end));
                self.candidates.extend(ends.map(|end| (end, index)));
                continue;
            }
            for_each_end((pattern, limits), first, &text, |&PlacedSymbol { end, .. }, sum| {
                let distance = limits.distance(sum).filter(|_| batch.owns(end));
                found.extend(distance.map(|distance| Hit { end, pattern: index, distance, start: None }));
            });
        }
    }

    fn add_candidates_over_both(&mut self) {
        self.overlaps.clear();
        let (texts, wanted) = (&mut self.wholes.texts, WantedOverlaps::All);
        self.tables.over_end.find(texts, FirstColumn::Free, wanted, &mut self.overlaps);
        let ranges = &self.wholes.ranges;
        self.candidates.extend(self.overlaps.iter().map(|overlap| (ranges[overlap.text].end, overlap.pattern)));
    }

    /// Appends the hits among the candidates to `found`, and forgets the candidates.
    fn verify_candidates(&mut self, batch: &Batch, found: &mut Vec<Hit>) {
        self.candidates.sort_unstable();
        self.candidates.dedup();
        for (end, index) in self.candidates.drain(..) {
            interrupt::check();
            let limits = self.tables.limits(index);
            let sum = self.tables.overhangs(batch, index, end).and_then(|matches| matches.sum(&mut self.matrix));
            let distance = sum.and_then(|sum| limits.distance(sum));
            found.extend(distance.map(|distance| Hit { end, pattern: index, distance, start: None }));
        }
    }
}
