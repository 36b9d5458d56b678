//! Patterns with edit constraints: every engine's hits are compared with an exhaustive search.

use std::collections::HashMap;
use std::sync::Arc;

use crate::support::random::{ALPHABETS, batches, hits, letters, places, random_input, random_pattern, rounds};
use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{
    AmbiguousLetters, Bound, EditCosts, EditLimit, Groups, MatchExtent, MaxEdits, Notation, Pattern, PatternSet,
    PatternSource, PositionRange, Strand, SymbolSet, Transpositions,
};
use nigh_text::alignment::{Alignment, Edit};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::{PlacedSymbol, symbols};

use crate::{SLOWER, tested};

/// The exact groups of a pattern, for the exhaustive search: the symbols in a group, and those in the group of the
/// symbol before.
#[derive(Debug, Clone)]
pub(super) struct GroupedSymbols {
    pub(super) locked: Vec<bool>,
    pub(super) joined: Vec<bool>,
}

/// The parameters of a random case.
struct Case {
    set: Arc<PatternSet>,
    held: Vec<GroupedSymbols>,
    bound: Bound,
    costs: EditCosts,
}

/// The numbers of insertions, deletions, substitutions and transpositions.
type Used = [usize; 4];

/// The exhaustive search for one pattern in one line or record.
struct Oracle<'a> {
    case: &'a Case,
    pattern: &'a Pattern,
    held: GroupedSymbols,
    text: &'a [PlacedSymbol],
    /// Offset in the batch at which the text starts.
    text_start: usize,
    known: HashMap<(usize, usize, usize, Used), bool>,
}

