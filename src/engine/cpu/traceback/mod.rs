//! From hits to alignments: the start of a match, and its edits.

pub(super) mod aligner;
pub(super) mod checkpoint;
pub(super) mod single_word;
