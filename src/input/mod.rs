//! Input: reads files and pipes into batches of bytes with their lines or records. This layer never sees a pattern.
//!
//! Two ways lead to batches. [`Batcher`] reads a [`Source`] in order. [`Parts`] divides a regular file into parts
//! that several threads read in any order.
//!
//! Reading order: `batch.rs` (the result), `format.rs` (the description of an input), `source/` (opening and
//! decoding), `batcher.rs` and `cut/` (reading in order), `parts/` (reading in any order), `slice.rs` (batches of a
//! part of a batch), `compressed/` (decompression).

mod batch;
#[cfg(feature = "cli")]
mod batcher;
#[cfg(feature = "cli")]
mod buffer;
#[cfg(feature = "cli")]
mod compressed;
#[cfg(feature = "cli")]
mod cut;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
mod format;
#[cfg(feature = "cli")]
mod mates;
mod memory;
#[cfg(feature = "cli")]
mod parts;
#[cfg(feature = "cli")]
mod records;
mod residue_index;
mod slice;
#[cfg(feature = "cli")]
mod source;
mod texts;
mod window;

pub use batch::{Batch, Layout, Lines, Segment, Surroundings};
#[cfg(feature = "cli")]
pub use batcher::Batcher;
#[cfg(feature = "cli")]
pub use error::{InputError, plain};
#[cfg(feature = "cli")]
pub use format::{BinaryInput, Compression, Decoding, Format, LongLines, Origin};
#[cfg(feature = "cli")]
pub use mates::MatedBatcher;
#[cfg(feature = "cli")]
pub(crate) use mates::Mates;
pub(crate) use memory::MemoryBatches;
#[cfg(feature = "cli")]
pub use nigh_gunzip::{Helpers, Job};
#[cfg(feature = "cli")]
pub use parts::file::{Draft, Handover, Parts};
#[cfg(feature = "cli")]
pub(crate) use records::Records;
#[cfg(feature = "cli")]
pub use source::encoding::Encoding;
#[cfg(feature = "cli")]
pub use source::foreign::Foreign;
#[cfg(feature = "cli")]
pub use source::head::first_bytes;
#[cfg(feature = "cli")]
pub use source::open::{Source, leave_stdin_at};
#[cfg(feature = "cli")]
pub use source::text_file::{BlockFiles, text_length};
pub(crate) use texts::{TextBatches, TextGroup};
pub use window::Window;
