//! Symbols, text and results: what every crate of nigh that looks at text knows.
//!
//! Its users are the crates of nigh; the interface for programs is the crate nigh. The modules here may change in any
//! release.
//!
//! Reading order: `alphabet.rs` and `text.rs` (symbols and how bytes become symbols), `batch/` (text with its lines or
//! records, and the range that a batch owns), `text_item.rs` (a line or record of a batch), `hit.rs` and `alignment.rs` (what
//! is found), `threads.rs` and `interrupt.rs` (how calls use threads and end early), `stage.rs` (times for display).

#[doc(hidden)]
pub mod alignment;
#[doc(hidden)]
pub mod alphabet;
#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod hit;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod stage;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod text_item;
#[doc(hidden)]
pub mod threads;
