//! Bit-sliced simulation of expressions, compared with the simulation of one line at a time on every instruction set of
//! this CPU, in texts that are large enough for it.

use std::sync::Arc;

use crate::suite::expressions::random_expression;
use crate::support::random::{batches, hits, random_text, rounds, seeded};
use fastrand::Rng;
use nigh_cpu::Isa;
use nigh_engine::EngineChoice;
use nigh_engine::{cpu_engine, engine};
use nigh_pattern::{EditCosts, MatchExtent, MaxEdits, PatternSet, PatternSource, Strand, Transpositions};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::WantedHits;

/// Returns lines or records, most of which are short. A few are longer than a bit-sliced stream.
fn input(rng: &mut Rng, alphabet: Alphabet) -> Vec<u8> {
    let letters: &[&[u8]] = match alphabet {
        Alphabet::Dna => &[b"A", b"C", b"G", b"T"],
        _ => &[b"a", b"b", b"c", b" ", "é".as_bytes(), "ñ".as_bytes(), b"\xff"],
    };
    let letters = &letters[..rng.usize(2..=letters.len())];
    let longest = *rng.choice(&[3, 12, 60, 400]).unwrap();
    let mut input = Vec::new();
    while input.len() < 70_000 {
        let length = if rng.u32(0..5000) == 0 { 3000 } else { rng.usize(0..=longest) };
        let line = random_text(rng, letters, length);
        match alphabet {
            Alphabet::Dna => input.extend([b">r\n", &line[..], b"\n"].concat()),
            _ => input.extend([&line[..], b"\n"].concat()),
        }
    }
    if rng.bool() {
        input.pop();
    }
    input
}

/// Returns the starts of the lines or records of hits, each once.
fn items(batch: &Batch, hits: &[Hit]) -> Vec<usize> {
    let start = |hit: &Hit| match batch.terminator() {
        Some(terminator) => {
            let before = batch.bytes()[..hit.end].iter().rposition(|&byte| byte == terminator);
            before.map_or(0, |at| at + 1)
        }
        None => batch.segments()[batch.segment_before(hit.end)].bytes.start,
    };
    let mut starts: Vec<usize> = hits.iter().map(start).collect();
    starts.dedup();
    starts
}

/// Returns the ends of the first and the last hit of each line or record. `hits` are ordered by end.
fn outermost(batch: &Batch, hits: &[Hit]) -> Vec<(usize, usize)> {
    let of_one = |hits: &[Hit]| (hits[0].end, hits[hits.len() - 1].end);
    hits.chunk_by(|a, b| items(batch, &[*a, *b]).len() == 1).map(of_one).collect()
}

#[test]
fn bit_sliced_expressions_have_the_hits_of_lines_one_by_one() {
    // With this seed, hits in the context of a batch once suppressed other hits of their record.
    let mut rng = seeded(0xcc62_3af8_7833_54f9);
    let (mut checked, mut found) = (0, 0);
    for case in 0..rounds(150) {
        let alphabet = if case % 4 == 0 { Alphabet::Dna } else { Alphabet::Text };
        let sources: Vec<PatternSource> =
            (0..rng.usize(1..4)).map(|_| PatternSource::new(random_expression(&mut rng, alphabet))).collect();
        let strands: &[Strand] =
            if alphabet == Alphabet::Dna { &[Strand::Forward, Strand::Reverse] } else { &[Strand::Forward] };
        let whole =
            if alphabet == Alphabet::Text && rng.u8(0..4) == 0 { MatchExtent::Words } else { MatchExtent::Anything };
        // Without its costs, an expression may match at every position.
        let transpositions = if case % 5 == 0 { Transpositions::One } else { Transpositions::Two };
        let costs = EditCosts { transpositions, ..EditCosts::default() };
        let builder = PatternSet::builder(alphabet).strands(strands).whole(whole).edit_costs(costs);
        let Ok(set) = builder.max_edits(MaxEdits::Count(rng.usize(0..4))).build(&sources) else { continue };
        if !set.has_expressions() {
            continue;
        }
        let set = Arc::new(set);
        let input = input(&mut rng, alphabet);
        for batch in batches(&input, &set, if rng.bool() { 40_000 } else { 100_000 }) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            for isa in Isa::all() {
                let engine = cpu_engine(isa, set.clone(), 1).unwrap();
                let (mut all, mut selected) = (Vec::new(), Vec::new());
                engine.scanner().unwrap().scan(&batch, &mut all).unwrap();
                assert!(all == expected, "{}, case {case}, {sources:?}", isa.name());
                engine.scanner().unwrap().search(&batch, WantedHits::One, &mut selected).unwrap();
                // The distance may be that of one of an expression's strings.
                let is_hit = |hit: &Hit| {
                    let at = expected.partition_point(|one| (one.end, one.pattern) < (hit.end, hit.pattern));
                    let k = set.patterns()[hit.pattern].k();
                    expected.get(at).is_some_and(|one| {
                        (one.end, one.pattern) == (hit.end, hit.pattern) && (one.distance..=k).contains(&hit.distance)
                    })
                };
                assert_eq!(selected.iter().find(|hit| !is_hit(hit)), None, "{}, case {case}, {sources:?}", isa.name());
                assert_eq!(items(&batch, &selected), items(&batch, &expected), "{}, case {case}", isa.name());
                selected.clear();
                engine.scanner().unwrap().search(&batch, WantedHits::Outermost, &mut selected).unwrap();
                let no_hit = selected.iter().find(|hit| expected.binary_search(hit).is_err());
                assert_eq!(no_hit, None, "{}, case {case}, {sources:?}", isa.name());
                assert_eq!(outermost(&batch, &selected), outermost(&batch, &expected), "{}, case {case}", isa.name());
            }
            found += expected.len();
        }
        checked += 1;
    }
    assert!(checked > 10 && found > 10_000, "{checked} cases with {found} hits");
}

