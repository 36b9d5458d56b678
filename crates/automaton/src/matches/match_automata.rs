//! The deterministic automata that find and align the matches of one expression in a line.
//!
//! A thread has automata of its own, and makes each when it first needs it.

use std::ops::{Range, RangeInclusive};

use super::trace::{AlignedExpression, MatchTrace, TraceMemory};
use crate::compiled::{CompiledExpression, CompiledExpressions};
use crate::line::{BestMatch, EncodedLine, MatchEnd};
use crate::simulation::automaton::ReadingDirection;
use crate::simulation::costs::{CostQuery, RowLayout, StartsAt};
use crate::simulation::determinized::{Determinized, Reached, TableLimits};
use nigh_pattern::PreferredLength;
use nigh_tables::context::CONTEXTS;
use nigh_text::alignment::Cigar;

/// The largest size of the tables of all automata of a thread, in bytes.
const MAX_BYTES: usize = 32 << 20;
/// The largest size of the tables of one automaton, in bytes. One core of a busy AVX-512 server, 1 MB of log, `-c -k2
/// '(.{1,100}){1,10}timeout'`: 0.67 and 0.02 s with 256 kB and 1 MB; no search was faster with 4 or 16 MB.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;
/// The number of symbols that an automaton reads by simulation before it makes states, since a state takes as long as
/// several symbols: a search of many expressions may read little text for each. The same server and text, `-on -k1` for
/// 1,000 expressions of two words: 0.47, 0.40 and 0.38 s with 0, 512 and 4,096; other searches: no difference.
const FIRST_SIMULATED: usize = 512;

/// The automata of one expression.
pub(crate) struct MatchAutomata<'a> {
    compiled: &'a CompiledExpressions,
    one: &'a CompiledExpression,
    limits: TableLimits,
    /// Facts that a search needs for each line.
    pub(crate) facts: MatchFacts,
    /// The automaton that finds the ends of all matches without regard to costs and limits.
    ends: LazyAutomaton<'a>,
    /// For each direction, the automaton that finds the least costs of all matches, and that for the matches that begin at
    /// given positions.
    least: [[LazyAutomaton<'a>; 2]; 2],
    /// For each distance, the automata in the order of [`Rated`]; empty if none of them was needed.
    rated: Vec<[LazyAutomaton<'a>; 3]>,
    trace: TraceMemory,
}

/// Facts about the matches of an expression. They are kept, since the lengths take a walk over its transitions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchFacts {
    /// The index of the pattern.
    pub(crate) pattern: usize,
    /// The largest distance of a match: the number of edits, or their cost.
    pub(crate) max_distance: usize,
    /// The least and the largest number of symbols of a match.
    pub(super) min_length: usize,
    pub(crate) max_length: usize,
    pub(super) preferred_length: PreferredLength,
    /// Whether matches without edits end as in Perl.
    pub(crate) ends_as_in_perl: bool,
}

/// An automaton that is made when it is first needed. There may be many expressions that need few of theirs.
type LazyAutomaton<'a> = Option<Box<Determinized<'a>>>;

/// The matches with an exact distance whose differences between insertions and deletions an automaton finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rated {
    /// The matches that start at the first position, read to their ends.
    OneStart,
    /// The matches that start anywhere, read to their ends.
    AllStarts,
    /// The matches that end at the first position that is read, read back to their starts.
    OneEnd,
}

/// The end of a match with a given distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RatedEnd {
    pub(crate) position: usize,
    /// The least difference between insertions and deletions of a match that ends there.
    pub(crate) difference: usize,
}

/// The position up to which an automaton has read a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadUpTo {
    position: usize,
    reached: Reached,
}

