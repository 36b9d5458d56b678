//! Matches of patterns that hang over the start or the end of a line or record (`--overhang`).
//!
//! A match is an alignment of a part of the pattern with a part of the text. The symbols of the pattern before that
//! part hang over the start of the line or record, and those after it over its end. The distance of a hit is the least
//! sum of edits and costs of these symbols, rounded down. Without an overhang this is Sellers' definition.
//!
//! The hits that are refined are those of matches without an overhang. `last_column` finds the patterns that match with an
//! overhang, from the symbols beside the ends of the lines and records (`ends`). If there are 256 patterns or more, a search for
//! parts of them (`filter`) selects the patterns first. For a pattern without constraints and edges, its sum is exact over the end, and Sellers' recurrence gives those over the start (`over_start`).
//! Each end of any other match that it finds is a candidate, for which the matrix of the constraints is computed
//! (`matches`).

mod aligner;
pub mod ends;
mod filter;
mod last_column;
mod matches;
mod over_start;
mod tables;

use std::ops::Range;
use std::sync::Arc;

use self::aligner::OverhangAligner;
use self::filter::{FILTERED_BYTES, MakeFinder, OverhangCandidate, OverhangFilter};
use self::last_column::{EndTexts, FirstColumn, Overlap, WantedOverlaps};
use self::over_start::for_each_end;
use self::tables::{ItemEnds, OverhangTables, placed_symbols};
use super::merger::Merger;
use super::{Refinement, Refiner};
use crate::encoder::Code;
use crate::matrix::Matrix;
use crate::{Aligner, EngineError, Scanner, WantedHits};
use nigh_pattern::{Overhang, PatternSet};
use nigh_simd::isa::Isa;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::PlacedSymbol;
use nigh_text::text_item::text_items;

/// Number of lines or records whose ends are searched together. Their codes stay in the L1 cache.
const ITEMS: usize = 64;

/// The matches with overhangs, which are added to those without.
pub struct Overhangs(OverhangTables);

impl Overhangs {
    /// Makes the refinement for patterns, which are strings. `finder` finds parts of them on the processor.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub fn new(
        patterns: Arc<PatternSet>,
        overhang: Overhang,
        (isa, finder): (Isa, MakeFinder<'_>),
    ) -> Result<Self, EngineError> {
        Ok(Overhangs(OverhangTables::new(patterns, overhang, (isa, finder))?))
    }
}

impl Refinement for Overhangs {
    fn description(&self) -> Option<String> {
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

/// The number of the first of the lines or records that are searched together, among those that were filtered together, and the
/// patterns that may hang over them.
type FilteredItems<'f> = (usize, &'f [OverhangCandidate]);

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
        let together = FILTERED_BYTES.div_ceil(self.tables.longest.max(1)).next_multiple_of(ITEMS);
        let mut all = text_items(batch).map(|item| self.tables.ends(batch, conditions, item)).peekable();
        while all.peek().is_some() {
            let items: Vec<ItemEnds> = all.by_ref().take(together).collect();
            let filtered = [0, 1].map(|end| self.filtered(batch, &items, end));
            for (items, first) in items.chunks(ITEMS).zip((0..).step_by(ITEMS)) {
                interrupt::check();
                items.iter().zip(0..).for_each(|(item, number)| self.add_item(batch, item, number));
                let of_these = filtered.each_ref().map(|candidates| {
                    let all = candidates.as_deref()?;
                    let before = |item: usize| all.partition_point(|one| one.item < item);
                    Some((first, &all[before(first)..before(first + ITEMS)]))
                });
                self.add_hits(batch, wanted, of_these, &mut found);
            }
        }
        found
    }

    /// Returns the patterns that may hang over the starts of some lines and records, or with `end` = 1 over their ends; `None`
    /// if there is no filter.
    fn filtered(&mut self, batch: &Batch, items: &[ItemEnds], end: usize) -> Option<Vec<OverhangCandidate>> {
        let (filter, scanner) = (self.tables.filters[end].as_ref()?, self.scanners[end].as_mut()?);
        Some(filter.candidates(scanner.as_mut(), batch, items.iter().map(|item| item.ranges[end].clone())))
    }

    /// Adds the ends of a line or record to the texts to search. `number` is its number among those that are searched
    /// together.
    fn add_item(&mut self, batch: &Batch, item: &ItemEnds, number: usize) {
        let [head, tail] = item.ranges.clone();
        if !head.is_empty() {
            self.encode(batch.bytes(), &head);
            self.heads.push(head, number, self.codes.iter().rev().copied());
        }
        if !tail.is_empty() {
            self.encode(batch.bytes(), &tail);
            if item.is_whole && self.codes.len() <= self.tables.longest_over_both {
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

    /// Appends the hits in the texts to `found`, and forgets the texts. `filtered` are the patterns that may hang over them, for
    /// each end with a filter.
    fn add_hits(
        &mut self,
        batch: &Batch,
        wanted: WantedOverlaps,
        filtered: [Option<FilteredItems<'_>>; 2],
        found: &mut Vec<Hit>,
    ) {
        let mut hits = Vec::new();
        self.find_over(1, wanted, filtered[1]);
        self.add_hits_over_end(&mut hits);
        if wanted == WantedOverlaps::Any {
            let mut has_hit = [false; ITEMS];
            self.overlaps.iter().for_each(|overlap| has_hit[self.tails.items[overlap.text]] = true);
            self.heads.leave_out(&has_hit);
            self.wholes.leave_out(&has_hit);
        }
        self.find_over(0, WantedOverlaps::All, filtered[0]);
        self.add_hits_over_start(batch, &mut hits);
        self.add_candidates_over_both();
        self.verify_candidates(batch, &mut hits);
        [&mut self.tails, &mut self.heads, &mut self.wholes].into_iter().for_each(PlacedTexts::clear);
        hits.sort_unstable();
        hits.dedup_by_key(|hit| (hit.end, hit.pattern));
        found.append(&mut hits);
    }

    /// Finds the overlaps with the starts of the texts, or with `end` = 1 with their ends; of `filtered` patterns if they are
    /// known.
    fn find_over(&mut self, end: usize, wanted: WantedOverlaps, filtered: Option<FilteredItems<'_>>) {
        let OverhangSearch { tables, heads, tails, one_text, overlaps, .. } = self;
        let (finder, placed) = if end == 0 { (&tables.over_start, heads) } else { (&tables.over_end, tails) };
        overlaps.clear();
        let Some((first, candidates)) = filtered else {
            return finder.find(&mut placed.texts, FirstColumn::Deletions, wanted, overlaps);
        };
        for of_item in candidates.chunk_by(|a, b| a.item == b.item) {
            let text = placed.items.binary_search(&(of_item[0].item - first));
            let Some(text) = text.ok().filter(|&text| !placed.texts.is_left_out(text)) else { continue };
            one_text.replace(&placed.texts, text);
            let before = overlaps.len();
            finder.find_of(of_item.iter().map(|one| one.pattern), one_text, overlaps);
            overlaps[before..].iter_mut().for_each(|overlap| overlap.text = text);
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
