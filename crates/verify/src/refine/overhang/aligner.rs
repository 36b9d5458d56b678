//! Alignments of hits that hang over.
//!
//! Where a text ends, many patterns may hang over. The last column of Myers' matrix says how many symbols of each are
//! beyond the end, for several patterns at once ([`EndOverlaps`]). For the others, the matrix is computed for each such
//! number.

use super::last_column::{EndTexts, FirstColumn, Overlap};
use super::matches::OverhangMatches;
use super::tables::OverhangTables;
use crate::distance::verify;
use crate::encoder::Code;
use crate::matrix::Matrix;
use crate::refine::align_others;
use crate::{Aligner, EngineError};
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::{next_symbol, previous_symbol};
use nigh_text::text_item::TextItem;

pub(super) struct OverhangAligner<'a> {
    tables: &'a OverhangTables,
    inner: Box<dyn Aligner + 'a>,
    matrix: Matrix,
    end: EndOverlaps,
}

impl<'a> OverhangAligner<'a> {
    pub(super) fn new(tables: &'a OverhangTables, inner: Box<dyn Aligner + 'a>) -> Self {
        let texts = EndTexts::new(tables.longest, &tables.classes, FirstColumn::Deletions);
        let end = EndOverlaps { texts, overlaps: Vec::new(), codes: Vec::new(), starts: Vec::new() };
        OverhangAligner { tables, inner, matrix: Matrix::default(), end }
    }
}

impl Aligner for OverhangAligner<'_> {
    fn align(&mut self, batch: &Batch, hits: &[Hit], out: &mut Vec<Alignment>) -> Result<(), EngineError> {
        let mut over: Vec<Option<Alignment>> = Vec::with_capacity(hits.len());
        for hits in hits.chunk_by(|one, other| one.end == other.end) {
            interrupt::check();
            self.end.find(self.tables, batch, hits);
            over.extend(hits.iter().map(|hit| {
                let known = self.end.alignment(self.tables, batch, hit, &mut self.matrix);
                known.or_else(|| self.tables.overhanging(batch, hit, &mut self.matrix))
            }));
        }
        align_others(self.inner.as_mut(), (batch, hits), over, out)
    }
}

/// The overlaps of patterns with the end of a line or record, and reusable memory for them.
struct EndOverlaps {
    /// The last symbols, or no text.
    texts: EndTexts,
    /// Ordered by pattern.
    overlaps: Vec<Overlap>,
    codes: Vec<Code>,
    /// Offsets of the symbols of `codes`, which are not used.
    starts: Vec<usize>,
}

impl EndOverlaps {
    /// Finds the overlaps of the patterns of hits that have the same end. Finds none if the line or record goes on, if
    /// it is so short that matches may hang over its start, or if its positions matter.
    fn find(&mut self, tables: &OverhangTables, batch: &Batch, hits: &[Hit]) {
        self.overlaps.clear();
        let (Some(hit), Some(conditions)) = (hits.first(), tables.conditions) else { return };
        let (alphabet, bytes) = (tables.patterns().alphabet(), batch.bytes());
        let around = batch.surroundings(hit.end, tables.longest + 1);
        let goes_on = next_symbol(alphabet, &bytes[..around.bytes.end], hit.end).is_some() || !around.closes;
        if goes_on || !conditions.allow_anywhere() {
            return;
        }
        let item = TextItem { bytes: around.bytes, position: 0, opens: around.opens, closes: around.closes };
        let tail = conditions.tail(bytes, &item, tables.longest);
        let before = previous_symbol(alphabet, bytes, tail.start).filter(|placed| placed.start >= item.bytes.start);
        if tail.is_empty() || item.opens && before.is_none() {
            return;
        }
        self.codes.clear();
        self.starts.clear();
        tables.classes.encode(bytes, tail.clone(), &mut self.codes, &mut self.starts);
        self.texts.clear();
        self.texts.push(self.codes.iter().copied());
        let is_plain = |pattern: usize| !tables.pattern(pattern).has_conditions_on_overhangs();
        let patterns = hits.iter().map(|hit| hit.pattern).filter(|&pattern| is_plain(pattern));
        tables.over_end.find_of(patterns, &self.texts, &mut self.overlaps);
        // Patterns with conditions may be in the same groups.
        self.overlaps.retain(|overlap| is_plain(overlap.pattern));
        self.overlaps.sort_unstable_by_key(|overlap| overlap.pattern);
    }

