//! Regular expressions: the hits and alignments of every engine are compared with an exhaustive search for all strings
//! that the expression matches.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::random::{hits, rounds, seeded};
use fastrand::Rng;
use nigh_engine::engine;
use nigh_pattern::{EditCosts, EditLimit, Groups, MatchExtent, MaxEdits, PatternSet, PatternSource, Transpositions};
use nigh_text::alignment::{Alignment, Edit};
use nigh_text::alphabet::{Alphabet, Symbol};
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::{PlacedSymbol, symbols};

use crate::{SLOWER, tested};

/// Maximum number of strings of an expression. Expressions with more are not tested.
const MAX_STRINGS: usize = 3000;

/// A regular expression, or a part of one.
#[derive(Debug, Clone)]
enum Part {
    Class(&'static str),
    Assertion(&'static str),
    Concat(Vec<Part>),
    Alternatives(Vec<Part>),
    Repeat(Box<Part>, usize, Option<usize>),
    /// An exact group.
    Exact(Box<Part>),
}

/// An element of a string that an expression matches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Element {
    Class(&'static str),
    Assertion(&'static str),
    /// A class in an exact group, and whether it is the first of the group.
    Exact(&'static str, bool),
}

const CLASSES: [&str; 7] = ["a", "b", "c", "[ab]", "[^a]", ".", "é"];
const ASSERTIONS: [&str; 6] = ["^", "$", r"\b", r"\B", r"\<", r"\>"];
const BASES: [&str; 5] = ["A", "C", "G", "[AC]", "N"];

impl Part {
    fn random(rng: &mut Rng, alphabet: Alphabet, depth: usize) -> Part {
        let parts = |rng: &mut Rng| (0..rng.usize(1..=3)).map(|_| Part::random(rng, alphabet, depth - 1)).collect();
        match rng.u8(0..if depth == 0 { 3 } else { 9 }) {
            0..=1 if alphabet == Alphabet::Dna => Part::Class(rng.choice(BASES).unwrap()),
            0..=1 => Part::Class(rng.choice(CLASSES).unwrap()),
            2 if alphabet == Alphabet::Dna => Part::Class(rng.choice(BASES).unwrap()),
            2 if rng.bool() => Part::Class(rng.choice(CLASSES).unwrap()),
            2 => Part::Assertion(rng.choice(ASSERTIONS).unwrap()),
            3..=5 => Part::Concat(parts(rng)),
            6 => Part::Alternatives(parts(rng)),
            _ => {
                let min = rng.usize(0..3);
                let max = match alphabet {
                    Alphabet::Dna => Some(70),
                    _ => rng.bool().then(|| min + rng.usize(0..3)),
                };
                Part::Repeat(Box::new(Part::random(rng, alphabet, depth - 1)), min, max)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Part::Class(text) | Part::Assertion(text) => (*text).to_owned(),
            Part::Concat(parts) => parts.iter().map(|part| format!("(?:{})", part.text())).collect(),
            Part::Alternatives(parts) => {
                parts.iter().map(|part| format!("(?:{})", part.text())).collect::<Vec<_>>().join("|")
            }
            Part::Repeat(part, min, max) => {
                let max = max.map_or(String::new(), |max| max.to_string());
                format!("(?:{}){{{min},{max}}}", part.text())
            }
            Part::Exact(part) => format!("<{}>", part.text()),
        }
    }

    /// Returns the expression with some of its parts as exact groups.
    fn with_groups(self, rng: &mut Rng) -> Part {
        if rng.u8(0..4) == 0 {
            return Part::Exact(Box::new(self));
        }
        match self {
            Part::Concat(parts) => Part::Concat(parts.into_iter().map(|part| part.with_groups(rng)).collect()),
            Part::Alternatives(parts) => {
                Part::Alternatives(parts.into_iter().map(|part| part.with_groups(rng)).collect())
            }
            Part::Repeat(part, min, max) => Part::Repeat(Box::new(part.with_groups(rng)), min, max),
            part => part,
        }
    }

    /// Returns all strings of at most `longest` symbols that the expression matches; `None` if there are too many.
    fn strings(&self, longest: usize) -> Option<Vec<Vec<Element>>> {
        let mut all = match self {
            Part::Class(text) => vec![vec![Element::Class(text)]],
            Part::Assertion(text) => vec![vec![Element::Assertion(text)]],
            Part::Concat(parts) => parts
                .iter()
                .try_fold(vec![Vec::new()], |before, part| joined(&before, &part.strings(longest)?, longest))?,
            Part::Alternatives(parts) => {
                parts.iter().map(|part| part.strings(longest)).collect::<Option<Vec<_>>>()?.concat()
            }
            Part::Repeat(part, min, max) => {
                let once = part.strings(longest)?;
                let mut repeated = vec![Vec::new()];
                let mut all = Vec::new();
                // More repeats than there are symbols can only repeat assertions, which changes nothing.
                for count in 0..=max.unwrap_or(usize::MAX).min(longest + min + 2) {
                    if count >= *min {
                        all.extend_from_slice(&repeated);
                    }
                    if all.len() > MAX_STRINGS {
                        return None;
                    }
                    repeated = joined(&repeated, &once, longest)?;
                    if repeated.is_empty() {
                        break;
                    }
                }
                all
            }
            Part::Exact(part) => part.strings(longest)?.into_iter().map(in_group).collect(),
        };
        all.sort_unstable();
        all.dedup();
        (all.len() <= MAX_STRINGS).then_some(all)
    }
}

/// Returns a string as one of an exact group.
fn in_group(string: Vec<Element>) -> Vec<Element> {
    let mut is_first = true;
    let held = string.into_iter().map(|element| match element {
        Element::Class(class) => Element::Exact(class, std::mem::take(&mut is_first)),
        element => element,
    });
    held.collect()
}

/// Returns a random expression.
#[allow(dead_code, reason = "only some of the test programs use it")]
pub(crate) fn random_expression(rng: &mut Rng, alphabet: Alphabet) -> String {
    Part::random(rng, alphabet, 3).text()
}

/// Returns all concatenations of a string of `heads` and one of `tails` with at most `longest` symbols.
fn joined(heads: &[Vec<Element>], tails: &[Vec<Element>], longest: usize) -> Option<Vec<Vec<Element>>> {
    let mut all: Vec<Vec<Element>> = heads
        .iter()
        .flat_map(|head| tails.iter().map(move |tail| [&head[..], &tail[..]].concat()))
        .filter(|string| string.iter().filter(|one| !matches!(one, Element::Assertion(_))).count() <= longest)
        .take(20 * MAX_STRINGS + 1)
        .map(|mut string| {
            // Several equal assertions at one place are the same as one.
            string.dedup_by(|a, b| matches!(a, Element::Assertion(_)) && a == b);
            string
        })
        .collect();
    if all.len() > 20 * MAX_STRINGS {
        return None;
    }
    all.sort_unstable();
    all.dedup();
    (all.len() <= MAX_STRINGS).then_some(all)
}

fn reads(class: &str, symbol: Symbol) -> bool {
    let is = |letter: char| symbol == letter as Symbol;
    let is_base = |base: u8| symbol == Alphabet::Dna.symbol_of_byte(base);
    match class {
        "[ab]" => is('a') || is('b'),
        "[AC]" => is_base(b'A') || is_base(b'C'),
        "A" | "C" | "G" => is_base(class.as_bytes()[0]),
        "[^a]" => !is('a') && char::from_u32(symbol).is_some(),
        "." => char::from_u32(symbol).is_some(),
        "N" => true,
        letter => is(letter.chars().next().unwrap()),
    }
}

fn holds(assertion: &str, text: &[PlacedSymbol], position: usize) -> bool {
    let is_word = |index: Option<usize>| {
        let symbol = index.and_then(|index| text.get(index)).map(|placed| placed.symbol);
        symbol.and_then(char::from_u32).is_some_and(char::is_alphanumeric)
    };
    let (before, after) = (is_word(position.checked_sub(1)), is_word(Some(position)));
    match assertion {
        "^" => position == 0,
        "$" => position == text.len(),
        r"\b" => before != after,
        r"\B" => before == after,
        r"\<" => !before && after,
        _ => before && !after,
    }
}

/// The exhaustive search: for each end, the smallest number of edits of a match of one of `strings`, and its best
/// start.
struct Exhaustive<'a> {
    strings: &'a [Vec<Element>],
    text: &'a [PlacedSymbol],
    k: usize,
    is_word: bool,
}

impl Exhaustive<'_> {
    /// Returns the end, the distance and the start of each match.
    fn matches(&self) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        let tables: Vec<_> = (0..self.text.len()).map(|start| self.best_from(start)).collect();
        for end in 1..=self.text.len() {
            let starts = tables[..end].iter().enumerate().filter_map(|(start, table)| {
                let (distance, difference) = table[end]?;
                (distance <= self.k).then_some((distance, difference, start))
            });
            found.extend(starts.min().map(|(distance, _, start)| (end, distance, start)));
        }
        found
    }

    /// Returns, for each end, the smallest distance of a match with this start, and the smallest difference between
    /// insertions and deletions with that distance.
    fn best_from(&self, start: usize) -> Vec<Option<(usize, usize)>> {
        let mut best: Vec<Option<(usize, usize)>> = vec![None; self.text.len() + 1];
        let is_outside = |position: usize| !self.is_word || !is_word_beside(self.text, position, start);
        if !is_outside(start) {
            return best;
        }
        for string in self.strings {
            for (end, found) in self.align(string, start).into_iter().enumerate() {
                if let Some(found) = found.filter(|_| !self.is_word || !is_word_at(self.text, end)) {
                    best[end] = Some(best[end].map_or(found, |known| known.min(found)));
                }
            }
        }
        best
    }

    /// Returns, for each end, the smallest distance of a string from the text between `start` and the end, and with
    /// this distance the smallest difference between the numbers of insertions and deletions.
    fn align(&self, string: &[Element], start: usize) -> Vec<Option<(usize, usize)>> {
        let (k, columns) = (self.k as isize, self.text.len() - start + 1);
        // reached[row][column] has the smallest distance for each difference from -k to k.
        let never = usize::MAX;
        let width = 2 * self.k + 1;
        let mut rows = vec![vec![vec![never; width]; columns]; string.len() + 1];
        rows[0][0][self.k] = 0;
        for row in 0..=string.len() {
            for column in 0..columns {
                for index in 0..width {
                    let here = rows[row][column][index];
                    if here > self.k {
                        continue;
                    }
                    let position = start + column;
                    let mut reach = |row: usize, column: usize, difference: isize, distance: usize| {
                        let index = index as isize + difference;
                        if (0..=2 * k).contains(&index) && column < columns {
                            let cell = &mut rows[row][column][index as usize];
                            *cell = distance.min(*cell);
                        }
                    };
                    if self.may_insert(string, row) {
                        reach(row, column + 1, 1, here + 1);
                    }
                    match string.get(row) {
                        None => {}
                        Some(Element::Assertion(assertion)) if holds(assertion, self.text, position) => {
                            reach(row + 1, column, 0, here);
                        }
                        Some(Element::Assertion(_)) => {}
                        Some(Element::Exact(..)) => unreachable!("this test has no exact groups"),
                        Some(Element::Class(class)) => {
                            reach(row + 1, column, -1, here + 1);
                            if let Some(placed) = self.text.get(position) {
                                reach(row + 1, column + 1, 0, here + usize::from(!reads(class, placed.symbol)));
                            }
                        }
                    }
                }
            }
        }
        let mut all = vec![None; start];
        for cells in &rows[string.len()] {
            let by_difference = cells.iter().enumerate().filter(|(_, distance)| **distance <= self.k);
            all.push(by_difference.map(|(index, &distance)| (distance, index.abs_diff(self.k))).min());
        }
        all
    }

    /// Returns whether symbols may be inserted before the element `row`: not between an assertion and the symbol after it,
    /// unless the assertion is at the start of the match.
    fn may_insert(&self, string: &[Element], row: usize) -> bool {
        let is_class = |element: &Element| matches!(element, Element::Class(_));
        let before = &string[..row];
        if before.iter().any(is_class) {
            return before.last().is_some_and(is_class);
        }
        string.get(row).is_none_or(is_class)
    }
}

fn is_word_at(text: &[PlacedSymbol], index: usize) -> bool {
    text.get(index).and_then(|placed| char::from_u32(placed.symbol)).is_some_and(char::is_alphanumeric)
}

fn is_word_beside(text: &[PlacedSymbol], position: usize, start: usize) -> bool {
    position == start && position > 0 && is_word_at(text, position - 1)
}

fn check_alignment(alignment: &Alignment, distance: usize, text: &[PlacedSymbol], strings: &[Vec<Element>]) -> bool {
    let covered: Vec<&PlacedSymbol> =
        text.iter().filter(|placed| alignment.start <= placed.start && placed.end <= alignment.end).collect();
    let fits = |string: &Vec<Element>| {
        let classes: Vec<&str> = string
            .iter()
            .filter_map(|element| match element {
                Element::Class(class) => Some(*class),
                Element::Assertion(_) | Element::Exact(..) => None,
            })
            .collect();
        let (mut row, mut column) = (0, 0);
        for (length, edit) in alignment.cigar.runs() {
            for _ in 0..length {
                let is_read =
                    || classes.get(row).zip(covered.get(column)).map(|(class, placed)| reads(class, placed.symbol));
                let fits = match edit {
                    Edit::Match => is_read() == Some(true),
                    Edit::Substitution => is_read() == Some(false),
                    _ => true,
                };
                if !fits {
                    return false;
                }
                row += usize::from(edit != Edit::TextOnly);
                column += usize::from(edit != Edit::PatternOnly);
            }
        }
        (row, column) == (classes.len(), covered.len())
    };
    alignment.cigar.distance() == distance && strings.iter().any(fits)
}

#[test]
fn expressions_match_what_one_of_their_strings_matches() {
    let mut rng = seeded(29);
    let (mut checked, mut found) = (0, 0);
    for _ in 0..rounds(6000).div_ceil(SLOWER) {
        let alphabet = if rng.u8(0..5) == 0 { Alphabet::Dna } else { Alphabet::Text };
        let part = Part::random(&mut rng, alphabet, 3);
        let k = rng.usize(0..4);
        let letters: &[&str] = if alphabet == Alphabet::Dna { &["A", "C", "G"] } else { &["a", "b", "c", " ", "é"] };
        let line = |rng: &mut Rng| -> String { (0..rng.usize(0..10)).map(|_| *rng.choice(letters).unwrap()).collect() };
        let text = match alphabet {
            Alphabet::Dna => line(&mut rng),
            _ => (0..rng.usize(1..4)).map(|_| line(&mut rng)).collect::<Vec<_>>().join("\n"),
        };
        let is_word = alphabet == Alphabet::Text && rng.u8(0..4) == 0;
        let whole = if is_word { MatchExtent::Words } else { MatchExtent::Anything };
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(k)).whole(whole);
        let Ok(set) = builder.build(&[PatternSource::new(part.text())]) else { continue };
        let Some(mut strings) = part.strings(10 + k) else { continue };
        // A match of the empty string is not a hit.
        strings.retain(|string| string.iter().any(|element| matches!(element, Element::Class(_))));
        if !set.has_expressions() || text.is_empty() {
            continue;
        }
        let batch = match alphabet {
            Alphabet::Dna => Batch::of_record(text.clone()),
            _ => Batch::of_lines(text.clone(), b'\n'),
        };
        let mut expected: Vec<(Hit, usize)> = Vec::new();
        let mut lines: Vec<Vec<PlacedSymbol>> = Vec::new();
        let mut at = 0;
        for line in text.split('\n') {
            let shifted = symbols(alphabet, line.as_bytes());
            let placed: Vec<PlacedSymbol> =
                shifted.map(|one| PlacedSymbol { start: one.start + at, end: one.end + at, ..one }).collect();
            let exhaustive = Exhaustive { strings: &strings, text: &placed, k, is_word };
            expected.extend(exhaustive.matches().into_iter().map(|(end, distance, start)| {
                let hit = Hit { end: placed[end - 1].end, pattern: 0, distance, start: None };
                (hit, placed[start].start)
            }));
            lines.push(placed);
            at += line.len() + 1;
        }
        let set = Arc::new(set);
        for choice in tested() {
            let case = format!("{choice:?}, -k{k} {:?}, word {is_word}, text {text:?}", part.text());
            let all = hits(&choice, &set, &batch);
            assert_eq!(all, expected.iter().map(|(hit, _)| *hit).collect::<Vec<_>>(), "{case}");
            let mut aligned = Vec::new();
            engine(choice, set.clone(), 1).unwrap().aligner().unwrap().align(&batch, &all, &mut aligned).unwrap();
            let starts: Vec<usize> = aligned.iter().map(|alignment| alignment.start).collect();
            assert_eq!(starts, expected.iter().map(|(_, start)| *start).collect::<Vec<_>>(), "{case}");
            for (alignment, hit) in aligned.iter().zip(&all) {
                let is_valid = lines.iter().any(|text| check_alignment(alignment, hit.distance, text, &strings));
                assert!(is_valid, "{alignment:?}, {case}");
            }
            found += all.len();
        }
        checked += 1;
    }
    assert!(checked > 300 / SLOWER && found > 1500 / SLOWER, "{checked} cases with {found} hits");
}

/// Whether a symbol belongs to an exact group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InGroup {
    No,
    First,
    Next,
}

