//! Threads that a reader may use but does not own.

/// A job that may run on any thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// The default of [`Helpers::chunk_bytes`].
const CHUNK: usize = 1 << 20;

/// Threads that decompress while the reading thread continues.
pub trait Helpers: Send + Sync {
    /// Returns the number of jobs that run concurrently.
    fn count(&self) -> usize;
    /// Runs a job, in general later and in another thread.
    fn take(&self, job: Job);
    /// Returns the number of compressed bytes of a gzip member that a job decompresses.
    fn chunk_bytes(&self) -> usize {
        CHUNK
    }
}
