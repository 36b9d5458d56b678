//! The cost model: chooses how to search for each pattern.
//!
//! Costs are in picoseconds per symbol of text, on one core of a Zen 4 server, unless stated otherwise. They need not
//! be exact: a filter that costs more than it saves is given up during the search.

use std::time::Duration;

use nigh_pattern::Pattern;
use nigh_tables::seeds::plan::SeedEstimate;

/// Making the bit planes of the text, once for all patterns of a bit-sliced search.
const PLANES: f64 = 250.0;
/// One row of a pattern in a bit-sliced step over all streams. Picoseconds per step.
const ROW: f64 = 1_200.0;
/// Finding the streams whose symbol is in a symbol set of a pattern. Picoseconds per step and set.
const SET: f64 = 800.0;
/// Checking every byte for seeds with Teddy.
const TEDDY: f64 = 60.0;
/// Checking every byte for seeds with a seed table.
const SEED_TABLE: f64 = 700.0;
/// Looking up the q-gram at every residue, and making the bit planes for it.
const QGRAMS: f64 = 700.0;
/// Looking up and testing one seed. Picoseconds. One core of a Xeon of the fourth generation, 20 symbols, k = 3: 27 ns
/// with 2,000 patterns, 12 ns with 20,000, 6 ns with 200,000, whose entries are tested together.
const SEED: f64 = 10_000.0;
/// Making the planes of residues, and looking for each q-gram among those of the index.
const RESIDUES: f64 = 3_000.0;
/// Loading the entries of a q-gram. Picoseconds.
const SLOT: f64 = 43_000.0;
/// Testing an entry among many. Picoseconds.
const ENTRY: f64 = 5_000.0;
/// Putting an entry into the index. Picoseconds. One core of a Zen 5 server: 47 ns with 43 million entries.
const BUILD: f64 = 50_000.0;
/// Starting to search one window for a whole pattern, together with three other windows. Picoseconds.
const WINDOW: f64 = 50_000.0;
/// Starting to search one window for a whole pattern, alone. Picoseconds.
const WINDOW_ALONE: f64 = 1_000_000.0;
/// Searching one symbol of a window, for each block of the pattern. Picoseconds.
const WINDOW_SYMBOL: f64 = 2_000.0;

/// Starting to search one window for a pattern whose prefix was found there. Picoseconds.
const WINDOW_OF_PREFIX: f64 = 3_000_000.0;
/// One symbol of text in one block of block-based Myers. Picoseconds.
const BLOCK: f64 = 2_600.0;

/// The cost of searching for a pattern by each method, per symbol of text.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchCosts {
    /// The cost of bit-slicing.
    pub(super) bitsliced: f64,
    /// The cost of searching the windows that the filter passes; `None` if the filter cannot cover the pattern.
    pub(super) filtered: Option<f64>,
}

/// Returns the cost of a bit-sliced search for a pattern of `rows` rows with `sets` distinct symbol sets.
pub(super) fn bitsliced(rows: usize, sets: usize, streams: usize) -> f64 {
    (rows as f64 * ROW + sets as f64 * SET) / streams as f64
}

/// The seeds of all patterns together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeedWork {
    /// The number of entries of the index.
    entries: f64,
    /// The number of entries that a residue of random text leads to.
    rate: f64,
    /// The cost of searching the windows of the entries that pass their test.
    windows: f64,
}

impl SeedWork {
    /// Adds `count` patterns, each with the cost `estimate` and windows of the cost `window`.
    pub(super) fn add(&mut self, estimate: &SeedEstimate, count: f64, window: f64) {
        self.entries += count * estimate.entries;
        self.rate += count * estimate.rate;
        self.windows += count * estimate.rate * estimate.passing * window;
    }

    /// Returns the cost of the search. Counts a lookup once for each residue, unlike [`seed`], which counts it for each
    /// seed.
    pub(super) fn cost(&self) -> f64 {
        let found = 1.0 - (-self.rate).exp();
        RESIDUES + found * SLOT + self.rate * ENTRY + self.windows
    }

    /// Returns the time on one core to build the index. Picoseconds.
    pub(super) fn start(&self) -> f64 {
        self.entries * BUILD
    }
}

/// Returns the cost of searching one window for a pattern of `symbols` symbols in `blocks` blocks with at most `k`
/// edits.
pub(super) fn window(symbols: usize, blocks: usize, k: usize) -> f64 {
    let start = if blocks == 1 { WINDOW } else { WINDOW_ALONE };
    start + WINDOW_SYMBOL * (blocks * (symbols + 2 * k)) as f64
}

/// Returns the cost of testing a seed, plus the cost `window` of searching its window for the share `passing` of seeds
/// that pass.
pub(super) fn seed(passing: f64, window: f64) -> f64 {
    SEED + passing * window
}

/// The pass of a filter over the text. Its cost per byte does not depend on the number of candidates.
#[derive(Debug, Clone, Copy)]
pub(super) enum FilterPass {
    /// All seeds in one vectorised pass (Teddy).
    Teddy,
    /// A lookup of seeds in a hash table.
    SeedTable,
    /// A lookup of q-grams in the seed index.
    Seeds,
}

impl FilterPass {
    fn cost(self) -> f64 {
        match self {
            FilterPass::Teddy => TEDDY,
            FilterPass::SeedTable => SEED_TABLE,
            FilterPass::Seeds => QGRAMS,
        }
    }
}

