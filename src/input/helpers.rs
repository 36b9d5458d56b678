//! Work that others do beside the one who reads.

/// Work that somebody else may do.
pub type Job = Box<dyn FnOnce() + Send>;

/// Those who do work beside the one who reads.
pub trait Helpers: Send + Sync {
    /// How many jobs they do at a time.
    fn count(&self) -> usize;
    /// Takes a job, to be done at some time.
    fn take(&self, job: Job);
}
