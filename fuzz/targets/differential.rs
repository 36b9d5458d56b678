//! Arbitrary patterns, texts, edits and batch sizes. The hits and alignments of the CPU engine equal those of the
//! reference on the undivided text, and a selection of lines or records selects exactly those with a hit.
#![no_main]

use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::Arc;

use fastrand::Rng;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh_engine::EngineChoice;
use nigh_engine::engine;
use nigh_fuzz::instruction_set;
use nigh_input::{Batcher, Format, LongLines, Source};
use nigh_pattern::{
    Case, EditCosts, EditLimit, Groups, MatchExtent, MaxEdits, Notation, PatternSet, PatternSource, Strand,
    Transpositions,
};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, TextBuffer, Window};
use nigh_text::hit::Hit;
use nigh_verify::WantedHits;

/// Number of alignments compared in a scene: the reference computes a full matrix for each.
const ALIGNED: usize = 64;

/// Maximum length in bytes to which a text is extended, so that every instruction set searches it bit-sliced and the
/// filters run.
const LONG_TEXT: usize = 1 << 16;

/// Maximum number of given patterns.
const FEW: usize = 3;
/// Number of additional random patterns in a crowd, for which a q-gram index pays on every instruction set.
const CROWD: usize = 24;
/// Maximum number of cells of the reference's matrices: the length of the text times the number of symbols of all
/// patterns.
const MAX_CELLS: usize = 40 << 20;
/// Cost of a cell with edit constraints, relative to one without.
const COST_OF_RULES: usize = 8;

#[derive(Debug, Arbitrary)]
struct Scene {
    alphabet: u8,
    whole: u8,
    ignore_case: bool,
    notation: bool,
    bound: Edits,
    patterns: Vec<OwnPattern>,
    /// Seed of the additional random patterns; `None` if there are none.
    crowd: Option<u64>,
    text: Vec<u8>,
    window: u16,
    length: Length,
}

/// A pattern, and its own bound on edits if `k` is set.
#[derive(Debug, Arbitrary)]
struct OwnPattern {
    text: Vec<u8>,
    k: Option<u8>,
    /// The allowed kinds of edit, one bit each; none or all bits stand for all kinds.
    kinds: u8,
}

/// Length of the text.
#[derive(Debug, Arbitrary)]
enum Length {
    AsGiven,
    /// The text is repeated until it is long.
    Repeated,
    /// The text is inserted at several places of a random text that is made from this seed.
    Planted(u64),
}

/// Limits and costs of edits.
#[derive(Debug, Arbitrary)]
struct Edits {
    percent: u8,
    count: Option<u8>,
    limits: Option<[u8; 3]>,
    costs: Option<[u8; 3]>,
    transpositions: bool,
    exact_groups: bool,
}

fuzz_target!(|scene: Scene| {
    instruction_set::choose();
    let Some(set) = set(&scene) else { return };
    let text = text(&scene, set.max_match_len());
    let symbols: usize = set.patterns().iter().map(|pattern| pattern.symbols().len()).sum();
    let is_constrained = set.patterns().iter().any(|pattern| pattern.constraints().is_some());
    if symbols * text.len() * if is_constrained { COST_OF_RULES } else { 1 } > MAX_CELLS {
        return;
    }
    let uncut = text.len() + 64;
    let expected = places(EngineChoice::reference(), &set, &text, uncut);
    assert_eq!(places(EngineChoice::cpu(), &set, &text, uncut), expected, "undivided text");
    assert_eq!(places(EngineChoice::cpu(), &set, &text, usize::from(scene.window) + 1), expected, "divided text");
});

/// Returns the text of a scene. A text of sequences begins with a FASTA header, because it would not be searched
/// without one.
fn text(scene: &Scene, max_match_len: usize) -> Vec<u8> {
    let body = body(scene, max_match_len);
    let header: &[u8] = if alphabet(scene).is_sequence() && !body.starts_with(b">") { b">r\n" } else { b"" };
    [header, &body].concat()
}

