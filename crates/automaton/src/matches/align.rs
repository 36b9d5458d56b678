//! Places and aligns the hits of one expression in one line or record.

use std::ops::Range;

use super::lengths::{KeptLengths, LengthPass};
use super::match_automata::MatchAutomata;
use crate::compiled::{CompiledExpression, CompiledExpressions};
use crate::line::{BestMatch, EncodedLine, LineEncoder, MatchEnd};
use nigh_pattern::PositionRange;
use nigh_simd::isa::Isa;
use nigh_text::alignment::{Alignment, Cigar};
use nigh_text::hit::Hit;

/// Aligns the hits of one expression in the line or part of a record that was encoded.
pub(crate) struct ItemAligner<'i, 'a> {
    pub(crate) compiled: &'a CompiledExpressions,
    pub(crate) one: &'a CompiledExpression,
    pub(crate) encoder: &'i LineEncoder<'a>,
    pub(crate) automata: &'i mut MatchAutomata<'a>,
}

impl<'i> ItemAligner<'i, '_> {
    /// Aligns hits, which are ordered by end.
    pub(crate) fn align(&mut self, hits: &[Hit]) -> Vec<Alignment> {
        // The positions of a copy of a match are not those of its line, but a match with a start is within the range.
        let line = self.encoder.line(PositionRange::ALL).expect("every position is allowed");
        let unknown: Vec<Hit> = hits.iter().filter(|hit| hit.start.is_none()).copied().collect();
        let mut best = self.matches(&unknown, KeptLengths::ForAlignments).into_iter();
        let mut alignments = Vec::with_capacity(hits.len());
        for hit in hits {
            let (start, cigar) = match hit.start {
                Some(start) => (self.encoder.position_of_start(start), None),
                None => best.next().map(|(best, cigar)| (best.start, cigar)).expect("one match per hit"),
            };
            let cigar = cigar.unwrap_or_else(|| self.cigar(&line, start, self.end_of(hit)));
            alignments.push(Alignment { start: self.encoder.start(start), end: hit.end, cigar });
        }
        alignments
    }

    /// Returns the best match of each hit. The hits are ordered by end.
    pub(crate) fn best_matches(&mut self, hits: &[Hit]) -> Vec<BestMatch> {
        self.matches(hits, KeptLengths::None).into_iter().map(|(best, _)| best).collect()
    }

    /// Returns the best match in a range of positions that ends at its last one and has at most k edits.
    pub(crate) fn later_match(&mut self, positions: Range<usize>) -> Option<BestMatch> {
        // The range of positions allows an earlier start, so it allows all later ones.
        let line = self.encoder.line(PositionRange::ALL).expect("every position is allowed");
        let end = |distance| MatchEnd { position: positions.end, distance };
        (0..=self.automata.facts.max_distance)
            .find_map(|distance| self.automata.best_match(&line, positions.clone(), end(distance)))
    }

    /// Returns whether the match that Perl finds from the start of a match on ends elsewhere. Only matches without edits of
    /// expressions with a lazy quantifier end as in Perl.
    pub(crate) fn ends_elsewhere(&self, positions: Range<usize>, distance: usize) -> bool {
        let (pattern, expression) = self.compiled.pattern(self.one.index);
        if distance > 0 || !expression.ends_as_in_perl() {
            return false;
        }
        let Some(line) = self.encoder.line(pattern.within()) else { return false };
        let end = self.compiled.first_end(self.one, &line, positions.start..line.last);
        end.is_some_and(|end| end != positions.end)
    }

    /// Returns the best match of each hit, and its alignment if that was found with it.
    fn matches(&mut self, hits: &[Hit], kept: KeptLengths) -> Vec<(BestMatch, Option<Cigar>)> {
        let Some(distance) = hits.iter().map(|hit| hit.distance).max() else { return Vec::new() };
        let (pattern, _) = self.compiled.pattern(self.one.index);
        let line = self.encoder.line(pattern.within()).expect("a match is within the range");
        let ends: Vec<MatchEnd> = hits.iter().map(|hit| self.end_of(hit)).collect();
        let tables = if self.overlap_much(&line, hits.len()) { self.compiled.lengths(self.one, &line) } else { None };
        let Some(tables) = tables else {
            let mut best = |end: MatchEnd| {
                self.automata.best_match(&line, line.first..end.position, end).expect("a match ends here")
            };
            return ends.into_iter().map(|end| (best(end), None)).collect();
        };
        let one = self.one.without_letters(distance);
        let mut pass = LengthPass::new(tables, &line, one, (kept, Isa::preferred()));
        let matches = ends.into_iter().map(|end| {
            let best = pass.best(end);
            (best, pass.cigar(best, end))
        });
        matches.collect()
    }

    /// Returns whether one pass over the line finds the matches of a number of hits in less time than a pass from each.
    fn overlap_much(&self, line: &EncodedLine<'_>, hits: usize) -> bool {
        hits.saturating_mul(self.compiled.pattern(self.one.index).0.max_match_len()) > 2 * (line.last - line.first)
    }

    /// Returns the operations of the match that starts at the position `start` and ends at `end`.
    fn cigar(&mut self, line: &EncodedLine<'_>, start: usize, end: MatchEnd) -> Cigar {
        self.automata.cigar(line, start, end)
    }

    fn end_of(&self, hit: &Hit) -> MatchEnd {
        MatchEnd { position: self.encoder.position_of_end(hit.end), distance: hit.distance }
    }
}
