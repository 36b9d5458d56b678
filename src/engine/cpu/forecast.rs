//! Forecasts the time of a search in sequences. That of a search in text depends on the text.

use super::compiled::Compiled;
use super::cost;
use crate::engine::forecast::{Forecast, PatternSample};
use crate::engine::seeds::plan::SeedPlan;

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
    let picoseconds = all.min(with_seeds) / threads as f64;
    Some(Forecast { start: start / threads as f64, symbol: picoseconds / 1e12 })
}
