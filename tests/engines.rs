//! The engine of the processor's cores.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "suite/rules.rs"]
mod rules;
#[path = "suite/engines.rs"]
mod suite;

use nigh::engine::EngineChoice;

/// How many times longer a case takes.
const SLOWER: usize = 1;

/// The engines that the suite is for.
fn tested() -> Vec<EngineChoice> {
    vec![EngineChoice::Cpu]
}
