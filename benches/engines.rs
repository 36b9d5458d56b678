//! Measures the speed of the CPU engine in memory, on each instruction set: GB of text per second, multiplied by the
//! number of patterns and strands.
//!
//! `cargo bench --bench engines`; each figure is the median of five runs, and all instruction sets must find the same
//! number of hits.
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::io::Cursor;
use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use nigh_cpu::{CpuFinder, Isa};
use nigh_input::{Batcher, Format, LongLines, Source};
use nigh_pattern::{MaxEdits, Notation, PatternSet, PatternSource};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, TextBuffer, Window};
use nigh_text::hit::Hit;
use nigh_verify::Finder;

const RUNS: usize = 5;

/// Returns a FASTA record of random bases, in lines of 80 bases.
fn genome(rng: &mut Rng, bases: usize) -> Vec<u8> {
    let mut text = b">random\n".to_vec();
    for _ in 0..bases / 80 {
        text.extend((0..80).map(|_| b"ACGT"[rng.usize(..4)]));
        text.push(b'\n');
    }
    text
}

/// Returns lines of random words, of about 135 bytes each.
fn log(rng: &mut Rng, bytes: usize) -> Vec<u8> {
    const WORDS: [&str; 12] = [
        "connection",
        "timeout",
        "error",
        "GET /index.html",
        "user=alice",
        "session opened",
        "10.0.0.7",
        "ms",
        "failed",
        "2026-03-14",
        "sshd[4711]:",
        "retrying",
    ];
    let mut text = Vec::with_capacity(bytes + 200);
    while text.len() < bytes {
        let line: Vec<String> = (0..14).map(|_| format!("{}{}", rng.choice(WORDS).unwrap(), rng.u16(..1000))).collect();
        text.extend([line.join(" ").as_bytes(), b"\n"].concat());
    }
    text
}

fn batches(text: &[u8], engine: &CpuFinder) -> Vec<Batch<'static>> {
    let set = engine.patterns();
    let format = match set.alphabet().is_sequence() {
        true => Format::Fasta { long: LongLines::Cut },
        false => Format::Lines { terminator: b'\n', long: LongLines::Whole },
    };
    let window =
        Window { bytes: engine.facts().batch_bytes, max_match_len: set.max_match_len(), alphabet: set.alphabet() };
    let mut batcher = Batcher::new(Source::from_reader(Cursor::new(text.to_vec())), format, window);
    std::iter::from_fn(|| batcher.next_batch(&mut TextBuffer::default()).unwrap()).collect()
}

/// Searches all batches. Returns the time in seconds and the number of hits.
fn run(engine: &CpuFinder, batches: &[Batch]) -> (f64, usize) {
    let mut scanner = engine.scanner().unwrap();
    let mut hits: Vec<Hit> = Vec::new();
    let mut count = 0;
    let since = Instant::now();
    for batch in batches {
        hits.clear();
        scanner.scan(batch, &mut hits).unwrap();
        count += hits.len();
    }
    (since.elapsed().as_secs_f64(), count)
}

fn case(name: &str, text: &[u8], set: &Arc<PatternSet>) {
    let mut counts = Vec::new();
    print!("| {name} ");
    for isa in Isa::all() {
        let engine = CpuFinder::with_isa(set.clone(), 1, isa).unwrap();
        let batches = batches(text, &engine);
        let mut times: Vec<f64> = Vec::new();
        for _ in 0..RUNS {
            let (seconds, count) = run(&engine, &batches);
            times.push(seconds);
            counts.push(count);
        }
        times.sort_by(f64::total_cmp);
        let work = text.len() as f64 * set.patterns().len() as f64;
        print!("| {:.2} ", work / times[RUNS / 2] / 1e9);
    }
    assert!(counts.iter().all(|&count| count == counts[0]), "{name}: the numbers of hits differ: {counts:?}");
    println!("| {} |", counts[0]);
}

fn main() {
    let mut rng = Rng::with_seed(1);
    let names: Vec<&str> = Isa::all().iter().map(|isa| isa.name()).collect();
    println!("GB of text per second, multiplied by patterns and strands; one thread, median of {RUNS} runs\n");
    println!("| case | {} | hits |\n| --- |{} --- |", names.join(" | "), " --- |".repeat(names.len()));
    let genome = genome(&mut rng, 40_000_000);
    for (count, length, k) in
        [(1, 20, 0), (1, 20, 3), (1, 32, 3), (1, 64, 3), (1, 100, 10), (1, 500, 25), (100, 20, 3), (100, 20, 4)]
    {
        let bases = |rng: &mut Rng| (0..length).map(|_| b"ACGT"[rng.usize(..4)]).collect::<Vec<u8>>();
        let sources: Vec<PatternSource> = (0..count).map(|_| PatternSource::new(bases(&mut rng))).collect();
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k));
        let text = if count > 1 { &genome[..8_000_000] } else { &genome[..] };
        case(
            &format!("DNA, {count} patterns of {length} bases, k = {k}"),
            text,
            &Arc::new(builder.build(&sources).unwrap()),
        );
    }
    let log = log(&mut rng, 40_000_000);
    for phrase in ["deadlock", "unauthorized", "connection timed out", "authentication failure for user postgres"] {
        for k in [1, 2, 3] {
            let builder = PatternSet::builder(Alphabet::Text).notation(Notation::Literal);
            let set = builder.max_edits(MaxEdits::Count(k)).build(&[PatternSource::new(phrase)]);
            case(&format!("text, phrase of {} symbols, k = {k}", phrase.len()), &log, &Arc::new(set.unwrap()));
        }
    }
}
