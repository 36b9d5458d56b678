//! Compares the automata of an expression with all ways to read a short text.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::compiled::CompiledExpressions;
use crate::line::{BestMatch, EncodedLine, ItemRange, MatchEnd};
use crate::matches::lengths::{KeptLengths, LengthPass};
use crate::matches::match_automata::{MatchAutomata, RatedEnd};
use crate::simulation::costs::StartsAt;
use crate::simulation::determinized::TableLimits;
use nigh_pattern::{
    EditCosts, Edits, Expression, Groups, MaxEdits, Notation, Pattern, PatternSet, PatternSource, State, Transpositions,
};
use nigh_simd::isa::Isa;
use nigh_tables::context::holds;
use nigh_text::alignment::{BackwardRuns, Cigar, Edit};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_verify::encoder::Code;

/// The numbers of insertions, deletions, substitutions and transpositions.
type StepCounts = [usize; 4];

const INSERTION: usize = 0;
const DELETION: usize = 1;
const SUBSTITUTION: usize = 2;
const TRANSPOSITION: usize = 3;

/// The matches of an expression in a line, as paths through its automaton.
struct Definition<'a> {
    expression: &'a Expression,
    line: EncodedLine<'a>,
    reads: &'a dyn Fn(State, Code) -> bool,
    costs: StepCounts,
    most: StepCounts,
    max_cost: usize,
}

/// A place that a path reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ReachedPlace {
    position: usize,
    state: State,
    /// Whether the last edit inserted a symbol.
    is_inserted: bool,
    counts: StepCounts,
}

/// A place without the counts that the largest cost limits already: cost, difference, the other counts.
type MergedPlace = (usize, State, bool, (usize, isize, StepCounts));

/// A step to a place. The walk back prefers the least: by kind, then the last state before, and the last in between.
type StepRank = (usize, i64, i64, bool);

