//! The CPU engine: hits and alignments equal those of the reference.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bitslice;
mod filters;
#[path = "../support/suite/mod.rs"]
mod suite;
#[path = "../support/mod.rs"]
mod support;

use nigh::engine::EngineChoice;

/// Divisor of the number of cases.
const SLOWER: usize = 1;

/// Returns the engines under test.
fn tested() -> Vec<EngineChoice> {
    vec![EngineChoice::Cpu]
}
