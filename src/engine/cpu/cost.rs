//! Chooses how each pattern is searched for, from what every way costs.
//!
//! Costs are picoseconds for each symbol of the text, on one core of a Zen 4 server. They need not be right to be useful:
//! a filter that costs more than it saves is given up while searching.

use std::time::Duration;

use crate::pattern::Pattern;

/// Making planes of the text, once for all patterns that are searched in slices.
const PLANES: f64 = 250.0;
/// One row of a pattern in slices, for as many symbols as there are streams; and finding where the text is in one of its
/// sets of symbols.
const ROW: f64 = 1_200.0;
const SET: f64 = 800.0;
/// Looking at every byte for seeds, all at once or in a table.
const TEDDY: f64 = 60.0;
const SEED_TABLE: f64 = 700.0;
/// Looking up the run of residues at every residue, planes and all.
const QGRAMS: f64 = 700.0;
/// Searching a window for a whole pattern, among others or alone, and each symbol of it.
const WINDOW: f64 = 50_000.0;
const WINDOW_ALONE: f64 = 1_000_000.0;
const WINDOW_SYMBOL: f64 = 2_000.0;

/// Starting to search a window for a pattern whose prefix was found there.
const WINDOW_OF_PREFIX: f64 = 3_000_000.0;
/// A cell of the matrix that verifies one hit, and a symbol of the text in each word of rows. Measured on a Xeon of the fourth
/// generation: 370,000 hits of 100 symbols with k = 99, a matrix of 10,000 cells each, took 20 s.
const CELL: f64 = 5_000.0;
const BLOCK: f64 = 2_600.0;

/// What a pattern would cost for each symbol of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchCosts {
    /// In slices.
    pub(super) bitsliced: f64,
    /// In the windows that a filter leaves; nothing if there is no filter for it.
    pub(super) filtered: Option<f64>,
}

/// What it costs to search a pattern in slices that has so many rows of so many different sets.
pub(super) fn bitsliced((rows, sets): (usize, usize), streams: usize) -> f64 {
    (rows as f64 * ROW + sets as f64 * SET) / streams as f64
}

/// What it costs to search one window for a pattern of so many symbols, in so many words, with so many errors.
pub(super) fn window((symbols, blocks): (usize, usize), k: usize) -> f64 {
    let alone = if blocks == 1 { WINDOW } else { WINDOW_ALONE };
    alone + WINDOW_SYMBOL * (blocks * (symbols + 2 * k)) as f64
}

/// What a filter costs for each byte of the text, whatever it lets pass.
#[derive(Debug, Clone, Copy)]
pub(super) enum FilterPass {
    /// All seeds are looked for at once.
    Teddy,
    /// Pieces are looked up in a table.
    SeedTable,
    /// Runs of residues are looked up in a table.
    QGrams,
}

impl FilterPass {
    fn cost(self) -> f64 {
        match self {
            FilterPass::Teddy => TEDDY,
            FilterPass::SeedTable => SEED_TABLE,
            FilterPass::QGrams => QGRAMS,
        }
    }
}

/// Which patterns are to be filtered, if a filter pays at all: none, all of them, which saves the planes, or those that
/// are cheaper with it.
pub(super) fn filtered(offers: &[SearchCosts], pass: FilterPass) -> Option<Vec<bool>> {
    let none = unfiltered(offers.iter().map(|offer| offer.bitsliced));
    let all = pass.cost() + offers.iter().map(|offer| offer.filtered.unwrap_or(f64::INFINITY)).sum::<f64>();
    let cheaper =
        offers.iter().map(|offer| offer.filtered.map_or(offer.bitsliced, |filtered| filtered.min(offer.bitsliced)));
    let some = pass.cost() + PLANES + cheaper.sum::<f64>();
    match none <= all.min(some) {
        true => None,
        false if all <= some => Some(vec![true; offers.len()]),
        false => {
            Some(offers.iter().map(|offer| offer.filtered.is_some_and(|filtered| filtered < offer.bitsliced)).collect())
        }
    }
}

/// The cost of searching all patterns in slices, given the cost of each.
pub(super) fn unfiltered(bitsliced: impl Iterator<Item = f64>) -> f64 {
    PLANES + bitsliced.sum::<f64>()
}

/// The cost of searching some patterns by a filter and the others in slices.
pub(super) fn with_filter(offers: &[SearchCosts], filtered: &[bool], pass: FilterPass) -> f64 {
    let planes = if filtered.contains(&false) { PLANES } else { 0.0 };
    let each = offers.iter().zip(filtered).map(|(offer, &is_filtered)| match is_filtered {
        true => offer.filtered.unwrap_or(offer.bitsliced),
        false => offer.bitsliced,
    });
    pass.cost() + planes + each.sum::<f64>()
}

