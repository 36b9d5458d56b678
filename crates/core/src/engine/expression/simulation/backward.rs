//! The starts of the matches that end at given positions, in one pass from the last of these to the first start.
//!
//! This is the simulation of `automaton` in the other direction. At each end of a match, the accepting states enter one
//! of the levels. A match that ends there with d edits starts where an initial state is reached d levels higher. So the
//! level at which the states enter chooses the question:
//!
//! - **Where can a match of a hit start?** With k - d for a hit of distance d, the positions that are passed on are the
//!   starts of all matches of the hits with their distance, of all hits together. The last position passed on is the
//!   leftmost start.
//! - **How few edits does a match need that starts here?** With 0 for each end, the level is the least number of edits of
//!   a match that starts at the position and ends at one of the ends. A match of a hit with distance d starts only
//!   where this number is at most d.
//!
//! With w words a level, a pass over n symbols takes O(n k w) time and O(k w) memory, however many ends there are.
//! The best match of a single end needs a pass of its own, which also distinguishes the states by the difference
//! between insertions and deletions (`matches::match_automata`).
//!
//! Costs and limits of edits, and exact groups, are not regarded.

use super::automaton::{Automaton, MayStart, ReadingDirection, States};
use super::determinized::SetAutomaton;
use crate::engine::encoder::{Classes, Code, OTHER};
use crate::engine::expression::context::CONTEXTS;
use crate::engine::expression::line::{EncodedLine, MatchEnd};
use crate::interrupt;
use crate::pattern::Expression;

/// The start of a match: a position in a line or record, and the least level that has an initial state there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct StartLevel {
    pub(in crate::engine) position: usize,
    pub(in crate::engine) level: usize,
}

/// Finds the starts of the matches of one expression.
pub(in crate::engine) trait BackwardSimulation: Send + Sync {
    /// Passes each start of a match in `line` that ends at one of `ends` to `found`, the last first. Ends when `found`
    /// returns `false`. `ends` are ordered by position, and the distance of an end is the level at which the accepting
    /// states enter there.
    fn scan(&self, line: &EncodedLine<'_>, ends: &[MatchEnd], found: &mut dyn FnMut(StartLevel) -> bool);

    /// Returns the simulation of all matches. The value of a set is the least number of edits of a match that starts at the
    /// position. A situation is a context, plus [`CONTEXTS`] if no match ends at the position.
    fn starts(&self) -> Box<dyn SetAutomaton + '_>;

    /// Returns the simulation of matches with exactly `distance` edits that end at the first position that is read. The
    /// value of a set is the least difference between insertions and deletions of a match that starts at the position.
    fn rated_starts(&self, distance: usize) -> Box<dyn SetAutomaton + '_>;
}

/// An automaton that reads text from its end to its start.
pub(in crate::engine) struct BackwardAutomaton<const W: usize> {
    k: usize,
    automaton: Automaton<W>,
}

impl<const W: usize> BackwardAutomaton<W> {
    /// Makes the automaton of an expression with at most `k` edits. The expression has at most 64 W states.
    pub(in crate::engine) fn new(expression: &Expression, k: usize, classes: &Classes) -> Self {
        BackwardAutomaton { k, automaton: Automaton::new(expression, k, classes, ReadingDirection::Backward) }
    }
}

impl<const W: usize> BackwardSimulation for BackwardAutomaton<W> {
    fn scan(&self, line: &EncodedLine<'_>, ends: &[MatchEnd], found: &mut dyn FnMut(StartLevel) -> bool) {
        // All lower levels are empty.
        let lowest = ends.iter().map(|end| end.distance).min().unwrap_or(0);
        let mut levels: Vec<States<W>> = vec![[0; W]; self.k + 1 - lowest];
        let mut ends = ends.iter().rev().peekable();
        let mut next = ends.peek().map(|end| end.position);
        while let Some(position) = next {
            interrupt::check_at(position);
            let (code, context) = (line.codes.get(position).copied().unwrap_or(OTHER), line.context(position));
            let entered = ends.next_if(|end| end.position == position).map(|end| end.distance - lowest);
            self.automaton.step_back(&mut levels, code, context, entered);
            // A match covers at least one symbol, so the states that enter here are not initial.
            if let Some(level) = self.automaton.distance(&levels, context)
                && !found(StartLevel { position, level: level + lowest })
            {
                return;
            }
            let is_open = levels.iter().flatten().any(|&word| word != 0);
            let before = position.checked_sub(1).filter(|&before| is_open && before >= line.first);
            next = before.or_else(|| ends.peek().map(|end| end.position));
        }
    }

