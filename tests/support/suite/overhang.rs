//! Patterns that hang over the ends of lines and records: every engine's hits are compared with an exhaustive search.

use std::sync::Arc;

use fastrand::Rng;
use nigh_core::alignment::Edit;
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::Batch;
use nigh_core::engine::{EngineChoice, engine};
use nigh_core::hit::Hit;
use nigh_core::pattern::{MaxEdits, Notation, OverhangCost, Pattern, PatternSet, PatternSource, Strand};
use nigh_core::text::{Placed, symbols};

use crate::support::random::{batches, hits, places, random_input, rounds};
use crate::{SLOWER, tested};

/// Returns the edit distance of a range of a pattern's symbols from a text.
fn edit_distance(pattern: &Pattern, rows: std::ops::Range<usize>, text: &[Placed]) -> usize {
    let mut line: Vec<usize> = (0..=text.len()).collect();
    for row in rows {
        let mut diagonal = line[0];
        line[0] += 1;
        for (column, placed) in text.iter().enumerate() {
            let step = diagonal + usize::from(!pattern.symbols()[row].contains(placed.symbol));
            diagonal = line[column + 1];
            line[column + 1] = step.min(diagonal + 1).min(line[column] + 1);
        }
    }
    line[text.len()]
}

/// Returns the least number of edits between a range of a pattern's symbols and a text with at least one diagonal step;
/// `None` if there is none.
fn aligned_distance(pattern: &Pattern, rows: std::ops::Range<usize>, text: &[Placed]) -> Option<usize> {
    let pairs = rows.clone().flat_map(|row| (0..text.len()).map(move |column| (row, column)));
    let through = |(row, column): (usize, usize)| {
        edit_distance(pattern, rows.start..row, &text[..column])
            + usize::from(!pattern.symbols()[row].contains(text[column].symbol))
            + edit_distance(pattern, row + 1..rows.end, &text[column + 1..])
    };
    pairs.map(through).min()
}

/// Returns the distance of the hit that ends after `end` symbols of a text, if it is at most k.
fn distance(pattern: &Pattern, cost: OverhangCost, text: &[Placed], end: usize) -> Option<usize> {
    let length = pattern.symbols().len();
    let mut least = None;
    for start in 0..end {
        let most_before = if start == 0 { length - 1 } else { 0 };
        for before in 0..=most_before {
            let most_after = if end == text.len() { length - 1 - before } else { 0 };
            for after in 0..=most_after {
                let edits = aligned_distance(pattern, before..length - after, &text[start..end]);
                let sum = edits.map(|edits| edits + cost.of(before) + cost.of(after));
                least = least.into_iter().chain(sum).min();
            }
        }
    }
    least.filter(|&least| least <= pattern.k())
}

/// Returns all hits of a batch that is a whole input.
fn oracle(set: &PatternSet, cost: OverhangCost, batch: &Batch) -> Vec<Hit> {
    let bytes = batch.bytes();
    let runs: Vec<std::ops::Range<usize>> = match batch.lines() {
        Some(lines) => {
            let starts = std::iter::once(0).chain(memchr::memchr_iter(lines.terminator, bytes).map(|end| end + 1));
            let stop = |start: usize| memchr::memchr(lines.terminator, &bytes[start..]);
            starts.map(|start| start..stop(start).map_or(bytes.len(), |length| start + length)).collect()
        }
        None => batch.segments().iter().map(|segment| segment.bytes.clone()).collect(),
    };
    let mut found = Vec::new();
    for run in runs {
        let text: Vec<Placed> = symbols(set.alphabet(), &bytes[run.clone()]).collect();
        for end in 1..=text.len() {
            for (index, pattern) in set.patterns().iter().enumerate() {
                let distance = distance(pattern, cost, &text, end);
                let end = run.start + text[end - 1].end;
                found.extend(distance.map(|distance| Hit { end, pattern: index, distance, start: None }));
            }
        }
    }
    found
}

