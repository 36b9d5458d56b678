//! Patterns that hang over the ends of lines and records: every engine's hits are compared with an exhaustive search.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{
    Bound, EditCosts, Groups, MatchExtent, MaxEdits, Notation, Overhang, OverhangCost, Pattern, PatternSet,
    PatternSource, Strand,
};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::{PlacedSymbol, symbols};
use nigh_verify::WantedHits;

use super::constraints::{GroupedSymbols, random_costs, random_grouped, turned};
use super::overhang_oracle::{OverhangRules, UNIT, items, oracle};
use crate::support::random::{batches, hits, places, random_input, rounds, seeded};
use crate::{SLOWER, tested};

/// Costs as the program reads them, and in units.
const COSTS: [(&str, u64); 7] =
    [("0", 0), ("0.1", 100_000), ("0.25", 250_000), ("30%", 300_000), ("0.5", 500_000), ("0.7", 700_000), ("1", UNIT)];

/// The ends that patterns may hang over, as the program reads them, and whether these are the start and the end.
const ENDS: [(&str, [bool; 2]); 4] =
    [("", [true, true]), ("", [true, true]), ("left:", [true, false]), ("right:", [false, true])];

/// Checks that each alignment is one of its hit: it has the hit's distance and rebuilds pattern and text.
fn check_alignments(set: &Arc<PatternSet>, rules: &OverhangRules, batch: &Batch, choice: &EngineChoice, found: &[Hit]) {
    let mut aligned = Vec::new();
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    for (hit, alignment) in found.iter().zip(&aligned) {
        let pattern = &set.patterns()[hit.pattern];
        let case = format!("{choice:?}, {hit:?}, {pattern:?}, {rules:?}, {:?}, {}", batch.bytes(), alignment.cigar);
        let text: Vec<PlacedSymbol> = symbols(set.alphabet(), &batch.bytes()[alignment.start..alignment.end]).collect();
        assert!(rules.distances(pattern, &text, &alignment.cigar).contains(&hit.distance), "{case}");
        assert_eq!(alignment.end, hit.end, "{case}");
        let items = items(batch);
        let starts = items
            .iter()
            .filter_map(|item| Some(item.start + symbols(set.alphabet(), &batch.bytes()[item.clone()]).next()?.start));
        let is_at_start = starts.into_iter().any(|start| start == alignment.start);
        assert!(is_at_start || alignment.cigar.start_overhang() == 0, "{case}");
    }
}

/// Checks that a search for any hit of each line or record finds hits in those that have any.
fn check_selection(set: &Arc<PatternSet>, batch: &Batch, choice: &EngineChoice, found: &[Hit]) {
    let mut selected: Vec<Hit> = Vec::new();
    engine(choice.clone(), set.clone(), 1)
        .unwrap()
        .scanner()
        .unwrap()
        .search(batch, WantedHits::One, &mut selected)
        .unwrap();
    let case = || format!("{choice:?}, {:?}, {:?}", set.patterns(), batch.bytes());
    for item in items(batch) {
        let is_inside = |hit: &&Hit| item.start < hit.end && hit.end <= item.end;
        assert_eq!(selected.iter().any(|hit| is_inside(&hit)), found.iter().any(|hit| is_inside(&hit)), "{}", case());
    }
    let is_hit = |hit: &Hit| found.iter().any(|one| (one.end, one.pattern) == (hit.end, hit.pattern));
    assert!(selected.iter().all(is_hit), "{}", case());
}

/// Compares the hits and alignments of all engines with those of the exhaustive search.
fn check(set: &Arc<PatternSet>, rules: &OverhangRules, input: &[u8]) -> usize {
    let mut count = 0;
    for batch in batches(input, set, input.len() + 1024) {
        let expected = oracle(set, rules, &batch);
        for choice in [vec![EngineChoice::reference()], tested()].concat() {
            let found = hits(&choice, set, &batch);
            let plain: Vec<Hit> = found.iter().map(|hit| Hit { start: None, ..*hit }).collect();
            assert_eq!(plain, expected, "{choice:?}, {rules:?}, {:?}, {input:?}", set.patterns());
            check_alignments(set, rules, &batch, &choice, &found);
            check_selection(set, &batch, &choice, &found);
        }
        count += expected.len();
    }
    count
}

