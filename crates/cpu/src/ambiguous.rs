//! Patterns whose residues also match the ambiguous letters of the text (`--ambiguous any`), by two searches.
//!
//! No seed is selective if every residue also matches N, R, Y and the like, although few of them are in most texts. The
//! first search leaves these letters out of the patterns, so it misses only matches that cover such a letter. The
//! second search is for the patterns as they are, in the text around these letters alone. A hit that may cover an
//! ambiguous letter is taken from the second search, any other from the first. In text with many of these letters, one
//! search for the patterns as they are is faster.

use std::ops::Range;
use std::sync::Arc;

use super::scanner::CpuScanner;
use super::search::CompiledSearch;
use nigh_pattern::PatternSet;
use nigh_simd::isa::Isa;
use nigh_text::alphabet::{count_residues, is_residue};
use nigh_text::batch::Batch;
use nigh_text::hit::{Hit, HitSink};
use nigh_text::text_item::{TextItem, end_of_residue, start_of_residue, text_items};
use nigh_verify::partial_batch::PartialBatch;
use nigh_verify::refine::merger::Merger;
use nigh_verify::refine::{Refined, Refiner};
use nigh_verify::{EngineError, Scanner, WantedHits};

/// Inverse of the largest share of the text that may be searched a second time, around ambiguous letters.
const BYTES_FOR_ONE_AROUND: usize = 4;

/// A search for patterns from whose symbol sets the ambiguous letters were removed.
pub(super) struct SearchWithoutLetters {
    pub(super) search: CompiledSearch,
    /// For each byte, whether it is an ambiguous letter.
    is_ambiguous: [bool; 256],
    /// The number of residues that a match covers at most.
    reach: usize,
    /// The number of residues after a match on which conditions depend: the residue of an edge, or the largest distance
    /// from the end of a record at which a bound lies.
    after: usize,
}

impl SearchWithoutLetters {
    /// Returns the search if patterns match ambiguous letters of the text.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn of(patterns: &PatternSet, isa: Isa) -> Result<Option<Self>, EngineError> {
        let Some(plain) = patterns.without_ambiguous_letters() else { return Ok(None) };
        let search = CompiledSearch::new(Arc::new(plain), isa)?;
        let alphabet = patterns.alphabet();
        let is_ambiguous = |byte: u8| is_residue(byte) && alphabet.is_ambiguous(alphabet.symbol_of_byte(byte));
        let is_ambiguous = std::array::from_fn(|byte| u8::try_from(byte).is_ok_and(is_ambiguous));
        let from_end = patterns.patterns().iter().map(|pattern| pattern.within().reach().from_end).max().unwrap_or(0);
        let after = usize::try_from(from_end).unwrap_or(usize::MAX).max(1);
        Ok(Some(SearchWithoutLetters { search, is_ambiguous, reach: patterns.max_match_len(), after }))
    }

    /// Returns a description for display.
    pub(super) fn description(&self) -> String {
        "text around ambiguous letters is searched a second time, with these letters in the patterns".to_owned()
    }

    /// Returns the text around ambiguous letters; `None` if it is a large part of the batch.
    fn surroundings(&self, batch: &Batch) -> Option<AmbiguousParts> {
        let (bytes, reach) = (batch.bytes(), self.reach);
        let searched = reach.saturating_mul(2).saturating_add(self.after);
        let mut left = bytes.len() / BYTES_FOR_ONE_AROUND;
        let mut around = AmbiguousParts::default();
        for item in text_items(batch) {
            around.start_item(item);
            let item = &bytes[..around.item.bytes.end];
            let mut at = around.item.bytes.start;
            while let Some(passed) = item[at..].iter().position(|&byte| self.is_ambiguous[usize::from(byte)]) {
                left = left.checked_sub(searched)?;
                around.add(item, at + passed, self);
                at += passed + 1;
            }
        }
        Some(around)
    }
}

/// The text around ambiguous letters.
#[derive(Default)]
struct AmbiguousParts {
    /// The line or record to which letters are being added.
    item: TextItem,
    /// Ranges of ends of matches. A range starts with an ambiguous letter, and ends where the last match that covers
    /// one of its letters may end. Ranges ascend and do not overlap.
    spans: Vec<Range<usize>>,
    /// The text that matches with an end in `spans` may cover. The parts ascend and do not overlap.
    parts: Vec<TextItem>,
    /// The number of spans and parts of the lines or records before `item`.
    passed: (usize, usize),
}