    fn starts(&self) -> Box<dyn SetAutomaton + '_> {
        Box::new(StartLevels(self))
    }

    fn rated_starts(&self, distance: usize) -> Box<dyn SetAutomaton + '_> {
        Box::new(RatedStarts { automaton: &self.automaton, distance })
    }
}

/// The levels of all matches before a position.
struct StartLevels<'a, const W: usize>(&'a BackwardAutomaton<W>);

impl<const W: usize> SetAutomaton for StartLevels<'_, W> {
    fn words(&self) -> usize {
        (self.0.k + 1) * W
    }

    fn begin(&self, situation: u8, to: &mut [u64]) -> Option<u16> {
        // There is no state after this position, so the symbol is of no consequence.
        self.step(&vec![0; to.len()], OTHER, situation, to)
    }

    fn step(&self, from: &[u64], code: Code, situation: u8, to: &mut [u64]) -> Option<u16> {
        to.copy_from_slice(from);
        let (levels, _) = to.as_chunks_mut::<W>();
        let (context, is_no_end) = (situation % CONTEXTS as u8, usize::from(situation) >= CONTEXTS);
        self.0.automaton.step_back(levels, code, context, (!is_no_end).then_some(0));
        self.0.automaton.distance(levels, context).map(|edits| edits as u16)
    }
}

/// The matches with exactly `distance` edits of one end.
///
/// There is a set of states for each number of edits and each difference between insertions and deletions. The sets of
/// e edits come after those of fewer, in the order of their differences from -e to e.
struct RatedStarts<'a, const W: usize> {
    automaton: &'a Automaton<W>,
    distance: usize,
}

impl<const W: usize> RatedStarts<'_, W> {
    fn step_to(&self, from: &[u64], symbol: (Code, u8), entered: MayStart, to: &mut [u64]) -> Option<u16> {
        let (after, states) = (from.as_chunks::<W>().0, to.as_chunks_mut::<W>().0);
        self.automaton.step_back_by_difference(after, states, symbol, entered);
        let found = states[self.distance * self.distance..].iter().enumerate();
        let found = found.filter(|(_, states)| self.automaton.accepts(states, symbol.1));
        found.map(|(nth, _)| nth.abs_diff(self.distance) as u16).min()
    }
}

