//! End-to-end tests: each runs on every engine, with one thread, and with tiny batches.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod align;
mod ambiguous;
mod best;
mod cas_offinder;
mod cases;
mod compressed;
mod config_file;
mod constraints;
mod context;
mod delimiters;
mod dense;
mod devices;
mod encodings;
mod errors;
mod failures;
mod fastq;
mod folders;
mod formats;
mod grep;
mod habits;
mod harness;
mod hits;
mod json;
mod library;
mod lines;
mod memory;
mod near;
mod nearest;
mod options;
mod output;
mod overhang;
mod pairs;
mod parts;
mod patterns;
mod peers;
mod pipes;
mod progress;
mod sequences;
mod shard;
mod stats;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod tools;
mod within;