impl<'a> MatchAutomata<'a> {
    /// Makes the automata of the expression with the number `nth`.
    pub(crate) fn new(compiled: &'a CompiledExpressions, nth: usize) -> Self {
        let one = &compiled.expressions[nth];
        let automata = compiled.expressions.len() * (5 + 3 * (compiled.pattern(one.index).0.k() + 1));
        let max_bytes = (MAX_BYTES / automata).min(MAX_AUTOMATON_BYTES);
        Self::with_limits(compiled, one, TableLimits { max_bytes, first_simulated: FIRST_SIMULATED })
    }

    /// Makes automata with limits for each.
    pub(crate) fn with_limits(
        compiled: &'a CompiledExpressions,
        one: &'a CompiledExpression,
        limits: TableLimits,
    ) -> Self {
        let (pattern, expression) = compiled.pattern(one.index);
        let facts = MatchFacts {
            pattern: one.index,
            max_distance: one.max_distance(),
            min_length: pattern.min_match_len(),
            max_length: pattern.max_match_len(),
            preferred_length: expression.preferred_length(),
            ends_as_in_perl: expression.ends_as_in_perl(),
        };
        let least = [const { [None, None] }; 2];
        let (rated, trace) = (Vec::new(), TraceMemory::default());
        MatchAutomata { compiled, one, limits, facts, ends: None, least, rated, trace }
    }

    /// Returns the end of the match that Perl finds in a range of positions of `line`, from its start on. The expression must
    /// end as in Perl.
    pub(crate) fn first_end(&self, line: &EncodedLine<'_>, positions: Range<usize>) -> Option<usize> {
        self.compiled.first_end(self.one, line, positions)
    }

    /// Passes the position of each end of a match in `line`, or in a piece of it, and the least distance there to `found`.
    /// Ends when `found` returns `false`. `before` is the state after the piece before this one; `None` at the start of the
    /// line. Returns the state after this piece.
    pub(crate) fn scan(
        &mut self,
        line: &EncodedLine<'_>,
        before: Option<Reached>,
        found: &mut dyn FnMut(MatchEnd) -> bool,
    ) -> Reached {
        let (compiled, one, limits) = (self.compiled, self.one, self.limits);
        let automaton = self.ends.get_or_insert_with(|| {
            let situations = contexts(compiled, one);
            Box::new(Determinized::new(one.simulation.ends(), (compiled.classes().count(), situations), limits))
        });
        let reached = before.unwrap_or_else(|| automaton.begin(line.context(line.first)));
        automaton.read(reached, line.forward(line.first..line.last), |position, reached| {
            reached.value().is_none_or(|distance| found(MatchEnd { position, distance }))
        })
    }

    /// Passes the end of each match in a range of positions, and the least distance there, to `found`. Ends when `found`
    /// returns `false`. `read` is how far the same line was read before, and is brought up to date; `None` if it was not
    /// read.
    pub(crate) fn scan_costs(
        &mut self,
        line: &EncodedLine<'_>,
        ends: RangeInclusive<usize>,
        read: &mut Option<ReadUpTo>,
        found: &mut dyn FnMut(MatchEnd) -> bool,
    ) {
        let first = ends.start().saturating_sub(self.facts.max_length).max(line.first);
        let automaton = self.least(ReadingDirection::Forward, Beginnings::All);
        let before = read
            .filter(|read| read.position >= first)
            .unwrap_or_else(|| ReadUpTo { position: first, reached: automaton.begin(line.context(first)) });
        let mut goes_on = true;
        let reached =
            automaton.read(before.reached, line.forward(before.position..*ends.end()), |position, reached| {
                let distance = reached.value().filter(|_| ends.contains(&position));
                goes_on = distance.is_none_or(|distance| found(MatchEnd { position, distance }));
                goes_on
            });
        *read = goes_on.then_some(ReadUpTo { position: *ends.end(), reached });
    }

