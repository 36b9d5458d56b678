//! The cost model of a device: chooses between the seed index and a bit-sliced search, and forecasts the time.
//!
//! Costs are in picoseconds for each symbol of text. They are for one H100 or H200. Costs without a measurement beside
//! them are estimates. A test compares the forecasts with measured times.

use nigh_device::abi::SEED_ROWS;
use nigh_pattern::{Pattern, PatternSet};
use nigh_tables::seeds::plan::{SeedEstimate, SeedPlan};
use nigh_text::alignment::SearchEdits;
use nigh_verify::encoder::Classes;
use nigh_verify::forecast::{Forecast, PatternSample};

/// Reading the text, copying it to the device and encoding its symbols, whatever the patterns. One pattern with 16
/// threads: 44 to 56 for each further symbol (an H100).
const TEXT: f64 = 50.0;
/// A row of a pattern in a bit-sliced search.
const CELL: f64 = 0.011;
/// A transition of an automaton, for each level. Picoseconds. 132 expressions of a log with k = 1, 3,815 transitions at
/// two levels: 0.44 s for 240 million symbols (an H100).
const TRANSITION: f64 = 0.24;
/// Looking up the q-grams on both sides of a symbol.
const LOOKUP: f64 = 40.0;
/// Testing an entry. Picoseconds. 200,000 patterns of 20 symbols with k = 3, 33 entries for each symbol: 0.85 ms for 4
/// million symbols.
const TEST: f64 = 6.0;
/// Searching the window of an entry that passed. Picoseconds.
const WINDOW: f64 = 300.0;
/// Taking a hit on one core of the host, from the device to the report. Picoseconds.
const HIT: f64 = 150_000.0;

/// Seconds to open a device and allocate the memory of its scanners. 0.35 to 0.45 before the first of 3.1 billion
/// symbols (an H100).
const OPEN: f64 = 0.4;
/// Seconds to make the tables of a pattern.
const PATTERN: f64 = 4e-6;

/// The cost of searching for a pattern by each method.
#[derive(Debug, Clone, Copy)]
struct DeviceCosts {
    bitsliced: f64,
    /// The cost with the seed index, without the lookup; `None` if the pattern cannot be in the index.
    seeds: Option<f64>,
}

impl DeviceCosts {
    fn new(pattern: &Pattern, estimate: Option<&SeedEstimate>) -> Self {
        let seeds = |estimate: &SeedEstimate| estimate.rate * (TEST + estimate.passing * WINDOW);
        DeviceCosts { bitsliced: pattern.symbols().len() as f64 * CELL, seeds: estimate.map(seeds) }
    }

    /// Returns the cost that the seed index saves; `None` if it saves nothing.
    fn saving(&self) -> Option<f64> {
        self.seeds.map(|seeds| self.bitsliced - seeds).filter(|&saving| saving > 0.0)
    }
}

/// Marks the patterns that cost less with the index than bit-sliced. Returns `None` if the lookups cost more than these
/// patterns save together.
pub(super) fn cheaper_with_seeds(patterns: &[Pattern], estimates: &[Option<SeedEstimate>]) -> Option<Vec<bool>> {
    let savings = patterns.iter().zip(estimates);
    let savings = savings.map(|(pattern, estimate)| DeviceCosts::new(pattern, estimate.as_ref()).saving());
    let savings: Vec<Option<f64>> = savings.collect();
    let all: f64 = savings.iter().flatten().sum();
    (all > LOOKUP).then(|| savings.iter().map(Option::is_some).collect())
}

/// Estimates the cost of a pattern in the seed index; `None` if it cannot be in the index.
pub(super) fn estimate(plan: &SeedPlan, index: usize, pattern: &Pattern) -> Option<SeedEstimate> {
    let is_possible = pattern.symbols().len() <= SEED_ROWS && pattern.edit_model() == SearchEdits::Levenshtein;
    if is_possible { plan.estimate(index) } else { None }
}

/// Forecasts a search on a device beside `threads` cores.
pub(crate) fn forecast(set: &PatternSet, threads: usize) -> Forecast {
    if set.has_expressions() {
        let symbol: f64 = set.patterns().iter().map(automaton).sum();
        return Forecast { start: OPEN, symbol: (TEXT + symbol) / 1e12 };
    }
    let sample = PatternSample::new(set.patterns());
    let rows: usize = set.patterns().iter().map(Pattern::max_match_len).sum();
    let symbol = with_seeds(set, &sample, threads).unwrap_or(rows as f64 * CELL);
    Forecast { start: OPEN + PATTERN * set.patterns().len() as f64, symbol: (TEXT + symbol) / 1e12 }
}

/// Returns the cost of simulating the automaton of an expression.
fn automaton(pattern: &Pattern) -> f64 {
    let transitions = pattern.expression().map_or(0, |expression| expression.transitions().len());
    ((pattern.k() + 1) * transitions) as f64 * TRANSITION
}

/// Returns the cost of a search with the seed index; `None` if it does not pay.
fn with_seeds(set: &PatternSet, sample: &PatternSample, threads: usize) -> Option<f64> {
    if !set.alphabet().is_sequence() {
        return None;
    }
    let PatternSample { patterns, weight, .. } = sample;
    let classes = Classes::for_patterns(set.alphabet(), patterns.iter()).ok()?;
    let plan = SeedPlan::new(patterns, &classes);
    let (mut saved, mut cost) = (0.0, 0.0);
    for (index, pattern) in patterns.iter().enumerate() {
        let estimate = estimate(&plan, index, pattern);
        let costs = DeviceCosts::new(pattern, estimate.as_ref());
        let saving = costs.saving().unwrap_or(0.0);
        let hits = estimate.map_or(0.0, |estimate| estimate.rate * estimate.passing * HIT / threads as f64);
        saved += weight * saving;
        cost += weight * (costs.bitsliced - saving + hits);
    }
    (saved > LOOKUP).then_some(LOOKUP + cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;

    fn seconds(count: usize, length: usize, k: usize) -> f64 {
        let pattern = "ACGTTGCATGTCAGTACGGA".repeat(length.div_ceil(20))[..length].to_owned();
        let sources = vec![PatternSource::new(pattern.as_str()); count];
        let set = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(k)).build(&sources).unwrap();
        forecast(&set, 16).seconds(3.1e9)
    }

    #[test]
    fn forecasts_are_near_the_measured_times() {
        // One H200 with 16 cores, 3.1 GB: 3.9 to 4.5 s, 0.63 to 0.72 s, 2.7 to 2.9 s. One H100: 0.52 to 0.58 s.
        let measured = [(200_000, 20, 3, 4.2), (2_000, 20, 3, 0.67), (2, 10_000, 1_000, 2.8), (2, 20, 3, 0.55)];
        for (count, length, k, measured) in measured {
            let forecast = seconds(count, length, k);
            assert!((0.4..2.0).contains(&(forecast / measured)), "{count} patterns: {forecast} s");
        }
    }
}
