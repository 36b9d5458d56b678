use std::io::Cursor;
use std::sync::Arc;

use fastrand::Rng;

use super::*;
use crate::ordered::handoff::OrderedHandoff;
use nigh_engine::EngineChoice;
use nigh_engine::{Engine, engine};
use nigh_input::{Batcher, Format, LongLines, Source};
use nigh_pattern::{MaxEdits, PatternSource, Strand};
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::{Alphabet, is_residue};
use nigh_text::batch::{TextBuffer, Window};
use nigh_verify::later_match;

/// Returns a match of pattern 0. Its range, distance and length difference determine its rank.
fn found(range: Range<u64>, distance: usize, excess: u32) -> RankedMatch {
    let hit = Hit { end: range.end as usize, pattern: 0, distance, start: None };
    let text = MatchedText::InBatch(0..0);
    RankedMatch { hit, range, cigar: Cigar::default(), text, item: 0, group: 0, excess, is_shown: false }
}

/// Decides about `matches`, sorted by end. All matches that start before `frontier` are known.
fn decided(matches: &[RankedMatch], frontier: u64) -> Vec<Verdict> {
    let set = PatternSet::builder(Alphabet::Text).build(&[PatternSource::new("pattern")]).unwrap();
    let rules = GroupRules { patterns: set.patterns(), site_edges: &[None, None], reach: 0 };
    let open = OpenItem { item: 0, frontier };
    let mut matches: Vec<RankedMatch> = matches.iter().map(copied).collect();
    verdicts(&mut matches, &mut LastShown::default(), open, rules, &mut NoLaterMatch).unwrap()
}

fn copied(one: &RankedMatch) -> RankedMatch {
    RankedMatch { item: one.item, group: one.group, ..found(one.range.clone(), one.hit.distance, one.excess) }
}

/// Hits without later matches.
struct NoLaterMatch;

impl FindLater for NoLaterMatch {
    fn replace(&mut self, _: &mut RankedMatch, _: u64) -> Result<bool, EngineError> {
        Ok(false)
    }
}

/// Returns the ranges that are selected if all matches are known.
fn shown(matches: &[RankedMatch]) -> Vec<(u64, u64)> {
    let verdicts = decided(matches, u64::MAX);
    let shown = matches.iter().zip(verdicts).filter(|(_, verdict)| *verdict == Verdict::Shown);
    shown.map(|(one, _)| (one.range.start, one.range.end)).collect()
}

#[test]
fn matches_that_touch_do_not_overlap() {
    assert_eq!(shown(&[found(0..4, 1, 0), found(4..8, 0, 0), found(8..12, 1, 0)]), [(0, 4), (4, 8), (8, 12)]);
    assert_eq!(shown(&[found(0..5, 1, 0), found(4..8, 0, 0), found(7..12, 1, 0)]), [(4, 8)]);
}

#[test]
fn equal_distances_are_ordered_by_start_difference_and_length() {
    assert_eq!(shown(&[found(0..5, 1, 1), found(2..6, 1, 0), found(3..8, 1, 1)]), [(0, 5)]);
    assert_eq!(shown(&[found(0..4, 1, 0), found(1..5, 1, 0), found(2..6, 1, 0)]), [(0, 4)]);
    assert_eq!(shown(&[found(0..5, 1, 0), found(0..6, 1, 1), found(5..6, 2, 0)]), [(0, 5), (5, 6)]);
    assert_eq!(shown(&[found(0..5, 1, 1), found(0..6, 1, 1)]), [(0, 6)]);
    assert_eq!(shown(&[found(0..4, 2, 0), found(1..6, 1, 9)]), [(1, 6)], "the distance comes first");
}

#[test]
fn hidden_matches_hide_no_others() {
    let cluster = [found(0..4, 2, 0), found(3..8, 1, 0), found(7..12, 0, 0), found(11..16, 1, 0), found(15..19, 2, 0)];
    assert_eq!(shown(&cluster), [(0, 4), (7, 12), (15, 19)]);
}

#[test]
fn matches_of_different_patterns_and_records_do_not_compete() {
    let others = |item, group| RankedMatch { item, group, ..found(0..4, 1, 0) };
    assert_eq!(shown(&[others(0, 0), others(0, 1), others(1, 0)]), [(0, 4), (0, 4), (0, 4)]);
}