    /// Passes the end of each match that starts in one of the ranges of positions `starts`, which ascend, and ends at or
    /// before the position `last`, to `found`, with the least distance of these matches.
    pub(crate) fn for_each_end_from(
        &mut self,
        line: &EncodedLine<'_>,
        (starts, last): (&[Range<usize>], usize),
        mut found: impl FnMut(MatchEnd),
    ) {
        let Some(first) = starts.first().map(|range| range.start).filter(|&first| first < last) else { return };
        let last_start = starts.last().map_or(first, |range| range.end);
        let mut ranges = starts.iter().peekable();
        let mut situation = |position: usize, context: u8| {
            while ranges.next_if(|range| range.end <= position).is_some() {}
            context + no_beginning(!ranges.peek().is_some_and(|range| range.contains(&position)))
        };
        let automaton = self.least(ReadingDirection::Forward, Beginnings::Given);
        let reached = automaton.begin(situation(first, line.context(first)));
        let symbols = line.forward(first..last);
        let symbols = symbols.map(|(position, code, context)| (position, code, situation(position, context)));
        automaton.read(reached, symbols, |position, reached| {
            reached.value().into_iter().for_each(|distance| found(MatchEnd { position, distance }));
            reached.is_open() || position < last_start
        });
    }

    /// Passes the starts of the matches in a range of positions to `found`, the last first, each with the least distance of
    /// its matches. If there are `ends`, which ascend, only matches that end at one of them count.
    pub(crate) fn for_each_start(
        &mut self,
        line: &EncodedLine<'_>,
        range: Range<usize>,
        ends: Option<&[usize]>,
        mut found: impl FnMut(usize, usize),
    ) {
        let found = |position: usize, reached: Reached| {
            reached.value().into_iter().for_each(|distance| found(position, distance));
            true
        };
        let Some(ends) = ends else {
            let automaton = self.least(ReadingDirection::Backward, Beginnings::All);
            let reached = automaton.begin(line.context(range.end));
            automaton.read(reached, line.backward(range), found);
            return;
        };
        let mut next_ends = ends.iter().rev().peekable();
        let mut situation = |position: usize, context: u8| {
            while next_ends.next_if(|&&end| end > position).is_some() {}
            context + no_beginning(next_ends.peek() != Some(&&position))
        };
        let automaton = self.least(ReadingDirection::Backward, Beginnings::Given);
        let reached = automaton.begin(situation(range.end, line.context(range.end)));
        let symbols = line.backward(range);
        let symbols = symbols.map(|(position, code, context)| (position, code, situation(position, context)));
        automaton.read(reached, symbols, found);
    }

    /// Passes the ends of the matches in a range of positions with exactly this `distance` to `found`, in order. The matches
    /// start at the first position or anywhere.
    pub(crate) fn for_each_end(
        &mut self,
        line: &EncodedLine<'_>,
        range: Range<usize>,
        (distance, starts): (usize, StartsAt),
        mut found: impl FnMut(RatedEnd),
    ) {
        let rated = match starts {
            StartsAt::First => Rated::OneStart,
            StartsAt::Anywhere => Rated::AllStarts,
        };
        let automaton = self.rated(distance, rated);
        let reached = automaton.begin(line.context(range.start));
        automaton.read(reached, line.forward(range), |position, reached| {
            reached.value().into_iter().for_each(|difference| found(RatedEnd { position, difference }));
            // If no state is reached, no match goes on.
            starts == StartsAt::Anywhere || reached.is_open()
        });
    }

    /// Returns the best of the matches that end at `end` with its distance and start in the range `starts`; `None` if there is
    /// no match.
    pub(crate) fn best_match(
        &mut self,
        line: &EncodedLine<'_>,
        starts: Range<usize>,
        end: MatchEnd,
    ) -> Option<BestMatch> {
        let automaton = self.rated(end.distance, Rated::OneEnd);
        let reached = automaton.begin(line.context(end.position));
        let mut best: Option<BestMatch> = None;
        automaton.read(reached, line.backward(starts.start..end.position), |start, reached| {
            // Of equal differences the match that starts first is the best, and it comes last.
            if let Some(difference) = reached.value()
                && starts.contains(&start)
                && best.as_ref().is_none_or(|best| difference <= best.difference)
            {
                best = Some(BestMatch { distance: end.distance, difference, start });
            }
            reached.is_open()
        });
        best
    }

