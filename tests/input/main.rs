//! Reading of input: any division into parts and batches gives the same text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod parts;
#[path = "../support/mod.rs"]
mod support;
