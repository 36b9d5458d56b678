//! What searches for overhangs and their alignments share: the patterns, their limits and the finders of overlaps.

use std::ops::Range;
use std::sync::Arc;

use super::ends::TextConditions;
use super::filter::{MakeFinder, OverhangFilter};
use super::last_column::{Direction, OverlapFinder};
use super::matches::OverhangMatches;
use crate::EngineError;
use crate::encoder::Classes;
use nigh_pattern::{Overhang, OverhangLimits, Pattern, PatternSet};
use nigh_simd::isa::Isa;
use nigh_text::batch::Batch;
use nigh_text::text::{PlacedSymbol, symbols};
use nigh_text::text_item::TextItem;

/// The patterns of a search, with what is computed of them once.
pub(super) struct OverhangTables {
    set: Arc<PatternSet>,
    overhang: Overhang,
    pub(super) classes: Classes,
    /// The conditions on the text; `None` if no pattern can hang over.
    pub(super) conditions: Option<TextConditions>,
    pub(super) over_end: OverlapFinder,
    /// Finds matches over the start, with reversed patterns.
    pub(super) over_start: OverlapFinder,
    /// The filters of the patterns that hang over the start, and of those that hang over the end, if they pay.
    pub(super) filters: [Option<OverhangFilter>; 2],
    /// Largest number of text symbols that a match covers.
    pub(super) longest: usize,
    /// Largest number of text symbols that a match over both ends covers.
    pub(super) longest_over_both: usize,
    /// Whether any pattern has constraints or edges.
    pub(super) has_conditions: bool,
}

/// The ends of a line or record.
pub(super) struct ItemEnds {
    /// The symbols that matches over the start can cover, and those that matches over the end can cover. They are empty if the
    /// batch owns no hit of such a match.
    pub(super) ranges: [Range<usize>; 2],
    /// Whether matches over the end can cover the first symbol, and so may hang over both ends.
    pub(super) is_whole: bool,
}

impl OverhangTables {
    /// Computes the tables of patterns, which are strings.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(
        set: Arc<PatternSet>,
        overhang: Overhang,
        (isa, finder): (Isa, MakeFinder<'_>),
    ) -> Result<Self, EngineError> {
        let limited = set.patterns().iter().map(|pattern| (pattern, pattern.overhang_limits(overhang))).enumerate();
        let limited = limited.map(|(index, (pattern, limits))| (index, pattern, limits));
        let patterns: Vec<_> = limited.filter(|(_, _, limits)| limits.max_overhang > 0).collect();
        let classes = Classes::new(&set)?;
        let longest = |beyond| {
            let lengths = patterns.iter().map(|(_, pattern, limits)| limits.longest(pattern.symbols().len(), beyond));
            lengths.max().unwrap_or(0)
        };
        Ok(OverhangTables {
            conditions: patterns.first().map(|(_, pattern, _)| TextConditions::new(set.alphabet(), pattern)),
            over_end: OverlapFinder::new(&patterns, &classes, Direction::Forward, isa),
            over_start: OverlapFinder::new(&patterns, &classes, Direction::Backward, isa),
            filters: [
                OverhangFilter::new(&set, &patterns, Direction::Backward, finder)?,
                OverhangFilter::new(&set, &patterns, Direction::Forward, finder)?,
            ],
            longest: longest(1),
            longest_over_both: longest(2),
            has_conditions: set.patterns().iter().any(Pattern::has_conditions_on_overhangs),
            classes,
            overhang,
            set,
        })
    }

    pub(super) fn patterns(&self) -> &PatternSet {
        &self.set
    }

    pub(super) fn pattern(&self, index: usize) -> &Pattern {
        &self.set.patterns()[index]
    }

    pub(super) fn limits(&self, index: usize) -> OverhangLimits {
        self.pattern(index).overhang_limits(self.overhang)
    }

    /// Returns the ends of a line or record.
    pub(super) fn ends(&self, batch: &Batch, conditions: TextConditions, item: TextItem) -> ItemEnds {
        let item = conditions.allowed(batch.bytes(), item);
        let head = if item.opens { conditions.head(batch.bytes(), &item, self.longest) } else { 0..0 };
        let tail = if item.closes { conditions.tail(batch.bytes(), &item, self.longest) } else { 0..0 };
        let is_whole = item.opens && tail.start == item.bytes.start;
        let head = if head.end > batch.owned().start { head } else { 0..0 };
        let tail = if batch.owns(tail.end) { tail } else { 0..0 };
        ItemEnds { ranges: [head, tail], is_whole }
    }

    /// Returns the matches that hang over and end at the offset `end`.
    pub(super) fn overhangs(&self, batch: &Batch, index: usize, end: usize) -> Option<OverhangMatches<'_>> {
        let alphabet = self.patterns().alphabet();
        OverhangMatches::before(alphabet, batch, self.pattern(index), self.limits(index), end)
    }
}

/// Returns the first symbols of a range of the batch, at most `count`.
pub(super) fn placed_symbols(set: &PatternSet, batch: &Batch, range: &Range<usize>, count: usize) -> Vec<PlacedSymbol> {
    let shift = range.start;
    let placed = symbols(set.alphabet(), &batch.bytes()[range.clone()]).take(count);
    placed.map(|placed| PlacedSymbol { start: placed.start + shift, end: placed.end + shift, ..placed }).collect()
}
