//! Pattern, text, k and cuts at will: every engine finds what the reference finds in the uncut text, and aligns it so.
#![no_main]

use std::io::Cursor;
use std::sync::Arc;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh::alphabet::Alphabet;
use nigh::engine::{Choice, engine};
use nigh::hit::Hit;
use nigh::input::{Batch, Batcher, Format, LongLines, Source, Window};
use nigh::pattern::{Case, MaxErrors, Notation, PatternSet, PatternSource, Strand, Whole};

#[derive(Debug, Arbitrary)]
struct Scene {
    alphabet: u8,
    whole: u8,
    ignore_case: bool,
    percent: u8,
    patterns: Vec<Vec<u8>>,
    text: Vec<u8>,
    window: u8,
}

fuzz_target!(|scene: Scene| {
    let Some(set) = set(&scene) else { return };
    let uncut = scene.text.len() + 64;
    let expected = places(Choice::Reference, &set, &scene.text, uncut);
    assert_eq!(places(Choice::Cpu, &set, &scene.text, uncut), expected, "uncut");
    assert_eq!(places(Choice::Cpu, &set, &scene.text, usize::from(scene.window) + 1), expected, "cut");
});

/// The patterns, if they can be searched for; short, as the reference is slow.
fn set(scene: &Scene) -> Option<Arc<PatternSet>> {
    let alphabets = [Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein];
    let wholes = [Whole::Anything, Whole::Words, Whole::Record];
    let strands: &[Strand] = &[Strand::Forward, Strand::Reverse];
    let alphabet = alphabets[usize::from(scene.alphabet) % alphabets.len()];
    let sources: Vec<PatternSource> =
        scene.patterns.iter().take(3).map(|p| PatternSource::new(&p[..p.len().min(150)])).collect();
    let builder = PatternSet::builder(alphabet)
        .notation(Notation::Literal)
        .case(if scene.ignore_case { Case::Insensitive } else { Case::Sensitive })
        .whole(wholes[usize::from(scene.whole) % wholes.len()])
        .max_errors(MaxErrors::Percent(usize::from(scene.percent) % 100))
        .strands(if alphabet == Alphabet::Dna { strands } else { &strands[..1] });
    builder.build(&sources).ok().map(Arc::new)
}

type Place = (usize, u64, Hit, u64, String);

/// All hits with their alignments, in coordinates of the input, without those of the batch.
fn places(choice: Choice, set: &Arc<PatternSet>, text: &[u8], window: usize) -> Vec<Place> {
    let format = match set.alphabet().is_sequence() {
        true => Format::Fasta { long: LongLines::Cut },
        false => Format::Lines { terminator: b'\n', long: LongLines::Cut },
    };
    let engine = engine(choice, set.clone(), 1).expect("few classes");
    let window = Window { bytes: window, reach: set.reach(), alphabet: set.alphabet() };
    let mut batcher = Batcher::new(Source::from_reader(Cursor::new(text.to_vec())), format, window);
    let (mut found, mut records) = (Vec::new(), 0);
    while let Ok(Some(batch)) = batcher.next_batch(&mut Vec::new()) {
        let (mut hits, mut alignments) = (Vec::new(), Vec::new());
        engine.scanner().expect("a scanner").scan(&batch, &mut hits).expect("a scan");
        engine.aligner().expect("an aligner").align(&batch, &hits, &mut alignments).expect("alignments");
        for (hit, alignment) in hits.iter().zip(alignments) {
            assert_eq!(alignment.cigar.distance(), hit.distance);
            let (record, end) = place(&batch, hit.end);
            let (_, start) = place(&batch, alignment.start);
            let hit = Hit { end: 0, start: None, ..*hit };
            found.push((records + record, end, hit, start, alignment.cigar.to_string()));
        }
        records += batch.segments().iter().filter(|segment| segment.closes).count();
    }
    found
}

fn place(batch: &Batch, at: usize) -> (usize, u64) {
    let before = batch.segments().iter().take_while(|segment| segment.bytes.end < at);
    (before.filter(|segment| segment.closes).count(), batch.position(at))
}
