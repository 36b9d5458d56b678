//! Searches sequences only around the seeds that the seed index finds.

use std::ops::Range;

use super::GatedIndex;
use super::budget::FilterBudget;
use super::group_gate::GateMasks;
use super::residue_planes::ResiduePlanes;
use super::seed_finder::{CandidateEnd, IndexSeedFinder, SeedText, SeedsFound};
use super::windows::{CandidateWindows, MAX_WINDOW, WindowHit, WindowPlace};
use crate::bitslice::bitsliced_batch::{BitslicedBatch, HitCursor};
use crate::bitslice::planes::{PlaneLayout, PlaneOrder, Planes};
use crate::compiled::{Compiled, CompiledSection};
use crate::sections::kept::{HitCompleteness, KeptHit, exceeds, keep_each_once};
use nigh_text::hit::Hit;
use nigh_text::interrupt;
use nigh_verify::encoder::Code;

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

    /// Adds the hits of the patterns that stay active to `hits`, which is empty.
    pub(crate) fn scan(
        &mut self,
        search: CompiledSection<'_>,
        indexes: &[GatedIndex],
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
        for gated in indexes {
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
            self.search_around(compiled, some, budget);
            hits.extend(self.found.drain(..).map(|WindowHit { pattern, last, distance }| {
                KeptHit::from(Hit { end: last, pattern, distance, start: None })
            }));
            if exceeds(hits, compiled.hit_capacity) {
                kept =
                    HitCompleteness::too_many(hits.len(), [nth * CANDIDATES, candidates.len()], compiled.hit_capacity);
                break;
            }
        }
        self.candidates = candidates;
        if kept == HitCompleteness::All {
            self.take_found(search, hits);
        }
        kept
    }

    /// Turns hits in windows, whose ends are indices of symbols, into hits of the batch. In the order of the text, the
    /// offset of one end is near that of the end before.
    fn take_found(&self, CompiledSection { compiled, section }: CompiledSection<'_>, hits: &mut Vec<KeptHit>) {
        keep_each_once(hits);
        let bitsliced = BitslicedBatch { compiled, section, planes: &self.planes };
        let mut cursor = HitCursor::new();
        hits.retain_mut(|hit| {
            let Hit { end: last, pattern, distance, .. } = (*hit).into();
            let verified = bitsliced.hit(pattern, last, distance, &mut cursor);
            verified.is_some_and(|verified| {
                *hit = verified.into();
                true
            })
        });
    }

    /// Searches the windows of candidates, which are sorted, if the budget allows it. Candidates of a pattern whose windows
    /// overlap get one window, as long as two at most.
    fn search_around(&mut self, compiled: &Compiled, candidates: &[CandidateEnd], budget: &mut FilterBudget) {
        let mut left = candidates;
        while let [first, others @ ..] = left {
            let blocks = &compiled.blocks[first.pattern as usize];
            let (length, k) = (blocks.length(), blocks.k());
            let single = length + 2 * k;
            let max_spread = single.min(MAX_WINDOW - single) as u32;
            let is_near = |other: &&CandidateEnd| other.pattern == first.pattern && other.end - first.end <= max_spread;
            let (near, rest) = others.split_at(others.iter().take_while(is_near).count());
            left = rest;
            let last_end = near.last().map_or(first.end, |last| last.end);
            if budget.try_spend(first.pattern as usize, 1) {
                let start = (first.end as usize).saturating_sub(length + k);
                let end = (last_end as usize + k).min(self.planes.symbols());
                self.search_window(compiled, first.pattern as usize, start..end);
            }
        }
        self.windows.search(&compiled.blocks, &mut self.found);
    }

    fn search_window(&mut self, compiled: &Compiled, pattern: usize, symbols: Range<usize>) {
        let planes = &self.planes;
        let fill = |window: &mut [Code; MAX_WINDOW]| {
            planes.copy_codes(symbols.clone(), window);
            symbols.len()
        };
        self.windows.add(&compiled.blocks, WindowPlace { pattern, first: symbols.start }, fill, &mut self.found);
    }
}
