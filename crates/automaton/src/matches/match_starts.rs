//! The starts of the matches of hits: of all matches that have the distance of their hit.
//!
//! Passes over a line answer two questions for all hits of an expression. A pass from the first of some given starts finds
//! the least distance of the matches that begin there, which tells for each hit whether such a match has its distance. A
//! pass back from the ends of the hits with one distance then finds their starts: those of matches with this distance.

use std::ops::Range;

use super::match_automata::{MatchAutomata, automata_of};
use crate::compiled::CompiledExpressions;
use crate::line::{EncodedLine, LineEncoder, MatchEnd};
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;

/// A question about hits of expressions in one line or record.
#[derive(Clone, Copy)]
pub struct StartsQuery<'q> {
    pub(crate) batch: &'q Batch<'q>,
    /// The hits, ordered by end.
    pub(crate) hits: &'q [Hit],
    /// For each hit, the number of symbols of the line or record before its end.
    pub(crate) ends: &'q [u64],
    /// Ranges of starts, as numbers of symbols before them. They ascend.
    pub(crate) starts: &'q [Range<u64>],
}

/// The matches that start in the ranges of a question.
#[derive(Default)]
pub struct FoundStarts {
    /// For each hit, whether a match with its distance starts in one of the ranges.
    pub(crate) are_from: Vec<bool>,
    /// The numbers of symbols before the starts of these matches, in no order, some of them several times. There may be
    /// other starts outside of the ranges.
    pub(crate) starts: Vec<u64>,
}

/// Finds the starts of the matches of hits.
pub struct StartFinder<'a> {
    compiled: &'a CompiledExpressions,
    encoder: LineEncoder<'a>,
    /// The automata of each expression, made when they are first needed.
    automata: Vec<Option<Box<MatchAutomata<'a>>>>,
}

impl<'a> StartFinder<'a> {
    pub(crate) fn new(compiled: &'a CompiledExpressions) -> Self {
        let automata = compiled.expressions.iter().map(|_| None).collect();
        StartFinder { compiled, encoder: compiled.encoder(), automata }
    }

    /// Finds the matches that start in the ranges of `query`.
    pub(crate) fn find(&mut self, query: StartsQuery<'_>) -> FoundStarts {
        let StartsQuery { batch, hits, ends, starts } = query;
        let mut found = FoundStarts { are_from: vec![false; hits.len()], starts: Vec::new() };
        let (compiled, all) = (self.compiled, &mut self.automata);
        compiled.for_each_item(&mut self.encoder, (batch, hits), 0, |nth, encoder, in_item| {
            let within = compiled.pattern(compiled.expressions[nth].index).0.within();
            let line = encoder.line(within).expect("a match is within the range");
            let mut search = ItemSearch { line, automata: automata_of(compiled, all, nth) };
            let end =
                |&at: &usize| MatchEnd { position: encoder.position_of_end(hits[at].end), distance: hits[at].distance };
            let item_ends: Vec<MatchEnd> = in_item.iter().map(end).collect();
            // The number of symbols of the record before the part that was encoded.
            let before = ends[in_item[0]] - item_ends[0].position as u64;
            let ranges: Vec<Range<usize>> = starts.iter().filter_map(|range| search.positions(range, before)).collect();
            let are_from = search.are_from(&item_ends, &ranges);
            let from = item_ends.iter().zip(&are_from).filter(|(_, is_from)| **is_from).map(|(end, _)| *end);
            search.starts(from.collect(), &mut |start| found.starts.push(before + start as u64));
            in_item.iter().zip(are_from).for_each(|(&at, is_from)| found.are_from[at] = is_from);
        });
        found
    }
}

/// A search for the starts of hits of an expression in a line, or in a part of a record.
struct ItemSearch<'s, 'a> {
    line: EncodedLine<'s>,
    automata: &'s mut MatchAutomata<'a>,
}

impl ItemSearch<'_, '_> {
    /// Returns the positions that lie in a range of numbers of symbols, if `before` symbols are before the part.
    fn positions(&self, range: &Range<u64>, before: u64) -> Option<Range<usize>> {
        let position =
            |symbols: u64| (symbols.saturating_sub(before) as usize).clamp(self.line.first, self.line.last + 1);
        let positions = position(range.start)..position(range.end);
        (!positions.is_empty()).then_some(positions)
    }

    /// Returns for each hit whether a match with its distance starts in one of the ranges `starts`.
    fn are_from(&mut self, ends: &[MatchEnd], starts: &[Range<usize>]) -> Vec<bool> {
        let mut are_from = vec![false; ends.len()];
        let Some(last) = ends.last() else { return are_from };
        let mut next = 0;
        self.automata.for_each_end_from(&self.line, (starts, last.position), |found| {
            while ends.get(next).is_some_and(|end| end.position < found.position) {
                next += 1;
            }
            if let Some(end) = ends.get(next) {
                are_from[next] = *end == found;
            }
        });
        are_from
    }

    /// Passes the start of each match with the distance of a hit to `each`. A start may be passed several times.
    fn starts(&mut self, mut ends: Vec<MatchEnd>, each: &mut dyn FnMut(usize)) {
        ends.sort_unstable_by_key(|end| (end.distance, end.position));
        for own in ends.chunk_by(|a, b| a.distance == b.distance) {
            let (distance, last) = (own[0].distance, own[own.len() - 1].position);
            let own: Vec<usize> = own.iter().map(|end| end.position).collect();
            // No match that ends at one of these has a lower distance.
            self.automata.for_each_start(&self.line, self.line.first..last, Some(&own), |start, least| {
                if least == distance {
                    each(start);
                }
            });
        }
    }
}
