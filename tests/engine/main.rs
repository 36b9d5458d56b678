//! The CPU engine.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "suite/rules.rs"]
mod rules;
#[path = "suite/engines.rs"]
mod suite;

use nigh::engine::EngineChoice;

/// Divisor of the number of cases.
const SLOWER: usize = 1;

/// Returns the engines under test.
fn tested() -> Vec<EngineChoice> {
    vec![EngineChoice::Cpu]
}
