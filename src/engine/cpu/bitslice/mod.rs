//! Bit-sliced search: each bit of a word belongs to a stream of text of its own, so that one step of Myers'
//! algorithm goes on in hundreds of streams at once.

pub(super) mod bitsliced_batch;
pub(super) mod myers;
pub(super) mod packer;
pub(super) mod planes;
pub(super) mod prefix;
pub(super) mod scanner;
pub(super) mod transpose;
