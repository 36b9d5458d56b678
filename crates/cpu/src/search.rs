//! Compiled patterns, and how they are searched for.

use std::sync::Arc;
use std::time::Duration;

use super::compiled::Compiled;
use super::cost;
use super::filter::choice::FilterChoice;
use super::myers::BlockPattern;
use super::scanner::CpuScanner;
use super::sections::{BatchSection, Divisions};
use nigh_pattern::{Pattern, PatternSet};
use nigh_simd::isa::Isa;
use nigh_text::batch::Batch;
use nigh_verify::EngineError;

/// Compiled patterns, and how they are searched for.
pub(super) struct CompiledSearch {
    pub(super) compiled: Compiled,
    pub(super) filters: FilterChoice,
    pub(super) divisions: Divisions,
}

impl CompiledSearch {
    /// Compiles patterns.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(patterns: Arc<PatternSet>, isa: Isa) -> Result<Self, EngineError> {
        let (filters, divisions) = (FilterChoice::default(), Divisions::default());
        Ok(CompiledSearch { compiled: Compiled::new(patterns, isa)?, filters, divisions })
    }

    pub(super) fn scanner(&self) -> CpuScanner<'_> {
        CpuScanner::new(&self.compiled, &self.filters, &self.divisions)
    }

    /// Returns a description of the search for display.
    pub(super) fn description(&self, threads: usize) -> Vec<String> {
        let Compiled { patterns, isa, .. } = &self.compiled;
        let mut lines = vec![format!("cpu engine, {threads} workers, {}", isa.name())];
        let patterns = patterns.patterns();
        let lengths = || patterns.iter().map(|pattern| pattern.symbols().len());
        let bounds = || patterns.iter().map(Pattern::k);
        if let (Some(shortest), Some(longest)) = (lengths().min(), lengths().max()) {
            let (min_k, max_k) = (bounds().min().unwrap_or(0), bounds().max().unwrap_or(0));
            let count = patterns.len();
            lines.push(format!(
                "{count} patterns (a pattern counts once for each strand), of {shortest} to {longest} symbols, k = {min_k} to {max_k}"
            ));
        }
        let filter = self.filters.chosen();
        lines.push(match filter {
            None => "block-based Myers only: all batches were small".to_owned(),
            Some(None) => "no filter is selective enough".to_owned(),
            Some(Some(filter)) => filter.description(),
        });
        let chosen = filter.flatten();
        let bitsliced = |prefix: bool| {
            let not_filtered = |index: &usize| !chosen.is_some_and(|filter| filter.filtered[*index]);
            let is_prefix = |index: usize| cost::prefix_rows(&patterns[index]) < patterns[index].symbols().len();
            (0..patterns.len()).filter(not_filtered).filter(|&index| is_prefix(index) == prefix).count()
        };
        if filter.is_some() {
            lines.push(format!(
                "bit-sliced search: {} patterns as a whole, {} by a prefix",
                bitsliced(false),
                bitsliced(true)
            ));
        }
        lines.extend(self.divisions.description());
        lines
    }

    /// Estimates the time for a batch.
    pub(super) fn estimate(&self, batch: &Batch) -> Duration {
        let compiled = &self.compiled;
        let cost = if compiled.is_large_enough(&BatchSection::whole(batch)) {
            self.filters.cost(compiled, batch.bytes())
        } else {
            cost::in_blocks(compiled.blocks.iter().map(BlockPattern::blocks).sum())
        };
        cost::time(cost, batch.owned().len())
    }
}
