//! The patterns of a CPU engine, compiled for each search method, and what is chosen and counted while they are
//! searched for.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::bitslice::myers::BitslicedPattern;
use super::bitslice::planes::ByteCodes;
use super::cost;
use super::filter::choice::FilterChoice;
use super::myers::{self, BlockPattern};
use super::sections::kept::max_hits;
use super::sections::{BatchSection, Divisions};
use crate::batch::Batch;
use crate::engine::EngineError;
use crate::engine::encoder::Classes;
use crate::pattern::{Pattern, PatternSet, SymbolSet};
use crate::simd::isa::Isa;

/// A table that is computed when it is first used. A search on a device may never use it.
type Lazy<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send + Sync>>;

/// Patterns with the tables of each search method, shared by all scanners and aligners of an engine.
pub(super) struct Compiled {
    pub(super) patterns: Arc<PatternSet>,
    pub(super) classes: Arc<Classes>,
    /// The patterns for block-based Myers.
    pub(super) blocks: Lazy<Vec<BlockPattern>>,
    pub(super) isa: Isa,
    /// The codes of bytes, or `None` if the patterns have too many classes for bit planes.
    pub(super) byte_codes: Option<ByteCodes>,
    /// The patterns or their prefixes for bit-sliced search. Not used without `byte_codes`.
    pub(super) bitsliced: Lazy<Vec<BitslicedPattern>>,
    /// The cost of a bit-sliced search for each pattern, in picoseconds per symbol of text; empty without `byte_codes`.
    bitsliced_costs: Vec<f64>,
    /// The largest number of text symbols that a match of the rows of a pattern in `bitsliced` covers.
    pub(super) longest_rows: usize,
    /// The largest number of hits of a section that are held in memory.
    pub(super) max_hits: usize,
    pub(super) filters: FilterChoice,
    pub(super) divisions: Divisions,
}

/// A section of a batch, and the compiled patterns to search for in it.
#[derive(Clone, Copy)]
pub(super) struct CompiledSection<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) section: &'a BatchSection<'a>,
}

impl Compiled {
    /// Compiles patterns for an instruction set.
    ///
    /// # Errors
    /// Fails if the patterns distinguish too many classes of symbols.
    pub(super) fn new(patterns: Arc<PatternSet>, isa: Isa) -> Result<Self, EngineError> {
        let classes = Arc::new(Classes::new(&patterns)?);
        let byte_codes = ByteCodes::new(&classes);
        let all = patterns.patterns().iter();
        let longest_rows = all.clone().map(|pattern| cost::prefix_rows(pattern) + pattern.k()).max().unwrap_or(0);
        let bitsliced_costs = match byte_codes {
            Some(_) => all.map(|pattern| bitsliced_cost(pattern, isa)).collect(),
            None => Vec::new(),
        };
        let blocks = lazy(&patterns, &classes, BlockPattern::new);
        let bitsliced = lazy(&patterns, &classes, |pattern, classes| {
            BitslicedPattern::new(pattern, cost::prefix_rows(pattern), classes)
        });
        let max_hits = max_hits(&patterns);
        let (filters, divisions) = (FilterChoice::default(), Divisions::default());
        Ok(Compiled {
            patterns,
            classes,
            blocks,
            isa,
            byte_codes,
            bitsliced,
            bitsliced_costs,
            longest_rows,
            max_hits,
            filters,
            divisions,
        })
    }

    /// Returns whether there are patterns, and their classes fit bit planes.
    pub(super) fn suits_bit_slicing(&self) -> bool {
        self.byte_codes.is_some() && !self.patterns.patterns().is_empty()
    }

    /// Returns whether one block holds the pattern with the index `pattern`.
    pub(super) fn is_one_block(&self, pattern: usize) -> bool {
        self.patterns.patterns()[pattern].symbols().len() <= myers::ROWS
    }

    /// Returns the largest number of hits of one pattern in a section. A pattern with more hits matches nearly everywhere,
    /// and a search for one hit of each line then takes less time.
    pub(super) fn max_hits_of_one(&self) -> usize {
        self.max_hits / 3
    }