impl AmbiguousParts {
    fn start_item(&mut self, item: TextItem) {
        self.item = item;
        self.passed = (self.spans.len(), self.parts.len());
    }

    /// Adds the ambiguous letter at the offset `at`, which is greater than the last, for matches of `search`. `bytes` ends
    /// with the line or record.
    fn add(&mut self, bytes: &[u8], at: usize, search: &SearchWithoutLetters) {
        let &SearchWithoutLetters { reach, after, .. } = search;
        let last = end_of_residue(bytes, at, reach);
        match self.spans[self.passed.0..].last_mut() {
            Some(span) if at <= span.end => span.end = last,
            _ => self.spans.push(at..last),
        }
        // One more residue before, for the conditions on edges.
        let end = end_of_residue(bytes, last, after);
        let start = start_of_residue(bytes, self.item.bytes.start..at, reach + 1);
        let (opens, closes) = (start == self.item.bytes.start, end == self.item.bytes.end);
        let closes = closes && self.item.closes;
        match self.parts[self.passed.1..].last_mut() {
            Some(part) if start <= part.bytes.end => (part.bytes.end, part.closes) = (end, closes),
            before => {
                let (from, position) = before
                    .map_or((self.item.bytes.start, self.item.position), |part| (part.bytes.start, part.position));
                let position = position + count_residues(&bytes[from..start]) as u64;
                self.parts.push(TextItem { bytes: start..end, position, opens: opens && self.item.opens, closes });
            }
        }
    }

    /// Returns whether a match that ends at the offset `end` may cover an ambiguous letter.
    fn include(&self, end: usize) -> bool {
        let index = self.spans.partition_point(|span| span.end < end);
        self.spans.get(index).is_some_and(|span| span.start < end)
    }
}

/// Searches for patterns with and without the ambiguous letters in their symbol sets.
pub(super) struct AmbiguousScanner<'a> {
    /// Searches for the patterns as they are.
    all: CpuScanner<'a>,
    /// Searches for the patterns without the ambiguous letters.
    plain: CpuScanner<'a>,
    without_letters: &'a SearchWithoutLetters,
    merger: Merger,
    buffer: Vec<u8>,
}

impl<'a> AmbiguousScanner<'a> {
    /// Makes a scanner. `all` searches for the patterns as they are.
    pub(super) fn new(all: CpuScanner<'a>, without_letters: &'a SearchWithoutLetters) -> Self {
        let plain = without_letters.search.scanner();
        AmbiguousScanner { all, plain, without_letters, merger: Merger::default(), buffer: Vec::new() }
    }
}

impl Scanner for AmbiguousScanner<'_> {
    fn search(&mut self, batch: &Batch, wanted: WantedHits, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        let Some(around) = self.without_letters.surroundings(batch) else {
            return self.all.search(batch, wanted, hits);
        };
        let mut found = self.merger.take();
        if !around.parts.is_empty() {
            let buffer = std::mem::take(&mut self.buffer);
            let parts = PartialBatch::of_items(batch, around.parts.iter().cloned(), buffer, usize::MAX);
            let parts = parts.expect("there is no limit on its size");
            self.all.scan(&parts.batch, &mut found)?;
            found.iter_mut().for_each(|hit| *hit = parts.moved(*hit));
            found.retain(|hit| around.include(hit.end));
            self.buffer = parts.batch.into_buffer().into_vec();
        }
        self.merger.replace(found);
        // If a hit that is passed on in place of others may cover an ambiguous letter, the other search finds it too.
        let mut outside = OutsideParts(&around);
        let refiners: [&mut dyn Refiner; 2] = [&mut outside, &mut self.merger];
        let mut refined = Refined::new(batch, refiners, hits);
        self.plain.search(batch, wanted, &mut refined)?;
        refined.finish()
    }
}

/// Drops the hits that may cover an ambiguous letter.
struct OutsideParts<'a>(&'a AmbiguousParts);

impl Refiner for OutsideParts<'_> {
    fn refine(&mut self, _: &Batch, hits: &mut Vec<Hit>, _: usize) -> Result<(), EngineError> {
        hits.retain(|hit| !self.0.include(hit.end));
        Ok(())
    }
}
