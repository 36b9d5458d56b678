//! Seed-and-verify filters. Seeds are parts of a pattern, and every match contains at least one of them, exact or with
//! one edit. So only the text around seeds is searched, and no match is missed.
//!
//! Reading order: `scanner` (the two filters and their use per batch), `choice` (when a filter is chosen) and `budget`
//! (when it gives a pattern up). Then, for text, `pigeonhole` (choosing seeds), `teddy` (finding seeds) and `text`
//! (verification); for sequences, `group_gate`, `index_build`, `residue_planes`, `seed_finder` (looking up the index),
//! `seed_lanes` and `seed_test` (testing what it leads to), and `sequence` (verification). `windows` searches the
//! candidate windows of both filters.

pub(super) mod budget;
pub(super) mod choice;
mod group_gate;
mod index_build;
pub mod pigeonhole;
mod residue_planes;
pub(super) mod scanner;
mod seed_finder;
mod seed_lanes;
mod seed_test;
pub(super) mod sequence;
pub(super) mod text;
pub mod text_seeds;
pub(super) mod windows;

use group_gate::GroupGate;
use nigh_tables::seeds::index::SeedIndex;
use nigh_tables::seeds::layout::LENGTH;
use text_seeds::SeedFinder;

/// A filter for the patterns of an engine.
pub(crate) struct Filter {
    seeds: FilterSeeds,
    /// For each pattern, whether the filter covers it.
    pub(crate) filtered: Vec<bool>,
    /// The cost of a search with the filter, in the units of [`cost`](crate::cost).
    pub(crate) cost: f64,
}

/// The seeds of a filter.
enum FilterSeeds {
    /// Pigeonhole seeds in lines of text.
    Text(SeedFinder),
    /// Seed indexes for sequences.
    Sequences(Vec<GatedIndex>),
}

impl Filter {
    /// Describes the seeds for display.
    pub(crate) fn description(&self) -> String {
        let count = self.filtered.iter().filter(|&&filtered| filtered).count();
        let seeds = match &self.seeds {
            FilterSeeds::Text(finder) => finder.description(),
            FilterSeeds::Sequences(indexes) => index_plan(indexes),
        };
        format!("filter: {count} patterns, {seeds}")
    }
}

/// A seed index, and the gate that limits the positions of its seeds.
pub(crate) struct GatedIndex {
    pub(crate) index: SeedIndex,
    /// `None` if the seeds can be anywhere.
    pub(crate) gate: Option<GroupGate>,
}

/// Describes seed indexes for display.
fn index_plan(indexes: &[GatedIndex]) -> String {
    let entries: usize = indexes.iter().map(|gated| gated.index.entries()).sum();
    let rows = indexes.iter().map(|gated| gated.index.tests().rows).max().unwrap_or(0);
    let groups = match indexes.iter().filter(|gated| gated.gate.is_some()).count() {
        0 => String::new(),
        kinds => format!(", looked up only near exact groups of {kinds} kinds"),
    };
    format!("seed index, {entries} entries of {LENGTH} residues, tests of {rows} residues{groups}")
}
