//! Compares the matrix with its definition, cell by cell.

use std::collections::HashMap;
use std::ops::Range;

use super::*;
use nigh_pattern::{
    EditConstraints, EditCosts, EditLimit, Groups, MaxEdits, Pattern, PatternSet, PatternSource, SymbolSet,
    Transpositions,
};
use nigh_text::alphabet::Alphabet;
use nigh_text::text::PlacedSymbol;

/// The edits on the way to a cell: insertions, deletions, substitutions and their cost with that of transpositions.
type StepEdits = [usize; 4];

/// The definition: the value of a cell is the least cost of the steps from it to an allowed start, plus the start's value.
struct MatrixDefinition<'a> {
    symbols: &'a [SymbolSet],
    constraints: &'a EditConstraints,
    backward: &'a [PlacedSymbol],
    max_before: usize,
    unit: u64,
    starts: Starts<'a>,
    values: HashMap<(usize, usize, StepEdits), Option<u64>>,
}

impl MatrixDefinition<'_> {
    /// Returns the steps from a cell in the order in which they are tried: the row, the column and the edits after the step,
    /// and the operation.
    fn steps(&self, (row, column, edits): (usize, usize, StepEdits)) -> Vec<(usize, usize, StepEdits, Edit)> {
        let (constraints, length) = (self.constraints, self.symbols.len());
        let costs = constraints.costs();
        let symbol = |row: usize| length.checked_sub(row + 1);
        let reads =
            |row: usize, column: usize| Some(self.symbols[symbol(row)?].contains(self.backward.get(column)?.symbol));
        let is_free = |row: usize| symbol(row).is_some_and(|index| !constraints.is_locked(index));
        let with = |kind: usize, limit: EditLimit| {
            let mut more = edits;
            more[kind] += 1;
            more[3] += limit.cost.get();
            (more[kind] <= limit.max && more[3] <= constraints.max_cost()).then_some(more)
        };
        let mut steps = Vec::new();
        match reads(row, column) {
            Some(true) => steps.push((row + 1, column + 1, edits, Edit::Match)),
            Some(false) if is_free(row) => {
                let more = with(2, costs.substitution);
                steps.extend(more.map(|more| (row + 1, column + 1, more, Edit::Substitution)));
            }
            _ => {}
        }
        let mut swapped = edits;
        swapped[3] += 1;
        if constraints.has_transpositions()
            && swapped[3] <= constraints.max_cost()
            && reads(row + 1, column) == Some(true)
            && reads(row, column + 1) == Some(true)
            && is_free(row)
            && is_free(row + 1)
        {
            steps.push((row + 2, column + 2, swapped, Edit::Substitution));
        }
        if is_free(row) {
            let more = with(1, costs.deletion);
            steps.extend(more.map(|more| (row + 1, column, more, Edit::PatternOnly)));
        }
        let is_inside = row > 0 && row < length && constraints.is_joined(length - row);
        if column < self.backward.len() && !is_inside {
            let more = with(0, costs.insertion);
            steps.extend(more.map(|more| (row, column + 1, more, Edit::TextOnly)));
        }
        steps
    }

    fn start(&self, row: usize, covered: usize) -> Option<u64> {
        let before = self.symbols.len() - row;
        if before > self.max_before || covered == 0 { None } else { (self.starts)(MatrixStart { before, covered }) }
    }

    fn value(&mut self, cell: (usize, usize, StepEdits)) -> Option<u64> {
        if let Some(&known) = self.values.get(&cell) {
            return known;
        }
        let (row, column, edits) = cell;
        let mut least = self.start(row, column);
        for (row, column, more, _) in self.steps(cell) {
            let value = self.value((row, column, more)).map(|value| value + (more[3] - edits[3]) as u64 * self.unit);
            least = [least, value].into_iter().flatten().min();
        }
        self.values.insert(cell, least);
        least
    }

    fn cigar(&mut self) -> Cigar {
        let (mut runs, mut cell) = (BackwardRuns::default(), (0, 0, [0; 4]));
        let mut left = self.value(cell).expect("there is a match");
        while self.start(cell.0, cell.1) != Some(left) {
            let mut steps = self.steps(cell).into_iter();
            let (next, edit, cost) = steps
                .find_map(|(row, column, more, edit)| {
                    let cost = (more[3] - cell.2[3]) as u64 * self.unit;
                    let next = (row, column, more);
                    (self.value(next) == left.checked_sub(cost)).then_some((next, edit, cost)).filter(|_| cost <= left)
                })
                .expect("a step leads to the start");
            let length = (next.0 - cell.0).max(next.1 - cell.1);
            runs.push(length, edit);
            (cell, left) = (next, left - cost);
        }
        runs.push(self.symbols.len() - cell.0, Edit::Overhang);
        runs.cigar()
    }
}

fn symbols(rng: &mut fastrand::Rng, length: usize) -> String {
    (0..length).map(|_| char::from(*rng.choice(b"AAAACCCCGN").expect("a letter"))).collect()
}

