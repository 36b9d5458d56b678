//! The core of nigh: searches batches of text for patterns with at most k edits, and aligns the hits. It does no I/O.
//!
//! Its users are the crates of nigh; the interface for programs is the crate nigh. The modules here may change in any
//! release.
//!
//! Reading order: `alphabet.rs`, `text.rs` and `pattern/` (what is searched for), `batch/` (what is searched), `hit.rs`
//! and `alignment.rs` (what is found), `simd/`, `engine/` (the search), `choice/` (which hits are selected), `threads.rs`
//! and `interrupt.rs` (how calls use threads and end early), `stage.rs` (times for display).

#[doc(hidden)]
pub mod alignment;
#[doc(hidden)]
pub mod alphabet;
#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod hit;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod pattern;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod stage;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod threads;
