//! Every layout of patterns on a device gives the hits of the reference, even if there are more hits than the buffer holds.

use std::sync::Arc;

use fastrand::Rng;
use nigh_device::carry::CarryForm;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{Case, MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;

use crate::support::random::{batches, hits};
use crate::support::standin::is_on_devices;
use crate::tested;

/// Compares the hits with those of the reference, and checks that the engine's plan contains `plan`. Returns the number
/// of hits.
fn check(set: PatternSet, batch: &Batch, plan: &str) -> usize {
    let set = Arc::new(set);
    let expected = hits(&EngineChoice::reference(), &set, batch);
    for choice in tested() {
        let engine = engine(choice, set.clone(), 1).unwrap();
        let mut found = Vec::new();
        engine.scanner().unwrap().scan(batch, &mut found).unwrap();
        // assert_eq would print all hits, of which there may be very many.
        let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert!(found == expected, "{plan}: {} hits of {}, {differs:?}", found.len(), expected.len());
        let lines = engine.description();
        // The plan depends on the size of the device, so it is checked only for the stand-in.
        assert!(is_on_devices() || lines.iter().any(|line| line.contains(plan)), "{plan}: {lines:?}");
    }
    expected.len()
}

fn set(alphabet: Alphabet, max_edits: MaxEdits, patterns: &[Vec<u8>]) -> PatternSet {
    let sources: Vec<PatternSource> = patterns.iter().map(|pattern| PatternSource::new(pattern.clone())).collect();
    let builder = PatternSet::builder(alphabet).max_edits(max_edits).case(Case::Insensitive);
    builder.build(&sources).unwrap()
}

/// Returns a string of random letters from `letters`.
fn random(rng: &mut Rng, letters: &[u8], length: usize) -> Vec<u8> {
    (0..length).map(|_| *rng.choice(letters).unwrap()).collect()
}

/// Returns pieces of a text, of `length` symbols or up to three less.
fn pieces(rng: &mut Rng, text: &[u8], count: usize, length: usize) -> Vec<Vec<u8>> {
    let piece = |rng: &mut Rng| {
        let start = rng.usize(0..text.len() - length);
        text[start..start + length - rng.usize(0..4)].to_vec()
    };
    (0..count).map(|_| piece(rng)).collect()
}

#[test]
fn blocks_of_several_patterns_and_a_rest() {
    let mut rng = Rng::with_seed(21);
    let text = random(&mut rng, b"ACGTACGTACGTN", 5000);
    for (count, plan) in [(4, "for 4 patterns"), (14, "for 2 patterns"), (15, "for 4 patterns")] {
        let mut patterns = pieces(&mut rng, &text, count, 20);
        // Slots also hold sets of several codes.
        patterns.iter_mut().step_by(3).for_each(|pattern| pattern[5] = b'R');
        let set = set(Alphabet::Dna, MaxEdits::Count(6), &patterns);
        let found = check(set, &Batch::of_record(text.clone()), plan);
        assert!(found > 20, "{count} patterns: {found} hits");
    }
}

#[test]
fn patterns_of_a_text_share_blocks_with_those_that_are_like_them() {
    let mut rng = Rng::with_seed(22);
    let kinds = [&b"abcdefg hij"[..], b"klmnop qrst", b"a[b-d]e.x yz", b"0123456789.-+:/ "];
    let words: Vec<Vec<u8>> = (0..12).map(|index| random(&mut rng, &kinds[index % 4][..8], 400)).collect();
    let text = words.concat();
    let patterns: Vec<Vec<u8>> = (0..26)
        .map(|index| match index % 13 {
            12 => b"[a-c]d(e|f)[^g]a[bh]c".to_vec(),
            word => {
                pieces(&mut rng, &words[word % 4], 1, 12).remove(0).iter().map(|b| b.to_ascii_uppercase()).collect()
            }
        })
        .map(|pattern| if pattern.contains(&b'(') { pattern } else { regex_of(&pattern) })
        .collect();
    let set = set(Alphabet::Text, MaxEdits::Percent(35), &patterns);
    let batch = batches(&text, &set, text.len() + 1024).remove(0);
    let found = check(set, &batch, "for 4 patterns");
    assert!(found > 100, "{found} hits");
}

/// Returns a regular expression for exactly these symbols.
fn regex_of(symbols: &[u8]) -> Vec<u8> {
    symbols
        .iter()
        .flat_map(|&b| if b.is_ascii_alphanumeric() || b == b' ' { vec![b] } else { vec![b'\\', b] })
        .collect()
}

#[test]
fn more_hits_than_are_kept_are_searched_for_in_parts() {
    let mut rng = Rng::with_seed(23);
    let text = random(&mut rng, b"ACGT", 33_000);
    let set = set(Alphabet::Dna, MaxEdits::Percent(99), &pieces(&mut rng, &text, 9, 8));
    let found = check(set, &Batch::of_record(text), "bit-sliced: ");
    assert!(found > 1 << 18, "{found} hits");
}

#[test]
fn more_hits_than_are_kept_in_the_least_part_are_searched_for_by_patterns() {
    let mut rng = Rng::with_seed(24);
    let text = random(&mut rng, b"ACGT", 250);
    let mut patterns = pieces(&mut rng, &text, 1101, 8);
    patterns.push(text[20..110].to_vec());
    let set = set(Alphabet::Dna, MaxEdits::Percent(99), &patterns);
    let found = check(set, &Batch::of_record(text), "for 4 patterns");
    assert!(found > 1 << 18, "{found} hits");
}

/// Returns a random text, and pieces of it with these lengths, each with some edits.
fn long_pieces(rng: &mut Rng, symbols: usize, lengths: &[usize]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let text = random(rng, b"ACGTACGTACGTN", symbols);
    let damaged = |&length: &usize| {
        let start = rng.usize(0..symbols - length);
        let mut piece = text[start..start + length].to_vec();
        piece[length / 2] = b'R';
        piece.remove(length / 3);
        piece.push(b'A');
        piece
    };
    let pieces = lengths.iter().map(damaged).collect();
    (text, pieces)
}

#[test]
fn patterns_in_bands_and_a_rest() {
    let mut rng = Rng::with_seed(25);
    let (text, patterns) = long_pieces(&mut rng, 50_000, &[65, 66, 67, 68, 70, 72, 75, 76, 78, 79, 80]);
    let set = set(Alphabet::Dna, MaxEdits::Count(8), &patterns);
    let found = check(set, &Batch::of_record(text), "1 parts of the text so far");
    assert!(found >= patterns.len(), "{found} hits");
}

#[test]
fn more_patterns_in_bands_than_there_is_memory_for_at_once() {
    let mut rng = Rng::with_seed(28);
    let (text, patterns) = long_pieces(&mut rng, 9_000, &[69; 90]);
    let set = set(Alphabet::Dna, MaxEdits::Count(8), &patterns);
    let found = check(set, &Batch::of_record(text), "1 parts of the text so far");
    assert!(found >= patterns.len(), "{found} hits");
}

#[test]
fn bands_stand_beside_slices_and_words() {
    let mut rng = Rng::with_seed(26);
    // There are too few patterns of 130 and 200 symbols to search them in bands.
    let lengths = [&[20, 60, 1100, 130, 200][..], &[69; 20]].concat();
    let (text, patterns) = long_pieces(&mut rng, 16_000, &lengths);
    let set = set(Alphabet::Dna, MaxEdits::Percent(8), &patterns);
    let found = check(set, &Batch::of_record(text), "1 parts of the text so far");
    assert!(found >= patterns.len(), "{found} hits");
}

#[test]
fn either_form_of_the_carry() {
    let mut rng = Rng::with_seed(29);
    // The rows of the bands that hold a pattern, and the number of symbols of the text, determine the form.
    for (form, length, rows, symbols) in [
        (CarryForm::Scan, 4096, 4096, 33),
        (CarryForm::Scan, 3900, 4096, 80),
        (CarryForm::Skew, 4096, 4096, 90),
        (CarryForm::Scan, 5000, 8192, 100),
        (CarryForm::Skew, 5000, 8192, 180),
    ] {
        assert_eq!(CarryForm::choose(rows, symbols), form, "{rows} rows, {symbols} symbols");
        let whole = random(&mut rng, b"ACGTACGTACGTN", length);
        let mut text = whole[length / 2..length / 2 + symbols].to_vec();
        text[symbols / 3] = b'A';
        // At symbol n, the distance is at least the length of the pattern less n.
        let set = set(Alphabet::Dna, MaxEdits::Count(length - symbols / 2), &[whole.clone(), whole[9..].to_vec()]);
        let found = check(set, &Batch::of_record(text), "block-based Myers: 2 patterns");
        assert!(found > symbols / 2, "{form:?}, {length} rows: {found} hits");
    }
}