impl Oracle<'_> {
    fn budget(&self) -> usize {
        let (bound, symbols) = (self.case.bound.max_edits(), self.pattern.symbols());
        let is_text = !self.case.set.alphabet().is_sequence();
        let is_blank = |set: &&SymbolSet| set.contains(u32::from(' '));
        match bound {
            MaxEdits::Auto { .. } if is_text => {
                bound.of_length(symbols.len() - symbols.iter().filter(is_blank).count())
            }
            _ => bound.of_length(symbols.len()),
        }
    }

    fn cost(&self, used: Used) -> usize {
        let EditCosts { insertion, deletion, substitution, .. } = self.case.costs;
        let sum = |kinds: [EditLimit; 3]| (0..3).map(|kind| used[kind] * kinds[kind].cost.get()).sum::<usize>();
        sum([insertion, deletion, substitution]) + used[3]
    }

    fn allows(&self, used: Used) -> bool {
        use nigh_pattern::EditKind::{Deletion, Insertion, Substitution};
        let EditCosts { insertion, deletion, substitution, .. } = self.case.costs;
        let kinds = [(insertion, Insertion), (deletion, Deletion), (substitution, Substitution)];
        self.cost(used) <= self.budget()
            && (0..3).all(|kind| used[kind] <= kinds[kind].0.max)
            && (0..3).all(|kind| used[kind] == 0 || self.case.bound.allows(kinds[kind].1))
    }

    fn matches(&self, row: usize, column: usize) -> bool {
        self.pattern.symbols()[row].contains(self.text[column].symbol)
    }

    /// Returns every step back from a cell: the numbers of rows and columns that it goes back, the kind of edit, and
    /// its operations in the CIGAR.
    fn steps(&self, row: usize, column: usize) -> Vec<(usize, usize, Option<usize>, Vec<Edit>)> {
        let mut steps = Vec::new();
        let locked = |row: usize| self.held.locked[row];
        if row > 0 && column > 0 {
            if self.matches(row - 1, column - 1) {
                steps.push((1, 1, None, vec![Edit::Match]));
            } else if !locked(row - 1) {
                steps.push((1, 1, Some(2), vec![Edit::Substitution]));
            }
        }
        let swaps = self.case.costs.transpositions == Transpositions::One;
        if swaps && row > 1 && column > 1 && !locked(row - 1) && !locked(row - 2) {
            let is_swapped = self.matches(row - 1, column - 2) && self.matches(row - 2, column - 1);
            if is_swapped {
                steps.push((2, 2, Some(3), vec![Edit::Substitution; 2]));
            }
        }
        if row > 0 && !locked(row - 1) {
            steps.push((1, 0, Some(1), vec![Edit::PatternOnly]));
        }
        let inside = row > 0 && row < self.pattern.symbols().len() && self.held.joined[row];
        if column > 0 && !inside {
            steps.push((0, 1, Some(0), vec![Edit::TextOnly]));
        }
        steps
    }

    /// Returns the edits of the first path back from a cell that reaches a start with exactly the cost `cost`. Paths
    /// are tried in the order of `steps`.
    fn way(&mut self, at: (usize, usize), used: Used, cost: usize, goal: Goal) -> Option<Vec<Edit>> {
        let (row, column) = at;
        let arrived = match goal {
            Goal::Any => true,
            Goal::At(start) => column == start,
        };
        if row == 0 && arrived && self.cost(used) == cost {
            return Some(Vec::new());
        }
        if self.known.contains_key(&(row, column, cost, used)) {
            return None;
        }
        for (rows, columns, kind, edits) in self.steps(row, column) {
            let mut with = used;
            if let Some(kind) = kind {
                with[kind] += 1;
            }
            if self.allows(with)
                && self.cost(with) <= cost
                && let Some(rest) = self.way((row - rows, column - columns), with, cost, goal)
            {
                return Some([edits, rest].concat());
            }
        }
        self.known.insert((row, column, cost, used), false);
        None
    }

    /// Returns the smallest cost of a match with these start and end columns; `None` if there is no match.
    fn distance(&mut self, start: usize, end: usize) -> Option<usize> {
        (0..=self.budget()).find(|&cost| {
            self.known.clear();
            self.way((self.pattern.symbols().len(), end), [0; 4], cost, Goal::At(start)).is_some()
        })
    }

    fn may_start(&self, column: usize) -> bool {
        let outside = column.checked_sub(1).map(|before| self.text[before].symbol);
        self.pattern.start().holds(outside, self.text.get(column).map(|placed| placed.symbol))
    }

    fn may_end(&self, column: usize) -> bool {
        let outside = self.text.get(column).map(|placed| placed.symbol);
        self.pattern.end().holds(outside, Some(self.text[column - 1].symbol))
    }

    /// Returns whether a match has no more ambiguous letters than the pattern allows.
    fn is_clear(&self, start: usize, end: usize) -> bool {
        let alphabet = self.case.set.alphabet();
        let is_ambiguous = |placed: &&PlacedSymbol| match alphabet {
            Alphabet::Dna => u32::count_ones(placed.symbol) > 1,
            Alphabet::Protein => "BJXZ".chars().any(|letter| letter as u32 == placed.symbol),
            Alphabet::Text | Alphabet::Bytes => false,
        };
        let ambiguous = self.text[start..end].iter().filter(is_ambiguous).count();
        self.pattern.max_ambiguous().is_none_or(|max| ambiguous <= max)
    }

    /// Returns whether a match is in the pattern's range of positions.
    fn is_within(&self, start: usize, end: usize) -> bool {
        let position = |column: usize| match (self.case.set.alphabet().is_sequence(), column) {
            (true, _) => column as u64,
            (false, 0) => 0,
            (false, _) => (self.text[column - 1].end - self.text_start) as u64,
        };
        let range = self.pattern.within().of_length(position(self.text.len()));
        range.start <= position(start) && position(end) <= range.end
    }

    /// Returns the hit that ends at a column, and its alignment.
    fn hit(&mut self, index: usize, end: usize) -> Option<(Hit, Alignment)> {
        let length = self.pattern.symbols().len();
        let is_allowed =
            |&start: &usize| self.may_start(start) && self.is_within(start, end) && self.is_clear(start, end);
        let starts: Vec<usize> = (0..end).filter(is_allowed).collect();
        let found = starts.into_iter().filter_map(|start| Some((self.distance(start, end)?, start)));
        let key = |&(distance, start): &(usize, usize)| (distance, (end - start).abs_diff(length), end - start);
        let (distance, start) = found.min_by_key(key).filter(|_| self.may_end(end))?;
        let goal = if self.pattern.is_free() { Goal::Any } else { Goal::At(start) };
        self.known.clear();
        let edits = self.way((length, end), [0; 4], distance, goal).expect("there is a path with this cost");
        let cigar = nigh_text::alignment::Cigar::from_backward(edits);
        let first = self.text[end - cigar.text_length()].start;
        let fixed = (!self.pattern.is_free()).then_some(self.text[start].start);
        let end = self.text[end - 1].end;
        Some((Hit { end, pattern: index, distance, start: fixed }, Alignment { start: first, end, cigar }))
    }
}