/// Compares the hits of all engines in parts of an input with those in the whole input.
fn check_cuts(case: &str, set: &Arc<PatternSet>, input: &[u8]) {
    let expected = places(&EngineChoice::reference(), set, input, input.len() + 1024);
    for bytes in [1, 3, 10].into_iter().filter(|&bytes| SLOWER == 1 || bytes > 9) {
        for choice in &[vec![EngineChoice::reference()], tested()].concat() {
            let what = format!("{case}, {choice:?}, windows of {bytes}, {:?}, {input:?}", set.patterns());
            assert_eq!(places(choice, set, input, bytes), expected, "{what}");
        }
    }
}

/// Returns random rules.
fn random_rules(rng: &mut Rng, alphabet: Alphabet, bound: Bound) -> (OverhangRules, Overhang) {
    let (text, cost) = *rng.choice(&COSTS).unwrap();
    let min_overlap = rng.usize(1..5);
    let ranges = ["0..", "0..", "0..", "2..", "..5", "1..6", "-4..", "..-1"];
    let within = rng.choice(&ranges).unwrap().parse().unwrap();
    let max_ambiguous = (alphabet.is_sequence() && rng.u8(0..4) == 0).then(|| rng.usize(0..2));
    let (side, ends) = *rng.choice(&ENDS).unwrap();
    let overhang = Overhang {
        cost: format!("{side}{text}").parse().unwrap(),
        min_overlap: NonZeroUsize::new(min_overlap).unwrap(),
    };
    let costs = EditCosts::default();
    (OverhangRules { bound, costs, cost, ends, min_overlap, within, max_ambiguous, groups: Vec::new() }, overhang)
}

/// Builds a set of patterns with these settings.
fn pattern_set(
    alphabet: Alphabet,
    rules: &OverhangRules,
    overhang: Overhang,
    sources: &[PatternSource],
) -> Arc<PatternSet> {
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands(alphabet));
    let builder = builder.overhang(Some(overhang));
    let builder = builder.within(rules.within).max_ambiguous(rules.max_ambiguous).max_edits(rules.bound);
    Arc::new(builder.build(sources).unwrap())
}