    /// Returns the cost of a bit-sliced search for the pattern with the index `pattern`, in picoseconds per symbol of
    /// text.
    pub(super) fn bitsliced_cost(&self, pattern: usize) -> f64 {
        self.bitsliced_costs[pattern]
    }

    /// Returns the cost of searching one candidate window for the pattern with the index `pattern`, in picoseconds.
    pub(super) fn window_cost(&self, pattern: usize) -> f64 {
        let pattern = &self.patterns.patterns()[pattern];
        let length = pattern.symbols().len();
        cost::window(length, length.div_ceil(myers::ROWS), pattern.k())
    }

    /// Returns the cost of a bit-sliced search for all patterns, in picoseconds per symbol of text.
    pub(super) fn unfiltered_cost(&self) -> f64 {
        cost::unfiltered(self.bitsliced_costs.iter().copied())
    }

    /// Returns the number of symbols whose bit-sliced search costs as much as that of the section. Streams have at
    /// least 64 steps.
    pub(super) fn bitsliced_symbols(&self, section: &BatchSection<'_>) -> usize {
        section.text().len().max(64 * self.isa.streams())
    }

    /// Returns whether a bit-sliced search for many patterns pays, although the text may not fill all streams.
    pub(super) fn can_bitslice(&self, section: &BatchSection<'_>) -> bool {
        const MIN_BYTES: usize = 1 << 10;
        let text = section.text().len();
        self.suits_bit_slicing() && section.has_short_offsets() && text >= MIN_BYTES
    }

    /// Returns whether a bit-sliced search can scan the section: its text fills all streams, 32 bits hold its offsets,
    /// and the patterns are compiled for it.
    pub(super) fn is_large_enough(&self, section: &BatchSection<'_>) -> bool {
        // Counts text only, not the headers of records.
        let text: usize = section.runs().map(|run| run.len()).sum();
        let steps = text / self.isa.streams();
        self.suits_bit_slicing() && section.has_short_offsets() && steps >= 2 * self.longest_rows.max(16)
    }

    /// Returns the cost of searching large batches of text like `text` for all patterns, in picoseconds per symbol.
    pub(super) fn cost(&self, text: &[u8]) -> f64 {
        match self.filters.for_large(self, text) {
            Some(filter) => filter.cost,
            None => self.unfiltered_cost(),
        }
    }

    /// Estimates the time for a batch.
    pub(super) fn estimate(&self, batch: &Batch) -> Duration {
        let cost = if self.is_large_enough(&BatchSection::whole(batch)) {
            self.cost(batch.bytes())
        } else {
            cost::in_blocks(self.blocks.iter().map(BlockPattern::blocks).sum())
        };
        cost::time(cost, batch.owned().len())
    }

    /// Returns a description of the search for display.
    pub(super) fn plan(&self, threads: usize) -> Vec<String> {
        let Compiled { patterns, isa, .. } = self;
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
            Some(Some(filter)) => filter.plan(),
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
        lines.extend(self.divisions.plan());
        lines
    }
}

/// Makes a table that is computed with `compile` at its first use, and has an element for each pattern.
fn lazy<T: 'static>(
    patterns: &Arc<PatternSet>,
    classes: &Arc<Classes>,
    compile: impl Fn(&Pattern, &Classes) -> T + Send + Sync + 'static,
) -> Lazy<Vec<T>> {
    let (patterns, classes) = (patterns.clone(), classes.clone());
    LazyLock::new(Box::new(move || patterns.patterns().iter().map(|pattern| compile(pattern, &classes)).collect()))
}

/// Returns the cost of a bit-sliced search for a pattern or its prefix, in picoseconds per symbol of text.
fn bitsliced_cost(pattern: &Pattern, isa: Isa) -> f64 {
    let rows = &pattern.symbols()[..cost::prefix_rows(pattern)];
    let mut sets: Vec<&SymbolSet> = Vec::new();
    for set in rows {
        if !sets.iter().any(|known| known.is_same(set)) {
            sets.push(set);
        }
    }
    cost::bitsliced(rows.len(), sets.len(), isa.streams())
}
