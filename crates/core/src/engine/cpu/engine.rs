//! The engine for the processor's cores: compiled patterns, and the scanners and aligners that share them.

use std::sync::Arc;
use std::time::Duration;

use super::compiled::Compiled;
use super::cost;
use super::filter::choice::FilterChoice;
use super::forecast::forecast;
use super::myers::BlockPattern;
use super::scanner::CpuScanner;
use super::traceback::aligner::CpuAligner;
use crate::batch::Batch;
use crate::engine::{Aligner, Engine, EngineError, EngineFacts, Forecast, Scanner};
use crate::pattern::{Pattern, PatternSet};
use crate::simd::isa::Isa;

/// Default batch size. A batch is much longer than the context of the streams, and its planes fit the cache.
const BATCH_BYTES: usize = 1 << 20;
/// Batch size for [`MANY`] patterns of sequences or more. Their index exceeds the caches, and each part of it is loaded
/// once for each batch.
const BATCH_OF_MANY: usize = 2 << 20;
/// See [`BATCH_OF_MANY`].
const MANY: usize = 20_000;
/// Largest batch size, for long patterns, which need long streams.
const MAX_BATCH: usize = 8 << 20;

/// The engine for the processor's cores.
pub struct CpuEngine {
    compiled: Compiled,
    filters: FilterChoice,
    threads: usize,
    batch_bytes: usize,
}

impl CpuEngine {
    /// Makes an engine for `patterns` on `threads` cores. It uses the [preferred](Isa::preferred) instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Result<Self, EngineError> {
        CpuEngine::with_isa(patterns, threads, Isa::preferred())
    }

    /// Like [`new`](Self::new), with the given instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub fn with_isa(patterns: Arc<PatternSet>, threads: usize, isa: Isa) -> Result<Self, EngineError> {
        let is_many = patterns.alphabet().is_sequence() && patterns.patterns().len() >= MANY;
        let least = if is_many { BATCH_OF_MANY } else { BATCH_BYTES };
        let batch_bytes = least.max(8 * patterns.max_match_len() * isa.streams()).min(MAX_BATCH);
        let compiled = Compiled::new(patterns, isa)?;
        Ok(CpuEngine { compiled, filters: FilterChoice::default(), threads, batch_bytes })
    }
}

impl Engine for CpuEngine {
    fn patterns(&self) -> &Arc<PatternSet> {
        &self.compiled.patterns
    }

    fn plan(&self) -> Vec<String> {
        let Compiled { patterns, isa, .. } = &self.compiled;
        let mut lines = vec![format!("cpu engine, {} workers, {}", self.threads, isa.name())];
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
            Some(Some(filter)) => filter.plan(),
        });
        let chosen = filter.flatten();
        let bitsliced = |prefix: bool| {
            let not_filtered = |index: &usize| !chosen.is_some_and(|filter| filter.filtered()[*index]);
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
        lines
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "cpu", workers: self.threads, batch_bytes: self.batch_bytes, failure: None }
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let compiled = &self.compiled;
        let cost = if compiled.is_large_enough(batch) {
            match self.filters.for_large(compiled, batch.bytes()) {
                Some(filter) => filter.cost(),
                None => compiled.unfiltered_cost(),
            }
        } else {
            cost::in_blocks(compiled.blocks.iter().map(BlockPattern::blocks).sum())
        };
        Some(cost::time(cost, batch.owned().len()))
    }

    fn forecast(&self) -> Option<Forecast> {
        forecast(&self.compiled, self.threads)
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        Ok(Box::new(CpuScanner::new(&self.compiled, &self.filters)))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(CpuAligner::new(&self.compiled)))
    }
}
