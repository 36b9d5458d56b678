//! Checks of the documents for users: pages, pictures, man pages, completions and examples.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arguments;
mod bash;
mod completion;
mod examples;
mod generate;
mod pages;
mod parity;
#[path = "../support/mod.rs"]
mod support;
mod versions;
