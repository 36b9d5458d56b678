//! Random and adversarial cases that several test programs share.

use std::io::Read;
use std::sync::Arc;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_input::{Batcher, Format, LongLines, Source};
use nigh_pattern::{MaxEdits, Notation, Pattern, PatternSet, PatternSource, PositionRange, Strand};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, TextBuffer, Window};
use nigh_text::hit::Hit;

/// Returns the number of rounds of a test with random cases: `usual`, multiplied by the environment variable
/// NIGH_ROUNDS.
pub(crate) fn rounds(usual: usize) -> usize {
    usual * std::env::var("NIGH_ROUNDS").map_or(1, |factor| factor.parse().expect("NIGH_ROUNDS must be a number"))
}

/// Returns the generator of the random numbers of a test. They depend on `seed` and on the environment variable
/// NIGH_SEED.
pub(crate) fn seeded(seed: u64) -> Rng {
    let other = std::env::var("NIGH_SEED").map_or(0, |other| other.parse().expect("NIGH_SEED must be a number"));
    Rng::with_seed(seed ^ u64::wrapping_mul(other, 0x9e37_79b9_7f4a_7c15))
}

/// Returns whether NIGH_ROUNDS asks for more cases than usual. Tests with fixed cases then also run the slow ones.
pub(crate) fn is_thorough() -> bool {
    rounds(1) > 1
}

pub(crate) const ALPHABETS: [Alphabet; 4] = [Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein];

/// Returns the letters of a random text. They are few, so that there are many hits, and some of them are special, such
/// as invalid UTF-8.
pub(crate) fn letters(alphabet: Alphabet, rng: &mut Rng) -> Vec<&'static [u8]> {
    let all: &[&'static [u8]] = match alphabet {
        Alphabet::Text => &[b"a", b"b", b" ", b"c", "é".as_bytes(), "日".as_bytes(), b"\xff", "😀".as_bytes(), b"\xe6"],
        Alphabet::Bytes => &[b"a", b"b", b" ", b"\xff", b"\x80", b"c"],
        Alphabet::Dna => &[b"A", b"c", b"G", b"t", b"N", b"R", b"-", b"u"],
        Alphabet::Protein => &[b"L", b"k", b"B", b"D", b"X", b"*", b"1"],
    };
    all[..rng.usize(1..=all.len())].to_vec()
}

pub(crate) fn random_text(rng: &mut Rng, letters: &[&[u8]], length: usize) -> Vec<u8> {
    match rng.u8(0..4) {
        0 => letters[0].repeat(length),
        1 => {
            let unit: Vec<u8> = (0..rng.usize(1..6)).flat_map(|_| rng.choice(letters).unwrap().to_vec()).collect();
            let repeats = length.div_ceil(unit.len());
            unit.repeat(repeats)
        }
        _ => (0..length).flat_map(|_| rng.choice(letters).unwrap().to_vec()).collect(),
    }
}

/// Returns a pattern that is valid for the alphabet: a piece of the text, or random letters.
pub(crate) fn random_pattern(
    rng: &mut Rng,
    alphabet: Alphabet,
    text: &[u8],
    letters: &[&[u8]],
    length: usize,
) -> Vec<u8> {
    let mut pattern = match rng.bool() && text.len() > length {
        true => {
            let start = rng.usize(0..text.len() - length);
            text[start..start + length].to_vec()
        }
        false => random_text(rng, letters, length),
    };
    pattern.retain(|&b| match alphabet {
        Alphabet::Text | Alphabet::Bytes => b != b'\n' && b != b'\r',
        _ => alphabet.residues(b) != 0,
    });
    if pattern.is_empty() {
        pattern.push(b'A');
    }
    pattern
}

