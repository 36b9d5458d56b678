//! Threads that the input layer may use but does not own.

/// A job that may run on any thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads that decompress while the reading thread continues.
pub trait Helpers: Send + Sync {
    /// Returns the number of jobs that run concurrently.
    fn count(&self) -> usize;
    /// Runs a job, in general later and in another thread.
    fn take(&self, job: Job);
}