/// Returns a pattern with random constraints. `limits` has the limits of a kind of edit to choose from.
fn pattern(rng: &mut fastrand::Rng, length: usize, max_edits: usize, limits: &[usize]) -> Option<Pattern> {
    let limit = |rng: &mut fastrand::Rng| EditLimit::new(rng.usize(1..3), *rng.choice(limits).expect("a number"));
    let costs = EditCosts {
        insertion: limit(rng),
        deletion: limit(rng),
        substitution: limit(rng),
        transpositions: *rng.choice(&[Transpositions::One, Transpositions::Two]).expect("a number"),
    };
    let group = |rng: &mut fastrand::Rng| *rng.choice(&["", "", "<A>", "<AC>", "<NGA>"]).expect("a group");
    let (before, middle, after) = (group(rng), group(rng), group(rng));
    let [first, second] = [length / 2, length - length / 2].map(|length| symbols(rng, length));
    let source = format!("{before}{first}{middle}{second}{after}");
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(max_edits)).groups(Groups::Exact);
    let set = builder.edit_costs(costs).build(&[PatternSource::new(source)]).ok()?;
    Some(set.patterns()[0].clone())
}

fn placed(text: &str) -> Vec<PlacedSymbol> {
    let place = |(start, symbol): (usize, u8)| PlacedSymbol {
        symbol: Alphabet::Dna.symbol_of_byte(symbol),
        start,
        end: start + 1,
    };
    text.bytes().enumerate().map(place).collect()
}

/// The limits of a kind of edit to choose from: low ones as often as none.
const LIMITS: [usize; 8] = [0, 1, 2, 3, usize::MAX, usize::MAX, usize::MAX, usize::MAX];

/// Compares random matches with the definition. Patterns have about `length` symbols, and `max_edits` maps this number to
/// the largest number of edits. Returns the number of matches that were computed cell by cell.
fn compare(
    (seed, cases): (u64, usize),
    length: Range<usize>,
    limits: &[usize],
    max_edits: impl Fn(&mut fastrand::Rng, usize) -> usize,
) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut matrix, mut found, mut by_cells) = (Matrix::default(), 0, 0);
    for case in 0..cases {
        let length = rng.usize(length.clone());
        let max_edits = max_edits(&mut rng, length);
        let Some(pattern) = pattern(&mut rng, length, max_edits, limits) else { continue };
        // Often a text like the pattern.
        let near: String = pattern.symbols().iter().rev().map(|set| set.letter(Alphabet::Dna)).collect();
        let mut text = if rng.bool() { near } else { symbols(&mut rng, length) };
        if max_edits > 4 && rng.bool() {
            // Most symbols of the pattern are missing.
            text.truncate(rng.usize(1..5));
        }
        for _ in 0..rng.usize(0..4) {
            let at = rng.usize(0..=text.len());
            match rng.usize(0..3) {
                0 => text.insert(at, 'A'),
                1 if at < text.len() => drop(text.remove(at)),
                _ => text.truncate(rng.usize(text.len().saturating_sub(4)..=text.len())),
            }
        }
        let backward = placed(&text);
        let constraints = pattern.all_constraints();
        let max_before = if rng.bool() { 0 } else { rng.usize(0..4) };
        let kind = rng.usize(0..3);
        let salt = rng.usize(0..5);
        let problem = MatrixProblem { max_before, ..MatrixProblem::new(&pattern, &constraints, &backward) };
        let starts = |MatrixStart { before, covered }| match kind {
            0 => Some(0),
            1 => (covered % 5 != salt).then_some(before as u64 % problem.unit),
            _ => Some((covered + salt) as u64 % problem.unit),
        };
        let (symbols, unit) = (pattern.symbols(), problem.unit);
        let (constraints, backward, values) = (&*constraints, &backward[..], HashMap::new());
        let mut definition =
            MatrixDefinition { symbols, constraints, backward, max_before, unit, starts: &starts, values };
        let expected = definition.value((0, 0, [0; 4]));
        assert_eq!(matrix.value(&problem, &starts), expected, "case {case}");
        let Some(expected) = expected else {
            assert_eq!(matrix.cigar(&problem, &starts), Cigar::default(), "case {case}");
            continue;
        };
        found += 1;
        by_cells += usize::from(Cells::suit(&problem));
        assert_eq!(matrix.cigar(&problem, &starts), definition.cigar(), "case {case}");
        let least = (expected / unit) as usize;
        assert_eq!(matrix.cost(&problem, &starts), Some((least, (expected % unit) as usize)), "case {case}");
        let lengths = |length: usize| {
            let only = |start: MatrixStart| (start.covered == length).then(|| starts(start)).flatten();
            let values = HashMap::new();
            let mut one = MatrixDefinition { symbols, constraints, backward, max_before, unit, starts: &only, values };
            one.value((0, 0, [0; 4])).is_some_and(|value| (value / unit) as usize == least)
        };
        let expected: Vec<usize> = (1..=text.len()).filter(|&length| lengths(length)).collect();
        let is_allowed =
            |covered: usize| (0..=max_before).any(|before| starts(MatrixStart { before, covered }).is_some());
        assert_eq!(matrix.cost_and_lengths(&problem, is_allowed), Some((least, expected)), "case {case}");
    }
    assert!(found > cases / 5, "only {found} matches");
    by_cells
}

#[test]
fn matches_are_those_of_the_definition() {
    compare((1, 4_000), 1..9, &LIMITS, |rng, _| rng.usize(1..5));
}

#[test]
fn matches_of_long_patterns_are_those_of_the_definition() {
    compare((2, 200), 50..200, &LIMITS, |rng, _| rng.usize(1..5));
}

#[test]
fn matches_with_many_edits_are_those_of_the_definition() {
    let by_cells =
        compare((3, 1_500), 8..20, &[0, usize::MAX, usize::MAX], |rng, length| rng.usize(length * 3 / 4..2 * length));
    assert!(by_cells > 100, "only {by_cells} cell by cell");
}
