//! Decompression: recognises the method of an input and reads its text.
//!
//! Reading order: `method.rs` (magic numbers, errors), `reader.rs` (one reader per method), `frames.rs` (cuts BGZF
//! and zstd into independent pieces), `blocks.rs` (decompresses pieces concurrently), then the formats `gzip.rs`,
//! `lz4.rs` and `zstd.rs`.

mod blocks;
mod frames;
mod gzip;
mod lz4;
mod method;
mod reader;
mod zstd;

pub(super) use method::Method;
