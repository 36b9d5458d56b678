//! The pipeline: one reader, as many workers as the engine wants, and a writer, which is the calling thread.
//!
//! The reader only divides large files into parts, which workers read. Small files are handed out in groups, which a
//! worker reads and searches. The reader itself reads all other inputs and cuts them into batches.
//!
//! Work has sequence numbers. Its results arrive in any order, and the writer restores the order. Memory is bounded by
//! the number of permits: the reader waits for a permit that the writer has returned before it hands out a task.
//!
//! If the system does not start all threads, the search continues with fewer workers; without any thread, the calling
//! thread does everything.
//!
//! Reading order: `run.rs`, `work.rs` (the messages), `buffers.rs`, `reader.rs`, `worker.rs`, `writer.rs`; then `shared.rs`,
//! `divided.rs`, `finder.rs`, `group.rs`, `threads.rs`, `single_thread.rs` and `sniff.rs`.

mod buffers;
mod divided;
mod finder;
mod group;
mod reader;
mod run;
mod shared;
mod single_thread;
mod sniff;
mod threads;
mod work;
mod worker;
mod writer;

pub use run::{run, usual_permits};