#[test]
fn a_match_is_undecided_if_a_better_one_may_follow() {
    let matches = [found(0..4, 0, 0), found(5..9, 1, 0), found(8..12, 0, 0)];
    assert_eq!(decided(&matches, 11), [Verdict::Shown, Verdict::Undecided, Verdict::Undecided]);
    assert_eq!(decided(&matches, 12), [Verdict::Shown, Verdict::Hidden, Verdict::Shown]);
    assert_eq!(decided(&matches[..2], 9), [Verdict::Shown, Verdict::Shown], "none that follows starts before 9");
    assert_eq!(decided(&matches[..2], 8), [Verdict::Shown, Verdict::Undecided]);
}

/// A selected match: its record, end, pattern, start, distance and text.
type SelectedRow = (usize, u64, usize, u64, usize, Vec<u8>);

/// A random search.
struct Scene {
    set: Arc<PatternSet>,
    engine: Arc<Engine>,
    text: Vec<u8>,
}

impl Scene {
    /// Makes random patterns, and a text of short lines or records. Few letters make many hits and ties.
    fn random(rng: &mut Rng) -> Self {
        let (alphabet, strands) = match rng.bool() {
            true => (Alphabet::Text, &[Strand::Forward][..]),
            false => (Alphabet::Dna, &[Strand::Forward, Strand::Reverse][..]),
        };
        let mut letters = |length| -> Vec<u8> { (0..length).map(|_| *rng.choice(b"AACCG").unwrap()).collect() };
        let sources: Vec<_> = [3, 5, 9].map(|length| PatternSource::new(letters(length))).into();
        let record = |length: usize| match alphabet {
            Alphabet::Text => [letters(length), b"\n".to_vec()].concat(),
            _ => letters(length).chunks(7).fold(b">r\n".to_vec(), |record, line| [&record, line, b"\n"].concat()),
        };
        let text = [40, 0, 3, 200, 11].map(record).concat();
        let builder = PatternSet::builder(alphabet).strands(strands).max_edits(MaxEdits::Percent(40));
        Scene::new(builder.build(&sources).unwrap(), text)
    }

    /// Makes random patterns, and a record with inexact copies of them, most of them far from each other.
    fn sparse(rng: &mut Rng) -> Self {
        let patterns = [12, 14, 16].map(|length| letters(rng, length));
        let mut text = b">r\n".to_vec();
        for _ in 0..12 {
            let length = rng.usize(5..70);
            text.extend(letters(rng, length));
            let mut copy = rng.choice(&patterns).unwrap().clone();
            for _ in 0..rng.usize(..3) {
                let (at, count) = (rng.usize(..copy.len()), rng.usize(..3));
                copy.splice(at..=at, letters(rng, count));
            }
            text.extend_from_slice(&[b"\n", &copy[..], b"\n"].concat());
        }
        let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
        let sources = patterns.map(PatternSource::new);
        Scene::new(builder.max_edits(MaxEdits::Count(3)).build(&sources).unwrap(), text)
    }

    fn new(set: PatternSet, text: Vec<u8>) -> Self {
        let set = Arc::new(set);
        Scene { engine: engine(EngineChoice::reference(), set.clone(), 1).unwrap(), set, text }
    }

