//! The command line of `nigh-align`, which compares pairs of strings.
//!
//! Reading order: `args.rs` (the options), `run.rs`, `comparison.rs` (from options to work on batches), `scoring.rs`,
//! `reports.rs`, `inputs.rs`.

pub(super) mod about;
mod args;
mod comparison;
mod inputs;
mod reports;
mod run;
mod scoring;

pub use args::command;
pub use run::run;