/// Returns the classes of symbols of a string, without its assertions.
fn held_classes(string: &[Element]) -> Vec<(&'static str, InGroup)> {
    let class = |element: &Element| match element {
        Element::Class(class) => (*class, InGroup::No),
        Element::Exact(class, true) => (*class, InGroup::First),
        Element::Exact(class, false) => (*class, InGroup::Next),
        Element::Assertion(_) => unreachable!("strings with groups are left out"),
    };
    string.iter().map(class).collect()
}

/// The numbers of insertions, deletions, substitutions and transpositions.
type Counts = [usize; 4];

/// Returns the cost of edits; `None` if the limits exclude them.
fn cost_of(counts: Counts, costs: &EditCosts, max_cost: usize) -> Option<usize> {
    let limits = [costs.insertion, costs.deletion, costs.substitution];
    let transpositions = if costs.transpositions == Transpositions::One { usize::MAX } else { 0 };
    let is_within = counts.iter().zip(limits).all(|(&count, limit)| count <= limit.max) && counts[3] <= transpositions;
    let cost: usize = counts.iter().zip(limits).map(|(count, limit)| count * limit.cost.get()).sum();
    Some(cost + counts[3]).filter(|&cost| is_within && cost <= max_cost)
}

/// Returns, for each end, the smallest cost of a match of a string that starts at `start`, by trying all combinations
/// of edits.
fn constrained_costs(
    string: &[(&str, InGroup)],
    text: &[PlacedSymbol],
    start: usize,
    (costs, k): (&EditCosts, usize),
) -> Vec<Option<usize>> {
    let columns = text.len() - start + 1;
    let mut cells: Vec<Vec<BTreeSet<Counts>>> = vec![vec![BTreeSet::new(); columns]; string.len() + 1];
    cells[0][0].insert([0; 4]);
    for row in 0..=string.len() {
        for column in 0..columns {
            for counts in cells[row][column].clone() {
                let mut reach = |rows: usize, text: usize, edit: Option<usize>| {
                    let mut counts = counts;
                    edit.into_iter().for_each(|kind| counts[kind] += 1);
                    if column + text < columns && row + rows <= string.len() && cost_of(counts, costs, k).is_some() {
                        cells[row + rows][column + text].insert(counts);
                    }
                };
                let is_free = |row: usize| string.get(row).is_none_or(|(_, hold)| *hold == InGroup::No);
                if string.get(row).is_none_or(|(_, hold)| *hold != InGroup::Next) {
                    reach(0, 1, Some(0));
                }
                if is_free(row) {
                    reach(1, 0, Some(1));
                }
                let symbol = |ahead: usize| text.get(start + column + ahead).map(|placed| placed.symbol);
                let is_read = |row: usize, ahead: usize| {
                    symbol(ahead).zip(string.get(row)).map(|(symbol, (class, _))| reads(class, symbol))
                };
                match is_read(row, 0) {
                    Some(true) => reach(1, 1, None),
                    Some(false) if is_free(row) => reach(1, 1, Some(2)),
                    _ => {}
                }
                let are_free = is_free(row) && is_free(row + 1);
                if are_free && is_read(row, 1) == Some(true) && is_read(row + 1, 0) == Some(true) {
                    reach(2, 2, Some(3));
                }
            }
        }
    }
    let least = |counts: &BTreeSet<Counts>| counts.iter().filter_map(|&counts| cost_of(counts, costs, k)).min();
    std::iter::repeat_n(None, start).chain(cells[string.len()].iter().map(least)).collect()
}

