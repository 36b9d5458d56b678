//! Forecasts of the time of a search, made from the patterns before any text is seen.

use nigh_pattern::Pattern;

/// The largest number of patterns that a forecast looks at.
const SAMPLE: usize = 256;

/// The expected time of a search on all cores or on a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Seconds before the first symbol is searched.
    pub start: f64,
    /// Seconds for each symbol of text.
    pub symbol: f64,
}

impl Forecast {
    /// Returns the seconds for `symbols` symbols.
    pub fn seconds(&self, symbols: f64) -> f64 {
        self.start + self.symbol * symbols
    }
}

/// A sample of the patterns of a set.
pub struct PatternSample {
    /// Patterns at equal distances in the set.
    pub patterns: Vec<Pattern>,
    /// The index in the set of each pattern of the sample.
    pub indices: Vec<usize>,
    /// The number of patterns of the set for which each pattern of the sample stands.
    pub weight: f64,
}

impl PatternSample {
    /// Makes a sample of a set.
    pub fn new(all: &[Pattern]) -> Self {
        let step = all.len().div_ceil(SAMPLE).max(1);
        let indices: Vec<usize> = (0..all.len()).step_by(step).collect();
        let patterns: Vec<Pattern> = indices.iter().map(|&index| all[index].clone()).collect();
        let weight = all.len() as f64 / patterns.len().max(1) as f64;
        PatternSample { patterns, indices, weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{PatternSet, PatternSource};
    use nigh_text::alphabet::Alphabet;

    #[test]
    fn a_sample_stands_for_all_patterns() {
        for count in [1, 2, 255, 256, 257, 1000] {
            let set = PatternSet::builder(Alphabet::Dna).build(&vec![PatternSource::new("ACGT"); count]).unwrap();
            let PatternSample { patterns, indices, weight } = PatternSample::new(set.patterns());
            assert!(patterns.len() == indices.len() && (1..=SAMPLE).contains(&patterns.len()));
            assert!((weight * patterns.len() as f64 - set.patterns().len() as f64).abs() < 1e-6);
        }
    }
}
