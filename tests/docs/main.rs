//! Everything that is written for users and can be checked: pages, pictures, the man page, completions, examples.
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