/// The start that a path must reach.
#[derive(Clone, Copy)]
enum Goal {
    Any,
    At(usize),
}

/// Returns all hits of a batch that is a whole input, by exhaustive search.
fn oracle(case: &Case, batch: &Batch) -> Vec<(Hit, Alignment)> {
    let alphabet = case.set.alphabet();
    let bytes = batch.bytes();
    let runs: Vec<std::ops::Range<usize>> = match batch.lines() {
        Some(lines) => {
            let mut start = 0;
            let ended = bytes.split(|&byte| byte == lines.terminator).map(|line| {
                start += line.len() + 1;
                start - line.len() - 1..start - 1
            });
            ended.collect()
        }
        None => batch.segments().iter().map(|segment| segment.bytes.clone()).collect(),
    };
    let mut found = Vec::new();
    for run in runs {
        let placed = symbols(alphabet, &bytes[run.clone()]);
        let moved = |p: PlacedSymbol| PlacedSymbol { start: p.start + run.start, end: p.end + run.start, ..p };
        let text: Vec<PlacedSymbol> = placed.map(moved).collect();
        for end in 1..=text.len() {
            for (index, pattern) in case.set.patterns().iter().enumerate() {
                let held = turned(&case.held[pattern.source()], pattern.strand());
                let mut oracle =
                    Oracle { case, pattern, held, text: &text, text_start: run.start, known: HashMap::new() };
                found.extend(oracle.hit(index, end));
            }
        }
    }
    found
}

pub(super) fn turned(held: &GroupedSymbols, strand: Strand) -> GroupedSymbols {
    match strand {
        Strand::Forward => held.clone(),
        Strand::Reverse => {
            let locked = held.locked.iter().rev().copied().collect();
            let mut joined: Vec<bool> = held.joined.iter().rev().copied().collect();
            joined.pop();
            joined.insert(0, false);
            GroupedSymbols { locked, joined }
        }
    }
}

/// Returns a random pattern with one of `lengths` in `-F` notation with groups, and its locked symbols.
pub(super) fn random_grouped(
    rng: &mut Rng,
    alphabet: Alphabet,
    letters: &[&[u8]],
    groups: Groups,
    lengths: std::ops::RangeInclusive<usize>,
) -> (Vec<u8>, GroupedSymbols) {
    let usable: Vec<&[u8]> =
        letters.iter().copied().filter(|letter| !alphabet.is_sequence() || alphabet.residues(letter[0]) != 0).collect();
    let (mut text, mut held) = (Vec::new(), GroupedSymbols { locked: Vec::new(), joined: Vec::new() });
    let length = rng.usize(lengths);
    let mut inside = 0;
    for row in 0..length {
        if groups == Groups::Exact && inside == 0 && rng.u8(0..4) == 0 {
            text.push(b'<');
            inside = rng.usize(1..=length - row);
            held.joined.push(false);
        } else {
            held.joined.push(inside > 0);
        }
        held.locked.push(inside > 0);
        text.extend_from_slice(rng.choice(&usable).unwrap());
        if inside > 0 {
            inside -= 1;
            if inside == 0 {
                text.push(b'>');
            }
        }
    }
    (text, held)
}

