//! Tests of every engine: hits and alignments equal those of the reference, for any division of the input into batches.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::support::random::{
    ALPHABETS, batches, hits, is_thorough, letters, places, random_input, random_set, rounds,
};
use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::{Engine, engine};
use nigh_pattern::{
    AmbiguousLetters, MatchExtent, MaxEdits, PatternSet, PatternSource, PositionRange, Proximity, Strand,
};
use nigh_text::alignment::{Alignment, Edit};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::symbols;
use nigh_verify::WantedHits;

use crate::{SLOWER, tested};

/// Returns `cases`, the usual number of cases of a test, divided by [`SLOWER`].
fn fewer(cases: usize) -> usize {
    rounds(cases).div_ceil(SLOWER)
}

/// Returns whether the engine is fast for small batches.
fn is_quick() -> bool {
    SLOWER == 1
}

fn check_hits(set: &Arc<PatternSet>, batch: &Batch, case: &str) {
    let expected = hits(&EngineChoice::reference(), set, batch);
    for choice in tested() {
        let found = hits(&choice, set, batch);
        assert_eq!(found, expected, "{choice:?}, {case}, {:?}, text {:?}", set.patterns(), batch.bytes());
    }
}

/// Returns the whole input as one batch.
fn uncut(input: &[u8], set: &PatternSet) -> Vec<Batch<'static>> {
    batches(input, set, input.len() + 1024)
}

#[test]
fn engines_find_what_the_reference_finds_in_random_text() {
    let mut rng = Rng::with_seed(1);
    for case in 0..fewer(1500) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let input = random_input(&mut rng, alphabet, &letters, 150);
        let longest = *rng.choice(&[4, 20, 70, 140]).unwrap();
        let set = random_set(&mut rng, alphabet, &input, &letters, longest);
        for batch in uncut(&input, &set) {
            check_hits(&set, &batch, &format!("case {case}"));
        }
    }
}

#[test]
fn engines_find_what_the_reference_finds_with_long_patterns() {
    let mut rng = Rng::with_seed(2);
    for case in 0..fewer(30) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let input = random_input(&mut rng, alphabet, &letters, 2500);
        let set = random_set(&mut rng, alphabet, &input, &letters, 2000);
        for batch in uncut(&input, &set) {
            check_hits(&set, &batch, &format!("case {case}"));
        }
    }
}

#[test]
fn patterns_longer_than_a_word_have_no_limit() {
    for length in [1, 2, 63, 64, 65, 100, 127, 128, 129, 300, 1000] {
        for k in [0, 1, 8, 9, 20, 63, 64, 65, 128, 255].into_iter().filter(|&k| k < length) {
            let unit = b"ACGTTGCAAGGCTATCGCATTACGGATTACA";
            let pattern: Vec<u8> = unit.iter().cycle().take(length).copied().collect();
            let mut text = pattern.clone();
            text.drain(length / 2..(length / 2 + k / 2).min(length));
            text.splice(0..0, b"GGGTTTACA".iter().copied());
            text.extend_from_slice(&pattern);
            text.extend_from_slice(&[b'C'].repeat(k + 3));
            let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k));
            let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
            check_hits(&set, &Batch::of_record(text), &format!("length {length}, k {k}"));
        }
    }
}

#[test]
fn edges_hold_in_every_engine() {
    let mut rng = Rng::with_seed(3);
    let edged = ["^ab", "ab$", "^abc$", r"\bab\b", r"\bab", r"^ab\b", "ab", "(^ab|c)b", "abcab"];
    for case in 0..fewer(2000) {
        let letters: &[&[u8]] = &[b"a", b"b", b" ", b"c", "é".as_bytes(), b"\xff"];
        let most = rng.usize(2..=letters.len());
        let input = random_input(&mut rng, Alphabet::Text, &letters[..most], 20);
        let whole = *rng.choice(&[MatchExtent::Anything, MatchExtent::Words, MatchExtent::Record]).unwrap();
        let builder = PatternSet::builder(Alphabet::Text).whole(whole).max_edits(MaxEdits::Percent(rng.usize(0..99)));
        let sources: Vec<PatternSource> = (0..2).map(|_| PatternSource::new(*rng.choice(&edged).unwrap())).collect();
        let set = Arc::new(builder.build(&sources).unwrap());
        for batch in uncut(&input, &set) {
            check_hits(&set, &batch, &format!("case {case}, {whole:?}"));
        }
    }
}