/// Returns random costs and limits.
fn random_costs(rng: &mut Rng) -> EditCosts {
    let mut limit = || EditLimit::new(rng.usize(1..3), if rng.bool() { usize::MAX } else { rng.usize(0..3) });
    let (insertion, deletion, substitution) = (limit(), limit(), limit());
    let transpositions = if rng.bool() { Transpositions::One } else { Transpositions::Two };
    EditCosts { insertion, deletion, substitution, transpositions }
}

#[test]
fn expressions_with_edit_costs_match_what_one_of_their_strings_matches() {
    let mut rng = seeded(31);
    let (mut checked, mut grouped, mut found) = (0, 0, 0);
    for _ in 0..rounds(8000).div_ceil(SLOWER) {
        let mut part = Part::random(&mut rng, Alphabet::Text, 3);
        let has_groups = rng.bool();
        if has_groups {
            part = part.with_groups(&mut rng);
        }
        let costs = if has_groups && rng.bool() { EditCosts::default() } else { random_costs(&mut rng) };
        let (k, groups) = (rng.usize(1..4), if has_groups { Groups::Exact } else { Groups::Ordinary });
        let letters = &["a", "b", "c", "é"];
        let line: String = (0..rng.usize(1..9)).map(|_| *rng.choice(letters).unwrap()).collect();
        let builder =
            PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k)).edit_costs(costs).groups(groups);
        let Ok(set) = builder.build(&[PatternSource::new(part.text())]) else { continue };
        let Some(mut strings) = part.strings(9 + k) else { continue };
        strings.retain(|string| !string.iter().any(|one| matches!(one, Element::Assertion(_))) && !string.is_empty());
        if !set.has_expressions()
            || part.text().contains('\\')
            || part.text().contains(['$', '^'])
            || strings.len() > 300
        {
            continue;
        }
        let text: Vec<PlacedSymbol> = symbols(Alphabet::Text, line.as_bytes()).collect();
        let mut least: Vec<Option<usize>> = vec![None; text.len() + 1];
        for string in strings.iter().map(|string| held_classes(string)) {
            for start in 0..text.len() {
                let found = constrained_costs(&string, &text, start, (&costs, k));
                for end in start + 1..=text.len() {
                    least[end] = least[end].into_iter().chain(found[end]).min();
                }
            }
        }
        let hit = |(end, cost): (usize, Option<usize>)| {
            Some(Hit { end: text[end.checked_sub(1)?].end, pattern: 0, distance: cost?, start: None })
        };
        let expected: Vec<Hit> = least.into_iter().enumerate().filter_map(hit).collect();
        let (set, batch) = (Arc::new(set), Batch::of_lines(format!("{line}\n"), b'\n'));
        for choice in tested() {
            let case = format!("{choice:?}, -k{k} {:?}, {costs:?}, text {line:?}", part.text());
            let all = hits(&choice, &set, &batch);
            assert_eq!(all, expected, "{case}");
            let mut aligned = Vec::new();
            engine(choice, set.clone(), 1).unwrap().aligner().unwrap().align(&batch, &all, &mut aligned).unwrap();
            for (alignment, hit) in aligned.iter().zip(&all) {
                let is_valid = is_constrained_alignment(alignment, hit.distance, &text, &strings, (&costs, k));
                assert!(is_valid, "{alignment:?} of {hit:?}, {case}");
            }
            found += all.len();
        }
        checked += 1;
        grouped += usize::from(has_groups);
    }
    let are_many = checked > 300 / SLOWER && grouped > 100 / SLOWER && found > 800 / SLOWER;
    assert!(are_many, "{checked} cases, {grouped} with groups, with {found} hits");
}