/// Checks that each alignment is one of its hit: it has the hit's distance and rebuilds pattern and text.
fn check_alignments(set: &Arc<PatternSet>, cost: OverhangCost, batch: &Batch, choice: &EngineChoice, found: &[Hit]) {
    let mut aligned = Vec::new();
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    for (hit, alignment) in found.iter().zip(&aligned) {
        let pattern = &set.patterns()[hit.pattern];
        let case = format!("{choice:?}, {hit:?}, {pattern:?}, {:?}, {}", batch.bytes(), alignment.cigar);
        let (mut row, mut price) = (0, alignment.cigar.distance());
        let mut text = symbols(set.alphabet(), &batch.bytes()[alignment.start..alignment.end]);
        for (length, edit) in alignment.cigar.runs() {
            if edit == Edit::Overhang {
                price += cost.of(length);
                row += length;
                continue;
            }
            for _ in 0..length {
                let symbol = (edit != Edit::PatternOnly).then(|| text.next().expect("a symbol"));
                if let (Edit::Match | Edit::Substitution, Some(placed)) = (edit, symbol) {
                    let is_match = pattern.symbols()[row].contains(placed.symbol);
                    assert_eq!(is_match, edit == Edit::Match, "{case}");
                }
                row += usize::from(edit != Edit::TextOnly);
            }
        }
        assert_eq!((row, text.next(), price), (pattern.symbols().len(), None, hit.distance), "{case}");
    }
}

#[test]
fn overhangs_equal_an_exhaustive_search_at_any_cut() {
    let mut rng = Rng::with_seed(23);
    let cases = rounds(1500) / SLOWER;
    let mut count = 0;
    for case in 0..cases {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let letters: &[&[u8]] = match alphabet {
            Alphabet::Dna => &[b"A", b"C", b"N"],
            _ => &[b"a", b"b", "é".as_bytes()],
        };
        let input = random_input(&mut rng, alphabet, letters, 8);
        let pattern = |rng: &mut Rng| {
            let length = rng.usize(1..=6);
            PatternSource::new((0..length).flat_map(|_| rng.choice(letters).unwrap().to_vec()).collect::<Vec<u8>>())
        };
        let sources: Vec<PatternSource> = (0..rng.usize(1..3)).map(|_| pattern(&mut rng)).collect();
        let cost: OverhangCost = rng.choice(&["0", "0.25", "0.5", "0.7", "1"]).unwrap().parse().unwrap();
        let strands: &[Strand] = match alphabet {
            Alphabet::Dna => &[Strand::Forward, Strand::Reverse],
            _ => &[Strand::Forward],
        };
        let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands).overhang(Some(cost));
        let percent = MaxEdits::Percent(rng.usize(0..70));
        let set = Arc::new(builder.max_edits(percent).build(&sources).unwrap());
        let choices = [vec![EngineChoice::Reference], tested()].concat();
        for batch in batches(&input, &set, input.len() + 1024) {
            let expected = oracle(&set, cost, &batch);
            for choice in &choices {
                let what = format!("case {case}, {choice:?}, {cost:?}, {:?}, {input:?}", set.patterns());
                assert_eq!(hits(choice, &set, &batch), expected, "{what}");
                check_alignments(&set, cost, &batch, choice, &expected);
            }
            count += expected.len();
        }
        let expected = places(&EngineChoice::Reference, &set, &input, input.len() + 1024);
        for bytes in [1, 3, 10].into_iter().filter(|&bytes| SLOWER == 1 || bytes > 9) {
            for choice in &choices {
                let what = format!("case {case}, {choice:?}, windows of {bytes}, {cost:?}, {input:?}");
                assert_eq!(places(choice, &set, &input, bytes), expected, "{what}");
            }
        }
    }
    // Fewer cases have more varied numbers of hits.
    let least = if SLOWER == 1 { 5 * cases } else { 2 * cases };
    assert!(count > least, "only {count} hits");
}
