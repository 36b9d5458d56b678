//! One reader, as many workers as the engine wants, and a writer, which is the thread that calls.
//!
//! Files that are large enough are only divided by the reader, and read by the workers, part by part. Small files are handed
//! out in groups, which a worker reads and searches. Of all else the reader makes batches itself.
//!
//! Batches travel with sequence numbers and come back in any order; the writer puts them in order. Memory is bounded by
//! the number of buffers: the reader waits for one that the writer has done with.
//!
//! If the system does not start all threads, the search goes on with fewer workers; without any thread, the calling
//! thread does everything.

mod alone;
mod crew;
mod divided;
mod group;
mod pool;
mod reader;
mod run;
mod shared;
mod sniff;
mod work;
mod worker;
mod writer;

pub use run::{run, usual_buffers};