    /// Returns the alignment of a hit; `None` if its overlap was not found, or a match without an overhang may have its
    /// distance.
    fn alignment(&self, tables: &OverhangTables, batch: &Batch, hit: &Hit, matrix: &mut Matrix) -> Option<Alignment> {
        let at = self.overlaps.binary_search_by_key(&hit.pattern, |overlap| overlap.pattern).ok()?;
        let Overlap { sum, beyond, edits_of_whole, .. } = self.overlaps[at];
        let limits = tables.limits(hit.pattern);
        // A match without an overhang may cover more symbols than the matrix has columns. Each has an edit at most.
        let more_columns = (hit.distance + 1).saturating_sub(limits.max_edits(1).unwrap_or(0));
        if limits.distance(sum) != Some(hit.distance) || edits_of_whole <= hit.distance + more_columns {
            return None;
        }
        tables.overhangs(batch, hit.pattern, hit.end)?.alignment_over_end(matrix, beyond)
    }
}

impl OverhangTables {
    /// Returns the alignment of a hit whose distance only matches with an overhang reach; `None` if a match without an
    /// overhang has the same distance. Of several matches with the least sum, prefers one that does not hang over the
    /// start.
    fn overhanging(&self, batch: &Batch, hit: &Hit, matrix: &mut Matrix) -> Option<Alignment> {
        let overhangs = self.overhangs(batch, hit.pattern, hit.end).filter(OverhangMatches::are_possible)?;
        let plain = verify(self.patterns().alphabet(), batch, self.pattern(hit.pattern), *hit);
        match plain {
            Some(plain) if plain.distance <= hit.distance => None,
            _ => overhangs.alignment(matrix),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::reference::ReferenceFinder;
    use crate::refine::Refinement;
    use crate::refine::overhang::Overhangs;
    use crate::{Finder, WantedHits};
    use nigh_pattern::{Groups, MaxEdits, Overhang, PatternSet, PatternSource, Strand};
    use nigh_simd::isa::Isa;
    use nigh_text::alphabet::Alphabet;

    #[test]
    fn alignments_of_overlaps_found_together_are_those_of_the_whole_matrix() {
        let mut rng = fastrand::Rng::with_seed(4);
        let bases = |rng: &mut fastrand::Rng, length: usize| -> String {
            (0..length).map(|_| *rng.choice(&['A', 'A', 'C', 'G', 'N']).unwrap()).collect()
        };
        // Patterns with an exact group are found together with the others, but aligned on their own.
        let grouped = |rng: &mut fastrand::Rng, length: usize| match rng.u8(0..4) {
            0 => format!("<{}>{}", bases(rng, 2), bases(rng, length)),
            _ => bases(rng, length),
        };
        let mut aligned = 0;
        for case in 0..600 {
            let lengths: Vec<usize> = (0..rng.usize(1..20)).map(|_| rng.usize(4..30)).collect();
            let sources: Vec<PatternSource> =
                lengths.iter().map(|&length| PatternSource::new(grouped(&mut rng, length))).collect();
            let cost = *rng.choice(&["0", "0.1", "0.25", "0.5", "0.6"]).unwrap();
            let overhang = Overhang::new(cost.parse().unwrap());
            let bound = if rng.bool() { MaxEdits::Percent(rng.usize(5..40)) } else { MaxEdits::Count(rng.usize(0..4)) };
            let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
            let builder = builder.groups(Groups::Exact);
            let builder = builder.max_ambiguous((rng.u8(0..4) == 0).then_some(1)).max_edits(bound);
            let set = Arc::new(builder.overhang(Some(overhang)).build(&sources).unwrap());
            let inner = ReferenceFinder::new(set.clone(), 1);
            let finder = |set| Ok(Arc::new(ReferenceFinder::new(set, 1)) as Arc<dyn Finder>);
            let tables = OverhangTables::new(set.clone(), overhang, (Isa::preferred(), &finder)).unwrap();
            let overhangs = Overhangs(tables);
            let tables = &overhangs.0;
            let length = rng.usize(1..80);
            let batch = Batch::of_record(bases(&mut rng, length));
            let mut hits: Vec<Hit> = Vec::new();
            let mut refiner = overhangs.refiner();
            refiner.begin(&batch, WantedHits::All);
            refiner.refine(&batch, &mut hits, usize::MAX).unwrap();
            let mut aligner = OverhangAligner::new(tables, inner.aligner().unwrap());
            for hits in hits.chunk_by(|one, other| one.end == other.end) {
                interrupt::check();
                aligner.end.find(tables, &batch, hits);
                for hit in hits {
                    let Some(found) = aligner.end.alignment(tables, &batch, hit, &mut aligner.matrix) else {
                        continue;
                    };
                    let expected = tables.overhanging(&batch, hit, &mut aligner.matrix);
                    assert_eq!(Some(found), expected, "case {case}, {hit:?}");
                    aligned += 1;
                }
            }
        }
        assert!(aligned > 1000, "only {aligned} hits");
    }
}
