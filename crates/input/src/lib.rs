//! Input: reads files and pipes into batches of bytes with their lines or records. This layer never sees a pattern.
//!
//! Two ways lead to batches. [`Batcher`] reads a [`Source`] in order. [`Parts`] divides a regular file into parts
//! that several threads read in any order.
//!
//! Reading order: `batch/` of nigh-text (the result), `format.rs` (the description of an input), `source/` (opening and
//! decoding), `batcher.rs` and `cut/` (reading in order), `parts/` (reading in any order), `compressed/`
//! (decompression).

#[cfg(not(unix))]
compile_error!("nigh-input needs Unix");

mod batcher;
mod circumferences;
mod compressed;
mod cut;
mod error;
mod escapes;
mod format;
mod mates;
mod parts;
mod source;

pub use batcher::Batcher;
pub use circumferences::Circumferences;
pub use error::{InputError, plain};
pub use escapes::{ESCAPE, escape_length};
pub use format::{BinaryInput, Compression, Decoding, Format, LongLines, Origin, PauseRule, RecordRule};
pub use mates::{MateReader, MatedBatcher};
pub use parts::file::{BoundaryState, HandoverStep, PartDraft, Parts};
pub use source::charset::Charset;
pub use source::encoding::Encoding;
pub use source::foreign::UnsupportedFormat;
pub use source::head::first_bytes;
pub use source::mixed::{EncodingChange, WideText, find_wide_text};
pub use source::open::{Source, leave_stdin_at};
pub use source::stop::{StopSignal, Stopper, stop_signal};
pub use source::text_file::{BlockFiles, text_length};
pub use source::utf32::ByteOrder;
