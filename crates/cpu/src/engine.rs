//! The engine for the processor's cores: compiled patterns, and the scanners and aligners that share them.

use std::sync::Arc;
use std::time::Duration;

use super::ambiguous::{AmbiguousScanner, SearchWithoutLetters};
use super::forecast::forecast;
use super::search::CompiledSearch;
use super::traceback::aligner::CpuAligner;
use nigh_pattern::PatternSet;
use nigh_simd::isa::Isa;
use nigh_text::batch::Batch;
use nigh_verify::{Aligner, EngineError, EngineFacts, Finder, Forecast, Scanner};

/// Default batch size. A batch is much longer than the context of the streams, and its planes fit the cache.
const BATCH_BYTES: usize = 1 << 20;
/// Batch size for [`MANY`] patterns of sequences or more. Their index exceeds the caches, and each part of it is loaded
/// once for each batch.
const BATCH_OF_MANY: usize = 2 << 20;
/// See [`BATCH_OF_MANY`].
const MANY: usize = 20_000;
/// Largest batch size, for long patterns, which need long streams.
const MAX_BATCH: usize = 8 << 20;

/// Finds the hits of strings without constraints on the processor's cores.
pub struct CpuFinder {
    all: CompiledSearch,
    /// A search for the patterns without ambiguous letters, if they have any.
    without_letters: Option<SearchWithoutLetters>,
    threads: usize,
    batch_bytes: usize,
}

impl CpuFinder {
    /// Makes a finder for `patterns` on `threads` cores. It uses the [preferred](Isa::preferred) instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Result<Self, EngineError> {
        CpuFinder::with_isa(patterns, threads, Isa::preferred())
    }

    /// Like [`new`](Self::new), with the given instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub fn with_isa(patterns: Arc<PatternSet>, threads: usize, isa: Isa) -> Result<Self, EngineError> {
        let is_many = patterns.alphabet().is_sequence() && patterns.patterns().len() >= MANY;
        let least = if is_many { BATCH_OF_MANY } else { BATCH_BYTES };
        let batch_bytes = least.max(8 * patterns.max_match_len() * isa.streams()).min(MAX_BATCH);
        let without_letters = SearchWithoutLetters::of(&patterns, isa)?;
        Ok(CpuFinder { all: CompiledSearch::new(patterns, isa)?, without_letters, threads, batch_bytes })
    }

    /// Returns the search for most of the text.
    fn usual(&self) -> &CompiledSearch {
        self.without_letters.as_ref().map_or(&self.all, |search| &search.search)
    }
}