/// Chooses the patterns to filter: all of them, which saves the bit planes, or the patterns that are cheaper with the
/// filter. Returns for each pattern whether it is filtered, or `None` if the filter does not pay. `offers` has the
/// costs of each pattern.
pub(super) fn filtered(offers: &[SearchCosts], pass: FilterPass) -> Option<Vec<bool>> {
    let none = unfiltered(offers.iter().map(|offer| offer.bitsliced));
    let all = pass.cost() + offers.iter().map(|offer| offer.filtered.unwrap_or(f64::INFINITY)).sum::<f64>();
    let cheaper =
        offers.iter().map(|offer| offer.filtered.map_or(offer.bitsliced, |filtered| filtered.min(offer.bitsliced)));
    let some = pass.cost() + PLANES + cheaper.sum::<f64>();
    if none <= all.min(some) {
        return None;
    }
    if all <= some {
        return Some(vec![true; offers.len()]);
    }
    let is_cheaper = |offer: &SearchCosts| offer.filtered.is_some_and(|filtered| filtered < offer.bitsliced);
    Some(offers.iter().map(is_cheaper).collect())
}

/// Returns the cost of a bit-sliced search for all patterns, given the cost of each.
pub(super) fn unfiltered(bitsliced: impl Iterator<Item = f64>) -> f64 {
    PLANES + bitsliced.sum::<f64>()
}

/// Returns the cost of filtering the patterns that `filtered` marks, and searching for the others bit-sliced.
pub(super) fn with_filter(offers: &[SearchCosts], filtered: &[bool], pass: FilterPass) -> f64 {
    let planes = if filtered.contains(&false) { PLANES } else { 0.0 };
    let each = offers.iter().zip(filtered).map(|(offer, &is_filtered)| {
        if is_filtered { offer.filtered.unwrap_or(offer.bitsliced) } else { offer.bitsliced }
    });
    pass.cost() + planes + each.sum::<f64>()
}

/// Returns the cost of block-based Myers for patterns with `blocks` blocks in total.
pub(super) fn in_blocks(blocks: usize) -> f64 {
    blocks as f64 * BLOCK
}

/// Returns the time for `symbols` symbols at `cost` picoseconds each.
pub(super) fn time(cost: f64, symbols: usize) -> Duration {
    const PICOSECONDS: f64 = 1e12;
    Duration::try_from_secs_f64(cost * symbols as f64 / PICOSECONDS).unwrap_or(Duration::MAX)
}

/// Returns the number of windows that a filter may search for a pattern in `symbols` symbols of text. The limit is
/// about the number that costs as much as a bit-sliced search. `bitsliced` is the cost of that search without planes,
/// and `window` the cost of a window. The cost of the planes is divided among `shares` patterns.
pub(super) fn affordable_windows(bitsliced: f64, window: f64, shares: usize, symbols: usize) -> usize {
    ((bitsliced + PLANES / shares as f64) * symbols as f64 / window) as usize + 1
}

/// Returns the number of seeds that may be tested in `symbols` symbols of text. The limit is about the number that
/// costs as much as a bit-sliced search for all patterns, whose cost is `bitsliced`.
pub(super) fn affordable_tests(bitsliced: f64, symbols: usize) -> usize {
    ((bitsliced + PLANES) * symbols as f64 / SEED) as usize
}

/// Returns the length of the prefix to search for: long enough to make candidates rare in random DNA, or the whole
/// pattern if a prefix would save little.
///
/// One core of a Zen 4 server, 100 Mb of random DNA on both strands: with 2.5k + 12 and with 2.25k + 12 rows, 1,000
/// symbols with k = 100 took 0.166 and 0.149 s, and 100 symbols with k = 10 took 0.050 and 0.041 s.
pub(super) fn prefix_rows(pattern: &Pattern) -> usize {
    const MIN_SAVED: usize = 4;
    let enough = 9 * pattern.k() / 4 + 12;
    let all = pattern.symbols().len();
    if all >= enough + MIN_SAVED { enough } else { all }
}

/// The windows to search for a whole pattern after its prefix was found there.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrefixWindows {
    pub(super) windows: usize,
    /// The number of symbols in all windows together.
    pub(super) symbols: usize,
    /// The number of blocks for the longest match, an upper bound for the blocks of the pattern.
    pub(super) blocks: usize,
}

/// Returns whether searching the windows costs less than a bit-sliced search for the `rest` rows after the prefix, in
/// streams of `steps` steps.
pub(super) fn prefix_pays(searched: PrefixWindows, rest: usize, steps: usize) -> bool {
    let cost = searched.windows as f64 * WINDOW_OF_PREFIX + (searched.symbols * searched.blocks) as f64 * BLOCK;
    cost <= rest as f64 * ROW * steps as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_covers_the_patterns_that_it_makes_cheaper() {
        let offer = |bitsliced: f64, filtered: Option<f64>| SearchCosts { bitsliced, filtered };
        let rare = offer(40.0, Some(1.0));
        let frequent = offer(40.0, Some(2.0 * PLANES));
        let short = offer(40.0, None);
        assert_eq!(filtered(&[rare], FilterPass::Teddy), Some(vec![true]));
        assert_eq!(filtered(&[frequent], FilterPass::Teddy), None);
        assert_eq!(filtered(&[rare, short], FilterPass::Teddy), None, "the other pattern needs the planes");
        let many = [&[rare; 40][..], &[short, frequent]].concat();
        let expected = [&[true; 40][..], &[false, false]].concat();
        assert_eq!(filtered(&many, FilterPass::SeedTable), Some(expected));
        let dearer = offer(40.0, Some(60.0));
        assert_eq!(filtered(&[dearer], FilterPass::Teddy), Some(vec![true]), "no planes are made");
    }
}
