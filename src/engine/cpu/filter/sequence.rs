//! Searches sequences only around the seeds that the q-gram index finds, exact or with one edit.

use std::ops::Range;

use super::budget::FilterBudget;
use super::qgram::{Candidate, LENGTH, PatternQGrams, QGramIndex, QGramSeed, group_planes};
use super::windows::{CandidateWindows, MAX_WINDOW, WindowHit, WindowPlace};
use crate::engine::cpu::bitslice::bitsliced_batch::BitslicedBatch;
use crate::engine::cpu::bitslice::planes::{PlaneLayout, PlaneOrder, Planes};
use crate::engine::cpu::compiled::{Compiled, CompiledBatch};
use crate::engine::cpu::cost::{self, FilterPass, SearchCosts};
use crate::engine::cpu::kept::{Kept, check_count};
use crate::engine::encoder::Code;
use crate::hit::Hit;

/// A filter that finds patterns in sequences by a q-gram index.
pub(crate) struct SequenceFilter {
    table: QGramIndex,
    filtered: Vec<bool>,
    cost: f64,
}

impl SequenceFilter {
    /// Builds the filter for patterns of sequences; `None` if it does not pay.
    pub(crate) fn new(compiled: &Compiled) -> Option<Self> {
        let patterns = compiled.patterns.patterns().iter().enumerate();
        let qgrams: Vec<Option<PatternQGrams>> = patterns
            .map(|(index, pattern)| {
                let fits = compiled.blocks[index].is_one_block();
                fits.then(|| PatternQGrams::fewest(index, pattern, &compiled.classes)).flatten()
            })
            .collect();
        let offers = qgrams.iter().enumerate().map(|(index, qgrams)| SearchCosts {
            bitsliced: compiled.bitsliced_cost(index),
            filtered: qgrams.as_ref().map(|qgrams| qgrams.rate() * compiled.window_cost(index)),
        });
        let offers: Vec<SearchCosts> = offers.collect();
        let filtered = cost::filtered(&offers, FilterPass::QGrams)?;
        let cost = cost::with_filter(&offers, &filtered, FilterPass::QGrams);
        let chosen = qgrams.iter().zip(&filtered).filter(|(_, filtered)| **filtered);
        let table = QGramIndex::new(chosen.filter_map(|(qgrams, _)| qgrams.as_ref()));
        Some(SequenceFilter { table, filtered, cost })
    }

    /// Describes the seeds for display.
    pub(crate) fn plan(&self) -> String {
        format!("q-gram index, {} seeds of {LENGTH} residues", self.table.len())
    }

    /// Returns, for each pattern, whether the filter covers it.
    pub(crate) fn filtered(&self) -> &[bool] {
        &self.filtered
    }

    /// Returns the cost of a search with the filter, in the units of [`cost`].
    pub(crate) fn cost(&self) -> f64 {
        self.cost
    }
}

/// Searches batches of sequences for the patterns of a filter.
pub(crate) struct SequenceScanner {
    planes: Planes,
    /// The groups of all residues, two bits each.
    residues: Vec<u64>,
    /// A bit for each residue: whether a q-gram of the index begins there.
    masks: Vec<u64>,
    /// The indices of the residues at which q-grams of the index begin, each with the range of entries of its q-gram.
    places: Vec<(u32, Range<u32>)>,
    candidates: Vec<Candidate>,
    windows: CandidateWindows,
    found: Vec<WindowHit>,
}

/// The number of blocks of 64 residues whose candidates are collected at a time.
const BLOCKS: usize = 16;

impl SequenceScanner {
    pub(crate) fn new() -> Self {
        SequenceScanner {
            planes: Planes::default(),
            residues: Vec::new(),
            masks: Vec::new(),
            places: Vec::new(),
            candidates: Vec::new(),
            windows: CandidateWindows::new(),
            found: Vec::new(),
        }
    }

