//! A selection on a device finds the lines and records with a hit, and reports only hits of the reference.

use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{MaxEdits, Notation, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::{Scanner, WantedHits};

use crate::support::random::{batches, hits};
use crate::tested;

/// Returns the indices of the lines or records of a batch in which one of `hits` ends. The hits must be in order.
pub(crate) fn items_with(batch: &Batch, hits: &[Hit]) -> Vec<usize> {
    let (mut counted, mut lines) = (0, 0);
    let item = |hit: &Hit| match batch.terminator() {
        Some(terminator) => {
            lines += batch.bytes()[counted..hit.end].iter().filter(|&&byte| byte == terminator).count();
            counted = hit.end;
            lines
        }
        None => batch.segment_before(hit.end),
    };
    let mut items: Vec<usize> = hits.iter().map(item).collect();
    items.dedup();
    items
}

/// The numbers of lines or records, and of hits, in a comparison.
#[derive(Debug, Default)]
struct Compared {
    /// Number of lines or records with a hit.
    items: usize,
    /// Number of hits of the selection.
    selected: usize,
    /// Number of hits of the reference.
    hits: usize,
}

/// Compares selections and searches of an input, in batches of about `bytes` bytes, with the reference.
fn check(set: PatternSet, input: &[u8], bytes: usize) -> Compared {
    let set = Arc::new(set);
    let mut compared = Compared::default();
    for choice in tested() {
        let engine = engine(choice, set.clone(), 1).unwrap();
        let mut scanner = engine.scanner().unwrap();
        for batch in batches(input, &set, bytes) {
            let expected = hits(&EngineChoice::reference(), &set, &batch);
            let (mut some, mut all) = (Vec::new(), Vec::new());
            scanner.search(&batch, WantedHits::One, &mut some).unwrap();
            assert!(some.is_sorted() && some.iter().all(|hit| expected.binary_search(hit).is_ok()));
            let items = items_with(&batch, &expected);
            assert_eq!(items_with(&batch, &some), items);
            scanner.scan(&batch, &mut all).unwrap();
            assert!(all == expected, "{} hits of {} after a selection", all.len(), expected.len());
            compared.items += items.len();
            compared.selected += some.len();
            compared.hits += expected.len();
        }
        check_in_flight(&set, scanner.as_mut(), batches(input, &set, bytes).into_iter().map(Arc::new).collect());
    }
    compared
}

/// Submits each batch before the hits of the one before are asked for. Compares these hits with those of the reference.
fn check_in_flight(set: &Arc<PatternSet>, scanner: &mut dyn Scanner, batches: Vec<Arc<Batch<'static>>>) {
    let wanted = |number: usize| if number % 3 == 1 { WantedHits::One } else { WantedHits::All };
    for number in 0..=batches.len() {
        if let Some(next) = batches.get(number) {
            assert!(scanner.submit(next, wanted(number)).unwrap(), "two batches are in flight");
        }
        let Some(number) = number.checked_sub(1) else { continue };
        let batch = &batches[number];
        let (expected, mut found) = (hits(&EngineChoice::reference(), set, batch), Vec::new());
        scanner.search(batch, wanted(number), &mut found).unwrap();
        match wanted(number) {
            WantedHits::One => assert_eq!(items_with(batch, &found), items_with(batch, &expected)),
            _ => assert!(found == expected, "{} hits of {} in flight", found.len(), expected.len()),
        }
        assert_eq!(Arc::strong_count(batch), 1, "the scanner shares no batch that was searched");
    }
    if let [passed_over, batch, ..] = &*batches {
        let mut found = Vec::new();
        assert!([passed_over, batch].iter().all(|batch| scanner.submit(batch, WantedHits::All).unwrap()));
        scanner.scan(batch, &mut found).unwrap();
        assert!(found == hits(&EngineChoice::reference(), set, batch));
        assert_eq!(Arc::strong_count(passed_over), 1, "the scanner shares no batch before one that was searched");
    }
}

fn set(alphabet: Alphabet, k: usize, patterns: &[String]) -> PatternSet {
    let sources: Vec<PatternSource> = patterns.iter().map(|pattern| PatternSource::new(pattern.as_str())).collect();
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).max_edits(MaxEdits::Count(k));
    builder.build(&sources).unwrap()
}

/// Returns a string of random letters from `letters`.
fn random(rng: &mut Rng, letters: &[char], length: usize) -> String {
    (0..length).map(|_| *rng.choice(letters).unwrap()).collect()
}

/// Returns patterns of 8 to 20 symbols from a text without line ends, some with a substitution.
fn phrases(rng: &mut Rng, text: &[char], count: usize) -> Vec<String> {
    let phrase = |rng: &mut Rng| {
        let length = rng.usize(8..=20);
        let start = rng.usize(0..text.len() - length);
        let mut phrase = text[start..start + length].to_vec();
        phrase[length / 2] = if rng.bool() { phrase[length / 2] } else { *rng.choice(text).unwrap() };
        phrase.into_iter().filter(|&symbol| symbol != '\n').collect()
    };
    let all = std::iter::repeat_with(|| phrase(rng)).filter(|phrase: &String| phrase.chars().count() >= 8);
    all.take(count).collect()
}