pub(crate) fn random_set(
    rng: &mut Rng,
    alphabet: Alphabet,
    text: &[u8],
    letters: &[&[u8]],
    longest: usize,
) -> Arc<PatternSet> {
    let count = rng.usize(1..=3);
    let sources: Vec<PatternSource> = (0..count)
        .map(|_| {
            let length = rng.usize(1..=longest);
            PatternSource::new(random_pattern(rng, alphabet, text, letters, length))
        })
        .collect();
    let percent = *rng.choice(&[0, 5, 10, 30, 50, 99]).unwrap();
    let strands: &[Strand] = match alphabet {
        Alphabet::Dna => &[Strand::Forward, Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let builder = PatternSet::builder(alphabet).notation(Notation::Literal).strands(strands);
    Arc::new(builder.max_edits(MaxEdits::Percent(percent)).build(&sources).expect("a valid pattern"))
}

/// Returns text of several lines, or of several records with wrapped lines.
pub(crate) fn random_input(rng: &mut Rng, alphabet: Alphabet, letters: &[&[u8]], most: usize) -> Vec<u8> {
    let newline: &[u8] = if rng.bool() { b"\n" } else { b"\r\n" };
    let mut input = Vec::new();
    for _ in 0..rng.usize(1..5) {
        let length = if rng.u8(0..6) == 0 { 0 } else { rng.usize(0..most) };
        let line = random_text(rng, letters, length);
        if !alphabet.is_sequence() {
            input.extend([&line, newline].concat());
            continue;
        }
        input.extend([b">r ", newline].concat());
        let width = rng.usize(1..100);
        for row in line.chunks(width) {
            input.extend([row, newline].concat());
        }
    }
    if rng.bool() {
        while input.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
            input.pop();
        }
    }
    input
}

/// A reader that returns a random number of bytes at a time, at most `most`.
pub(crate) struct SlowReader {
    pub(crate) bytes: std::io::Cursor<Vec<u8>>,
    pub(crate) rng: Rng,
    pub(crate) most: usize,
}

impl Read for SlowReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.rng.usize(1..=self.most).min(buffer.len());
        self.bytes.read(&mut buffer[..length])
    }
}

/// Returns all batches of an input, each with a window of `bytes` bytes. Lines and records are not cut if the patterns
/// need them whole.
pub(crate) fn batches(input: &[u8], set: &PatternSet, bytes: usize) -> Vec<Batch<'static>> {
    let long = |is_whole: bool| if is_whole { LongLines::Whole } else { LongLines::Cut };
    let mut ranges = set.patterns().iter().map(Pattern::within);
    let format = match set.alphabet().is_sequence() {
        true => Format::Fasta { long: long(ranges.any(PositionRange::counts_from_end)) },
        false => {
            let is_whole = set.has_expressions() || ranges.any(|range| !range.is_all());
            Format::Lines { terminator: b'\n', long: long(is_whole) }
        }
    };
    let window = Window { bytes, max_match_len: set.context_len(), alphabet: set.alphabet() };
    let reader =
        SlowReader { bytes: std::io::Cursor::new(input.to_vec()), rng: Rng::with_seed(bytes as u64), most: bytes };
    let mut batcher = Batcher::new(Source::from_reader(reader), format, window);
    std::iter::from_fn(|| batcher.next_batch(&mut TextBuffer::default()).expect("a well-formed input")).collect()
}

pub(crate) fn hits(choice: &EngineChoice, set: &Arc<PatternSet>, batch: &Batch) -> Vec<Hit> {
    let engine = engine(choice.clone(), set.clone(), 1).expect("an engine");
    let mut found = Vec::new();
    engine.scanner().expect("a scanner").scan(batch, &mut found).expect("a scan");
    found
}

/// A hit in coordinates of the input: (record, end, pattern, distance, start).
pub(crate) type Place = (usize, u64, usize, usize, Option<u64>);

/// Returns all hits of an input that is searched in windows of `bytes` bytes.
pub(crate) fn places(choice: &EngineChoice, set: &Arc<PatternSet>, input: &[u8], bytes: usize) -> Vec<Place> {
    let mut found = Vec::new();
    let mut records = 0;
    for batch in batches(input, set, bytes) {
        for hit in hits(choice, set, &batch) {
            let (record, position) = place(&batch, hit.end);
            let start = hit.start.map(|start| place(&batch, start).1);
            found.push((records + record, position, hit.pattern, hit.distance, start));
        }
        records += batch.segments().iter().filter(|segment| segment.closes).count();
    }
    found
}

/// Returns the index of a record in the batch, and the position in the record; in text, 0 and the position in the text.
pub(crate) fn place(batch: &Batch, at: usize) -> (usize, u64) {
    let before = batch.segments().iter().take_while(|segment| segment.bytes.end < at);
    (before.filter(|segment| segment.closes).count(), batch.position(at))
}
