//! Runs every kernel in a few searches. The tests are short, because sanitizers slow down each launch.

use std::sync::Arc;

use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_verify::WantedHits;

use crate::support::random::{hits, is_thorough};
use crate::support::standin::is_on_devices;
use crate::tested;

/// Returns pieces of a text without repeats, each with one edit.
fn patterns(text: &str, lengths: &[usize]) -> Vec<PatternSource> {
    let piece = |(index, &length): (usize, &usize)| {
        let mut piece = text.as_bytes()[37 * index..37 * index + length].to_vec();
        piece.remove(length / 2);
        PatternSource::new(piece)
    };
    lengths.iter().enumerate().map(piece).collect()
}

/// Returns letters chosen by a shift register.
fn letters(count: usize, alphabet: &[u8]) -> String {
    let mut state = 1_u32;
    let mut next = || {
        state = state >> 1 ^ if state & 1 == 1 { 0xedb8_8320 } else { 0 };
        char::from(alphabet[(state >> 7) as usize % alphabet.len()])
    };
    (0..count).map(|_| next()).collect()
}

/// Returns the length of a text. On the stand-in, which is slow, it is half the length on a device, unless NIGH_ROUNDS
/// asks for more cases than usual.
fn text_length() -> usize {
    if is_on_devices() || is_thorough() { 6000 } else { 3000 }
}

/// Returns the number of hits that a device aligned, from the description of an engine.
fn aligned_on_device(plan: &[String]) -> usize {
    let counts =
        plan.iter().filter_map(|line| line.strip_suffix(" hits aligned")?.rsplit(' ').next()?.parse::<usize>().ok());
    counts.sum()
}

/// Searches a batch on the device, and aligns the hits.
fn check(alphabet: Alphabet, batch: &Batch, patterns: &[PatternSource]) {
    let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Percent(8));
    let set = Arc::new(builder.build(patterns).unwrap());
    let expected = hits(&EngineChoice::reference(), &set, batch);
    assert!(expected.len() >= patterns.len(), "every pattern must have a hit");
    let align = |choice: EngineChoice| {
        let engine = engine(choice, set.clone(), 1).unwrap();
        let (mut found, mut aligned) = (Vec::new(), Vec::new());
        engine.scanner().unwrap().search(batch, WantedHits::Aligned, &mut found).unwrap();
        engine.aligner().unwrap().align(batch, &found, &mut aligned).unwrap();
        (found, aligned, aligned_on_device(&engine.description()))
    };
    let (_, alignments, _) = align(EngineChoice::reference());
    for choice in tested() {
        assert_eq!(hits(&choice, &set, batch), expected);
        let (found, aligned, on_device) = align(choice);
        assert_eq!((found, aligned), (expected.clone(), alignments.clone()));
        assert_eq!(on_device, expected.len(), "the device traces all hits");
    }
}

#[test]
fn patterns_of_every_length_in_a_sequence() {
    let text = letters(text_length(), b"ACGT");
    let lengths = [14, 15, 17, 21, 22, 25, 29, 33, 41, 49, 57, 65, 66, 100, 130, 200, 300, 500, 1100, 2200];
    check(Alphabet::Dna, &Batch::of_record(text.as_str()), &patterns(&text, &lengths));
}

#[test]
fn patterns_in_text() {
    let text = letters(text_length(), "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQ\n".as_bytes());
    let line = text.replace('\n', "é");
    let words: Vec<PatternSource> = line.split('é').filter(|word| word.len() > 12).map(PatternSource::new).collect();
    check(Alphabet::Text, &Batch::of_lines(line, b'\n'), &words[..12]);
    let bytes = Batch::of_lines(text.as_str(), b'\n');
    let lines: Vec<PatternSource> =
        text.split('\n').filter(|line| (20..64).contains(&line.len())).map(PatternSource::new).collect();
    check(Alphabet::Bytes, &bytes, &lines[..9]);
}

#[test]
fn more_hits_than_one_launch_traces() {
    let repeats = [13, 70].map(|length| PatternSource::new("A".repeat(length)));
    check(Alphabet::Dna, &Batch::of_record("A".repeat(2400)), &repeats);
}