/// Returns whether an alignment aligns a string of the expression, and its edits cost `cost`. Two substitutions in the
/// CIGAR may be a transposition.
fn is_constrained_alignment(
    alignment: &Alignment,
    cost: usize,
    text: &[PlacedSymbol],
    strings: &[Vec<Element>],
    (costs, k): (&EditCosts, usize),
) -> bool {
    let covered: Vec<&PlacedSymbol> =
        text.iter().filter(|placed| alignment.start <= placed.start && placed.end <= alignment.end).collect();
    let edits: Vec<Edit> =
        alignment.cigar.runs().flat_map(|(length, edit)| std::iter::repeat_n(edit, length)).collect();
    let has_cost = |string: &Vec<Element>| {
        let string = held_classes(string);
        let hold = |row: usize| string.get(row).map_or(InGroup::No, |(_, hold)| *hold);
        let reads_at = |row: usize, column: usize| match (string.get(row), covered.get(column)) {
            (Some((class, _)), Some(placed)) => Some(reads(class, placed.symbol)),
            _ => None,
        };
        // The places that are reached, with the numbers of edits.
        let mut reached: BTreeSet<(usize, usize, usize, Counts)> = BTreeSet::from([(0, 0, 0, [0; 4])]);
        while let Some((at, row, column, counts)) = reached.pop_first() {
            let Some(edit) = edits.get(at) else {
                if (row, column) == (string.len(), covered.len()) && cost_of(counts, costs, k) == Some(cost) {
                    return true;
                }
                continue;
            };
            let with = |kind: usize| {
                let mut counts = counts;
                counts[kind] += 1;
                counts
            };
            match edit {
                Edit::Match if reads_at(row, column) == Some(true) => {
                    reached.insert((at + 1, row + 1, column + 1, counts));
                }
                Edit::TextOnly if hold(row) != InGroup::Next => {
                    reached.insert((at + 1, row, column + 1, with(0)));
                }
                Edit::PatternOnly if hold(row) == InGroup::No => {
                    reached.insert((at + 1, row + 1, column, with(1)));
                }
                Edit::Substitution if hold(row) == InGroup::No => {
                    if reads_at(row, column) == Some(false) {
                        reached.insert((at + 1, row + 1, column + 1, with(2)));
                    }
                    if edits.get(at + 1) == Some(&Edit::Substitution)
                        && hold(row + 1) == InGroup::No
                        && reads_at(row, column + 1) == Some(true)
                        && reads_at(row + 1, column) == Some(true)
                    {
                        reached.insert((at + 2, row + 2, column + 2, with(3)));
                    }
                }
                _ => {}
            }
        }
        false
    };
    strings.iter().any(has_cost)
}

