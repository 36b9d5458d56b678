//! The command line of `nigh-pcr`, which finds the products of pairs of primers.
//!
//! Reading order: `args.rs` (the options), `run.rs`, `products.rs` (from options to a search), `primers.rs` and `pairs.rs`
//! (the pairs), `named.rs` (pairs of primers with names), `inputs.rs`.

pub(super) mod about;
mod args;
mod inputs;
mod named;
mod pairs;
mod primers;
mod products;
mod run;

pub use args::command;
pub use run::run;
