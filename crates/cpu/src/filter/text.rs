//! Searches text only around the pigeonhole seeds of the patterns.

use std::ops::Range;

use super::budget::FilterBudget;
use super::pigeonhole::{GRAM, MIN_GRAM, Sample, Seed, SeedSet, rarest_seeds};
use super::text_seeds::{Lookup, SeedFinder};
use super::windows::{CandidateWindows, MAX_WINDOW, WindowHit, WindowPlace};
use super::{Filter, FilterSeeds};
use crate::compiled::{Compiled, CompiledSection};
use crate::cost;
use crate::cost::{FilterPass, SearchCosts};
use crate::found_items::RequestedHits;
use crate::myers::Column;
use crate::sections::BatchSection;
use crate::sections::kept::{HitCompleteness, exceeds};
use nigh_text::alphabet::Alphabet;
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_text::text::{MAX_SYMBOL_BYTES, symbol_boundary};
use nigh_verify::distance::verify_unless_free;
use nigh_verify::encoder::{Chunk, Code, Encoder};

/// Builds a filter that finds patterns in text like `text` by their pigeonhole seeds; `None` if it does not pay.
pub(super) fn filter_of_text(compiled: &Compiled, text: &[u8]) -> Option<Filter> {
    if compiled.patterns.alphabet().is_sequence() {
        return None;
    }
    let sample = Sample::new(text);
    let patterns = compiled.patterns.patterns();
    let choose_seeds = |min_gram: usize| -> Vec<Option<SeedSet>> {
        let seeds = |(index, pattern)| rarest_seeds(index, pattern, compiled.patterns.alphabet(), min_gram, &sample);
        patterns.iter().enumerate().map(seeds).collect()
    };
    let count: usize = patterns.iter().map(|pattern| pattern.k() + 1).sum();
    let lookup = Lookup::of(count, compiled.isa);
    let (seeds, pass) = match lookup {
        Lookup::Teddy => (choose_seeds(MIN_GRAM), FilterPass::Teddy),
        Lookup::Table => (choose_seeds(GRAM), FilterPass::SeedTable),
    };
    let offers = seeds.iter().enumerate().map(|(index, seeds)| SearchCosts {
        bitsliced: compiled.bitsliced_cost(index),
        filtered: seeds.as_ref().map(|seeds| seeds.rate * compiled.window_cost(index)),
    });
    let offers: Vec<SearchCosts> = offers.collect();
    let filtered = cost::filtered(&offers, pass)?;
    let cost = cost::with_filter(&offers, &filtered, pass);
    let chosen = seeds.into_iter().zip(&filtered).filter(|(_, filtered)| **filtered);
    let chosen = chosen.flat_map(|(seeds, _)| seeds.into_iter().flat_map(|seeds| seeds.seeds));
    Some(Filter { seeds: FilterSeeds::Text(SeedFinder::new(chosen.collect(), lookup)), filtered, cost })
}

/// Searches batches of text for the patterns of a filter.
pub(crate) struct TextScanner {
    /// The finder of the seeds of the active patterns, and the budget version for which the finder was made.
    finder: Option<(u64, SeedFinder)>,
    masks: Vec<u64>,
    windows: CandidateWindows,
    found: Vec<WindowHit>,
}

impl TextScanner {
    pub(crate) fn new() -> Self {
        TextScanner { finder: None, masks: Vec::new(), windows: CandidateWindows::new(), found: Vec::new() }
    }

    /// Appends the wanted hits of the patterns that stay active, unordered and with repetitions.
    pub(crate) fn scan(
        &mut self,
        CompiledSection { compiled, section }: CompiledSection<'_>,
        seeds: &SeedFinder,
        budget: &mut FilterBudget,
        wanted: RequestedHits<'_>,
    ) -> HitCompleteness {
        let text = section.text();
        let version = budget.version();
        let finder = match self.finder.take() {
            Some((known, finder)) if known == version => finder,
            _ => seeds.without(|pattern| !budget.is_active(pattern)),
        };
        finder.fill_masks(compiled.isa, &section.bytes()[text.clone()], &mut self.masks);
        let mut candidates = Candidates {
            compiled,
            section,
            codes: compiled.classes.codes_of_bytes(section.batch.terminator()),
            budget,
            windows: &mut self.windows,
            found: &mut self.found,
            wanted,
        };
        let mut kept = HitCompleteness::All;
        for (first, masks) in (text.start..).step_by(64 * BLOCKS).zip(self.masks.chunks(BLOCKS)) {
            interrupt::check();
            candidates.take_places(&finder, first, masks);
            let hits = &mut *candidates.wanted.hits;
            if exceeds(hits, compiled.hit_capacity) {
                let done = first + 64 * BLOCKS - text.start;
                kept = HitCompleteness::too_many(hits.len(), [done, text.len()], compiled.hit_capacity);
                break;
            }
        }
        candidates.finish();
        self.finder = Some((version, finder));
        kept
    }
}

/// The number of blocks of 64 bytes between checks of the number of hits.
const BLOCKS: usize = 64;

