//! From files and pipes to batches of bytes that know their lines or records; no pattern is known here.

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