/// Returns the text without the header: the given text, or a text that is long enough for 512 bit-sliced streams.
fn body(scene: &Scene, max_match_len: usize) -> Vec<u8> {
    let enough = max_match_len.max(16).saturating_mul(2 * 512).saturating_add(1024);
    if scene.text.is_empty() || enough > LONG_TEXT {
        return scene.text.clone();
    }
    match scene.length {
        Length::AsGiven => scene.text.clone(),
        Length::Repeated => scene.text.iter().copied().cycle().take(enough).collect(),
        Length::Planted(seed) => planted(alphabet(scene), &scene.text, enough, &mut Rng::with_seed(seed)),
    }
}

/// Returns random text of at least `enough` bytes in which `text` occurs every few thousand bytes.
fn planted(alphabet: Alphabet, text: &[u8], enough: usize, rng: &mut Rng) -> Vec<u8> {
    let letters = letters(alphabet);
    let mut long = text.to_vec();
    while long.len() < enough {
        let gap = rng.usize(1000..5000);
        long.extend((0..gap).map(|_| letters[rng.usize(..letters.len())]));
        long.extend_from_slice(text);
    }
    long
}

/// Returns the letters of random text and patterns.
fn letters(alphabet: Alphabet) -> &'static [u8] {
    match alphabet {
        Alphabet::Text | Alphabet::Bytes => b"etaoinshrdlu cmfwyp0123456789-_=/\n",
        Alphabet::Dna => b"ACGT",
        Alphabet::Protein => b"ACDEFGHIKLMNPQRSTVWY",
    }
}

fn alphabet(scene: &Scene) -> Alphabet {
    [Alphabet::Text, Alphabet::Bytes, Alphabet::Dna, Alphabet::Protein][usize::from(scene.alphabet) % 4]
}

/// Returns the given patterns, and the crowd, if there is one: random patterns of 12 to 24 letters.
fn sources(scene: &Scene) -> Vec<PatternSource> {
    let given = scene.patterns.iter().take(FEW).map(|pattern| {
        let text = &pattern.text[..pattern.text.len().min(150)];
        let kinds = ["", "s", "i", "is", "d", "ds", "di", ""][usize::from(pattern.kinds % 8)];
        let bound = pattern.k.and_then(|k| format!("{}{kinds}", k % 6).parse().ok());
        PatternSource { bound, ..PatternSource::new(text) }
    });
    let mut rng = Rng::with_seed(scene.crowd.unwrap_or_default());
    let letters = letters(alphabet(scene));
    let letters = &letters[..letters.len().min(20)];
    let count = if scene.crowd.is_some() { CROWD } else { 0 };
    let crowd = (0..count).map(|_| {
        let length = rng.usize(12..25);
        let text: Vec<u8> = (0..length).map(|_| letters[rng.usize(..letters.len())]).collect();
        // With more edits, the patterns would match everywhere.
        PatternSource { bound: Some(MaxEdits::Count(rng.usize(..3)).into()), ..PatternSource::new(text) }
    });
    given.chain(crowd).collect()
}

/// Returns the patterns; `None` if they are not valid, or too long for the reference, which is slow.
fn set(scene: &Scene) -> Option<Arc<PatternSet>> {
    let wholes = [MatchExtent::Anything, MatchExtent::Words, MatchExtent::Record];
    let strands: &[Strand] = &[Strand::Forward, Strand::Reverse];
    let alphabet = alphabet(scene);
    let Edits { percent, count, exact_groups, .. } = scene.bound;
    let errors = match count {
        Some(count) => MaxEdits::Count(usize::from(count % 6)),
        None => MaxEdits::Percent(usize::from(percent) % 100),
    };
    let builder = PatternSet::builder(alphabet)
        .notation(if scene.notation { Notation::Regex } else { Notation::Literal })
        .case(if scene.ignore_case { Case::Insensitive } else { Case::Sensitive })
        .whole(wholes[usize::from(scene.whole) % wholes.len()])
        .max_edits(errors)
        .edit_costs(edit_costs(&scene.bound))
        .groups(if exact_groups { Groups::Exact } else { Groups::Ordinary })
        .strands(if alphabet == Alphabet::Dna { strands } else { &strands[..1] });
    let set = builder.build(&sources(scene)).ok()?;
    // A regular expression can have thousands of alternatives.
    let symbols: usize = set.patterns().iter().map(|pattern| pattern.symbols().len()).sum();
    (symbols <= 2500).then(|| Arc::new(set))
}