#[test]
fn any_cut_equals_no_cut() {
    let mut rng = Rng::with_seed(4);
    for case in 0..fewer(750) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let input = random_input(&mut rng, alphabet, &letters, 200);
        let set = random_set(&mut rng, alphabet, &input, &letters, 30);
        let expected = places(&EngineChoice::reference(), &set, &input, input.len() + 1024);
        for bytes in [1, 2, 7, 16, 33, rng.usize(1..300)].into_iter().filter(|&bytes| is_quick() || bytes > 9) {
            for choice in [vec![EngineChoice::reference()], tested()].concat() {
                let found = places(&choice, &set, &input, bytes);
                assert_eq!(found, expected, "{choice:?}, case {case}, windows of {bytes}: {input:?}");
            }
        }
    }
}

#[test]
fn edges_hold_across_cuts() {
    let mut rng = Rng::with_seed(5);
    for case in 0..fewer(500) {
        let alphabet = *rng.choice(&[Alphabet::Text, Alphabet::Dna]).unwrap();
        let letters: &[&[u8]] = &[b"A", b"C", b"T"];
        let input = random_input(&mut rng, alphabet, letters, 60);
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Percent(40));
        let set = Arc::new(builder.build(&[PatternSource::new("^ACT"), PatternSource::new("CAT$")]).unwrap());
        let expected = places(&EngineChoice::reference(), &set, &input, input.len() + 1024);
        for bytes in [1, 3, 16, 40].into_iter().filter(|&bytes| is_quick() || bytes > 9) {
            for choice in tested() {
                let found = places(&choice, &set, &input, bytes);
                assert_eq!(found, expected, "{choice:?}, case {case}, windows of {bytes}: {input:?}");
            }
        }
    }
}

/// Searches a batch whose hits will be aligned. A device traces them with the search.
fn search_for_alignment(engine: &Engine, batch: &Batch) {
    engine.scanner().unwrap().search(batch, WantedHits::Aligned, &mut Vec::new()).unwrap();
}

/// Returns the alignments of hits of a batch, computed in one call.
fn align_together(choice: &EngineChoice, set: &Arc<PatternSet>, batch: &Batch, found: &[Hit]) -> Vec<Alignment> {
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    search_for_alignment(engine.as_ref(), batch);
    let mut aligned = Vec::new();
    engine.aligner().unwrap().align(batch, found, &mut aligned).unwrap();
    aligned
}

/// Returns the alignments of hits of a batch twice: computed in one call, and one at a time in reverse order.
fn align(choice: &EngineChoice, set: &Arc<PatternSet>, batch: &Batch, found: &[Hit]) -> [Vec<Alignment>; 2] {
    let engine = engine(choice.clone(), set.clone(), 1).unwrap();
    search_for_alignment(engine.as_ref(), batch);
    let mut aligner = engine.aligner().unwrap();
    let (mut together, mut alone) = (Vec::new(), Vec::new());
    aligner.align(batch, found, &mut together).unwrap();
    for hit in found.iter().rev() {
        aligner.align(batch, &[*hit], &mut alone).unwrap();
    }
    alone.reverse();
    [together, alone]
}

