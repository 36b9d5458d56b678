//! Forecasts the time of a search in sequences. There is no forecast for text, because the time depends on it.

use super::compiled::Compiled;
use super::cost;
use nigh_tables::seeds::plan::SeedPlan;
use nigh_verify::forecast::{Forecast, PatternSample};

/// Forecasts a search on `threads` cores; `None` if it depends on the text.
pub(super) fn forecast(compiled: &Compiled, threads: usize) -> Option<Forecast> {
    let set = &compiled.patterns;
    if !set.alphabet().is_sequence() || compiled.byte_codes.is_none() {
        return None;
    }
    let PatternSample { patterns, indices, weight } = PatternSample::new(set.patterns());
    let plan = SeedPlan::new(&patterns, &compiled.classes);
    let (mut seeds, mut bitsliced) = (cost::SeedWork::default(), 0.0);
    for (at, &index) in indices.iter().enumerate() {
        match plan.estimate(at).filter(|_| compiled.is_one_block(index)) {
            Some(estimate) => seeds.add(&estimate, weight, compiled.window_cost(index)),
            None => bitsliced += weight * compiled.bitsliced_cost(index),
        }
    }
    let all = compiled.unfiltered_cost();
    let with_seeds = seeds.cost() + if bitsliced > 0.0 { cost::unfiltered([bitsliced].into_iter()) } else { 0.0 };
    let start = if with_seeds < all { seeds.start() } else { 0.0 };
    let seconds = |picoseconds: f64| picoseconds / threads as f64 / 1e12;
    Some(Forecast { start: seconds(start), symbol: seconds(all.min(with_seeds)) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use nigh_pattern::{MaxEdits, PatternSet, PatternSource, Strand};
    use nigh_simd::isa::Isa;
    use nigh_text::alphabet::Alphabet;

    /// Returns the expected time of a search for `count` patterns of 20 bases on both strands, with 16 threads.
    fn seconds(count: usize, k: usize, symbols: f64) -> f64 {
        let builder = PatternSet::builder(Alphabet::Dna).strands(&[Strand::Forward, Strand::Reverse]);
        let sources = vec![PatternSource::new("ACGTTGCATGTCAGTACGGA"); count];
        let set = builder.max_edits(MaxEdits::Count(k)).build(&sources).unwrap();
        let compiled = Compiled::new(Arc::new(set), Isa::all()[0]).unwrap();
        forecast(&compiled, 16).expect("a forecast for sequences").seconds(symbols)
    }

    #[test]
    fn forecasts_are_near_the_measured_times() {
        // 16 cores of a Xeon: benches/records/2026-11-23-libraries.md.
        for (count, k, symbols, measured) in [(10_000, 1, 1e8, 0.10), (10_000, 2, 1e8, 0.36), (1_000, 3, 3.1e9, 2.48)] {
            let expected = seconds(count, k, symbols);
            assert!((measured / 4.0..measured * 4.0).contains(&expected), "{count}, k = {k}: {expected} s");
        }
    }
}
