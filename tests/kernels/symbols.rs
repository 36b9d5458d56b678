//! `symbols.cu`: the bytes that start symbols, their codes and their ends.

use std::fmt::Write;

use fastrand::Rng;
use nigh_text::alphabet::{Alphabet, INVALID_BYTE, Symbol};
use nigh_text::text::symbols;

use crate::cases::Answers;
use crate::program::{Build, is_skipped, run};

/// Number of bytes of a chunk in the kernels.
const CHUNK: usize = 4096;

/// Ranges of characters, and the code of each.
const RANGES: [(Symbol, Symbol, u8); 4] =
    [(0x80, 0xe8, 200), (0xe9, 0xe9, 201), (0x65e5, 0x672c, 202), (0x1_f600, 0x10_ffff, 203)];

/// Pieces of text: whole characters, and bytes that are not UTF-8.
const PIECES: [&[u8]; 16] = [
    b"a",
    b"Z\n",
    b" ",
    "é".as_bytes(),
    "日本".as_bytes(),
    "😀".as_bytes(),
    "\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}".as_bytes(),
    b"\xff",
    b"\x80",
    b"\xc3",
    b"\xe6\x97",
    b"\xf0\x9f\x98",
    b"\xc0\x80",
    b"\xe0\x9f\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
];

fn random_bytes(rng: &mut Rng, length: usize) -> Vec<u8> {
    let plain = rng.bool();
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let pieces = if plain { &PIECES[..3] } else { &PIECES[..] };
        bytes.extend_from_slice(rng.choice(pieces).copied().unwrap());
    }
    bytes.truncate(length);
    bytes
}

fn code(symbol: Symbol) -> u8 {
    match symbol {
        0..0x80 => symbol as u8,
        INVALID_BYTE.. => (symbol - INVALID_BYTE) as u8,
        _ => RANGES.iter().find(|&&(first, last, _)| (first..=last).contains(&symbol)).map_or(0, |range| range.2),
    }
}

/// Returns the code and the end of each symbol.
fn expected(alphabet: Alphabet, text: &[u8]) -> Vec<(u8, usize)> {
    let all = symbols(alphabet, text);
    match alphabet {
        Alphabet::Text => all.map(|placed| (code(placed.symbol), placed.end)).collect(),
        _ => all.map(|placed| (text[placed.start], placed.end)).collect(),
    }
}

/// Runs random texts, and compares each with the expected symbols.
pub(crate) fn check(build: Build, seed: u64, count: usize) {
    let mut rng = Rng::with_seed(seed);
    let kinds = [Alphabet::Bytes, Alphabet::Dna, Alphabet::Text];
    let (mut words, mut answers) = (String::new(), Vec::new());
    for _ in 0..count {
        let kind = rng.usize(0..kinds.len());
        let length = *rng.choice(&[1, 5, 100, CHUNK - 1, CHUNK, CHUNK + 1, 9000]).unwrap();
        let text = random_bytes(&mut rng, length);
        writeln!(words, "symbols {} {kind} {}", rng.u64(..), RANGES.len()).unwrap();
        RANGES.iter().for_each(|(first, last, code)| writeln!(words, "{first} {last} {code}").unwrap());
        text.iter().for_each(|byte| write!(words, "{byte:02x}").unwrap());
        words.push('\n');
        answers.push(expected(kinds[kind], &text));
    }
    let Some(output) = run(build, &words) else { return };
    let mut given = Answers::new(&output);
    for (case, expected) in answers.into_iter().enumerate() {
        let found: usize = given.next();
        let found: Vec<(u8, usize)> = (0..found).map(|_| (given.next(), given.next())).collect();
        assert_eq!(found, expected, "case {case}");
    }
    given.end();
}

#[test]
fn bytes_become_the_symbols_that_they_are() {
    if !is_skipped() {
        check(Build::Plain, 21, 300);
    }
}

#[test]
fn symbols_are_clean_under_the_sanitizers() {
    if !is_skipped() {
        check(Build::Sanitized, 21, 60);
    }
}