/// Aligns all hits of a batch on the reference and on every engine, and checks the invariants of alignments.
fn check_alignments(set: &Arc<PatternSet>, batch: &Batch, case: &str) -> usize {
    let found = hits(&EngineChoice::reference(), set, batch);
    let [expected, alone] = align(&EngineChoice::reference(), set, batch, &found);
    assert_eq!((expected.len(), &expected), (found.len(), &alone));
    for choice in tested() {
        let case = format!("{choice:?}, {case}, {:?}, text {:?}", set.patterns(), batch.bytes());
        for aligned in align(&choice, set, batch, &found) {
            assert_eq!(aligned, expected, "{case}");
        }
        // An aligner takes hits in any order, and any subset of them.
        let mut mixed = found.clone();
        Rng::with_seed(found.len() as u64).shuffle(&mut mixed);
        mixed.truncate(40);
        let aligned = align_together(&choice, set, batch, &mixed);
        let expected = mixed.iter().map(|hit| &expected[found.binary_search(hit).unwrap()]);
        assert!(aligned.iter().eq(expected), "{case}, mixed");
    }
    for (hit, alignment) in found.iter().zip(&expected) {
        assert_eq!(alignment.cigar.distance(), hit.distance, "{case}");
        assert_eq!(alignment.end, hit.end, "{case}");
        let pattern = set.patterns()[hit.pattern].symbols();
        let text = &batch.bytes()[alignment.start..alignment.end];
        let (mut row, mut covered) = (0, symbols(set.alphabet(), text));
        for (length, edit) in alignment.cigar.runs() {
            for _ in 0..length {
                let symbol = (edit != Edit::PatternOnly).then(|| covered.next().expect("a symbol of the text"));
                if let (Edit::Match | Edit::Substitution, Some(placed)) = (edit, symbol) {
                    assert_eq!(pattern[row].contains(placed.symbol), edit == Edit::Match, "{case}");
                }
                row += usize::from(edit != Edit::TextOnly);
            }
        }
        assert_eq!((row, covered.next()), (pattern.len(), None), "{case}: an alignment must cover pattern and text");
    }
    found.len()
}

#[test]
fn alignments_agree_and_rebuild_the_text() {
    let mut rng = Rng::with_seed(6);
    let mut aligned = 0;
    for case in 0..fewer(600) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let input = random_input(&mut rng, alphabet, &letters, 150);
        let longest = *rng.choice(&[4, 20, 70, 140]).unwrap();
        let set = random_set(&mut rng, alphabet, &input, &letters, longest);
        for batch in uncut(&input, &set) {
            aligned += check_alignments(&set, &batch, &format!("case {case}"));
        }
    }
    assert!(aligned > fewer(10_000), "only {aligned} hits were aligned");
}

/// Returns pieces of a pattern with edits, as two lines, or as two records in lines of seven symbols that end with
/// CRLF.
fn pieces_of(rng: &mut Rng, pattern: &[&[u8]], letters: &[&[u8]], alphabet: Alphabet) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..2 {
        let skipped = rng.usize(0..pattern.len());
        let mut line: Vec<&[u8]> = pattern.iter().cycle().skip(skipped).take(2 * pattern.len() + 9).copied().collect();
        for _ in 0..rng.usize(0..4) {
            let at = rng.usize(0..line.len());
            line[at] = rng.choice(letters).unwrap();
            line.remove(rng.usize(0..line.len()));
        }
        match alphabet.is_sequence() {
            true => {
                input.extend_from_slice(b">r\r\n");
                line.chunks(7).for_each(|row| input.extend([&row.concat(), &b"\r\n"[..]].concat()));
            }
            false => input.extend([&line.concat(), &b"\r\n"[..]].concat()),
        }
    }
    input
}

#[test]
fn alignments_agree_around_the_length_of_a_word() {
    let mut rng = Rng::with_seed(8);
    let characters: &[&[u8]] = &[b"a", "é".as_bytes(), "日".as_bytes(), b"\xff", "😀".as_bytes()];
    let kinds: [(Alphabet, &[&[u8]]); 4] = [
        (Alphabet::Dna, &[b"A", b"c", b"R"]),
        (Alphabet::Protein, &[b"L", b"X"]),
        (Alphabet::Text, characters),
        (Alphabet::Bytes, &[b"a", b"b", b"\xe6"]),
    ];
    let lengths: &[usize] =
        if is_quick() || is_thorough() { &[1, 2, 5, 31, 32, 33, 63, 64, 65] } else { &[1, 32, 33, 64, 65] };
    for &length in lengths {
        for k in [0, 1, 2, length / 3, length - 1].into_iter().filter(|&k| k < length) {
            for (alphabet, letters) in kinds {
                let pattern: Vec<&[u8]> = (0..length).map(|_| *rng.choice(letters).unwrap()).collect();
                let input = pieces_of(&mut rng, &pattern, letters, alphabet);
                let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(k));
                let set = Arc::new(builder.build(&[PatternSource::new(pattern.concat())]).unwrap());
                for batch in [uncut(&input, &set), batches(&input, &set, 9)].concat() {
                    check_alignments(&set, &batch, &format!("length {length}, k {k}, {alphabet:?}"));
                }
            }
        }
    }
}

