//! The patterns of a CPU engine, compiled for each search method.

use std::sync::Arc;

use super::bitslice::myers::BitslicedPattern;
use super::bitslice::planes::ByteCodes;
use super::cost;
use super::myers::{self, BlockPattern};
use crate::engine::EngineError;
use crate::engine::encoder::Classes;
use crate::input::Batch;
use crate::pattern::PatternSet;
use crate::simd::isa::Isa;

/// Patterns with the tables of each search method, shared by all scanners and aligners of an engine.
pub(super) struct Compiled {
    pub(super) patterns: Arc<PatternSet>,
    pub(super) classes: Classes,
    /// The patterns for block-based Myers.
    pub(super) blocks: Vec<BlockPattern>,
    pub(super) isa: Isa,
    /// The codes of bytes, or `None` if the patterns have too many classes for bit planes.
    pub(super) byte_codes: Option<ByteCodes>,
    /// The patterns or their prefixes for bit-sliced search; empty without `byte_codes`.
    pub(super) bitsliced: Vec<BitslicedPattern>,
    /// The most symbols of text that a match of the rows of one of `bitsliced` covers.
    longest_rows: usize,
}

/// A batch, and the compiled patterns to search for in it.
#[derive(Clone, Copy)]
pub(super) struct CompiledBatch<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) batch: &'a Batch,
}

impl Compiled {
    /// Compiles patterns for an instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(patterns: Arc<PatternSet>, isa: Isa) -> Result<Self, EngineError> {
        let classes = Classes::new(&patterns)?;
        let blocks = patterns.patterns().iter().map(|pattern| BlockPattern::new(pattern, &classes)).collect();
        let byte_codes = ByteCodes::new(&classes);
        let bitsliced = match byte_codes {
            Some(_) => {
                let all = patterns.patterns().iter();
                all.map(|pattern| BitslicedPattern::new(pattern, cost::prefix_rows(pattern), &classes)).collect()
            }
            None => Vec::new(),
        };
        let longest_rows = bitsliced.iter().map(BitslicedPattern::max_match_len).max().unwrap_or(0);
        Ok(Compiled { patterns, classes, blocks, isa, byte_codes, bitsliced, longest_rows })
    }

    /// Returns the cost of a bit-sliced search for the pattern with the index `pattern`, in picoseconds per symbol of
    /// text.
    pub(super) fn bitsliced_cost(&self, pattern: usize) -> f64 {
        let (rows, sets) = self.bitsliced[pattern].size();
        cost::bitsliced(rows, sets, self.isa.streams())
    }

    /// Returns the cost of searching one candidate window for the pattern with the index `pattern`, in picoseconds.
    pub(super) fn window_cost(&self, pattern: usize) -> f64 {
        let blocks = &self.blocks[pattern];
        cost::window(blocks.length(), blocks.length().div_ceil(myers::ROWS), blocks.k())
    }

    /// Returns the cost of a bit-sliced search for all patterns, in picoseconds per symbol of text.
    pub(super) fn unfiltered_cost(&self) -> f64 {
        cost::unfiltered((0..self.bitsliced.len()).map(|pattern| self.bitsliced_cost(pattern)))
    }

    /// Returns whether a bit-sliced search for many patterns pays although the text does not fill all streams.
    pub(super) fn can_bitslice(&self, batch: &Batch) -> bool {
        const MIN_BYTES: usize = 1 << 10;
        let text = batch.bytes().len();
        // Streams have at least 64 steps.
        let steps = (text / self.isa.streams()).max(64);
        let is_indexed = u32::try_from(text).is_ok();
        !self.bitsliced.is_empty() && is_indexed && text >= MIN_BYTES && steps >= self.longest_rows
    }

    /// Returns whether a bit-sliced search can scan the batch: its text fills all streams, 32 bits hold its offsets,
    /// and the patterns are compiled for it.
    pub(super) fn is_large_enough(&self, batch: &Batch) -> bool {
        // Counts text only, not the headers of records.
        let text: usize = batch.runs().map(|run| run.len()).sum();
        let steps = text / self.isa.streams();
        let is_indexed = u32::try_from(batch.bytes().len()).is_ok();
        self.byte_codes.is_some() && !self.bitsliced.is_empty() && is_indexed && steps >= 2 * self.longest_rows.max(16)
    }
}