/// Returns a random case with limits by kind, costs, transpositions, exact groups and edges; `None` if it is not valid.
fn constrained_case(rng: &mut Rng, alphabet: Alphabet, letters: &[&[u8]]) -> Option<(Arc<PatternSet>, OverhangRules)> {
    let bounds = ["0", "1", "2", "3", "1s", "2s", "2id", "2is", "3ds", "30%", "40%", "15%", "40%s"];
    let bound: Bound = rng.choice(bounds).unwrap().parse().unwrap();
    let (mut rules, overhang) = random_rules(rng, alphabet, bound);
    if rng.bool() {
        rules.costs = random_costs(rng);
    }
    let groups = *rng.choice(&[Groups::Exact, Groups::Ordinary]).unwrap();
    let count = rng.usize(1..4);
    let grouped = (0..count).map(|_| random_grouped(rng, alphabet, letters, groups, 3..=8));
    let (texts, held): (Vec<Vec<u8>>, Vec<GroupedSymbols>) = grouped.unzip();
    if groups == Groups::Exact {
        rules.groups = held;
    }
    let edge = |rng: &mut Rng, edges: &[&'static str]| *rng.choice(edges).unwrap();
    let sources = texts.into_iter().map(|text| {
        let text = String::from_utf8(text).unwrap();
        let (start, end) = (edge(rng, &["", "", "^", r"\b"]), edge(rng, &["", "", "$", r"\b"]));
        let has_words = !alphabet.is_sequence();
        let kept = |edge: &'static str| if has_words || !edge.contains('b') { edge } else { "" };
        PatternSource::new(format!("{}{text}{}", kept(start), kept(end)))
    });
    let sources: Vec<PatternSource> = sources.collect();
    let whole = match alphabet.is_sequence() {
        true => MatchExtent::Anything,
        false => *rng
            .choice(&[MatchExtent::Anything, MatchExtent::Anything, MatchExtent::Words, MatchExtent::Record])
            .unwrap(),
    };
    let builder = PatternSet::builder(alphabet).strands(strands(alphabet)).overhang(Some(overhang)).whole(whole);
    let builder = builder.within(rules.within).max_ambiguous(rules.max_ambiguous).max_edits(rules.bound);
    let set = builder.groups(groups).edit_costs(rules.costs).build(&sources).ok()?;
    Some((Arc::new(set), rules))
}

/// Returns the strands that are searched.
fn strands(alphabet: Alphabet) -> &'static [Strand] {
    if alphabet == Alphabet::Dna { &[Strand::Forward, Strand::Reverse] } else { &[Strand::Forward] }
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
        let (rules, overhang) = random_rules(&mut rng, alphabet, bound.into());
        let set = pattern_set(alphabet, &rules, overhang, &sources);
        count += check(&set, &rules, &input);
        check_cuts(&format!("case {case}, {rules:?}"), &set, &input);
    }
    // With fewer cases, the number of hits varies more.
    let least = if SLOWER == 1 { 5 * cases } else { 2 * cases };
    assert!(count > least, "only {count} hits");
}

#[test]
fn overhangs_with_constraints_and_edges_equal_an_exhaustive_search_at_any_cut() {
    let mut rng = seeded(25);
    let cases = rounds(1500) / SLOWER;
    let mut count = 0;
    for case in 0..cases {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let letters: &[&[u8]] = match alphabet {
            Alphabet::Dna => &[b"A", b"C", b"N"],
            _ => &[b"a", b"b", "é".as_bytes(), b" "],
        };
        let input = random_input(&mut rng, alphabet, letters, 10);
        let Some((set, rules)) = constrained_case(&mut rng, alphabet, letters) else { continue };
        count += check(&set, &rules, &input);
        check_cuts(&format!("case {case}, {rules:?}"), &set, &input);
    }
    assert!(count > cases, "only {count} hits");
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
            bound: bound.into(),
            costs: EditCosts::default(),
            cost: UNIT / 10,
            ends: [true, true],
            min_overlap: 3,
            within: "0..".parse().unwrap(),
            max_ambiguous: None,
            groups: Vec::new(),
        };
        let set = pattern_set(Alphabet::Dna, &rules, overhang, &sources);
        let input: Vec<u8> = (0..4).flat_map(|_| read_with_overlap(&mut rng, &sources)).collect();
        count += check(&set, &rules, &input);
    }
    assert!(count > 5, "only {count} hits");
}

#[test]
fn hundreds_of_patterns_are_filtered_by_their_parts() {
    let mut rng = seeded(28);
    let mut count = 0;
    for case in 0..rounds(4).div_ceil(SLOWER) {
        let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T"];
        let mut sources = Vec::new();
        for _ in 0..300 {
            let length = rng.usize(16..20);
            sources.push(random_pattern(&mut rng, letters, length));
        }
        let (side, ends) = *rng.choice(&ENDS).unwrap();
        let cost: OverhangCost = format!("{side}50%").parse().unwrap();
        let overhang = Overhang { cost, min_overlap: NonZeroUsize::new(rng.usize(1..5)).unwrap() };
        let within = *rng.choice(&["0..", "0..", "1..", "..-1", "..40"]).unwrap();
        let rules = OverhangRules {
            bound: MaxEdits::Count(rng.usize(1..3)).into(),
            costs: EditCosts::default(),
            cost: UNIT / 2,
            ends,
            min_overlap: overhang.min_overlap.get(),
            within: within.parse().unwrap(),
            max_ambiguous: (rng.u8(0..3) == 0).then_some(1),
            groups: Vec::new(),
        };
        let set = pattern_set(Alphabet::Dna, &rules, overhang, &sources);
        let input: Vec<u8> = (0..4).flat_map(|_| read_without_an_end(&mut rng, &sources)).collect();
        count += check(&set, &rules, &input);
        if case == 0 {
            check_cuts(&format!("case {case}, {rules:?}"), &set, &input);
        }
    }
    assert!(count > 5, "only {count} hits");
}

