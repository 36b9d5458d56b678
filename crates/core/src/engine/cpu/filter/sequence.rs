//! Searches sequences only around the seeds that the seed index finds.

use super::budget::FilterBudget;
use super::group_gate::GateMasks;
use super::index_build::BuiltIndex;
use super::residue_planes::ResiduePlanes;
use super::seed_finder::{CandidateEnd, IndexSeedFinder, SeedText, SeedsFound};
use super::windows::{CandidateWindows, MAX_WINDOW, WindowHit, WindowPlace};
use crate::engine::cpu::bitslice::bitsliced_batch::{BitslicedBatch, HitCursor};
use crate::engine::cpu::bitslice::planes::{PlaneLayout, PlaneOrder, Planes};
use crate::engine::cpu::compiled::{Compiled, CompiledSection};
use crate::engine::cpu::kept::{HitCompleteness, KeptHit, exceeds};
use crate::engine::encoder::Code;
use crate::engine::seeds::layout::LENGTH;
use crate::interrupt;

/// A filter that finds patterns in sequences by a seed index.
pub(crate) struct SequenceFilter {
    built: BuiltIndex,
}

impl SequenceFilter {
    pub(crate) fn new(built: BuiltIndex) -> Self {
        SequenceFilter { built }
    }

    /// Describes the index for display.
    pub(crate) fn plan(&self) -> String {
        let indexes = || self.built.indexes.iter();
        let entries: usize = indexes().map(|gated| gated.index.entries()).sum();
        let rows = indexes().map(|gated| gated.index.tests().rows).max().unwrap_or(0);
        let groups = match indexes().filter(|gated| gated.gate.is_some()).count() {
            0 => String::new(),
            kinds => format!(", looked up only near exact groups of {kinds} kinds"),
        };
        format!("seed index, {entries} entries of {LENGTH} residues, tests of {rows} residues{groups}")
    }

    /// Returns, for each pattern, whether the filter covers it.
    pub(crate) fn filtered(&self) -> &[bool] {
        &self.built.filtered
    }

    /// Returns the cost of a search with the filter, in the units of [`cost`](crate::engine::cpu::cost).
    pub(crate) fn cost(&self) -> f64 {
        self.built.cost
    }
}

/// Searches batches of sequences for the patterns of a filter.
pub(crate) struct SequenceScanner {
    planes: Planes,
    residues: ResiduePlanes,
    gate: GateMasks,
    finder: IndexSeedFinder,
    candidates: Vec<CandidateEnd>,
    windows: CandidateWindows,
    found: Vec<WindowHit>,
}

/// The number of candidates that are searched before the hits are counted.
const CANDIDATES: usize = 1 << 14;

impl SequenceScanner {
    pub(crate) fn new() -> Self {
        SequenceScanner {
            planes: Planes::default(),
            residues: ResiduePlanes::default(),
            gate: GateMasks::default(),
            finder: IndexSeedFinder::new(),
            candidates: Vec::new(),
            windows: CandidateWindows::new(),
            found: Vec::new(),
        }
    }

    /// Appends the hits of the patterns that stay active, unordered and with repetitions.
    pub(crate) fn scan(
        &mut self,
        search: CompiledSection<'_>,
        filter: &SequenceFilter,
        budget: &mut FilterBudget,
        hits: &mut Vec<KeptHit>,
    ) -> HitCompleteness {
        let CompiledSection { compiled, section } = search;
        let codes = compiled.byte_codes.as_ref().expect("the filter needs codes that fit the planes");
        let layout = PlaneLayout { isa: compiled.isa, order: PlaneOrder::ByText, min_steps: 0 };
        self.planes.fill(layout, &compiled.classes, codes, section);
        self.residues.fill(self.planes.in_order(0), self.planes.in_order(1), self.planes.symbols());
        self.candidates.clear();
        let mut limit = budget.affordable_tests(self.planes.symbols());
        for gated in &filter.built.indexes {
            interrupt::check();
            let gate = gated.gate.as_ref().map(|gate| {
                self.gate.fill(gate, &self.residues);
                &self.gate
            });
            let text = SeedText { isa: compiled.isa, residues: &self.residues, gate };
            let seeds = self.finder.find(text, &gated.index, &mut limit, &mut self.candidates);
            if seeds == SeedsFound::TooMany {
                budget.give_up_all();
                return HitCompleteness::All;
            }
        }
        // Sorted by pattern, so that the tables of a pattern are loaded once.
        self.candidates.sort_unstable();
        self.candidates.dedup();
        let candidates = std::mem::take(&mut self.candidates);
        let mut kept = HitCompleteness::All;
        for (nth, some) in (1..).zip(candidates.chunks(CANDIDATES)) {
            interrupt::check();
            some.iter().for_each(|&candidate| self.search_around(compiled, candidate, budget));
            self.windows.search(&compiled.blocks, &mut self.found);
            self.take_found(search, hits);
            if exceeds(hits, compiled.max_hits) {
                kept = HitCompleteness::too_many(hits.len(), [nth * CANDIDATES, candidates.len()], compiled.max_hits);
                break;
            }
        }
        self.candidates = candidates;
        kept
    }

    /// Turns hits in windows into hits of the batch.
    fn take_found(&mut self, search: CompiledSection<'_>, hits: &mut Vec<KeptHit>) {
        let CompiledSection { compiled, section } = search;
        let bitsliced = BitslicedBatch { compiled, section, planes: &self.planes };
        let mut cursor = HitCursor::new();
        let found = self.found.drain(..);
        let found = found.filter_map(|found| bitsliced.hit(found.pattern, found.last, found.distance, &mut cursor));
        hits.extend(found.map(KeptHit::from));
    }

    /// Searches the window of a candidate, if the budget allows it.
    #[inline]
    fn search_around(&mut self, compiled: &Compiled, candidate: CandidateEnd, budget: &mut FilterBudget) {
        let (pattern, nominal_end) = (candidate.pattern as usize, candidate.end as usize);
        if !budget.try_spend(pattern, 1) {
            return;
        }
        let blocks = &compiled.blocks[pattern];
        let start = nominal_end.saturating_sub(blocks.length() + blocks.k());
        let end = (nominal_end + blocks.k()).min(self.planes.symbols());
        let planes = &self.planes;
        let fill = |window: &mut [Code; MAX_WINDOW]| {
            planes.copy_codes(start..end, window);
            end - start
        };
        self.windows.add(&compiled.blocks, WindowPlace { pattern, first: start }, fill, &mut self.found);
    }
}
