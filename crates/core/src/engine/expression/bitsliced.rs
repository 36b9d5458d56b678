//! The automata of expressions for bit-sliced simulation on the processor.

use super::coded::CodedAutomata;
use crate::batch::Batch;
use crate::engine::cpu::bitslice::planes::ByteCodes;
use crate::pattern::PatternSet;
use crate::simd::isa::Isa;

/// The least number of steps of a stream for which bit-slicing pays.
pub(super) const MIN_STEPS: usize = 64;

/// The automata for the processor.
pub(super) struct BitslicedTables {
    pub(super) isa: Isa,
    pub(super) coded: CodedAutomata,
    pub(super) codes: ByteCodes,
}

impl BitslicedTables {
    /// Makes the automata of the expressions among `patterns`; `None` if they have too many classes of symbols.
    pub(super) fn new(patterns: &PatternSet, isa: Isa) -> Option<Self> {
        let coded = CodedAutomata::new(patterns.alphabet(), patterns.patterns().iter()).ok()?;
        let codes = ByteCodes::with_own_ends(&coded.classes)?;
        Some(BitslicedTables { isa, coded, codes })
    }

    /// Returns whether planes can hold a batch, including the symbols that conditions depend on.
    pub(super) fn can_hold(&self, batch: &Batch) -> bool {
        CodedAutomata::suits(self.coded.has_conditions, batch) && u32::try_from(batch.bytes().len()).is_ok()
    }
}
