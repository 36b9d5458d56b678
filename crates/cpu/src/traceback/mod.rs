//! Traceback: computes the alignment of a hit, which is the start of its match and the edits.
//!
//! `aligner` picks the method: `single_word` for patterns of up to 64 symbols, `checkpoint` for longer ones.

pub(super) mod aligner;
pub(super) mod checkpoint;
pub(super) mod single_word;
