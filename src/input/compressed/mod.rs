//! Compressions: which one some bytes have, and how it is undone.

mod blocks;
mod gzip;
mod lz4;
mod method;
mod pieces;
mod reader;
mod zstd;

pub(super) use method::Method;
