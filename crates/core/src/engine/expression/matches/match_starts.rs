//! The starts of the matches of hits: of all matches that have the distance of their hit.
//!
//! Two passes over a line answer two questions for all hits of an expression. A pass from the first of some given
//! starts computes the least distance of the matches that begin there, which tells for each hit whether such a match
//! has its distance. A pass back from these hits (`simulation::backward`, `tally::backward`) then finds their starts.

use std::ops::Range;

use crate::batch::Batch;
use crate::engine::expression::compiled::{CompiledExpression, CompiledExpressions};
use crate::engine::expression::line::{EncodedLine, LineEncoder, MatchEnd};
use crate::engine::expression::tally::starts::StartSearch;
use crate::hit::Hit;

/// A question about hits of expressions in one line or record.
#[derive(Clone, Copy)]
pub(in crate::engine) struct StartsQuery<'q> {
    pub(in crate::engine) batch: &'q Batch<'q>,
    /// The hits, ordered by end.
    pub(in crate::engine) hits: &'q [Hit],
    /// For each hit, the number of symbols of the line or record before its end.
    pub(in crate::engine) ends: &'q [u64],
    /// Ranges of starts, as numbers of symbols before them. They ascend.
    pub(in crate::engine) starts: &'q [Range<u64>],
}

/// The matches that start in the ranges of a question.
#[derive(Default)]
pub(in crate::engine) struct FoundStarts {
    /// For each hit, whether a match with its distance starts in one of the ranges.
    pub(in crate::engine) are_from: Vec<bool>,
    /// The numbers of symbols before the starts of these matches, in no order. There may be other starts outside of the
    /// ranges.
    pub(in crate::engine) starts: Vec<u64>,
}

/// Finds the starts of the matches of hits.
pub(in crate::engine) struct StartFinder<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
}

impl<'a> StartFinder<'a> {
    pub(in crate::engine::expression) fn new(compiled: &'a CompiledExpressions) -> Self {
        StartFinder { compiled, encoder: compiled.encoder() }
    }

    /// Finds the matches that start in the ranges of `query`.
    pub(in crate::engine) fn find(&mut self, query: StartsQuery<'_>) -> FoundStarts {
        let StartsQuery { batch, hits, ends, starts } = query;
        let mut found = FoundStarts { are_from: vec![false; hits.len()], starts: Vec::new() };
        let compiled = self.compiled;
        compiled.for_each_item(&mut self.encoder, (batch, hits), |nth, encoder, in_item| {
            let one = &compiled.expressions[nth];
            let (pattern, expression) = compiled.pattern(one.index);
            let line = encoder.line(pattern.within()).expect("a match is within the range");
            let tallies = pattern.constraints().map(|_| one.tallies(pattern.k()));
            let (graph, reads) = (&one.graph, |state, code| one.simulation.reads(state, code));
            let constrained = tallies.as_deref();
            let constrained =
                constrained.map(|tallies| StartSearch { expression, graph, reads: &reads, line: &line, tallies });
            let search = ItemSearch { compiled, one, line: &line, constrained };
            let end =
                |&at: &usize| MatchEnd { position: encoder.position_of_end(hits[at].end), distance: hits[at].distance };
            let item_ends: Vec<MatchEnd> = in_item.iter().map(end).collect();
            // The number of symbols of the record before the part that was encoded.
            let before = ends[in_item[0]] - item_ends[0].position as u64;
            let ranges: Vec<Range<usize>> = starts.iter().filter_map(|range| search.positions(range, before)).collect();
            let are_from = search.are_from(&item_ends, &ranges);
            let from = item_ends.iter().zip(&are_from).filter(|(_, is_from)| **is_from).map(|(end, _)| *end);
            let from: Vec<MatchEnd> = from.collect();
            if !from.is_empty() {
                search.starts(&from, &mut |start| found.starts.push(before + start as u64));
            }
            in_item.iter().zip(are_from).for_each(|(&at, is_from)| found.are_from[at] = is_from);
        });
        found
    }
}

/// A search for the starts of hits of an expression in a line, or in a part of a record.
struct ItemSearch<'a> {
    compiled: &'a CompiledExpressions,
    one: &'a CompiledExpression,
    line: &'a EncodedLine<'a>,
    /// The search with tallies, if edits have costs or limits.
    constrained: Option<StartSearch<'a>>,
}

impl ItemSearch<'_> {
    /// Returns the positions that lie in a range of numbers of symbols, if `before` symbols are before the part.
    fn positions(&self, range: &Range<u64>, before: u64) -> Option<Range<usize>> {
        let position =
            |symbols: u64| (symbols.saturating_sub(before) as usize).clamp(self.line.first, self.line.last + 1);
        let positions = position(range.start)..position(range.end);
        (!positions.is_empty()).then_some(positions)
    }

    /// Returns for each hit whether a match with its distance starts in one of the ranges `starts`.
    fn are_from(&self, ends: &[MatchEnd], starts: &[Range<usize>]) -> Vec<bool> {
        if let Some(search) = &self.constrained {
            let positions: Vec<usize> = ends.iter().map(|end| end.position).collect();
            let costs = search.costs_from(starts, &positions);
            return ends.iter().zip(costs).map(|(end, cost)| cost == Some(end.distance)).collect();
        }
        let mut are_from = vec![false; ends.len()];
        let mut next = 0;
        self.one.simulation.scan_from(self.line, starts, &mut |found| {
            while ends.get(next).is_some_and(|end| end.position < found.position) {
                next += 1;
            }
            if let Some(end) = ends.get(next) {
                are_from[next] = *end == found;
            }
            next < ends.len()
        });
        are_from
    }

    /// Passes the start of each match with the distance of a hit to `each`.
    fn starts(&self, ends: &[MatchEnd], each: &mut dyn FnMut(usize)) {
        if let Some(search) = &self.constrained {
            search.starts_before(ends, each);
            return;
        }
        let (pattern, _) = self.compiled.pattern(self.one.index);
        let entries = ends.iter().map(|end| MatchEnd { distance: pattern.k() - end.distance, ..*end });
        let entries: Vec<MatchEnd> = entries.collect();
        self.compiled.backward(self.one).scan(self.line, &entries, &mut |start| {
            each(start.position);
            true
        });
    }
}