pub(super) fn random_costs(rng: &mut Rng) -> EditCosts {
    let mut limit = || {
        let cost = *rng.choice(&[1, 1, 1, 2, 3]).unwrap();
        EditLimit::new(cost, *rng.choice(&[usize::MAX, usize::MAX, 0, 1, 2]).unwrap())
    };
    let (insertion, deletion, substitution) = (limit(), limit(), limit());
    // In one of four cases, the costs and limits amount to an indel distance.
    if rng.u8(0..4) == 0 {
        let cost = rng.usize(1..=2);
        let indel = EditLimit::new(cost, usize::MAX);
        let substitution = EditLimit::new(2 * cost + rng.usize(0..2), substitution.max);
        return EditCosts { insertion: indel, deletion: indel, substitution, transpositions: Transpositions::Two };
    }
    let transpositions = *rng.choice(&[Transpositions::One, Transpositions::Two]).unwrap();
    EditCosts { insertion, deletion, substitution, transpositions }
}

/// Returns a random range of positions, which in most cases is the whole line or record.
fn random_range(rng: &mut Rng) -> PositionRange {
    let mut bound = || *rng.choice(&["", "0", "1", "3", "8", "-1", "-3", "-8"]).unwrap();
    let range = format!("{}..{}", bound(), bound());
    range.parse().ok().filter(|_| rng.u8(0..3) == 0).unwrap_or(PositionRange::ALL)
}

fn random_case(rng: &mut Rng, alphabet: Alphabet, letters: &[&[u8]]) -> Option<Case> {
    let groups = *rng.choice(&[Groups::Exact, Groups::Ordinary]).unwrap();
    let grouped: Vec<(Vec<u8>, GroupedSymbols)> =
        (0..rng.usize(1..=3)).map(|_| random_grouped(rng, alphabet, letters, groups, 1..=6)).collect();
    let bounds = ["0", "1", "2", "3", "4", "1s", "2s", "1i", "1d", "2id", "2is", "3ds", "50%", "40%s", "auto"];
    let bound: Bound = rng.choice(bounds).unwrap().parse().unwrap();
    let costs = if rng.bool() { random_costs(rng) } else { EditCosts::default() };
    let whole = match alphabet.is_sequence() {
        true => *rng.choice(&[MatchExtent::Anything, MatchExtent::Anything, MatchExtent::Record]).unwrap(),
        false => *rng
            .choice(&[MatchExtent::Anything, MatchExtent::Anything, MatchExtent::Words, MatchExtent::Record])
            .unwrap(),
    };
    let strands: &[Strand] = match alphabet {
        Alphabet::Dna => &[Strand::Forward, Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands).whole(whole);
    let builder = builder.groups(groups).edit_costs(costs).max_edits(bound).within(random_range(rng));
    let ambiguous = *rng.choice(&[AmbiguousLetters::Contained, AmbiguousLetters::Overlapping]).unwrap();
    let builder =
        builder.ambiguous(ambiguous).max_ambiguous(*rng.choice(&[None, None, None, None, Some(0), Some(2)]).unwrap());
    let sources: Vec<PatternSource> = grouped.iter().map(|(text, _)| PatternSource::new(text.clone())).collect();
    // Building fails if a bound is too large for a short pattern.
    let set = Arc::new(builder.build(&sources).ok()?);
    Some(Case { set, held: grouped.into_iter().map(|(_, held)| held).collect(), bound, costs })
}

fn align(choice: &EngineChoice, set: &Arc<PatternSet>, batch: &Batch, found: &[Hit]) -> Vec<Alignment> {
    let mut aligned = Vec::new();
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    aligned
}

/// Compares all engines with the exhaustive search, on the whole input and on windows of these sizes. Returns the
/// number of hits.
fn check(case: &Case, input: &[u8], choices: &[EngineChoice], windows: &[usize], name: &str) -> usize {
    let mut count = 0;
    let what = || format!("{name}, {:?}, {:?}, {:?}, {:?}", case.bound, case.costs, case.set.patterns(), input);
    for batch in batches(input, &case.set, input.len() + 1024) {
        let (expected, alignments): (Vec<Hit>, Vec<Alignment>) = oracle(case, &batch).into_iter().unzip();
        for choice in choices {
            let found = hits(choice, &case.set, &batch);
            assert_eq!(found, expected, "{choice:?}, {}", what());
            assert_eq!(align(choice, &case.set, &batch, &found), alignments, "{choice:?}, {}", what());
        }
        count += expected.len();
    }
    let expected = places(&EngineChoice::reference(), &case.set, input, input.len() + 1024);
    for &bytes in windows {
        for choice in choices {
            assert_eq!(places(choice, &case.set, input, bytes), expected, "{choice:?}, windows of {bytes}, {}", what());
        }
    }
    count
}

fn letters_of(rng: &mut Rng, alphabet: Alphabet) -> Vec<&'static [u8]> {
    let mut found = letters(alphabet, rng);
    found.truncate(4);
    // With only one letter, most alignments have the same cost.
    if rng.u8(0..4) > 0 && found.len() < 2 {
        found = match alphabet {
            Alphabet::Dna => vec![b"A", b"C", b"G"],
            Alphabet::Protein => vec![b"L", b"K", b"X"],
            _ => vec![b"a", b"b", b" "],
        };
    }
    found
}