/// The cost of a window with multi-byte characters, as a number of ASCII windows: it has four times as many bytes, and
/// is searched alone.
const COST_OF_CHARACTERS: usize = 10;

/// The search around the candidates of one section.
struct Candidates<'a> {
    compiled: &'a Compiled,
    section: &'a BatchSection<'a>,
    /// The code of each byte as a symbol by itself.
    codes: [Code; 256],
    budget: &'a mut FilterBudget,
    windows: &'a mut CandidateWindows,
    found: &'a mut Vec<WindowHit>,
    wanted: RequestedHits<'a>,
}

impl Candidates<'_> {
    /// Searches around the seeds at the places marked in `masks`. The masks begin at the offset `first` of the batch.
    fn take_places(&mut self, finder: &SeedFinder, first: usize, masks: &[u64]) {
        for (block, &mask) in (first..).step_by(64).zip(masks) {
            let mut left = mask;
            while left != 0 {
                let at = block + left.trailing_zeros() as usize;
                left &= left - 1;
                // All matches around the seed are in its line.
                if !self.wanted.first_of.as_mut().is_some_and(|items| items.has_hit(at + 1)) {
                    finder.seeds_at(self.section.bytes(), at, |seed| self.take(seed, at));
                }
            }
        }
    }

    /// Searches the window around a seed that occurs at the offset `at`, if the budget allows it. All matches that
    /// contain the seed lie in the window.
    fn take(&mut self, seed: &Seed, at: usize) {
        let blocks = &self.compiled.blocks[seed.pattern];
        let (length, k) = (blocks.length(), blocks.k());
        // The end of an exact match and the window of all matches, on the assumption that symbols are bytes.
        let nominal_end = at + length - seed.before;
        let bytes = self.section.bytes();
        let around = at.saturating_sub(seed.before + k)..bytes.len().min(nominal_end + k);
        let text = &bytes[around.clone()];
        if self.compiled.patterns.alphabet() == Alphabet::Text && !text.is_ascii() {
            if self.budget.try_spend(seed.pattern, COST_OF_CHARACTERS) {
                self.search_range(seed.pattern, self.characters_around(seed, at));
            }
            return;
        }
        if !self.budget.try_spend_dedup(seed.pattern, nominal_end) {
            return;
        }
        if !blocks.is_one_block() {
            return self.search_range(seed.pattern, around);
        }
        let codes = &self.codes;
        let fill = |window: &mut [Code; MAX_WINDOW]| {
            for (code, &byte) in window.iter_mut().zip(text) {
                *code = codes[usize::from(byte)];
            }
            text.len()
        };
        let place = WindowPlace { pattern: seed.pattern, first: around.start };
        self.windows.add(&self.compiled.blocks, place, fill, self.found);
        self.take_found();
    }

    /// Returns the window that holds all matches with `seed` at the offset `at`, in text with multi-byte characters.
    fn characters_around(&self, seed: &Seed, at: usize) -> Range<usize> {
        let blocks = &self.compiled.blocks[seed.pattern];
        let (before, after) = (seed.before + blocks.k(), blocks.length() - seed.before + blocks.k());
        let bytes = self.section.bytes();
        let boundary = |at: usize| symbol_boundary(self.compiled.patterns.alphabet(), bytes, at);
        let end = bytes.len().min(at + after * MAX_SYMBOL_BYTES);
        boundary(at.saturating_sub(before * MAX_SYMBOL_BYTES))..boundary(end)
    }

    /// Searches the bytes `range` of the batch for the pattern with the index `pattern`, of any length.
    fn search_range(&mut self, pattern: usize, range: Range<usize>) {
        let blocks = &self.compiled.blocks[pattern];
        let mut column = Column::new(blocks);
        let mut chunk = Chunk::default();
        let mut encoder = Encoder::within(&self.compiled.classes, self.section.batch, range);
        while encoder.next_chunk(&mut chunk) {
            column.scan(blocks, chunk.codes(), |index, distance| {
                self.found.push(WindowHit { pattern, last: chunk.end(index) - 1, distance });
            });
        }
        self.take_found();
    }

    /// Turns hits in windows into hits of the batch.
    fn take_found(&mut self) {
        let Candidates { compiled, section, .. } = *self;
        let alphabet = compiled.patterns.alphabet();
        for WindowHit { pattern: index, last, distance } in self.found.drain(..) {
            let hit = Hit { end: last + 1, pattern: index, distance, start: None };
            let pattern = &compiled.patterns.patterns()[index];
            let RequestedHits { first_of, hits } = &mut self.wanted;
            if !section.owns(hit.end) || first_of.as_mut().is_some_and(|items| items.has_hit(hit.end)) {
                continue;
            }
            if let Some(hit) = verify_unless_free(alphabet, section.batch, pattern, hit) {
                hits.push(hit.into());
                if let Some(items) = first_of {
                    items.found();
                }
            }
        }
    }

    fn finish(&mut self) {
        self.windows.search(&self.compiled.blocks, self.found);
        self.take_found();
    }
}
