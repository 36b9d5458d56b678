//! The patterns of a CPU engine, compiled for each search method.

use std::sync::{Arc, LazyLock};

use super::bitslice::myers::BitslicedPattern;
use super::bitslice::planes::ByteCodes;
use super::cost;
use super::myers::{self, BlockPattern};
use super::sections::BatchSection;
use super::sections::kept::hit_capacity;
use nigh_pattern::{Pattern, PatternSet, SymbolSet};
use nigh_simd::isa::Isa;
use nigh_verify::EngineError;
use nigh_verify::encoder::Classes;

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
    pub(super) hit_capacity: usize,
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
        let hit_capacity = hit_capacity(&patterns);
        Ok(Compiled {
            patterns,
            classes,
            blocks,
            isa,
            byte_codes,
            bitsliced,
            bitsliced_costs,
            longest_rows,
            hit_capacity,
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
    pub(super) fn hit_capacity_of_one(&self) -> usize {
        self.hit_capacity / 3
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
