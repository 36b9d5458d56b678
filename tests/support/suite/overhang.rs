//! Patterns that hang over the ends of lines and records: every engine's hits are compared with an exhaustive search.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use fastrand::Rng;
use nigh_core::alignment::Edit;
use nigh_core::alphabet::Alphabet;
use nigh_core::batch::Batch;
use nigh_core::engine::{EngineChoice, engine};
use nigh_core::hit::Hit;
use nigh_core::pattern::{MaxEdits, Notation, Overhang, Pattern, PatternSet, PatternSource, PositionRange, Strand};
use nigh_core::text::{PlacedSymbol, symbols};

use crate::support::random::{batches, hits, places, random_input, rounds, seeded};
use crate::{SLOWER, tested};

/// Number of units in the cost of an edit, which is 1.
const UNIT: u64 = 1_000_000;
/// Costs of a symbol beyond an end: as the program reads them, and in units.
const COSTS: [(&str, u64); 7] =
    [("0", 0), ("0.1", 100_000), ("0.25", 250_000), ("30%", 300_000), ("0.5", 500_000), ("0.7", 700_000), ("1", UNIT)];

/// The settings of a search with overhang.
#[derive(Debug, Clone, Copy)]
struct OverhangRules {
    bound: MaxEdits,
    cost: u64,
    min_overlap: usize,
    within: PositionRange,
    max_ambiguous: Option<usize>,
}

impl OverhangRules {
    /// Returns the maximum sum of edits and overhang of a match, in units.
    fn max_sum(&self, pattern: &Pattern) -> u64 {
        match self.bound {
            MaxEdits::Percent(percent) => (pattern.symbols().len() * percent) as u64 * (UNIT / 100),
            _ => pattern.k() as u64 * UNIT,
        }
    }

    /// Returns the sum of a match with this number of edits and of symbols beyond the ends; `None` if there is no such
    /// match.
    fn sum(&self, pattern: &Pattern, edits: usize, beyond: usize) -> Option<u64> {
        let sum = edits as u64 * UNIT + self.cost * beyond as u64;
        let is_match = match beyond {
            0 => edits <= pattern.k(),
            _ => sum <= self.max_sum(pattern) && pattern.symbols().len() >= beyond + self.min_overlap,
        };
        is_match.then_some(sum)
    }

    /// Returns whether a match may cover a range of symbols of a line or record.
    fn allow(&self, alphabet: Alphabet, text: &[PlacedSymbol], range: Range<usize>) -> bool {
        let unit = |symbol: usize| match alphabet.is_sequence() {
            true => symbol as u64,
            false => text.get(symbol).map_or_else(|| text[text.len() - 1].end, |placed| placed.start) as u64,
        };
        let within = self.within.of_length(unit(text.len()));
        let ambiguous = text[range.clone()].iter().filter(|placed| alphabet.is_ambiguous(placed.symbol)).count();
        unit(range.start) >= within.start
            && unit(range.end) <= within.end
            && self.max_ambiguous.is_none_or(|max| ambiguous <= max)
    }
}

/// Returns the edit distance of each prefix of a pattern from a text, from the empty prefix to the whole pattern.
fn edit_distances(pattern: &[nigh_core::pattern::SymbolSet], text: &[PlacedSymbol]) -> Vec<usize> {
    let mut column: Vec<usize> = (0..=pattern.len()).collect();
    for placed in text {
        let mut diagonal = column[0];
        column[0] += 1;
        for (row, set) in pattern.iter().enumerate() {
            let step = diagonal + usize::from(!set.contains(placed.symbol));
            diagonal = column[row + 1];
            column[row + 1] = step.min(diagonal + 1).min(column[row] + 1);
        }
    }
    column
}

/// Returns the distance of the hit that ends after `end` symbols of a text; `None` if no match ends there.
fn distance(
    alphabet: Alphabet,
    pattern: &Pattern,
    rules: &OverhangRules,
    text: &[PlacedSymbol],
    end: usize,
) -> Option<usize> {
    let length = pattern.symbols().len();
    let mut least: Option<u64> = None;
    for start in (0..end).filter(|&start| rules.allow(alphabet, text, start..end)) {
        let most_before = if start == 0 { length - 1 } else { 0 };
        for before in 0..=most_before {
            let edits = edit_distances(&pattern.symbols()[before..], &text[start..end]);
            let most_after = if end == text.len() { length - 1 - before } else { 0 };
            let sums =
                (0..=most_after).filter_map(|after| rules.sum(pattern, edits[length - before - after], before + after));
            least = least.into_iter().chain(sums).min();
        }
    }
    least.map(|sum| (sum / UNIT) as usize)
}