impl<'a> Definition<'a> {
    fn new(
        (pattern, expression): (&Pattern, &'a Expression),
        line: EncodedLine<'a>,
        reads: &'a dyn Fn(State, Code) -> bool,
    ) -> Self {
        let k = pattern.k();
        let (costs, most, max_cost) = match pattern.constraints() {
            None => ([1; 4], [k, k, k, 0], k),
            Some(constraints) => {
                let EditCosts { insertion, deletion, substitution, .. } = constraints.costs();
                let transpositions = if constraints.has_transpositions() { usize::MAX } else { 0 };
                let costs = [insertion.cost.get(), deletion.cost.get(), substitution.cost.get(), 1];
                (costs, [insertion.max, deletion.max, substitution.max, transpositions], constraints.max_cost())
            }
        };
        Definition { expression, line, reads, costs, most, max_cost }
    }

    fn cost(&self, counts: &StepCounts) -> usize {
        counts.iter().zip(self.costs).map(|(count, cost)| count * cost).sum()
    }

    /// Returns the steps from a place: the kind of edit, or `None` for a match, the state in between for a transposition, and
    /// the place after it.
    fn steps(&self, from: &ReachedPlace) -> Vec<(Option<usize>, Option<State>, ReachedPlace)> {
        let ReachedPlace { position, state, is_inserted, counts } = *from;
        let code = |position: usize| self.line.codes.get(position).copied();
        let reads = |state: State, position: usize| code(position).is_some_and(|code| (self.reads)(state, code));
        let taken = |state: State, position: usize, is_inserted: bool| {
            let all = self.expression.transitions().iter();
            all.filter(move |one| {
                one.from == state && holds(one.condition, self.line.context(position)) && !(one.joined && is_inserted)
            })
        };
        let mut steps = Vec::new();
        let mut edit = |kind: usize, middle: Option<State>, position: usize, state: State| {
            let mut counts = counts;
            counts[kind] += 1;
            if counts[kind] <= self.most[kind] && self.cost(&counts) <= self.max_cost {
                steps.push((
                    Some(kind),
                    middle,
                    ReachedPlace { position, state, is_inserted: kind == INSERTION, counts },
                ));
            }
        };
        if code(position).is_some() {
            edit(INSERTION, None, position + 1, state);
        }
        let mut matches = Vec::new();
        for to in taken(state, position, is_inserted).map(|one| one.to) {
            if reads(to, position) {
                matches.push((
                    None,
                    None,
                    ReachedPlace { position: position + 1, state: to, is_inserted: false, counts },
                ));
            }
            if self.expression.is_exact(to) {
                continue;
            }
            edit(DELETION, None, position, to);
            if code(position).is_some() {
                edit(SUBSTITUTION, None, position + 1, to);
            }
            if reads(to, position + 1) {
                for second in taken(to, position + 1, false).map(|one| one.to) {
                    if !self.expression.is_exact(second) && reads(second, position) {
                        edit(TRANSPOSITION, Some(to), position + 2, second);
                    }
                }
            }
        }
        steps.extend(matches);
        steps
    }

    /// Returns the places that matches from a position reach.
    fn places_from(&self, start: usize) -> HashSet<ReachedPlace> {
        let starts = (0..)
            .zip(self.expression.starts())
            .filter(|(_, start_condition)| holds(**start_condition, self.line.context(start)));
        let place = |state| ReachedPlace { position: start, state, is_inserted: false, counts: [0; 4] };
        let mut fresh: Vec<ReachedPlace> = starts.map(|(state, _)| place(state)).collect();
        let mut seen = HashSet::new();
        while let Some(place) = fresh.pop() {
            if seen.insert(place) {
                fresh.extend(self.steps(&place).into_iter().map(|(.., after)| after));
            }
        }
        seen
    }

    fn accepts(&self, place: &ReachedPlace) -> bool {
        let context = self.line.context(place.position);
        self.expression.ends().iter().any(|end| end.state == place.state && holds(end.condition, context))
    }

    /// Returns for each end of a match from a position the cost of each match, with the least difference between insertions
    /// and deletions.
    fn matches_from(&self, start: usize) -> Vec<BTreeMap<usize, usize>> {
        let mut matches = vec![BTreeMap::new(); self.line.last + 1];
        for place in self.places_from(start).iter().filter(|place| self.accepts(place) && place.position > start) {
            let difference = place.counts[INSERTION].abs_diff(place.counts[DELETION]);
            let least = matches[place.position].entry(self.cost(&place.counts)).or_insert(difference);
            *least = difference.min(*least);
        }
        matches
    }

    fn merged(&self, place: &ReachedPlace) -> MergedPlace {
        let is_counted = |kind: usize| self.most[kind] < self.max_cost / self.costs[kind];
        let counts = std::array::from_fn(|kind| if is_counted(kind) { place.counts[kind] } else { 0 });
        let difference = place.counts[INSERTION] as isize - place.counts[DELETION] as isize;
        (place.position, place.state, place.is_inserted, (self.cost(&place.counts), difference, counts))
    }

    /// Returns the alignment of a match: the walk back from its end that prefers, at each place, a match, a substitution, a
    /// transposition, a deletion, an insertion.
    fn cigar(&self, range: Range<usize>, distance: usize) -> Cigar {
        let places = self.places_from(range.start);
        let mut before: BTreeMap<MergedPlace, (StepRank, usize, Edit, MergedPlace)> = BTreeMap::new();
        for place in &places {
            for (kind, middle, after) in self.steps(place) {
                let (rank, length, edit) = match kind {
                    None => (0, 1, Edit::Match),
                    Some(SUBSTITUTION) => (1, 1, Edit::Substitution),
                    Some(TRANSPOSITION) => (2, 2, Edit::Substitution),
                    Some(DELETION) => (3, 1, Edit::PatternOnly),
                    _ => (4, 1, Edit::TextOnly),
                };
                let rank = (rank, -middle.map_or(0, i64::from), -i64::from(place.state), place.is_inserted);
                let step = (rank, length, edit, self.merged(place));
                let best = before.entry(self.merged(&after)).or_insert(step);
                if (step.0, step.3) < (best.0, best.3) {
                    *best = step;
                }
            }
        }
        let last = places.iter().filter(|place| self.accepts(place) && place.position == range.end);
        let last = last.map(|place| self.merged(place)).filter(|place| place.3.0 == distance);
        let rank = |place: &MergedPlace| (place.3.1.abs(), std::cmp::Reverse(place.1), place.2, place.3);
        let mut at = last.min_by_key(rank).expect("a match ends here");
        let mut runs = BackwardRuns::default();
        while at.3.0 > 0 {
            let (_, length, edit, place) = before[&at];
            runs.push(length, edit);
            at = place;
        }
        runs.push(at.0 - range.start, Edit::Match);
        runs.cigar()
    }
}

/// Returns a random expression of letters, classes, repeats, alternatives and assertions, and of exact groups if they are
/// read.
fn random_expression(rng: &mut fastrand::Rng, depth: usize, groups: Groups) -> String {
    let parts = (0..rng.usize(1..4)).map(|_| match rng.usize(0..if depth > 0 { 13 } else { 9 }) {
        0..4 => rng.choice(["a", "b", " "]).unwrap().to_owned(),
        4 => r"\w".to_owned(),
        5 => "[^a]".to_owned(),
        6 => rng.choice([r"\b", r"\B", r"\<", "^"]).unwrap().to_owned(),
        7 => ".".to_owned(),
        8 if groups == Groups::Exact => rng.choice(["<ab>", "<b>*", "(?:<ab>)+", "<b.>"]).unwrap().to_owned(),
        8 => "é".to_owned(),
        9 | 10 => {
            let inner = random_expression(rng, depth - 1, groups);
            format!("(?:{inner}){}", rng.choice(["*", "+", "?", "{2,3}"]).unwrap())
        }
        _ => {
            let [one, other] = [0; 2].map(|_| random_expression(rng, depth - 1, groups));
            format!("(?:{one}|{other})")
        }
    });
    parts.collect()
}

/// Returns a random expression and its set, with or without constraints; `None` if it is refused, or no expression.
fn random_set(rng: &mut fastrand::Rng) -> Option<(String, PatternSet)> {
    const EDITS: [&str; 9] =
        ["s<=2", "i<=1,d<=1", "i<=1,d<=1,s<=1,e<=2", "e<=2", "2i+d+s<=3", "i<=1,2d+3s<=5", "d<=2", "i<=2", "e<=1"];
    let builder = PatternSet::builder(Alphabet::Text);
    let (builder, groups, edits) = if rng.bool() {
        let k = rng.usize(0..3);
        (builder.max_edits(MaxEdits::Count(k)), Groups::Ordinary, format!("k = {k}"))
    } else {
        let edits = *rng.choice(&EDITS).unwrap();
        let allowed: Edits = edits.parse().unwrap();
        let transpositions = if rng.bool() { Transpositions::One } else { Transpositions::Two };
        let costs = EditCosts { transpositions, ..allowed.costs() };
        let builder = builder.groups(Groups::Exact).max_edits(allowed.bound()).edit_costs(costs);
        (builder, Groups::Exact, format!("{edits}, {transpositions:?}"))
    };
    let source = random_expression(rng, 2, groups);
    let set = builder.build(&[PatternSource::new(source.as_str())]).ok()?;
    set.patterns().first()?.expression()?;
    Some((format!("{source:?}, {edits}"), set))
}

/// Returns one of the limits of tables: a table of two states, which is always full, one with room for all, and one that is
/// not used at first.
fn limits(nth: usize) -> TableLimits {
    let (max_bytes, first_simulated) = [(0, 0), (1 << 20, 0), (1 << 20, 20)][nth % 3];
    TableLimits { max_bytes, first_simulated }
}

fn any_isa(rng: &mut fastrand::Rng) -> Isa {
    let all = Isa::all();
    all[rng.usize(..all.len())]
}

/// An expression in a line, with all of its matches.
struct ComparedExpression<'c, 'a> {
    case: String,
    definition: Definition<'c>,
    /// For each start, the matches by their ends: the cost of each, with the least difference.
    from: Vec<Vec<BTreeMap<usize, usize>>>,
    automata: MatchAutomata<'a>,
}

#[test]
fn matches_are_those_of_the_definition() {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut compared, mut constrained, mut hits, mut passed) = (0, 0, 0, [0, 0]);
    while compared < 3_000 {
        let Some((case, set)) = random_set(&mut rng) else { continue };
        let compiled = CompiledExpressions::new(Arc::new(set), None).unwrap();
        let text: String = (0..rng.usize(1..12)).map(|_| *rng.choice(&['a', 'b', 'b', ' ', 'é']).unwrap()).collect();
        let batch = Batch::of_lines(text.as_str(), b'\n');
        let mut encoder = compiled.encoder();
        encoder.encode(&batch, &ItemRange::next(&batch, 0).unwrap());
        let one = &compiled.expressions[0];
        let (pattern, expression) = compiled.pattern(one.index);
        let line = encoder.line(pattern.within()).unwrap();
        let reads = |state, code| one.simulation.reads(state, code);
        let definition = Definition::new((pattern, expression), line, &reads);
        let mut comparison = ComparedExpression {
            case: format!("{case}, in {text:?}"),
            from: (0..=line.last).map(|start| definition.matches_from(start)).collect(),
            definition,
            automata: MatchAutomata::with_limits(&compiled, one, limits(compared)),
        };
        let ends = comparison.check_ends(&mut rng, pattern.constraints().is_some());
        comparison.check_starts(&mut rng, &ends);
        comparison.check_differences();
        let best = comparison.check_best(&ends);
        if let Some(tables) = compiled.lengths(one, &line) {
            let most = ends.iter().map(|end| end.distance).max().unwrap_or(0);
            let tallied = one.without_letters(most);
            let mut pass = LengthPass::new(tables, &line, tallied, (KeptLengths::ForAlignments, any_isa(&mut rng)));
            for (best, &end) in best.iter().zip(&ends) {
                assert_eq!(pass.best(end), *best, "{}, end {}", comparison.case, end.position);
                let expected = comparison.definition.cigar(best.start..end.position, end.distance);
                let found = pass.cigar(*best, end);
                assert_eq!(found, Some(expected), "{}", comparison.case);
                passed[usize::from(pattern.constraints().is_some())] += 1;
            }
        }
        constrained += usize::from(pattern.constraints().is_some());
        (compared, hits) = (compared + 1, hits + ends.len());
    }
    assert!(constrained > 1_000 && hits > 3_000, "only {constrained} with constraints, {hits} hits");
    assert!(passed.iter().all(|&passed| passed > 100), "only {passed:?} hits by the lengths of matches");
}

