//! The CPU engine: hits and alignments equal those of the reference.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bitslice;
mod expressions;
mod filters;
#[path = "../support/suite/mod.rs"]
mod suite;
#[path = "../support/mod.rs"]
mod support;

use fastrand::Rng;
use nigh_engine::EngineChoice;
use nigh_pattern::{EditCosts, EditLimit, Transpositions};

/// Returns costs with which a transposition is one edit. In most cases there are no other constraints.
fn transposition_costs(rng: &mut Rng) -> EditCosts {
    let insertion =
        EditLimit::new(*rng.choice(&[1, 1, 1, 2]).unwrap(), *rng.choice(&[usize::MAX, usize::MAX, 1]).unwrap());
    EditCosts { insertion, transpositions: Transpositions::One, ..EditCosts::default() }
}

/// Divisor of the number of cases.
const SLOWER: usize = 1;

/// Returns the engines under test.
fn tested() -> Vec<EngineChoice> {
    vec![EngineChoice::cpu()]
}

/// Returns costs of edits that amount to an indel distance.
fn indel_costs(rng: &mut Rng) -> EditCosts {
    let (indel, substitution) = *rng.choice(&[(1, 2), (1, 2), (1, 3), (2, 4), (2, 5)]).unwrap();
    let [indel, substitution] = [indel, substitution].map(|cost| EditLimit::new(cost, usize::MAX));
    EditCosts { insertion: indel, deletion: indel, substitution, ..EditCosts::default() }
}