/// Returns the lines or records of a batch that is a whole input.
fn items(batch: &Batch) -> Vec<Range<usize>> {
    let bytes = batch.bytes();
    match batch.lines() {
        Some(lines) => {
            let starts = std::iter::once(0).chain(memchr::memchr_iter(lines.terminator, bytes).map(|end| end + 1));
            let stop = |start: usize| memchr::memchr(lines.terminator, &bytes[start..]);
            starts.map(|start| start..stop(start).map_or(bytes.len(), |length| start + length)).collect()
        }
        None => batch.segments().iter().map(|segment| segment.bytes.clone()).collect(),
    }
}

/// Returns all hits of a batch that is a whole input, without their starts.
fn oracle(set: &PatternSet, rules: &OverhangRules, batch: &Batch) -> Vec<Hit> {
    let mut found = Vec::new();
    for item in items(batch) {
        let text: Vec<PlacedSymbol> = symbols(set.alphabet(), &batch.bytes()[item.clone()]).collect();
        for end in 1..=text.len() {
            for (index, pattern) in set.patterns().iter().enumerate() {
                let distance = distance(set.alphabet(), pattern, rules, &text, end);
                let end = item.start + text[end - 1].end;
                found.extend(distance.map(|distance| Hit { end, pattern: index, distance, start: None }));
            }
        }
    }
    found
}