impl ComparedExpression<'_, '_> {
    /// Returns the least cost of a match that starts in a range and ends at a position.
    fn least(&self, starts: impl Iterator<Item = usize>, end: usize) -> Option<usize> {
        starts.filter_map(|start| self.from[start][end].keys().next().copied()).min()
    }

    /// Compares the ends of matches, of all starts and of some, and returns those of all starts.
    fn check_ends(&mut self, rng: &mut fastrand::Rng, has_constraints: bool) -> Vec<MatchEnd> {
        let (line, last) = (self.definition.line, self.definition.line.last);
        let end = |position: usize| Some(MatchEnd { position, distance: self.least(0..=last, position)? });
        let expected: Vec<MatchEnd> = (1..=last).filter_map(end).collect();
        let mut candidates = Vec::new();
        self.automata.scan(&line, None, &mut |end| {
            candidates.push(end);
            true
        });
        if has_constraints {
            let is_candidate = |end: &MatchEnd| candidates.iter().any(|candidate| candidate.position == end.position);
            assert!(expected.iter().all(is_candidate), "{}, {expected:?}, {candidates:?}", self.case);
        } else {
            assert_eq!(candidates, expected, "{}", self.case);
        }
        // Every end in one run, or some runs of ends.
        let (mut read, mut next, is_one) = (None, 1, rng.bool());
        while next <= last {
            let run = next..=if is_one { last } else { rng.usize(next..=last) };
            next = run.end() + rng.usize(1..4);
            let mut ends = Vec::new();
            self.automata.scan_costs(&line, run.clone(), &mut read, &mut |end| {
                ends.push(end);
                true
            });
            let of_run: Vec<_> = expected.iter().filter(|end| run.contains(&end.position)).copied().collect();
            assert_eq!(ends, of_run, "{}, {run:?}", self.case);
        }
        let marked: Vec<bool> = (0..=last).map(|_| rng.bool()).collect();
        let starts: Vec<Range<usize>> = (0..=last).filter(|&at| marked[at]).map(|at| at..at + 1).collect();
        let mut ends = Vec::new();
        self.automata.for_each_end_from(&line, (&starts, last), |end| ends.push(end));
        let end = |position: usize| {
            let distance = self.least((0..=last).filter(|&at| marked[at]), position)?;
            Some(MatchEnd { position, distance })
        };
        assert_eq!(ends, (1..=last).filter_map(end).collect::<Vec<_>>(), "{}, {marked:?}", self.case);
        expected
    }