/// Returns lines. One in eight contains a part of `zqxwjv`, whose letters no other line has.
fn lines_with_rare_parts(rng: &mut Rng) -> Vec<u8> {
    let longest = *rng.choice(&[30, 60, 150]).unwrap();
    let mut input = Vec::new();
    while input.len() < 100_000 {
        let (before, after) = (rng.usize(0..=longest), rng.usize(0..=longest));
        let mut line = random_text(rng, &[b"a", b"b", b"c", b" ", "é".as_bytes()], before);
        if rng.u8(0..8) == 0 {
            let parts: [&[u8]; 6] = [b"zqxwjv", b"zqxajv", b"zqjv", b"xw", b"zq", b"zqxwajv"];
            line.extend(*rng.choice(&parts).unwrap());
            line.extend(random_text(rng, &[b"a", b"b", b" "], after));
        }
        line.push(b'\n');
        input.extend(line);
    }
    input
}

#[test]
fn few_lines_with_a_seed_are_searched_like_all_lines() {
    let mut rng = seeded(0x5f3a_91c0_27de_8b46);
    let expressions = ["zqxw(jv)+", "[a-c]*zqxw.*jv.*b", "zqxw[a-c]?jv.*", r"\bzqxw.*jv\b", "(a|b )zqxwjv[ab ]+$"];
    let mut found = [0; 5];
    for case in 0..rounds(30) {
        let (which, k) = (case % expressions.len(), rng.usize(0..3));
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(k));
        let set = Arc::new(builder.build(&[PatternSource::new(expressions[which])]).unwrap());
        let batch = Batch::of_lines(lines_with_rare_parts(&mut rng), b'\n');
        let expected = hits(&EngineChoice::reference(), &set, &batch);
        for isa in Isa::all() {
            let engine = cpu_engine(isa, set.clone(), 1).unwrap();
            let (mut all, mut selected) = (Vec::new(), Vec::new());
            engine.scanner().unwrap().scan(&batch, &mut all).unwrap();
            assert!(all == expected, "{}, case {case}", isa.name());
            engine.scanner().unwrap().search(&batch, WantedHits::One, &mut selected).unwrap();
            assert!(selected.iter().all(|hit| expected.binary_search(hit).is_ok()), "{}, case {case}", isa.name());
            assert_eq!(items(&batch, &selected), items(&batch, &expected), "{}, case {case}", isa.name());
            selected.clear();
            engine.scanner().unwrap().search(&batch, WantedHits::Outermost, &mut selected).unwrap();
            assert!(selected.iter().all(|hit| expected.binary_search(hit).is_ok()), "{}, case {case}", isa.name());
            assert_eq!(outermost(&batch, &selected), outermost(&batch, &expected), "{}, case {case}", isa.name());
        }
        found[which] += expected.len();
    }
    // With other seeds, one of the expressions has 39 hits.
    assert!(found.iter().all(|&found| found > 20), "{found:?} hits");
}

#[test]
fn expressions_at_the_ends_of_records_are_searched_for_in_windows() {
    let mut rng = seeded(31);
    let letters: &[&[u8]] = &[b"A", b"C", b"G", b"T"];
    let strands = &[Strand::Forward, Strand::Reverse];
    let (mut in_windows, mut found) = (0, 0);
    for case in 0..rounds(60) {
        let part = |rng: &mut Rng| {
            let length = rng.usize(3..7);
            String::from_utf8(random_text(rng, letters, length)).unwrap()
        };
        let (one, other, most) = (part(&mut rng), part(&mut rng), rng.usize(5..12));
        let source = match case % 3 {
            0 => format!("^N{{1,{most}}}{one}"),
            1 => format!("{one}.{{0,{most}}}{other}$"),
            _ => format!("^(A|CG){{1,{most}}}{one}"),
        };
        let transpositions = if rng.bool() { Transpositions::One } else { Transpositions::Two };
        let costs = EditCosts { transpositions, ..EditCosts::default() };
        let max_ambiguous = if rng.bool() { Some(1) } else { None };
        let builder =
            PatternSet::builder(Alphabet::Dna).strands(strands).edit_costs(costs).max_ambiguous(max_ambiguous);
        let Ok(set) = builder.max_edits(MaxEdits::Count(rng.usize(0..3))).build(&[PatternSource::new(source)]) else {
            continue;
        };
        let set = Arc::new(set);
        // Parts of records are cut for both strands.
        let mut input = Vec::new();
        for _ in 0..60 {
            let length = *rng.choice(&[0, 3, 30, 400]).unwrap();
            let text = random_text(&mut rng, letters, length);
            let hit = if rng.bool() { &[b"C", one.as_bytes(), other.as_bytes()].concat()[..] } else { b"N" };
            let ends = if rng.bool() { [hit, &text[..]] } else { [&text[..], hit] };
            input.extend([b">r\n", ends[0], ends[1], b"\n"].concat());
        }
        let engine = engine(EngineChoice::cpu(), set.clone(), 1).unwrap();
        in_windows +=
            usize::from(engine.description().iter().any(|line| line.starts_with("of each line or record only")));
        for window in [input.len() + 1024, 2000] {
            for batch in batches(&input, &set, window) {
                let expected = hits(&EngineChoice::reference(), &set, &batch);
                assert_eq!(hits(&EngineChoice::cpu(), &set, &batch), expected, "case {case}, {:?}", set.patterns());
                found += expected.len();
            }
        }
    }
    assert!(in_windows > rounds(60) / 2 && found > 1_000, "only {in_windows} searches and {found} hits");
}