    /// Returns the operations of the match that starts at the position `start` and ends at `end`.
    pub(crate) fn cigar(&mut self, line: &EncodedLine<'_>, start: usize, end: MatchEnd) -> Cigar {
        let MatchEnd { position, distance } = end;
        if distance == 0 {
            return Cigar::of_matches(position - start);
        }
        let one = self.one;
        let tallied = one.tallied(distance, true);
        let reads = |state, code| one.simulation.reads(state, code);
        let aligned = AlignedExpression { one: tallied, line, reads };
        let layout = RowLayout::new(tallied, ReadingDirection::Forward);
        let mut memory = std::mem::take(&mut self.trace);
        let sets = self.rated(distance, Rated::OneStart);
        let cigar = MatchTrace { aligned, layout, sets, memory: &mut memory }.cigar(start..position, distance);
        self.trace = memory;
        cigar
    }

    /// Returns the automaton that finds the least costs of matches that begin, in a direction, at some positions.
    fn least(&mut self, direction: ReadingDirection, beginnings: Beginnings) -> &mut Determinized<'a> {
        let (compiled, one, limits) = (self.compiled, self.one, self.limits);
        let max_distance = self.facts.max_distance;
        self.least[direction as usize][beginnings as usize].get_or_insert_with(|| {
            let tallied = one.tallied(max_distance, false);
            let sets = one.simulation(direction).costs(tallied, CostQuery::Least, StartsAt::Anywhere);
            let situations = match beginnings {
                Beginnings::All => contexts(compiled, one),
                Beginnings::Given => 2 * CONTEXTS,
            };
            Box::new(Determinized::new(sets, (compiled.classes().count(), situations), limits))
        })
    }

    /// Returns an automaton that finds the differences of matches with a distance.
    fn rated(&mut self, distance: usize, rated: Rated) -> &mut Determinized<'a> {
        let (compiled, one, limits) = (self.compiled, self.one, self.limits);
        if self.rated.is_empty() {
            self.rated = (0..=self.facts.max_distance).map(|_| [const { None }; 3]).collect();
        }
        self.rated[distance][rated as usize].get_or_insert_with(|| {
            let (direction, begins) = match rated {
                Rated::OneStart => (ReadingDirection::Forward, StartsAt::First),
                Rated::AllStarts => (ReadingDirection::Forward, StartsAt::Anywhere),
                Rated::OneEnd => (ReadingDirection::Backward, StartsAt::First),
            };
            let tallied = one.tallied(distance, true);
            let sets = one.simulation(direction).costs(tallied, CostQuery::Difference(distance), begins);
            Box::new(Determinized::new(sets, (compiled.classes().count(), contexts(compiled, one)), limits))
        })
    }
}

/// The positions at which matches begin, in the direction in which text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginnings {
    All,
    Given,
}

/// Returns what is added to a context where no match begins.
fn no_beginning(is_none: bool) -> u8 {
    if is_none { CONTEXTS as u8 } else { 0 }
}

/// Returns the automata of the expression with the number `nth` from those of all expressions.
pub(crate) fn automata_of<'s, 'a>(
    compiled: &'a CompiledExpressions,
    all: &'s mut [Option<Box<MatchAutomata<'a>>>],
    nth: usize,
) -> &'s mut MatchAutomata<'a> {
    all[nth].get_or_insert_with(|| Box::new(MatchAutomata::new(compiled, nth)))
}

/// Returns the number of contexts that an expression distinguishes.
fn contexts(compiled: &CompiledExpressions, one: &CompiledExpression) -> usize {
    if compiled.pattern(one.index).1.has_conditions() { CONTEXTS } else { 1 }
}
