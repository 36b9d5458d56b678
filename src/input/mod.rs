//! Input: reads files and pipes into batches of bytes with their lines or records. This layer never sees a pattern.
//!
//! Two ways lead to batches. [`Batcher`] reads a [`Source`] in order. [`Parts`] divides a regular file into parts
//! that several threads read in any order.
//!
//! Reading order: `batch.rs` (the result), `format.rs` (the description of an input), `source/` (opening and
//! decoding), `batcher.rs` and `cut/` (reading in order), `parts/` (reading in any order), `slice.rs` (batches of a
//! part of a batch), `compressed/` (decompression).

mod batch;
mod batcher;
mod buffer;
mod compressed;
mod cut;
mod error;
mod format;
mod helpers;
mod memory;
mod parts;
mod slice;
mod source;

pub use batch::{Batch, Layout, Lines, Segment, Surroundings};
pub use batcher::Batcher;
pub use error::{InputError, plain};
pub use format::{BinaryInput, Compression, Decoding, Format, LongLines, Origin, Window};
pub use helpers::{Helpers, Job};
pub(crate) use memory::MemoryBatches;
pub use parts::file::{Draft, Handover, Parts};
pub use source::encoding::Encoding;
pub use source::foreign::Foreign;
pub use source::head::first_bytes;
pub use source::open::{Source, leave_stdin_at, text_length};