    /// Compares the starts of the matches that end anywhere, or at some ends.
    fn check_starts(&mut self, rng: &mut fastrand::Rng, ends: &[MatchEnd]) {
        let line = self.definition.line;
        let some: Vec<usize> = ends.iter().map(|end| end.position).filter(|_| rng.bool()).collect();
        for ends in [None, Some(&*some)] {
            let counts = |end: usize| ends.is_none_or(|ends| ends.contains(&end));
            let fewest = |start: usize| {
                let matches = self.from[start].iter().enumerate().filter(|&(end, _)| counts(end));
                Some((start, matches.filter_map(|(_, costs)| costs.keys().next().copied()).min()?))
            };
            let expected: Vec<(usize, usize)> = (0..line.last).rev().filter_map(fewest).collect();
            let mut starts = Vec::new();
            self.automata.for_each_start(&line, 0..line.last, ends, |start, distance| starts.push((start, distance)));
            assert_eq!(starts, expected, "{}, ends {ends:?}", self.case);
        }
    }

    /// Compares the differences of the matches with each distance that start at one position, or anywhere after it.
    fn check_differences(&mut self) {
        let line = self.definition.line;
        for (distance, start) in
            (0..=self.definition.max_cost).flat_map(|cost| (0..line.last).map(move |at| (cost, at)))
        {
            for (starts, until) in [(StartsAt::First, start), (StartsAt::Anywhere, line.last)] {
                let difference = |position: usize| {
                    let matches = self.from[start..=until].iter().filter_map(|from| from[position].get(&distance));
                    Some(RatedEnd { position, difference: *matches.min()? })
                };
                let expected: Vec<RatedEnd> = (start..=line.last).filter_map(difference).collect();
                let mut ends = Vec::new();
                self.automata.for_each_end(&line, start..line.last, (distance, starts), |end| ends.push(end));
                assert_eq!(ends, expected, "{}, from {start}, {starts:?}, distance {distance}", self.case);
            }
        }
    }