impl<const W: usize> SetAutomaton for RatedStarts<'_, W> {
    fn words(&self) -> usize {
        (self.distance + 1) * (self.distance + 1) * W
    }

    fn begin(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        // There is no state after this position, so the symbol is of no consequence.
        self.step_to(&vec![0; to.len()], (OTHER, context), MayStart::Yes, to)
    }

    fn step(&self, from: &[u64], code: Code, context: u8, to: &mut [u64]) -> Option<u16> {
        self.step_to(from, (code, context), MayStart::No, to)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::alphabet::Alphabet;
    use crate::batch::Batch;
    use crate::engine::expression::compiled::CompiledExpressions;
    use crate::engine::expression::context::holds;
    use crate::engine::expression::line::ItemRange;
    use crate::engine::expression::matches::lengths::{KeptLengths, LengthPass};
    use crate::engine::expression::matches::match_automata::{MatchAutomata, RatedEnd};
    use crate::engine::expression::simulation::determinized::TableLimits;
    use crate::engine::expression::simulation::differences::StartsAt;
    use crate::engine::expression::tally::Tallies;
    use crate::engine::expression::tally::starts::{BestMatch, StartSearch};
    use crate::pattern::{MaxEdits, Notation, PatternSet, PatternSource, State};
    use crate::simd::isa::Isa;

    /// Returns a random expression of letters, classes, repeats, alternatives and assertions.
    fn random_expression(rng: &mut fastrand::Rng, depth: usize) -> String {
        let parts = (0..rng.usize(1..4)).map(|_| match rng.usize(0..if depth > 0 { 12 } else { 8 }) {
            0..4 => rng.choice(["a", "b", " "]).unwrap().to_owned(),
            4 => r"\w".to_owned(),
            5 => "[^a]".to_owned(),
            6 => rng.choice([r"\b", r"\B", r"\<", "^"]).unwrap().to_owned(),
            7 => ".".to_owned(),
            8 | 9 => {
                format!("(?:{}){}", random_expression(rng, depth - 1), rng.choice(["*", "+", "?", "{2,3}"]).unwrap())
            }
            _ => format!("(?:{}|{})", random_expression(rng, depth - 1), random_expression(rng, depth - 1)),
        });
        parts.collect()
    }

    /// Returns the least number of edits of a match for each end, for matches that start at the position `start`. This
    /// is a search of the graph of positions and states, with one edit more in each round.
    fn distances_from(
        expression: &Expression,
        line: &EncodedLine<'_>,
        reads: &dyn Fn(State, u16) -> bool,
        k: usize,
        start: usize,
    ) -> Vec<Option<usize>> {
        let starts = (0..).zip(expression.starts()).filter(|(_, condition)| holds(**condition, line.context(start)));
        let mut fresh: Vec<(usize, State)> = starts.map(|(state, _)| (start, state)).collect();
        let mut seen: HashSet<(usize, State)> = HashSet::new();
        let mut distances = vec![None; line.last + 1];
        for edits in 0..=k {
            let mut edited = Vec::new();
            while let Some((position, state)) = fresh.pop() {
                if !seen.insert((position, state)) {
                    continue;
                }
                let is_end = expression
                    .ends()
                    .iter()
                    .any(|end| end.state == state && holds(end.condition, line.context(position)));
                if is_end && position > start {
                    distances[position].get_or_insert(edits);
                }
                let code = line.codes.get(position);
                edited.extend(code.map(|_| (position + 1, state)));
                let after = expression
                    .transitions()
                    .iter()
                    .filter(|one| one.from == state && holds(one.condition, line.context(position)));
                for transition in after {
                    edited.push((position, transition.to));
                    let Some(&code) = code else { continue };
                    let list = if reads(transition.to, code) { &mut fresh } else { &mut edited };
                    list.push((position + 1, transition.to));
                }
            }
            fresh = edited;
        }
        distances
    }

    #[test]
    fn starts_are_those_of_the_matches_from_each_position() {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut compared, mut hits, mut passed) = (0, 0, 0);
        while compared < 3_000 {
            let (source, k) = (random_expression(&mut rng, 2), rng.usize(0..3));
            let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k));
            let Ok(set) = builder.build(&[PatternSource::new(source.as_str())]) else { continue };
            if set.patterns().first().is_none_or(|pattern| pattern.expression().is_none()) {
                continue;
            }
            let compiled = CompiledExpressions::new(Arc::new(set), None).unwrap();
            let text: String = (0..rng.usize(1..14)).map(|_| *rng.choice(&['a', 'b', ' ', 'é']).unwrap()).collect();
            let batch = Batch::of_lines(text.as_str(), b'\n');
            let mut encoder = compiled.encoder();
            encoder.encode(&batch, &ItemRange::next(&batch, 0).unwrap());
            let one = &compiled.expressions[0];
            let (pattern, expression) = compiled.pattern(one.index);
            let line = encoder.line(pattern.within()).unwrap();
            let reads = |state, code| one.simulation.reads(state, code);
            let from: Vec<_> =
                (0..=line.last).map(|start| distances_from(expression, &line, &reads, k, start)).collect();
            // A table of two states is always full.
            let (max_bytes, first_simulated) = [(0, 0), (1 << 20, 0), (1 << 20, 20)][compared % 3];
            let limits = TableLimits { max_bytes, first_simulated };
            let mut automata = MatchAutomata::with_limits(&compiled, one, limits);
            let ends = all_ends(&mut automata, &line);
            let least = |end: usize| from.iter().filter_map(|distances| distances[end]).min();
            let expected =
                (1..=line.last).filter_map(|position| Some(MatchEnd { position, distance: least(position)? }));
            assert_eq!(ends, expected.collect::<Vec<_>>(), "{source:?} in {text:?}, k = {k}");
            let case = format!("{source:?} in {text:?}, k = {k}");
            check(&compiled, &line, &from, &ends, &case);
            let tallies = Tallies::of_edits(k);
            let search = StartSearch { expression, graph: &one.graph, reads: &reads, line: &line, tallies: &tallies };
            let best = ends.iter().map(|&end| automata.best_match(&line, line.first, end).expect("a match ends here"));
            let best: Vec<BestMatch> = best.collect();
            assert_eq!(best, search.best_matches(&ends, usize::MAX), "{case}");
            for (best, &end) in best.iter().zip(&ends) {
                let cigar = automata.cigar(&line, best.start, end);
                let expected = search.cigar(best.start..end.position, end.distance);
                assert_eq!(cigar, expected, "{case}, end {}", end.position);
                check_ends(&mut automata, &line, (*best, end), &case);
            }
            let some: Vec<usize> = ends.iter().map(|end| end.position).filter(|_| rng.bool()).collect();
            for ends in [None, Some(&*some)] {
                check_starts(&mut automata, &line, (&from, ends), &case);
            }
            if let Some(tables) = compiled.lengths(one) {
                let mut pass = LengthPass::new(tables, &line, k, (KeptLengths::ForAlignments, any_isa(&mut rng)));
                for (best, &end) in best.iter().zip(&ends) {
                    assert_eq!(pass.best(end), *best, "{case}, end {}", end.position);
                    let expected = search.cigar(best.start..end.position, end.distance);
                    assert_eq!(pass.cigar(expression, *best, end), Some(expected), "{case}");
                    passed += 1;
                }
            }
            (compared, hits) = (compared + 1, hits + ends.len());
        }
        assert!(hits > 3_000, "only {hits} hits");
        assert!(passed > 100, "only {passed} hits by the lengths of matches");
    }

    fn any_isa(rng: &mut fastrand::Rng) -> Isa {
        let all = Isa::all();
        all[rng.usize(..all.len())]
    }

    fn all_ends(automata: &mut MatchAutomata<'_>, line: &EncodedLine<'_>) -> Vec<MatchEnd> {
        let mut ends = Vec::new();
        automata.scan(line, None, &mut |end| {
            ends.push(end);
            true
        });
        ends
    }

    /// Compares the starts of the matches that end at one of `ends`, or anywhere, with the distances `from` each start.
    fn check_starts(
        automata: &mut MatchAutomata<'_>,
        line: &EncodedLine<'_>,
        (from, ends): (&[Vec<Option<usize>>], Option<&[usize]>),
        case: &str,
    ) {
        let counts = |end: usize| ends.is_none_or(|ends| ends.contains(&end));
        let fewest = |start: usize| {
            let distances = from[start].iter().enumerate().filter(|&(end, _)| counts(end));
            Some((start, distances.filter_map(|(_, distance)| *distance).min()?))
        };
        let expected: Vec<(usize, usize)> = (line.first..line.last).rev().filter_map(fewest).collect();
        let mut starts = Vec::new();
        automata.for_each_start(line, line.first..line.last, ends, |start, distance| starts.push((start, distance)));
        assert_eq!(starts, expected, "{case}, ends {ends:?}");
    }

    /// Checks that the best match of an end is found from its start, and from anywhere.
    fn check_ends(
        automata: &mut MatchAutomata<'_>,
        line: &EncodedLine<'_>,
        (best, end): (BestMatch, MatchEnd),
        case: &str,
    ) {
        let rated = RatedEnd { position: end.position, difference: best.difference };
        let mut found = Vec::new();
        automata.for_each_end(line, best.start..line.last, (end.distance, StartsAt::First), |end| found.push(end));
        assert!(found.contains(&rated), "{case}, {rated:?}");
        found.clear();
        automata.for_each_end(line, line.first..line.last, (end.distance, StartsAt::Anywhere), |end| found.push(end));
        assert!(found.contains(&rated), "{case}, {rated:?}");
    }

    #[test]
    fn matches_of_a_long_record_are_those_of_each_end() {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut hits, mut alignments) = (0, 0);
        let long =
            ["AC(...){2,20}(TA|TG)", "G{3,5}(N{1,7}G{3,5}){3}", "(CA){2,40}T", "A(C{0,3}T|GT?){2,5}A", "(A|CG){3,9}TT"];
        for turn in 0..60 {
            let (source, k) = (long[turn % long.len()], turn % 4);
            let builder = PatternSet::builder(Alphabet::Dna).notation(Notation::Regex);
            let set = builder.max_edits(MaxEdits::Count(k)).build(&[PatternSource::new(source)]).unwrap();
            let compiled = CompiledExpressions::new(Arc::new(set), None).unwrap();
            // Parts without hits lie between the others.
            let letters = |letters: &[char], rng: &mut fastrand::Rng| *rng.choice(letters).unwrap();
            let text: String = (0..2_000)
                .map(|at| if at / 150 % 3 == 0 { 'A' } else { letters(&['A', 'C', 'G', 'T'], &mut rng) })
                .collect();
            let batch = Batch::of_record(text.as_bytes());
            let mut encoder = compiled.encoder();
            encoder.encode(&batch, &ItemRange::next(&batch, 0).unwrap());
            let Some(one) = compiled.expressions.first() else { continue };
            let (pattern, expression) = compiled.pattern(one.index);
            let line = encoder.line(pattern.within()).unwrap();
            let mut ends = Vec::new();
            let mut automata = MatchAutomata::new(&compiled, 0);
            automata.scan(&line, None, &mut |end| {
                if rng.usize(0..3) == 0 {
                    ends.push(end);
                }
                true
            });
            let tables = compiled.lengths(one).expect("it has no conditions");
            let mut pass = LengthPass::new(tables, &line, k, (KeptLengths::ForAlignments, any_isa(&mut rng)));
            for &end in &ends {
                let best = automata.best_match(&line, line.first, end).expect("a match ends here");
                assert_eq!(pass.best(end), best, "{source:?} in {text:?}, k = {k}, end {}", end.position);
                let expected = automata.cigar(&line, best.start, end);
                assert_eq!(pass.cigar(expression, best, end), Some(expected), "{source:?} in {text:?}, k = {k}");
                alignments += usize::from(end.distance > 0);
            }
            hits += ends.len();
        }
        assert!(hits > 3_000 && alignments > 2_000, "only {hits} hits and {alignments} with edits");
    }

    /// Compares both answers of the backward pass, and the ends of matches from single starts, with the distances
    /// `from` each start to each end.
    fn check(
        compiled: &CompiledExpressions,
        line: &EncodedLine<'_>,
        from: &[Vec<Option<usize>>],
        ends: &[MatchEnd],
        case: &str,
    ) {
        let one = &compiled.expressions[0];
        let k = compiled.pattern(0).0.k();
        let back = |ends: &[MatchEnd]| {
            let mut starts = Vec::new();
            compiled.backward(one).scan(line, ends, &mut |start| {
                starts.push(start);
                true
            });
            starts.reverse();
            starts
        };
        let of_hits: Vec<MatchEnd> = ends.iter().map(|end| MatchEnd { distance: k - end.distance, ..*end }).collect();
        let starts: Vec<usize> = back(&of_hits).iter().map(|start| start.position).collect();
        let is_start = |&start: &usize| ends.iter().any(|end| from[start][end.position] == Some(end.distance));
        assert_eq!(starts, (0..=line.last).filter(is_start).collect::<Vec<_>>(), "{case}");
        let everywhere: Vec<MatchEnd> = ends.iter().map(|end| MatchEnd { distance: 0, ..*end }).collect();
        let fewest =
            |start: usize| Some(StartLevel { position: start, level: from[start].iter().flatten().min().copied()? });
        assert_eq!(back(&everywhere), (0..=line.last).filter_map(fewest).collect::<Vec<_>>(), "{case}");
        for (start, distances) in from.iter().enumerate() {
            let mut found = Vec::new();
            one.simulation.scan_from(line, std::slice::from_ref(&(start..start + 1)), &mut |end| {
                found.push((end.position, end.distance));
                true
            });
            let expected = distances.iter().enumerate().filter_map(|(end, distance)| Some((end, (*distance)?)));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{case}, from {start}");
        }
    }
}
