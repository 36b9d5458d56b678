//! End-to-end tests: each runs on every engine, with one thread, and with tiny batches.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod align;
mod bash;
mod best;
mod cases;
mod completion;
mod compressed;
mod context;
#[path = "../cxx/mod.rs"]
mod cxx;
mod delimiters;
mod dense;
mod devices;
mod documents;
mod encodings;
mod errors;
mod failures;
mod fastq;
#[path = "../faults/mod.rs"]
mod faults;
mod folders;
mod formats;
mod generate;
mod grep;
mod habits;
mod harness;
mod hits;
mod json;
mod lines;
mod memory;
mod nearest;
mod options;
mod output;
mod parts;
mod patterns;
mod peers;
mod pipes;
mod preset;
mod progress;
mod rules;
mod sequences;
mod shard;
#[path = "../standin/mod.rs"]
mod standin;
mod stats;
mod terminal;
mod tools;