#[test]
fn one_aligner_serves_all_batches_and_kinds_of_starts() {
    let mut rng = Rng::with_seed(9);
    for case in 0..fewer(200) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters = letters(alphabet, &mut rng);
        let input = random_input(&mut rng, alphabet, &letters, 150);
        let set = random_set(&mut rng, alphabet, &input, &letters, 12);
        let reference = engine(EngineChoice::reference(), set.clone(), 1).unwrap();
        let engines: Vec<_> = tested().into_iter().map(|choice| engine(choice, set.clone(), 1).unwrap()).collect();
        let mut reference = reference.aligner().unwrap();
        let mut aligners: Vec<_> =
            engines.iter().map(|engine| (engine.facts().name, engine.aligner().unwrap())).collect();
        for batch in batches(&input, &set, rng.usize(if is_quick() { 1..20 } else { 9..20 })) {
            let mut found = hits(&EngineChoice::reference(), &set, &batch);
            let mut expected = Vec::new();
            reference.align(&batch, &found, &mut expected).unwrap();
            for (hit, alignment) in found.iter_mut().zip(&expected) {
                hit.start = hit.start.or_else(|| rng.bool().then_some(alignment.start));
            }
            expected.clear();
            reference.align(&batch, &found, &mut expected).unwrap();
            for (name, aligner) in &mut aligners {
                let mut aligned = Vec::new();
                aligner.align(&batch, &found, &mut aligned).unwrap();
                let case = format!("{name}, case {case}, {found:?}, {:?}", set.patterns());
                assert_eq!(aligned, expected, "{case}, text {:?}", batch.bytes());
            }
        }
    }
}

#[test]
fn alignments_agree_where_hits_are_dense_for_long() {
    let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(3));
    let set = Arc::new(builder.build(&["ACACACACAC", "AACC"].map(PatternSource::new)).unwrap());
    check_alignments(&set, &Batch::of_record(b"ACACAC\n".repeat(1000)), "6,000 symbols");
}

#[test]
fn alignments_agree_with_edges_and_with_long_patterns() {
    let mut rng = Rng::with_seed(7);
    for case in 0..fewer(300) {
        let letters: &[&[u8]] = &[b"a", b"b", b" "];
        let input = random_input(&mut rng, Alphabet::Text, letters, 20);
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Percent(rng.usize(0..99)));
        let set = Arc::new(builder.build(&[PatternSource::new("^abab"), PatternSource::new(r"\bba$")]).unwrap());
        for batch in uncut(&input, &set) {
            check_alignments(&set, &batch, &format!("edged case {case}"));
        }
    }
    let unit = b"ACGTTGCAAGGCTATCGCATTACGGATTACA";
    for (length, k) in [(500, 20), (700, 64), (1000, 200), (1300, 1)] {
        let pattern: Vec<u8> = unit.iter().cycle().take(length).copied().collect();
        let mut text = pattern.clone();
        for edit in 0..k {
            let at = rng.usize(0..text.len());
            match edit % 3 {
                0 => drop(text.remove(at)),
                1 => text.insert(at, b'A'),
                _ => text[at] = b'C',
            }
        }
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k));
        let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
        let found = check_alignments(&set, &Batch::of_record(text), &format!("length {length}, k {k}"));
        assert!(found > 0, "length {length}, k {k}: the inserted match must be found");
    }
}