fn edit_costs(edits: &Edits) -> EditCosts {
    let [insertions, deletions, substitutions] = edits.limits.unwrap_or([u8::MAX; 3]);
    let costs = edits.costs.unwrap_or_default().map(|cost| usize::from(cost % 3) + 1);
    let limit = |cost: usize, max: u8| EditLimit::new(cost, if max > 7 { usize::MAX } else { usize::from(max) });
    EditCosts {
        insertion: limit(costs[0], insertions),
        deletion: limit(costs[1], deletions),
        substitution: limit(costs[2], substitutions),
        transpositions: if edits.transpositions { Transpositions::One } else { Transpositions::Two },
    }
}

/// Record, end, hit, and, if the hit was aligned, its start and its CIGAR.
type Place = (usize, u64, Hit, Option<(u64, String)>);

/// Returns all hits with their alignments, in coordinates of the input instead of the batch.
fn places(choice: EngineChoice, set: &Arc<PatternSet>, text: &[u8], window: usize) -> Vec<Place> {
    let format = match set.alphabet().is_sequence() {
        true => Format::Fasta { long: LongLines::Cut },
        false if set.has_expressions() => Format::Lines { terminator: b'\n', long: LongLines::Whole },
        false => Format::Lines { terminator: b'\n', long: LongLines::Cut },
    };
    let engine = engine(choice, set.clone(), 1).expect("the patterns have few classes of symbols");
    let window = Window { bytes: window, max_match_len: set.max_match_len(), alphabet: set.alphabet() };
    let mut batcher = Batcher::new(Source::from_reader(Cursor::new(text.to_vec())), format, window);
    let (mut found, mut records) = (Vec::new(), 0);
    while let Ok(Some(batch)) = batcher.next_batch(&mut TextBuffer::default()) {
        let (mut hits, mut alignments) = (Vec::new(), Vec::new());
        engine.scanner().expect("a scanner").scan(&batch, &mut hits).expect("a scan");
        let mut some = Vec::new();
        engine.scanner().expect("a scanner").search(&batch, WantedHits::One, &mut some).expect("a scan");
        assert!(some.iter().all(|hit| hits.binary_search(hit).is_ok()), "a selection has a hit that the search lacks");
        assert_eq!(items(&batch, &some), items(&batch, &hits), "selected lines or records");
        let few = &hits[..hits.len().min(ALIGNED.saturating_sub(found.len()))];
        engine.aligner().expect("an aligner").align(&batch, few, &mut alignments).expect("alignments");
        let mut aligned = alignments.into_iter();
        for hit in &hits {
            let (record, end) = place(&batch, hit.end);
            let alignment = aligned.next().map(|alignment| {
                assert!(
                    set.patterns()[hit.pattern].constraints().is_some() || alignment.cigar.distance() == hit.distance
                );
                (place(&batch, alignment.start).1, alignment.cigar.to_string())
            });
            found.push((records + record, end, Hit { end: 0, start: None, ..*hit }, alignment));
        }
        records += batch.segments().iter().filter(|segment| segment.closes).count();
    }
    found
}

/// Returns the starts of the lines or segments that have a hit.
fn items(batch: &Batch, hits: &[Hit]) -> BTreeSet<usize> {
    let start = |hit: &Hit| match batch.segments().is_empty() {
        true => batch.bytes()[..hit.end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1),
        false => batch.segment_before(hit.end),
    };
    hits.iter().map(start).collect()
}

fn place(batch: &Batch, at: usize) -> (usize, u64) {
    let before = batch.segments().iter().take_while(|segment| segment.bytes.end < at);
    (before.filter(|segment| segment.closes).count(), batch.position(at))
}
