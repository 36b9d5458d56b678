//! Reports of lines of text.
//!
//! Reading order: `grep.rs` (which lines are printed), `line.rs` (lines and context), `printer.rs` (the contract of a
//! printer), `plain.rs` and `json.rs` (the two printers), `excerpt.rs` (parts of long lines), `replacement.rs`, `json_text.rs`.

mod excerpt;
pub(super) mod grep;
pub(super) mod json;
pub(super) mod json_text;
pub(super) mod line;
pub(super) mod plain;
pub(super) mod printer;
pub(super) mod replacement;