/// Checks that each alignment belongs to its hit: it has the hit's distance, and its operations give the pattern and
/// the text.
fn check_alignments(set: &Arc<PatternSet>, rules: &OverhangRules, batch: &Batch, choice: &EngineChoice, found: &[Hit]) {
    let mut aligned = Vec::new();
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    for (hit, alignment) in found.iter().zip(&aligned) {
        let pattern = &set.patterns()[hit.pattern];
        let case = format!("{choice:?}, {hit:?}, {pattern:?}, {rules:?}, {:?}, {}", batch.bytes(), alignment.cigar);
        let (mut row, mut beyond) = (0, 0);
        let mut text = symbols(set.alphabet(), &batch.bytes()[alignment.start..alignment.end]);
        for (length, edit) in alignment.cigar.runs() {
            if edit == Edit::Overhang {
                beyond += length;
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
        let sum = rules.sum(pattern, alignment.cigar.distance(), beyond).map(|sum| (sum / UNIT) as usize);
        assert_eq!((row, text.next(), sum), (pattern.symbols().len(), None, Some(hit.distance)), "{case}");
        let items = items(batch);
        let starts = items
            .iter()
            .filter_map(|item| Some(item.start + symbols(set.alphabet(), &batch.bytes()[item.clone()]).next()?.start));
        let is_at_start = starts.into_iter().any(|start| start == alignment.start);
        assert!(is_at_start || alignment.cigar.start_overhang() == 0, "{case}");
    }
}

/// Compares the hits and alignments of all engines with those of the exhaustive search.
fn check(set: &Arc<PatternSet>, rules: &OverhangRules, input: &[u8]) -> usize {
    let mut count = 0;
    for batch in batches(input, set, input.len() + 1024) {
        let expected = oracle(set, rules, &batch);
        for choice in [vec![EngineChoice::Reference], tested()].concat() {
            let found = hits(&choice, set, &batch);
            let plain: Vec<Hit> = found.iter().map(|hit| Hit { start: None, ..*hit }).collect();
            assert_eq!(plain, expected, "{choice:?}, {rules:?}, {:?}, {input:?}", set.patterns());
            check_alignments(set, rules, &batch, &choice, &found);
        }
        count += expected.len();
    }
    count
}

/// Returns random settings.
fn random_rules(rng: &mut Rng, alphabet: Alphabet, most_edits: MaxEdits) -> (OverhangRules, Overhang) {
    let (text, cost) = *rng.choice(&COSTS).unwrap();
    let min_overlap = rng.usize(1..5);
    let ranges = ["0..", "0..", "0..", "2..", "..5", "1..6", "-4..", "..-1"];
    let within = rng.choice(&ranges).unwrap().parse().unwrap();
    let max_ambiguous = (alphabet.is_sequence() && rng.u8(0..4) == 0).then(|| rng.usize(0..2));
    let overhang = Overhang { cost: text.parse().unwrap(), min_overlap: NonZeroUsize::new(min_overlap).unwrap() };
    (OverhangRules { bound: most_edits, cost, min_overlap, within, max_ambiguous }, overhang)
}

/// Builds a set of patterns with these settings.
fn pattern_set(
    alphabet: Alphabet,
    rules: &OverhangRules,
    overhang: Overhang,
    sources: &[PatternSource],
) -> Arc<PatternSet> {
    let strands: &[Strand] = match alphabet {
        Alphabet::Dna => &[Strand::Forward, Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands).overhang(Some(overhang));
    let builder = builder.within(rules.within).max_ambiguous(rules.max_ambiguous).max_edits(rules.bound);
    Arc::new(builder.build(sources).unwrap())
}

/// Returns a random pattern of letters.
fn random_pattern(rng: &mut Rng, letters: &[&[u8]], length: usize) -> PatternSource {
    PatternSource::new((0..length).flat_map(|_| rng.choice(letters).unwrap().to_vec()).collect::<Vec<u8>>())
}

#[test]
fn overhangs_equal_an_exhaustive_search_at_any_cut() {
    let mut rng = seeded(23);
    let cases = rounds(1500) / SLOWER;
    let mut count = 0;
    for case in 0..cases {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let letters: &[&[u8]] = match alphabet {
            Alphabet::Dna => &[b"A", b"C", b"N"],
            _ => &[b"a", b"b", "é".as_bytes()],
        };
        let input = random_input(&mut rng, alphabet, letters, 10);
        let lengths: Vec<usize> = (0..rng.usize(1..6)).map(|_| rng.usize(3..=9)).collect();
        let sources: Vec<PatternSource> =
            lengths.iter().map(|&length| random_pattern(&mut rng, letters, length)).collect();
        let bound = if rng.bool() { MaxEdits::Percent(rng.usize(0..60)) } else { MaxEdits::Count(rng.usize(0..3)) };
        let (rules, overhang) = random_rules(&mut rng, alphabet, bound);
        let set = pattern_set(alphabet, &rules, overhang, &sources);
        count += check(&set, &rules, &input);
        let expected = places(&EngineChoice::Reference, &set, &input, input.len() + 1024);
        for bytes in [1, 3, 10].into_iter().filter(|&bytes| SLOWER == 1 || bytes > 9) {
            for choice in &[vec![EngineChoice::Reference], tested()].concat() {
                let what =
                    format!("case {case}, {choice:?}, windows of {bytes}, {rules:?}, {:?}, {input:?}", set.patterns());
                assert_eq!(places(choice, &set, &input, bytes), expected, "{what}");
            }
        }
    }
    // With fewer cases, the number of hits varies more.
    let least = if SLOWER == 1 { 5 * cases } else { 2 * cases };
    assert!(count > least, "only {count} hits");
}

#[test]
fn long_patterns_and_many_patterns_hang_over_too() {
    let mut rng = seeded(24);
    let mut count = 0;
    for _ in 0..rounds(20).div_ceil(SLOWER) {
        let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T"];
        let (patterns, length) = *rng.choice(&[(1, 150), (3, 70), (9, 64), (12, 20)]).unwrap();
        let sources: Vec<PatternSource> = (0..patterns).map(|_| random_pattern(&mut rng, letters, length)).collect();
        let bound = if rng.bool() { MaxEdits::Percent(10) } else { MaxEdits::Count(length / 10) };
        let overhang = Overhang::new("10%".parse().unwrap());
        let rules = OverhangRules {
            bound,
            cost: UNIT / 10,
            min_overlap: 3,
            within: "0..".parse().unwrap(),
            max_ambiguous: None,
        };
        let set = pattern_set(Alphabet::Dna, &rules, overhang, &sources);
        let input: Vec<u8> = (0..4).flat_map(|_| read_with_overlap(&mut rng, &sources)).collect();
        count += check(&set, &rules, &input);
    }
    assert!(count > 5, "only {count} hits");
}

#[test]
fn an_overlap_may_have_more_symbols_than_the_text() {
    let overhang = Overhang { cost: "0.25".parse().unwrap(), min_overlap: NonZeroUsize::new(4).unwrap() };
    let within = "0..".parse().unwrap();
    let rules =
        OverhangRules { bound: MaxEdits::Count(3), cost: UNIT / 4, min_overlap: 4, within, max_ambiguous: None };
    let set = pattern_set(Alphabet::Dna, &rules, overhang, &[PatternSource::new("GGGACTTT")]);
    // GACT of the pattern is aligned with two deletions, and two symbols are beyond each end. The reverse complement
    // matches in the same way with AGTC.
    assert_eq!(check(&set, &rules, b">r\nAC\n"), 2);
}

/// Returns a record that is, begins with or ends with a part of a pattern with some edits.
fn read_with_overlap(rng: &mut Rng, sources: &[PatternSource]) -> Vec<u8> {
    let pattern = &rng.choice(sources).unwrap().text;
    let (from, to) = (rng.usize(0..pattern.len() - 4), rng.usize(0..pattern.len() - 4));
    let mut part = pattern[from.min(to)..from.max(to) + 4].to_vec();
    for _ in 0..rng.usize(0..=part.len() / 10) {
        let at = rng.usize(0..part.len());
        match rng.u8(0..3) {
            0 => part[at] = b'A',
            1 => part.insert(at, b'C'),
            _ => drop(part.remove(at)),
        }
    }
    let others: Vec<u8> = (0..rng.usize(0..30)).map(|_| *rng.choice(b"ACGT").unwrap()).collect();
    match rng.u8(0..3) {
        0 => [b">r\n", &part[..], b"\n"].concat(),
        1 => [b">r\n", &part[..], &others, b"\n"].concat(),
        _ => [b">r\n", &others[..], &part, b"\n"].concat(),
    }
}