/// The cost of searching patterns that have this number of words together.
pub(super) fn in_blocks(blocks: usize) -> f64 {
    blocks as f64 * BLOCK
}

/// The time for some symbols, given the cost of each.
pub(super) fn time(cost: f64, symbols: usize) -> Duration {
    const PICOSECONDS: f64 = 1e12;
    Duration::try_from_secs_f64(cost * symbols as f64 / PICOSECONDS).unwrap_or(Duration::MAX)
}

/// How many windows of a pattern in some text are worth searching, when it could be searched in slices for this cost and
/// shares the planes with so many others.
pub(super) fn affordable_windows(bitsliced: f64, window: f64, shares: usize, symbols: usize) -> usize {
    ((bitsliced + PLANES / shares as f64) * symbols as f64 / window) as usize + 1
}

/// How many symbols of a pattern are searched for: enough to make candidates rare in random DNA, or all if that would
/// save little.
///
/// One core of a Zen 4 server, 100 Mb of random DNA on both strands: 1,000 symbols with k = 100 in 0.166 s with 2.5k + 12 and
/// 0.149 s with 2.25k + 12 rows, 100 symbols with k = 10 in 0.050 and 0.041 s.
pub(super) fn prefix_rows(pattern: &Pattern) -> usize {
    const MIN_SAVED: usize = 4;
    let enough = 9 * pattern.k() / 4 + 12;
    let all = pattern.symbols().len();
    if all >= enough + MIN_SAVED { enough } else { all }
}

/// The windows in which a whole pattern is searched for where its prefix was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrefixWindows {
    pub(super) windows: usize,
    /// Symbols of all windows.
    pub(super) symbols: usize,
    /// Words of the pattern.
    pub(super) blocks: usize,
}

/// Whether it costs less to search some windows for a pattern than to search in slices for the rows behind its prefix,
/// in streams of this number of steps.
pub(super) fn prefix_pays(searched: PrefixWindows, rest: usize, steps: usize) -> bool {
    let cost = searched.windows as f64 * WINDOW_OF_PREFIX + (searched.symbols * searched.blocks) as f64 * BLOCK;
    cost <= rest as f64 * ROW * steps as f64
}

/// Hits that were found in slices, and the batch they are in.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnverifiedHits {
    pub(super) hits: usize,
    /// Symbols of the pattern.
    pub(super) rows: usize,
    pub(super) k: usize,
    /// Symbols of the batch, and those whose matches may reach over the start of their line or record.
    pub(super) symbols: usize,
    pub(super) near_starts: usize,
    /// Words that all patterns have together.
    pub(super) blocks: usize,
}

/// Whether it costs more to verify the hits near the starts of lines than to search the batch in words, which know lines.
pub(super) fn is_cheaper_in_blocks(found: UnverifiedHits) -> bool {
    let share = found.near_starts.min(found.symbols) as f64 / found.symbols.max(1) as f64;
    let cells = (found.rows * (found.k + 1)) as f64;
    found.hits as f64 * share * cells * CELL > (found.symbols * found.blocks) as f64 * BLOCK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_for_what_it_makes_cheaper() {
        let offer = |bitsliced: f64, filtered: Option<f64>| SearchCosts { bitsliced, filtered };
        let rare = offer(40.0, Some(1.0));
        let frequent = offer(40.0, Some(2.0 * PLANES));
        let short = offer(40.0, None);
        assert_eq!(filtered(&[rare], FilterPass::Teddy), Some(vec![true]));
        assert_eq!(filtered(&[frequent], FilterPass::Teddy), None);
        assert_eq!(filtered(&[rare, short], FilterPass::Teddy), None, "the planes are made in any case");
        let many = [&[rare; 40][..], &[short, frequent]].concat();
        let expected = [&[true; 40][..], &[false, false]].concat();
        assert_eq!(filtered(&many, FilterPass::SeedTable), Some(expected));
        let dearer = offer(40.0, Some(60.0));
        assert_eq!(filtered(&[dearer], FilterPass::Teddy), Some(vec![true]), "no planes are made");
    }

    #[test]
    fn hits_near_the_starts_of_lines_are_settled_while_they_are_few() {
        let found = UnverifiedHits { hits: 10, rows: 100, k: 99, symbols: 400_000, near_starts: 380_000, blocks: 2 };
        assert!(!is_cheaper_in_blocks(found));
        assert!(is_cheaper_in_blocks(UnverifiedHits { hits: 370_000, ..found }));
        assert!(!is_cheaper_in_blocks(UnverifiedHits { hits: 370_000, near_starts: 20, ..found }), "few lines");
        assert!(!is_cheaper_in_blocks(UnverifiedHits { hits: 2_000, rows: 20, k: 2, ..found }), "small matrices");
    }
}