#[test]
fn an_overlap_may_have_more_symbols_than_the_text() {
    let overhang = Overhang { cost: "0.25".parse().unwrap(), min_overlap: NonZeroUsize::new(4).unwrap() };
    let rules = OverhangRules {
        bound: MaxEdits::Count(3).into(),
        costs: EditCosts::default(),
        cost: UNIT / 4,
        ends: [true, true],
        min_overlap: 4,
        within: "0..".parse().unwrap(),
        max_ambiguous: None,
        groups: Vec::new(),
    };
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

/// Returns a record that begins or ends with a pattern whose first or last symbols are missing, with up to one substitution.
fn read_without_an_end(rng: &mut Rng, sources: &[PatternSource]) -> Vec<u8> {
    let mut part = rng.choice(sources).unwrap().text.to_vec();
    let (missing, begins) = (rng.usize(1..4), rng.bool());
    part = if begins { part[missing..].to_vec() } else { part[..part.len() - missing].to_vec() };
    if rng.bool() {
        let at = rng.usize(0..part.len());
        part[at] = *rng.choice(b"ACGTN").unwrap();
    }
    let others: Vec<u8> = (0..rng.usize(0..20)).map(|_| *rng.choice(b"ACGT").unwrap()).collect();
    let (first, second) = if begins { (part, others) } else { (others, part) };
    [b">r\n", &first[..], &second, b"\n"].concat()
}

/// Returns the exact symbols of a pattern as those of its source.
fn exact_of(pattern: &Pattern) -> Vec<GroupedSymbols> {
    let length = pattern.symbols().len();
    let locked = (0..length).map(|symbol| pattern.exact().get(symbol) == Some(&true)).collect();
    let exact = turned(&GroupedSymbols { locked, joined: vec![false; length] }, pattern.strand());
    vec![exact; pattern.source() + 1]
}

/// Returns a random expression of letters, for a few strings or for many.
fn random_expression(rng: &mut Rng, letters: &[&[u8]]) -> PatternSource {
    let letter = |rng: &mut Rng| String::from_utf8(rng.choice(letters).unwrap().to_vec()).unwrap();
    let mut text = String::new();
    for _ in 0..rng.usize(1..6) {
        let [one, other, last] = std::array::from_fn(|_| letter(rng));
        text += &match rng.u8(0..8) {
            0 => format!("<{one}>{other}"),
            1 => format!("{one}{other}"),
            2 | 3 => format!("({one}|{other}{last})"),
            _ => format!("{one}{{{},{}}}", rng.usize(0..2), rng.usize(3..5)),
        };
    }
    PatternSource::new(text)
}

/// Checks that each alignment of a hit of an expression is one with a string of it. Returns the number of those that hang over.
fn count_overhangs(
    (expression, strings): (&Arc<PatternSet>, &PatternSet),
    rules: &OverhangRules,
    batch: &Batch,
    (choice, found): (&EngineChoice, &[Hit]),
) -> usize {
    let mut aligned = Vec::new();
    let engine = engine(choice.clone(), expression.clone(), 1).unwrap();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    let mut hanging = 0;
    for (hit, alignment) in found.iter().zip(&aligned) {
        let case = || format!("{choice:?}, {hit:?}, {alignment:?}, {rules:?}, {expression:?}, {:?}", batch.bytes());
        let matched = &batch.bytes()[alignment.start..alignment.end];
        let text: Vec<PlacedSymbol> = symbols(strings.alphabet(), matched).collect();
        let strand = expression.patterns()[hit.pattern].strand();
        let own = strings.patterns().iter().filter(|one| one.strand() == strand);
        let locked = |one: &Pattern| OverhangRules { groups: exact_of(one), ..rules.clone() };
        let mut distances = own.flat_map(|one| locked(one).distances(one, &text, &alignment.cigar));
        assert!(distances.any(|distance| distance == hit.distance), "{}", case());
        let is_at_start = items(batch).iter().any(|item| {
            let first = symbols(strings.alphabet(), &batch.bytes()[item.clone()]).next();
            first.is_some_and(|first| item.start + first.start == alignment.start)
        });
        assert!(is_at_start || alignment.cigar.start_overhang() == 0, "{}", case());
        hanging += usize::from(alignment.cigar.start_overhang() + alignment.cigar.end_overhang() > 0);
    }
    hanging
}

#[test]
fn expressions_hang_over_as_their_strings_do() {
    let mut rng = seeded(27);
    let cases = rounds(600) / SLOWER;
    let (mut count, mut hanging) = (0, 0);
    for case in 0..cases {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let letters: &[&[u8]] = match alphabet {
            Alphabet::Dna => &[b"A", b"C", b"N"],
            _ => &[b"a", b"b", "é".as_bytes()],
        };
        let bounds = ["0", "1", "2", "2", "1s", "2s", "2id", "30%", "40%"];
        let bound: Bound = rng.choice(bounds).unwrap().parse().unwrap();
        let (mut rules, overhang) = random_rules(&mut rng, alphabet, bound);
        (rules.within, rules.max_ambiguous) = ("0..".parse().unwrap(), None);
        if rng.bool() {
            rules.costs = random_costs(&mut rng);
        }
        let builder = PatternSet::builder(alphabet).strands(strands(alphabet)).overhang(Some(overhang));
        let builder = builder.max_edits(bound).edit_costs(rules.costs).groups(Groups::Exact);
        let source = random_expression(&mut rng, letters);
        let Ok(expression) = builder.build(std::slice::from_ref(&source)) else { continue };
        // Sites are those of single strings.
        let Ok(strings) = builder.sites(true).build(&[source]) else { continue };
        if !expression.has_expressions() || expression.without_overhang().is_some() {
            continue;
        }
        let (expression, strings) = (Arc::new(expression), Arc::new(strings));
        let strand_of = |set: &PatternSet, hit: &Hit| set.patterns()[hit.pattern].strand();
        let input = random_input(&mut rng, alphabet, letters, 12);
        for batch in batches(&input, &expression, input.len() + 1024) {
            let mut expected: Vec<(usize, bool, usize)> = hits(&EngineChoice::cpu(), &strings, &batch)
                .iter()
                .map(|hit| (hit.end, strand_of(&strings, hit) == Strand::Reverse, hit.distance))
                .collect();
            expected.sort_unstable();
            expected.dedup_by_key(|&mut (end, strand, _)| (end, strand));
            for choice in [vec![EngineChoice::reference()], tested()].concat() {
                let found = hits(&choice, &expression, &batch);
                let case = || format!("case {case}, {choice:?}, {rules:?}, {:?}, {input:?}", expression.patterns());
                let place = |hit: &Hit| (hit.end, strand_of(&expression, hit) == Strand::Reverse, hit.distance);
                assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected, "{}", case());
                hanging += count_overhangs((&expression, &strings), &rules, &batch, (&choice, &found));
                count += found.len();
            }
        }
        check_cuts(&format!("case {case}, {rules:?}"), &expression, &input);
    }
    assert!(count > 5 * cases && hanging > cases / 4, "only {count} hits, of which {hanging} hang over");
}