fn random_cases(seed: u64, cases: usize, choices: &[EngineChoice], windows: &[usize]) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut found = 0;
    for number in 0..cases {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters_of(&mut rng, alphabet);
        let input = random_input(&mut rng, alphabet, &letters, 14);
        if let Some(case) = random_case(&mut rng, alphabet, &letters) {
            found += check(&case, &input, choices, windows, &format!("case {number}"));
        }
    }
    found
}

#[test]
fn constraints_hold_in_random_text_at_any_cut() {
    let choices = [vec![EngineChoice::reference()], tested()].concat();
    let windows: &[usize] = if SLOWER == 1 { &[1, 3, 10] } else { &[10] };
    let cases = rounds(3000) / (SLOWER * SLOWER);
    let found = random_cases(1, cases, &choices, windows);
    assert!(found > 3 * cases, "only {found} hits");
}

#[test]
fn constraints_without_effect_give_plain_alignments() {
    // A limit that is never reached turns a plain pattern into a constrained one.
    let mut rng = Rng::with_seed(3);
    for _ in 0..300 {
        let letters: &[&[u8]] = &[b"A", b"C", b"G"];
        let input = random_input(&mut rng, Alphabet::Dna, letters, 60);
        let pattern: Vec<u8> = (0..rng.usize(5..30)).map(|_| rng.choice(letters).unwrap()[0]).collect();
        let k = rng.usize(1..5);
        let constrained = EditCosts { insertion: EditLimit::new(1, k - 1), ..EditCosts::default() };
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k));
        let source = [PatternSource::new(pattern)];
        let (plain, constrained) = (
            Arc::new(builder.build(&source).unwrap()),
            Arc::new(builder.clone().edit_costs(constrained).build(&source).unwrap()),
        );
        for batch in batches(&input, &plain, input.len() + 1024) {
            let found = hits(&EngineChoice::cpu(), &constrained, &batch);
            let all = hits(&EngineChoice::cpu(), &plain, &batch);
            // Hits with fewer edits than the limit are the same for both patterns.
            let few = |hits: &[Hit]| hits.iter().copied().filter(|hit| hit.distance < k).collect::<Vec<_>>();
            assert_eq!(few(&found), few(&all));
            let aligned = |set: &Arc<PatternSet>| {
                let mut out = Vec::new();
                let engine = engine(EngineChoice::cpu(), set.clone(), 1).unwrap();
                engine.aligner().unwrap().align(&batch, &few(&all), &mut out).unwrap();
                out
            };
            assert_eq!(aligned(&plain), aligned(&constrained));
        }
    }
}

