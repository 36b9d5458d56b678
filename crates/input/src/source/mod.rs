//! Sources of bytes: files and standard input, decompressed and decoded.
//!
//! Reading order: `open.rs`, `retry.rs`, `stop.rs`, `encoding.rs` (which text is decoded), `charset.rs`, `guess.rs`,
//! `utf32.rs`, `mixed.rs` (text whose encoding changes), `head.rs`, `foreign.rs`, `gff.rs`, `text_file.rs` (text at any offset).

pub(super) mod charset;
pub(super) mod encoding;
pub(super) mod foreign;
pub(super) mod gff;
mod guess;
pub(super) mod head;
pub(super) mod mixed;
pub(super) mod open;
pub(super) mod retry;
pub(super) mod stop;
pub(super) mod text_file;
pub(super) mod utf32;
