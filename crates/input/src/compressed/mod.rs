//! Decompression: recognises the method of an input and reads its text.
//!
//! Reading order: `method.rs` (magic numbers, errors), `reader.rs` (one reader per method), `frames.rs` (cuts BGZF
//! and zstd into independent pieces), `blocks.rs` (decompresses pieces concurrently), then the formats `bgzf.rs`,
//! `lz4.rs` and `zstd.rs`. The crate nigh-gunzip reads gzip without independent pieces.

mod bgzf;
mod blocks;
mod frames;
mod lz4;
mod method;
mod reader;
mod seekable;
mod zstd;

pub(super) use method::Method;
pub(super) use seekable::BlockFile;