/// Returns hits that a scanner would not report.
fn forged(length: usize, batch: &Batch) -> Vec<Hit> {
    let end = batch.bytes().len();
    let hit = Hit { end, pattern: 0, distance: length - 1, start: None };
    let starts = [None, Some(0), Some(end - 1), Some(end), Some(end + 1), Some(usize::MAX)];
    let ends = [0, end + 1, usize::MAX];
    let distances = [0, length, 3 * length, usize::MAX];
    let mut forged: Vec<Hit> = starts.iter().map(|&start| Hit { start, ..hit }).collect();
    forged.extend(ends.iter().map(|&end| Hit { end, ..hit }));
    forged.extend(
        distances.iter().flat_map(|&distance| [Hit { distance, ..hit }, Hit { distance, start: Some(0), ..hit }]),
    );
    forged.extend([1, usize::MAX].map(|pattern| Hit { pattern, ..hit }));
    forged
}

#[test]
fn forged_hits_panic_or_have_any_alignment() {
    for length in [20, 64, 200, 1100] {
        // The text is the second half of the pattern, followed by other symbols. So the edits of the whole text are far
        // more than the rows of the matrix.
        let pattern = [vec![b'a'; length / 2 - 1], vec![b'b'; length / 2 + 1]].concat();
        let text = [&pattern[length / 2 - 1..], &vec![b'c'; length + length / 2 - 2]].concat();
        let builder = PatternSet::builder(Alphabet::Text).max_edits(MaxEdits::Count(1));
        let set = Arc::new(builder.build(&[PatternSource::new(pattern)]).unwrap());
        let batch = Batch::of_lines(text, b'\n');
        for choice in [vec![EngineChoice::reference()], tested()].concat() {
            for hit in forged(length, &batch) {
                let engine = engine(choice.clone(), set.clone(), 1).unwrap();
                let align = || {
                    let mut aligned = Vec::new();
                    engine.aligner().unwrap().align(&batch, &[hit], &mut aligned).map(|()| aligned)
                };
                if let Ok(aligned) = catch_unwind(AssertUnwindSafe(align)) {
                    assert_eq!(aligned.unwrap().len(), 1, "{choice:?}, {hit:?}");
                }
            }
        }
    }
}