#[test]
fn long_patterns_have_constraints() {
    let unit = b"ACGTTGCAAGGCTATCGCATTACGGATTACA";
    let pattern: Vec<u8> = unit.iter().cycle().take(300).copied().collect();
    let mut text = pattern.clone();
    text.swap(41, 42);
    text[100] = if text[100] == b'A' { b'C' } else { b'A' };
    text.splice(200..200, *b"TTTT");
    let cost = |bound: &str, costs: EditCosts| {
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(bound.parse::<Bound>().unwrap()).edit_costs(costs);
        let set = Arc::new(builder.build(&[PatternSource::new(pattern.clone())]).unwrap());
        let batch = Batch::of_record(text.clone());
        hits(&EngineChoice::cpu(), &set, &batch).iter().map(|hit| hit.distance).min()
    };
    let swapped = EditCosts { transpositions: Transpositions::One, ..EditCosts::default() };
    assert_eq!(cost("20", swapped), Some(6));
    assert_eq!(cost("20", EditCosts::default()), Some(7));
    assert_eq!(cost("20s", EditCosts::default()), None);
    let indels = EditCosts { substitution: EditLimit::new(2, usize::MAX), ..EditCosts::default() };
    assert_eq!(cost("20", indels), Some(8));
    assert_eq!(cost("7", indels), None);
    let few = EditCosts { insertion: EditLimit::new(1, 3), ..EditCosts::default() };
    assert_eq!(cost("9", few), None);
}

#[test]
fn indel_distances_are_those_of_verified_hits() {
    compare_with_reference(5, |rng| {
        let cost = rng.usize(1..=2);
        let indel = EditLimit::new(cost, usize::MAX);
        let substitution = EditLimit::new(2 * cost + rng.usize(0..2), usize::MAX);
        EditCosts { insertion: indel, deletion: indel, substitution, ..EditCosts::default() }
    });
}

#[test]
fn distances_with_transpositions_are_those_of_verified_hits() {
    compare_with_reference(6, |_| EditCosts { transpositions: Transpositions::One, ..EditCosts::default() });
}

/// Compares the hits and alignments of random patterns, whose edits have the costs that `costs` returns, with those of
/// the reference.
fn compare_with_reference(seed: u64, costs: impl Fn(&mut Rng) -> EditCosts) {
    let mut rng = Rng::with_seed(seed);
    let cases = rounds(150) / SLOWER;
    let mut found = 0;
    for case in 0..cases {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters_of(&mut rng, alphabet);
        let input = random_input(&mut rng, alphabet, &letters, 400);
        let sources = (0..rng.usize(1..4)).map(|_| {
            let length = *rng.choice(&[4, 12, 40, 70]).unwrap();
            PatternSource::new(random_pattern(&mut rng, alphabet, &input, &letters, length))
        });
        let sources: Vec<PatternSource> = sources.collect();
        let costs = costs(&mut rng);
        let whole = *rng.choice(&[MatchExtent::Anything, MatchExtent::Anything, MatchExtent::Record]).unwrap();
        let builder = PatternSet::builder(alphabet).notation(Notation::Literal).whole(whole).edit_costs(costs);
        let percent = MaxEdits::Percent(rng.usize(5..50));
        let Ok(set) = builder.max_edits(percent).build(&sources) else { continue };
        let set = Arc::new(set);
        for batch in batches(&input, &set, input.len() + 1024) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            let alignments = align(&EngineChoice::reference(), &set, &batch, &expected);
            for choice in tested() {
                let what = || format!("case {case}, {choice:?}, {costs:?}, {:?}, {input:?}", set.patterns());
                assert_eq!(hits(&choice, &set, &batch), expected, "{}", what());
                assert_eq!(align(&choice, &set, &batch, &expected), alignments, "{}", what());
            }
            found += expected.len();
        }
    }
    assert!(found > 20 * cases, "only {found} hits");
}
