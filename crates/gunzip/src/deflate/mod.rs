//! The deflate format (RFC 1951): decodes a stream from its start, or from a block in its middle whose window is not
//! known.
//!
//! Reading order: `bits.rs` (reads bits), `codes.rs` (Huffman codes as tables), `lengths.rs` (the header of a block),
//! `inflater.rs` (decodes blocks), `text.rs` (the decoded symbols, and what a marker is), `finder.rs` (finds blocks).

mod bits;
mod codes;
mod finder;
mod inflater;
mod lengths;
mod text;

pub(crate) use bits::BitReader;
pub(crate) use finder::{find_block, findable};
pub(crate) use inflater::{InflateStop, Inflater};
pub(crate) use text::{AMPLE, Element, Text, WINDOW, resolver};