/// A string, and its automaton with a repeat of a symbol that the text lacks. Where no edit is cheaper than an insertion,
/// the repeat changes no distance.
#[test]
fn strings_match_what_their_automata_match() {
    let mut rng = seeded(37);
    let (mut checked, mut found) = (0, 0);
    for _ in 0..rounds(2000).div_ceil(SLOWER) {
        let mut letters =
            |length| -> String { (0..length).map(|_| *rng.choice(&["a", "b", "c", "é"]).unwrap()).collect() };
        let (string, lines) = (letters(7), [letters(40), letters(9)].join("\n"));
        let costs = EditCosts { insertion: EditLimit::new(1, usize::MAX), ..random_costs(&mut rng) };
        let whole = if rng.bool() { MatchExtent::Anything } else { MatchExtent::Record };
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(rng.usize(1..5)));
        let builder = builder.edit_costs(costs).whole(whole);
        let built = |text: String| builder.build(&[PatternSource::new(text)]).map(Arc::new);
        let (Ok(set), Ok(automaton)) = (built(string.clone()), built(format!("{string}~*"))) else { continue };
        assert!(automaton.has_expressions());
        let batch = Batch::of_lines(lines.clone(), b'\n');
        for choice in tested() {
            let [all, expected] = [&set, &automaton].map(|set| -> Vec<(usize, usize)> {
                hits(&choice, set, &batch).iter().map(|hit| (hit.end, hit.distance)).collect()
            });
            assert_eq!(all, expected, "{choice:?}, {string:?}, {costs:?}, text {lines:?}");
            found += all.len();
        }
        checked += 1;
    }
    assert!(checked > 1000 / SLOWER && found > 1000 / SLOWER, "{checked} cases with {found} hits");
}