    /// Compares the best match of each end, and its alignment, and returns these matches.
    fn check_best(&mut self, ends: &[MatchEnd]) -> Vec<BestMatch> {
        let line = self.definition.line;
        let best = ends.iter().map(|&end| {
            let MatchEnd { position, distance } = end;
            let starts = self.from.iter().enumerate();
            let matches = starts.filter_map(|(start, from)| Some((*from[position].get(&distance)?, start)));
            let (difference, start) = matches.min().expect("a match ends here");
            let best = BestMatch { distance, difference, start };
            assert_eq!(self.automata.best_match(&line, 0..position, end), Some(best), "{}, end {position}", self.case);
            let expected = self.definition.cigar(start..position, distance);
            assert_eq!(self.automata.cigar(&line, start, end), expected, "{}, end {position}", self.case);
            best
        });
        best.collect()
    }
}

#[test]
fn matches_of_a_long_record_are_those_of_each_end() {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut hits, mut alignments) = (0, 0);
    let long =
        ["AC(...){2,20}(TA|TG)", "G{3,5}(N{1,7}G{3,5}){3}", "(CA){2,40}T", "A(C{0,3}T|GT?){2,5}A", "(A|CG){3,9}TT"];
    for turn in 0..60 {
        let (source, k) = (long[turn % long.len()], turn % 4);
        let transpositions = if rng.bool() { Transpositions::One } else { EditCosts::default().transpositions };
        let costs = EditCosts { transpositions, ..EditCosts::default() };
        let builder = PatternSet::builder(Alphabet::Dna).notation(Notation::Regex).edit_costs(costs);
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
        let line = encoder.line(compiled.pattern(one.index).0.within()).unwrap();
        let mut ends = Vec::new();
        let mut automata = MatchAutomata::new(&compiled, 0);
        automata.scan_costs(&line, 0..=line.last, &mut None, &mut |end| {
            if rng.usize(0..3) == 0 {
                ends.push(end);
            }
            true
        });
        let tables = compiled.lengths(one, &line).expect("it has no conditions");
        let mut pass =
            LengthPass::new(tables, &line, one.tallied(k, true), (KeptLengths::ForAlignments, any_isa(&mut rng)));
        for &end in &ends {
            let best = automata.best_match(&line, line.first..end.position, end).expect("a match ends here");
            assert_eq!(pass.best(end), best, "{source:?} in {text:?}, k = {k}, end {}", end.position);
            let expected = automata.cigar(&line, best.start, end);
            assert_eq!(pass.cigar(best, end), Some(expected), "{source:?} in {text:?}, k = {k}");
            alignments += usize::from(end.distance > 0);
        }
        hits += ends.len();
    }
    assert!(hits > 3_000 && alignments > 2_000, "only {hits} hits and {alignments} with edits");
}

