//! The automata of expressions for bit-sliced simulation on the processor.

use super::coded::CodedAutomata;
use crate::batch::Batch;
use crate::engine::cpu::bitslice::planes::ByteCodes;
use crate::pattern::PatternSet;
use crate::simd::isa::Isa;

/// The least number of steps of a stream for which bit-slicing pays.
pub(in crate::engine) const MIN_STEPS: usize = 64;

/// The automata for the processor.
pub(in crate::engine) struct BitslicedTables {
    pub(in crate::engine) isa: Isa,
    pub(in crate::engine) coded: CodedAutomata,
    pub(in crate::engine) codes: ByteCodes,
}

impl BitslicedTables {
    /// Makes the automata of the expressions among `patterns`; `None` if they have too many classes of symbols.
    pub(in crate::engine) fn new(patterns: &PatternSet, isa: Isa) -> Option<Self> {
        let coded = CodedAutomata::new(patterns.alphabet(), patterns.patterns().iter()).ok()?;
        let codes = ByteCodes::with_own_ends(&coded.classes)?;
        Some(BitslicedTables { isa, coded, codes })
    }

    /// Returns whether planes can hold a batch, including the symbols that conditions depend on.
    pub(in crate::engine) fn can_hold(&self, batch: &Batch) -> bool {
        CodedAutomata::suits(self.coded.has_conditions, batch) && u32::try_from(batch.bytes().len()).is_ok()
    }
}
