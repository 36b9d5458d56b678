//! The automata of expressions for bit-sliced simulation on the processor.

use nigh_cpu::bitslice::planes::ByteCodes;
use nigh_pattern::PatternSet;
use nigh_simd::isa::Isa;
use nigh_tables::coded_automata::CodedAutomata;
use nigh_text::batch::Batch;

/// The least number of steps of a stream for which bit-slicing pays.
pub(crate) const MIN_STEPS: usize = 64;

/// The automata for the processor.
pub(crate) struct BitslicedTables {
    pub(crate) isa: Isa,
    pub(crate) coded: CodedAutomata,
    pub(crate) codes: ByteCodes,
}

impl BitslicedTables {
    /// Makes the automata of the expressions among `patterns`; `None` if they have too many classes of symbols.
    pub(crate) fn new(patterns: &PatternSet, isa: Isa) -> Option<Self> {
        let coded = CodedAutomata::new(patterns.alphabet(), patterns.patterns().iter()).ok()?;
        let codes = ByteCodes::with_own_ends(&coded.classes)?;
        Some(BitslicedTables { isa, coded, codes })
    }

    /// Returns whether planes can hold a batch, including the symbols that conditions depend on.
    pub(crate) fn can_hold(&self, batch: &Batch) -> bool {
        CodedAutomata::suits(self.coded.has_conditions, batch) && u32::try_from(batch.bytes().len()).is_ok()
    }
}