/// Returns a set with a pattern for each kind of place: at the start, at the end, at both, or in a range of positions.
fn random_placed_set(rng: &mut Rng, alphabet: Alphabet, letters: &[&[u8]]) -> Option<Arc<PatternSet>> {
    let core = |rng: &mut Rng| {
        let letter = |rng: &mut Rng| String::from_utf8_lossy(rng.choice(letters).unwrap()).into_owned();
        (0..rng.usize(2..6)).map(|_| letter(rng)).collect::<String>()
    };
    let edges: &[(&str, &str)] = match alphabet.is_sequence() {
        true => &[("^", ""), ("", "$"), ("^", "$")],
        false => &[("^", ""), ("", "$"), ("^", "$"), (r"^\b", ""), ("", r"\b$"), (r"\b", "$"), ("^", r"\b")],
    };
    let range = {
        let mut bound = || *rng.choice(&["", "0", "1", "5", "9", "-1", "-5", "-9"]).unwrap();
        let range = format!("{}..{}", bound(), bound()).parse().ok();
        range.filter(|_| rng.bool()).unwrap_or(PositionRange::ALL)
    };
    let few = rng.bool();
    let source = |rng: &mut Rng| {
        let (start, end) = *rng.choice(if few { &edges[..1] } else { edges }).unwrap();
        let bare = !range.is_all() && rng.bool();
        PatternSource::new(if bare { core(rng) } else { format!("{start}{}{end}", core(rng)) })
    };
    let sources: Vec<PatternSource> = (0..rng.usize(1..4)).map(|_| source(rng)).collect();
    let strands: &[Strand] = match alphabet {
        Alphabet::Dna if rng.bool() => &[Strand::Forward, Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let builder = PatternSet::builder(alphabet).within(range).strands(strands);
    let builder = builder.max_ambiguous(rng.choice(&[None, None, Some(1)]).copied().unwrap());
    let whole = if alphabet.is_sequence() {
        MatchExtent::Anything
    } else {
        *rng.choice(&[MatchExtent::Anything, MatchExtent::Words]).unwrap()
    };
    builder
        .whole(whole)
        .max_edits(MaxEdits::Percent(*rng.choice(&[0, 20, 50]).unwrap()))
        .build(&sources)
        .ok()
        .map(Arc::new)
}

/// Returns the lines, by index, or the records, by start, in which a hit ends.
fn items(batch: &Batch, found: &[Hit]) -> BTreeSet<usize> {
    let item = |hit: &Hit| match batch.terminator() {
        Some(end) => batch.bytes()[..hit.end - 1].iter().filter(|&&byte| byte == end).count(),
        None => batch.segment_before(hit.end),
    };
    found.iter().map(item).collect()
}

/// Returns the ends of the first and the last hit in each line or record.
fn outermost(batch: &Batch, found: &[Hit]) -> BTreeMap<usize, (usize, usize)> {
    let mut ends: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for hit in found {
        let item = items(batch, std::slice::from_ref(hit)).pop_first().expect("a hit is in an item");
        let (first, last) = ends.entry(item).or_insert((hit.end, hit.end));
        (*first, *last) = ((*first).min(hit.end), (*last).max(hit.end));
    }
    ends
}

/// Checks that a selection has a hit in each line or record with a hit, or the first and the last one.
fn check_selection(set: &Arc<PatternSet>, batch: &Batch, case: &str) {
    let all = hits(&EngineChoice::reference(), set, batch);
    for choice in tested() {
        let engine = engine(choice, set.clone(), 1).unwrap();
        let mut selected = Vec::new();
        engine.scanner().unwrap().search(batch, WantedHits::One, &mut selected).unwrap();
        assert!(selected.iter().all(|hit| all.contains(hit)), "{case}, {:?}", set.patterns());
        assert_eq!(items(batch, &selected), items(batch, &all), "{case}");
        selected.clear();
        engine.scanner().unwrap().search(batch, WantedHits::Outermost, &mut selected).unwrap();
        assert!(selected.iter().all(|hit| all.contains(hit)), "{case}, {:?}", set.patterns());
        assert_eq!(outermost(batch, &selected), outermost(batch, &all), "{case}, {:?}", set.patterns());
    }
}

/// Checks that hits do not depend on the sizes of batches.
fn check_cuts(set: &Arc<PatternSet>, input: &[u8], sizes: [usize; 4], case: &str) {
    let expected = places(&EngineChoice::reference(), set, input, input.len() + 1024);
    for bytes in sizes.into_iter().filter(|&bytes| is_quick() || bytes > 30) {
        for choice in tested() {
            let found = places(&choice, set, input, bytes);
            assert_eq!(found, expected, "{choice:?}, {case}, windows of {bytes}, {:?}", set.patterns());
        }
    }
}

#[test]
fn matches_at_the_ends_of_long_lines_do_not_depend_on_cuts() {
    let mut rng = Rng::with_seed(12);
    for case in 0..fewer(800) {
        let alphabet = *rng.choice(&ALPHABETS).unwrap();
        let letters: &[&[u8]] = match alphabet {
            Alphabet::Text => &[b"a", b"b", "é".as_bytes(), b" ", "😀".as_bytes()],
            Alphabet::Bytes => &[b"a", b"b", b" "],
            _ => &[b"A", b"C", b"N", b"T"],
        };
        let letters = &letters[..rng.usize(2..=letters.len())];
        let input = random_input(&mut rng, alphabet, letters, 200);
        let Some(set) = random_placed_set(&mut rng, alphabet, letters) else { continue };
        for batch in uncut(&input, &set) {
            check_hits(&set, &batch, &format!("case {case}"));
            check_selection(&set, &batch, &format!("case {case}"));
        }
        check_cuts(&set, &input, [1, 5, 40, rng.usize(1..300)], &format!("case {case}"));
    }
}

/// Returns a text of residues, in which about one letter of `rarity` is ambiguous.
fn random_residues(rng: &mut Rng, alphabet: Alphabet, rarity: usize) -> Vec<u8> {
    let (plain, ambiguous): (&[u8], &[u8]) = match alphabet {
        Alphabet::Dna => (b"ACGT", b"NRYKM"),
        _ => (b"DENQLI", b"BZJX"),
    };
    let mut text = Vec::new();
    for record in 0..rng.usize(1..5) {
        text.extend(format!(">{record}\n").into_bytes());
        let (length, width) = (rng.usize(0..400), rng.usize(20..100));
        for at in 0..length {
            let letters = if rng.usize(0..rarity) == 0 { ambiguous } else { plain };
            text.push(*rng.choice(letters).unwrap());
            if at % width == width - 1 || at + 1 == length {
                text.push(b'\n');
            }
        }
    }
    text
}

#[test]
fn rare_ambiguous_letters_match_residues() {
    let mut rng = Rng::with_seed(14);
    for case in 0..fewer(600) {
        let alphabet = *rng.choice(&[Alphabet::Dna, Alphabet::Protein]).unwrap();
        let rarity = *rng.choice(&[3, 30, 200, 1000]).unwrap();
        let input = random_residues(&mut rng, alphabet, rarity);
        let source = |rng: &mut Rng| {
            let letter = |rng: &mut Rng| char::from(*rng.choice(b"ACDEGINT").unwrap());
            let core: String = (0..rng.usize(3..9)).map(|_| letter(rng)).collect();
            let (start, end) = *rng.choice(&[("", ""), ("", ""), ("^", ""), ("", "$")]).unwrap();
            PatternSource::new(format!("{start}{core}{end}"))
        };
        let sources: Vec<PatternSource> = (0..rng.usize(1..4)).map(|_| source(&mut rng)).collect();
        let builder = PatternSet::builder(alphabet).ambiguous(AmbiguousLetters::Overlapping);
        let builder = builder.max_ambiguous(*rng.choice(&[None, None, Some(1)]).unwrap());
        let range = *rng.choice(&["0..", "0..", "7..", "..-9", "3..30"]).unwrap();
        let builder = builder.within(range.parse().unwrap()).max_edits(MaxEdits::Percent(rng.usize(0..50)));
        let Ok(set) = builder.build(&sources) else { continue };
        let set = Arc::new(set);
        for batch in uncut(&input, &set) {
            check_hits(&set, &batch, &format!("case {case}"));
            check_selection(&set, &batch, &format!("case {case}"));
        }
        check_cuts(&set, &input, [1, 60, 250, rng.usize(1..900)], &format!("case {case}"));
    }
}

#[test]
fn partners_are_found_however_records_are_cut() {
    let mut rng = Rng::with_seed(15);
    let mut found = 0;
    for case in 0..fewer(300) {
        let alphabet = *rng.choice(&[Alphabet::Dna, Alphabet::Protein]).unwrap();
        let input = random_residues(&mut rng, alphabet, 1000);
        let letters: &[u8] = if alphabet == Alphabet::Dna { b"ACGT" } else { b"DENQLI" };
        let source = |rng: &mut Rng| {
            let letter = |rng: &mut Rng| char::from(*rng.choice(letters).unwrap());
            PatternSource::new((0..rng.usize(2..7)).map(|_| letter(rng)).collect::<String>())
        };
        let sources: Vec<PatternSource> = (0..3).map(|_| source(&mut rng)).collect();
        let proximity = Proximity { first: 0..1, second: 1..2, gap: *rng.choice(&[0, 3, 20, 60]).unwrap() };
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Percent(rng.usize(0..50)));
        let Ok(set) = builder.near(Some(proximity)).build(&sources) else { continue };
        let set = Arc::new(set);
        check_cuts(&set, &input, [1, 60, 250, rng.usize(1..900)], &format!("case {case}"));
        found += places(&EngineChoice::reference(), &set, &input, 100).len();
    }
    assert!(found > 2000 / SLOWER, "{found} hits");
}
