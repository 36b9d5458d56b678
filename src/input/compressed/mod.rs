//! Decompression: recognises the method of an input and reads its text.
//!
//! Reading order: `method.rs` (magic numbers, errors), `reader.rs` (one reader per method), `frames.rs` (cuts BGZF
//! and zstd into independent pieces), `blocks.rs` (decompresses pieces concurrently), then the formats `bgzf.rs`,
//! `lz4.rs` and `zstd.rs`. Gzip without independent pieces: `gunzip.rs` (decompresses chunks concurrently),
//! `stream.rs` (a part of gzip data), `member.rs` (headers and trailers), `deflate/`.

mod bgzf;
mod blocks;
mod deflate;
mod frames;
mod gunzip;
mod lz4;
mod member;
mod method;
mod reader;
mod seekable;
mod stream;
mod zstd;

pub(super) use method::Method;
pub(super) use seekable::BlockFile;