impl Finder for CpuFinder {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.all.compiled.patterns
    }

    fn description(&self) -> Vec<String> {
        let mut lines = self.usual().description(self.threads);
        lines.extend(self.without_letters.as_ref().map(SearchWithoutLetters::description));
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "cpu", workers: self.threads, in_flight: 1, batch_bytes: self.batch_bytes, failure: None }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        Some(self.usual().estimate(batch))
    }

    fn forecast(&self) -> Option<Forecast> {
        forecast(&self.usual().compiled, self.threads)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let all = self.all.scanner();
        Ok(match &self.without_letters {
            Some(without_letters) => Box::new(AmbiguousScanner::new(all, without_letters)),
            None => Box::new(all),
        })
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(CpuAligner::new(&self.all.compiled)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use nigh_pattern::{MatchExtent, MaxEdits, Notation, PatternSource};
    use nigh_text::alphabet::Alphabet;
    use nigh_text::hit::Hit;
    use nigh_verify::WantedHits;

    /// A character of a line or record, and the offset of its end.
    type Placed = (char, usize);

    /// Returns the characters of each line, or the residues of the record.
    fn items(text: &str, alphabet: Alphabet) -> Vec<Vec<Placed>> {
        let placed = text.char_indices().map(|(at, letter)| (letter, at + letter.len_utf8()));
        let placed: Vec<Placed> = placed.collect();
        match alphabet.is_sequence() {
            true => vec![placed.into_iter().filter(|&(letter, _)| letter != '\n').collect()],
            false => placed.split(|&(letter, _)| letter == '\n').map(<[Placed]>::to_vec).collect(),
        }
    }

    /// Returns the distance of each end at which `pattern` matches a substring with at most `k` edits, by the whole
    /// matrix: of each start if no letter may be beside the substring (`words`), otherwise of all starts together.
    fn hits_by_definition(item: &[Placed], pattern: &[char], k: usize, words: bool) -> BTreeMap<usize, usize> {
        let is_outside = |place: Option<&Placed>| place.is_none_or(|(letter, _)| !letter.is_alphanumeric());
        let is_start = |start: usize| start == 0 || words && is_outside(item.get(start - 1));
        let mut hits = BTreeMap::new();
        for start in (0..item.len()).filter(|&start| is_start(start)) {
            let end = if words { item.len().min(start + pattern.len() + k) } else { item.len() };
            let mut column: Vec<usize> = (0..=pattern.len()).collect();
            for at in start..end {
                let mut diagonal = column[0];
                column[0] += usize::from(words);
                for row in 1..=pattern.len() {
                    let step = diagonal + usize::from(pattern[row - 1] != item[at].0);
                    diagonal = column[row];
                    column[row] = step.min(column[row] + 1).min(column[row - 1] + 1);
                }
                let distance = column[pattern.len()];
                if distance <= k && (!words || is_outside(item.get(at + 1))) {
                    let least = hits.entry(item[at].1).or_insert(distance);
                    *least = distance.min(*least);
                }
            }
        }
        hits
    }

    struct Case {
        alphabet: Alphabet,
        letters: &'static str,
        patterns: usize,
        length: usize,
        words: bool,
    }

    /// Returns pieces of a text, and the text: random lines of the letters, in which some pieces occur often.
    fn random_text(rng: &mut fastrand::Rng, case: &Case) -> (Vec<String>, String) {
        let letters: Vec<char> = case.letters.chars().collect();
        let mut string = |length: usize| -> String { (0..length).map(|_| *rng.choice(&letters).unwrap()).collect() };
        let pieces: Vec<String> = (0..case.patterns).map(|_| string(case.length)).collect();
        let mut text = String::new();
        while text.len() < 36_000 {
            // A part of the text has far more hits than the others.
            let often = (12_000..16_000).contains(&text.len());
            if rng.usize(0..40) < if often { 30 } else { 1 } {
                text.push_str(rng.choice(&pieces[..pieces.len().min(3)]).unwrap());
            }
            text.extend((0..rng.usize(1..12)).map(|_| *rng.choice(&letters).unwrap()));
            text.push(if rng.u8(0..6) == 0 { '\n' } else { letters[0] });
        }
        (pieces, text)
    }

    /// A text and the patterns to search for, and the distance of each end and pattern by definition.
    struct Known {
        pieces: Vec<String>,
        text: String,
        hits: BTreeMap<(usize, usize), usize>,
    }

    fn known(rng: &mut fastrand::Rng, case: &Case) -> Known {
        let (pieces, text) = random_text(rng, case);
        let mut hits = BTreeMap::new();
        for (index, piece) in pieces.iter().enumerate() {
            let pattern: Vec<char> = piece.chars().collect();
            for item in items(&text, case.alphabet) {
                let found = hits_by_definition(&item, &pattern, 1, case.words);
                hits.extend(found.into_iter().map(|(end, distance)| ((end, index), distance)));
            }
        }
        Known { pieces, text, hits }
    }

    /// Compares the hits of a search with the given limit with their definition. Returns the engine.
    fn check(isa: Isa, case: &Case, known: &Known, limit: usize) -> CpuFinder {
        let whole = if case.words { MatchExtent::Words } else { MatchExtent::Anything };
        let builder = PatternSet::builder(case.alphabet).notation(Notation::Literal).whole(whole);
        let sources: Vec<PatternSource> = known.pieces.iter().map(|piece| PatternSource::new(piece.as_str())).collect();
        let set = Arc::new(builder.max_edits(MaxEdits::Count(1)).build(&sources).unwrap());
        let mut engine = CpuFinder::with_isa(set, 1, isa).unwrap();
        engine.all.compiled.hit_capacity = limit;
        let batch = match case.alphabet.is_sequence() {
            true => Batch::of_record(known.text.clone()),
            false => Batch::of_lines(known.text.clone(), b'\n'),
        };
        let ends: Vec<usize> =
            items(&known.text, case.alphabet).iter().map(|item| item.last().map_or(0, |last| last.1)).collect();
        let item_of = |end: usize| ends.iter().position(|&last| end <= last);
        let selectable: BTreeSet<_> = known.hits.keys().map(|&(end, _)| item_of(end)).collect();
        let mut scanner = engine.scanner().unwrap();
        // The later rounds begin with what the scanner learned in the first.
        for round in 0..3 {
            let mut hits: Vec<Hit> = Vec::new();
            scanner.scan(&batch, &mut hits).unwrap();
            let found = hits.iter().map(|hit| ((hit.end, hit.pattern), hit.distance));
            let is_equal = found.eq(known.hits.iter().map(|(&place, &distance)| (place, distance)));
            assert!(is_equal, "round {round}, {} hits, {} expected", hits.len(), known.hits.len());
            hits.clear();
            scanner.search(&batch, WantedHits::One, &mut hits).unwrap();
            assert!(hits.iter().all(|hit| known.hits.contains_key(&(hit.end, hit.pattern))), "round {round}");
            let selected: BTreeSet<_> = hits.iter().map(|hit| item_of(hit.end)).collect();
            assert_eq!(selected, selectable, "round {round}");
        }
        drop(scanner);
        engine
    }

    #[test]
    fn searches_with_more_hits_than_are_held_find_all() {
        let mut rng = fastrand::Rng::with_seed(43);
        let text = Alphabet::Text;
        let cases = [
            Case { alphabet: text, letters: "abcdefghijklmnopqrstuvwxyz", patterns: 6, length: 12, words: false },
            Case { alphabet: text, letters: "abcdefghijklmnopqrstuvwxyz", patterns: 60, length: 12, words: false },
            Case { alphabet: text, letters: "abcdefghijklmnop é", patterns: 12, length: 9, words: false },
            Case { alphabet: text, letters: "abc é", patterns: 30, length: 8, words: false },
            Case { alphabet: text, letters: "abc ", patterns: 12, length: 7, words: true },
            Case { alphabet: Alphabet::Dna, letters: "ACGT", patterns: 12, length: 8, words: false },
            Case { alphabet: Alphabet::Dna, letters: "ACGT", patterns: 120, length: 20, words: false },
            // Windows of a pattern overlap each other.
            Case { alphabet: Alphabet::Dna, letters: "AAAAAC", patterns: 40, length: 20, words: false },
        ];
        let (mut filtered, mut unfiltered, mut divided, mut in_blocks) = (0, 0, 0, 0);
        for case in &cases {
            let known = known(&mut rng, case);
            for limit in [0, 3, 40, 300] {
                let isa = *rng.choice(&Isa::all()).unwrap();
                let engine = check(isa, case, &known, limit);
                match engine.all.filters.chosen() {
                    Some(Some(_)) => filtered += 1,
                    _ => unfiltered += 1,
                }
                let plan = engine.description().join("\n");
                divided += usize::from(engine.all.divisions.description().is_some_and(|line| plan.contains(&line)));
                in_blocks += usize::from(plan.contains("too many") && !plan.contains(" 0 by block-based"));
            }
        }
        assert!(filtered >= 8 && unfiltered >= 8, "{filtered} with a filter, {unfiltered} without");
        assert!(divided >= 20 && in_blocks >= 5, "{divided} divided, {in_blocks} in blocks");
    }
}