    /// Cuts the text into batches of `bytes` bytes.
    fn batches(&self, bytes: usize) -> Vec<Batch<'static>> {
        let format = match self.set.alphabet().is_sequence() {
            true => Format::Fasta { long: LongLines::Cut },
            false => Format::Lines { terminator: b'\n', long: LongLines::Cut },
        };
        let window = Window { bytes, max_match_len: self.set.max_match_len(), alphabet: self.set.alphabet() };
        let mut batcher = Batcher::new(Source::from_reader(Cursor::new(self.text.clone())), format, window);
        std::iter::from_fn(|| batcher.next_batch(&mut TextBuffer::default()).unwrap()).collect()
    }

    fn hits(&self, batch: &Batch) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.engine.scanner().unwrap().scan(batch, &mut hits).unwrap();
        hits
    }

    /// The definition: takes the matches of each record, pattern and strand best first, and selects those that
    /// overlap no match selected before. Replaces the others by the best match with the same end that does not.
    fn expected(&self) -> Vec<SelectedRow> {
        let [batch] = &self.batches(1 << 20)[..] else { panic!("one batch") };
        let (hits, mut aligned) = (self.hits(batch), Vec::new());
        self.engine.aligner().unwrap().align(batch, &hits, &mut aligned).unwrap();
        let mut left: Vec<_> = hits.iter().zip(&aligned).map(|(hit, one)| self.ranked(batch, hit, one)).collect();
        let mut chosen: Vec<SelectedRow> = Vec::new();
        while let Some(best) = (0..left.len()).min_by_key(|&index| left[index].0) {
            let (_, one, hit) = left.swap_remove(best);
            let in_group = || chosen.iter().filter(|other| (other.0, other.2) == (one.0, one.2));
            if in_group().all(|other| other.1 <= one.3 || one.1 <= other.3) {
                chosen.push(one);
            } else if in_group().all(|other| other.1 < one.1 || one.1 <= other.3) {
                let from = in_group().map(|other| other.1).filter(|&end| end < one.1).max().unwrap_or(0);
                left.extend(self.later(batch, hit, one.1 - from));
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Returns the best match with the end of a hit that covers at most `length` residues or bytes.
    fn later(&self, batch: &Batch, hit: Hit, length: u64) -> Option<([usize; 4], SelectedRow, Hit)> {
        let mut aligner = self.engine.aligner().unwrap();
        let is_covered = |&start: &usize| residues(&batch.bytes()[start..hit.end]).len() as u64 <= length;
        let from = (0..hit.end).find(is_covered)?;
        let later = later_match(aligner.as_mut(), &self.set, batch, Hit { start: None, ..hit }, from)?;
        let mut aligned = Vec::new();
        aligner.align(batch, &[later.hit], &mut aligned).unwrap();
        Some(self.ranked(batch, &later.hit, &aligned[0]))
    }

    /// Returns the rank of a match, the match and its hit.
    fn ranked(&self, batch: &Batch, hit: &Hit, alignment: &Alignment) -> ([usize; 4], SelectedRow, Hit) {
        let covered = alignment.cigar.text_length();
        let (record, end) = match batch.layout() {
            Layout::Lines(_) => (memchr::memchr_iter(b'\n', &batch.bytes()[..hit.end - 1]).count(), hit.end),
            Layout::Records(segments) => {
                let record = batch.segment_before(hit.end);
                let residues = &batch.bytes()[segments[record].bytes.start..hit.end];
                (record, residues.iter().filter(|&&byte| is_residue(byte)).count())
            }
        };
        let excess = covered.abs_diff(self.set.patterns()[hit.pattern].symbols().len());
        let text = residues(&batch.bytes()[alignment.start..alignment.end]);
        let selected = (record, end as u64, hit.pattern, (end - covered) as u64, hit.distance, text);
        ([hit.distance, end - covered, excess, usize::MAX - covered], selected, *hit)
    }

    /// Selects in batches of `bytes` bytes. All record indices are 0 in the result.
    fn selected(&self, bytes: usize) -> Vec<SelectedRow> {
        let handoff = OrderedHandoff::new(CarriedSelection::default());
        let mut best = BestHits::new(&self.set, self.engine.aligner().unwrap(), HitSelection::Best, None);
        let mut selected = Vec::new();
        for (part, batch) in (0..).zip(self.batches(bytes)) {
            let (slot, mut chosen) = (handoff.slot(part), Vec::new());
            best.take(&batch, &self.hits(&batch), &slot, &mut chosen).unwrap();
            best.finish(&batch, &slot, &mut chosen).unwrap();
            selected.extend(chosen.into_iter().map(|one| {
                let text = match one.text {
                    MatchedText::InBatch(range) => residues(&batch.bytes()[range]),
                    MatchedText::Carried(excerpt) => residues(excerpt.text()),
                };
                (0, one.range.end, one.hit.pattern, one.range.start, one.hit.distance, text)
            }));
        }
        selected
    }
}

fn letters(rng: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| *rng.choice(b"ACGT").unwrap()).collect()
}

fn residues(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| byte != b'\n').collect()
}

#[test]
fn any_batches_give_the_selection_of_all_matches_at_once() {
    let mut rng = Rng::with_seed(41);
    let mut count = 0;
    for round in 0..400 {
        let scene = if round % 2 == 0 { Scene::random(&mut rng) } else { Scene::sparse(&mut rng) };
        let mut expected = scene.expected();
        expected.iter_mut().for_each(|one| one.0 = 0);
        count += expected.len();
        for bytes in [rng.usize(1..20), rng.usize(20..100), rng.usize(100..500), 1 << 20] {
            assert_eq!(scene.selected(bytes), expected, "{:?} in {bytes}", String::from_utf8_lossy(&scene.text));
        }
    }
    assert!(count > 10_000, "{count} matches");
}
