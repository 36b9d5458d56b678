//! Threads that the input layer may use but does not own.

/// A job that may run on any thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads that decompress beside the reading thread.
pub trait Helpers: Send + Sync {
    /// Returns the number of jobs that run concurrently.
    fn count(&self) -> usize;
    /// Accepts a job and runs it later.
    fn take(&self, job: Job);
}