    /// Appends the hits of the patterns that stay active, unordered and with repetitions.
    pub(crate) fn scan(
        &mut self,
        search: CompiledBatch<'_>,
        filter: &SequenceFilter,
        budget: &mut FilterBudget,
        hits: &mut Vec<Hit>,
    ) -> Kept {
        let CompiledBatch { compiled, batch } = search;
        let codes = compiled.byte_codes.as_ref().expect("the filter needs codes that fit the planes");
        let layout = PlaneLayout { isa: compiled.isa, order: PlaneOrder::ByText };
        self.planes.fill(layout, &compiled.classes, codes, batch);
        self.fill_residues();
        filter.table.fill_masks(&self.residues, &mut self.masks);
        for first in (0..self.masks.len()).step_by(BLOCKS) {
            self.find_candidates(&filter.table, first..self.masks.len().min(first + BLOCKS));
            let candidates = std::mem::take(&mut self.candidates);
            for &candidate in &candidates {
                self.search_around(compiled, filter.table.seed(candidate), candidate.at as usize, budget);
            }
            self.candidates = candidates;
            self.take_found(search, hits);
            if check_count(hits) == Kept::TooMany {
                return Kept::TooMany;
            }
        }
        self.windows.search(&compiled.blocks, &mut self.found);
        self.take_found(search, hits);
        Kept::All
    }

    /// Turns hits in windows into hits of the batch.
    fn take_found(&mut self, search: CompiledBatch<'_>, hits: &mut Vec<Hit>) {
        let CompiledBatch { compiled, batch } = search;
        let bitsliced = BitslicedBatch { compiled, batch, planes: &self.planes };
        let mut mark_hint = 0;
        let found = self.found.drain(..);
        hits.extend(found.filter_map(|found| bitsliced.hit(found.pattern, found.last, found.distance, &mut mark_hint)));
    }

    /// Collects the candidates in the blocks of 64 residues with the indices `blocks`.
    fn find_candidates(&mut self, table: &QGramIndex, blocks: Range<usize>) {
        self.places.clear();
        for block in blocks {
            let mut left = self.masks[block];
            while left != 0 {
                let at = 64 * block + left.trailing_zeros() as usize;
                left &= left - 1;
                self.places.push((at as u32, table.find(self.residues_at(at))));
            }
        }
        let symbols = self.planes.symbols() as u32;
        self.candidates.clear();
        for (at, found) in self.places.iter().filter(|(at, _)| *at < symbols) {
            table.add_candidates(*at, found.clone(), &mut self.candidates);
        }
    }

    fn fill_residues(&mut self) {
        self.residues.clear();
        for (&low, &high) in self.planes.in_order(0).iter().zip(self.planes.in_order(1)) {
            let (low, high) = group_planes(low, high);
            self.residues.push(spread(low as u32) | spread(high as u32) << 1);
            self.residues.push(spread((low >> 32) as u32) | spread((high >> 32) as u32) << 1);
        }
    }

    /// Returns the 32 residues from the index `at` on, two bits each.
    #[inline]
    fn residues_at(&self, at: usize) -> u64 {
        const { assert!(LENGTH <= 32) };
        let word = at / 32;
        let next = self.residues.get(word + 1).copied().unwrap_or(0);
        let both = u128::from(self.residues[word]) | u128::from(next) << 64;
        (both >> (2 * (at % 32))) as u64
    }

    /// Searches the window around `seed`, which begins at the residue `at`, for the pattern of the seed, if the budget
    /// allows it.
    #[inline]
    fn search_around(&mut self, compiled: &Compiled, seed: QGramSeed, at: usize, budget: &mut FilterBudget) {
        let blocks = &compiled.blocks[seed.pattern];
        let nominal_end = at + blocks.length() - seed.before;
        if !budget.try_spend_dedup(seed.pattern, nominal_end) {
            return;
        }
        let start = at.saturating_sub(seed.before + blocks.k());
        let end = (nominal_end + blocks.k()).min(self.planes.symbols());
        let planes = &self.planes;
        let fill = |window: &mut [Code; MAX_WINDOW]| {
            planes.copy_codes(start..end, window);
            end - start
        };
        let place = WindowPlace { pattern: seed.pattern, first: start };
        self.windows.add(&compiled.blocks, place, fill, &mut self.found);
    }
}

/// Spreads 32 bits to the even bits of a 64-bit word.
#[inline(always)]
fn spread(bits: u32) -> u64 {
    let mut word = u64::from(bits);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        word = (word | word << shift) & mask;
    }
    word
}