#[test]
fn the_alignment_of_a_long_match_is_that_of_its_parts() {
    // The runs of kept sets meet at any place of an edit, or of two transposed symbols.
    let mut rng = fastrand::Rng::with_seed(2);
    let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(4));
    let builder = builder.edit_costs(EditCosts { transpositions: Transpositions::One, ..EditCosts::default() });
    let set = builder.build(&[PatternSource::new("(?:abcdefgh)+")]).unwrap();
    let compiled = CompiledExpressions::new(Arc::new(set), None).unwrap();
    let one = &compiled.expressions[0];
    for turn in 0..80 {
        let mut text: Vec<u8> = b"abcdefgh".repeat(80);
        let (mut expected, mut from) = (String::new(), 0);
        let places: Vec<usize> = [256, 512].map(|place| place - 4 + (turn + rng.usize(0..9)) % 9).to_vec();
        for &place in &places {
            text.swap(place, place + 1);
            expected += &format!("{}=2X", place - from);
            from = place + 2;
        }
        expected += &format!("{}=", text.len() - from);
        let text = String::from_utf8(text).unwrap();
        let batch = Batch::of_lines(text.as_str(), b'\n');
        let mut encoder = compiled.encoder();
        encoder.encode(&batch, &ItemRange::next(&batch, 0).unwrap());
        let line = encoder.line(compiled.pattern(one.index).0.within()).unwrap();
        let mut automata = MatchAutomata::with_limits(&compiled, one, limits(turn));
        let end = MatchEnd { position: line.last, distance: places.len() };
        assert_eq!(automata.cigar(&line, 0, end).to_string(), expected);
    }
}