/// Returns lines of random words; some lines are empty.
fn lines(rng: &mut Rng, letters: &[char], count: usize) -> String {
    let words: Vec<String> = (0..60)
        .map(|_| {
            let length = rng.usize(2..9);
            random(rng, letters, length)
        })
        .collect();
    let line = |rng: &mut Rng| {
        let words: Vec<&str> = (0..rng.usize(..9)).map(|_| rng.choice(&words).unwrap().as_str()).collect();
        words.join(" ") + "\n"
    };
    (0..count).map(|_| line(rng)).collect()
}

#[test]
fn phrases_with_more_classes_than_codes_select_their_lines() {
    let mut rng = Rng::with_seed(40);
    let ascii: Vec<char> = (' '..='~').collect();
    let wide: Vec<char> = ('a'..='z').chain('\u{e0}'..='\u{ff}').chain('\u{4e00}'..'\u{4e60}').collect();
    for (letters, k) in [(&ascii, 1), (&wide, 2)] {
        let text = lines(&mut rng, letters, 120);
        let symbols: Vec<char> = text.chars().collect();
        let compared = check(set(Alphabet::Text, k, &phrases(&mut rng, &symbols, 150)), text.as_bytes(), 2000);
        assert!(compared.items > 40 && compared.hits > compared.selected, "{compared:?}");
    }
}

#[test]
fn short_patterns_are_searched_for_in_codes_of_their_own() {
    let mut rng = Rng::with_seed(41);
    let letters: Vec<char> = (' '..='~').collect();
    let text = lines(&mut rng, &letters, 100);
    let symbols: Vec<char> = text.chars().collect();
    let mut patterns = phrases(&mut rng, &symbols, 100);
    patterns.extend((0..60).map(|_| random(&mut rng, &letters, 3)));
    patterns.push(random(&mut rng, &letters, 70));
    let compared = check(set(Alphabet::Text, 1, &patterns), text.as_bytes(), 4000);
    assert!(compared.items > 50, "{compared:?}");
}

#[test]
fn later_stages_search_what_the_first_left() {
    let mut rng = Rng::with_seed(42);
    let letters: Vec<char> = ('a'..='p').collect();
    let text = lines(&mut rng, &letters, 60) + &lines(&mut rng, &letters, 20);
    let symbols: Vec<char> = text.chars().collect();
    let compared = check(set(Alphabet::Text, 1, &phrases(&mut rng, &symbols, 1100)), text.as_bytes(), 1500);
    assert!(compared.items > 40 && compared.hits > 10 * compared.selected, "{compared:?}");
}

#[test]
fn a_match_across_a_line_end_hides_no_other_hit() {
    let mut rng = Rng::with_seed(43);
    let letters: Vec<char> = ('a'..='h').collect();
    for k in 1..=3 {
        let patterns: Vec<String> = (0..6).map(|_| random(&mut rng, &letters, 12)).collect();
        let mut text = String::new();
        for _ in 0..150 {
            // A copy with a line end in place of a symbol, or between two symbols.
            let pattern = rng.choice(&patterns).unwrap();
            let (at, gone) = (rng.usize(1..11), rng.usize(..2));
            text += &[&pattern[..at], "\n", &pattern[at + gone..]].concat();
            let noise = rng.usize(..40);
            text += &random(&mut rng, &letters, noise);
            if rng.bool() {
                text += rng.choice(&patterns).unwrap();
            }
        }
        let compared = check(set(Alphabet::Text, k, &patterns), text.as_bytes(), 3000);
        assert!(compared.items > 60, "{compared:?}");
    }
}

#[test]
fn a_line_with_thousands_of_hits_costs_few() {
    let text = ["b".repeat(50), "a".repeat(9000), "c".repeat(30), "a".repeat(5)].join("\n");
    let compared = check(set(Alphabet::Text, 1, &["aaaaaaaa".into(), "aaaabaaa".into()]), text.as_bytes(), 1 << 20);
    assert!(compared.hits == 0 || compared.hits > 9000 && compared.selected < 10, "{compared:?}");
    // The line is divided into several batches.
    check(set(Alphabet::Text, 1, &["aaaaaaaa".into(), "bbbaaaaa".into()]), text.as_bytes(), 700);
}

#[test]
fn more_lines_than_the_hit_buffer_holds() {
    let text = "a\n".repeat(270_000) + "b\n";
    let compared = check(set(Alphabet::Bytes, 0, &["a".into(), "b".into()]), text.as_bytes(), 1 << 20);
    assert!([0, 270_001].contains(&compared.items), "{compared:?}");
}

#[test]
fn records_with_a_hit_are_selected() {
    let mut rng = Rng::with_seed(44);
    let letters = ['A', 'C', 'G', 'T'];
    for k in 0..=2 {
        let patterns: Vec<String> = (0..8).map(|_| random(&mut rng, &letters, 14)).collect();
        let mut input = String::new();
        for record in 0..120 {
            input += &format!(">{record}\n");
            let mut residues = rng.choice(&patterns).unwrap()[rng.usize(..8)..].to_owned();
            let noise = rng.usize(..60);
            residues += &random(&mut rng, &letters, noise);
            residues += &rng.choice(&patterns).unwrap()[..rng.usize(6..14)];
            for line in residues.as_bytes().chunks(25) {
                input += std::str::from_utf8(line).unwrap();
                input.push('\n');
            }
        }
        for bytes in [600, 1 << 20] {
            let compared = check(set(Alphabet::Dna, k, &patterns), input.as_bytes(), bytes);
            assert!(compared.items > 10, "{compared:?}");
        }
    }
}
