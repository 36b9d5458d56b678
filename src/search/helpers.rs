//! Threads that do what the reader gives them, such as decompressing pieces of a file.

use std::sync::OnceLock;
use std::thread;

use crossbeam_channel::{Sender, unbounded};

use crate::input::{Helpers, Job};

/// Some threads, which start with the first job.
pub(super) struct Pool {
    count: usize,
    jobs: OnceLock<Sender<Job>>,
}

impl Pool {
    pub(super) fn new(count: usize) -> Self {
        Pool { count, jobs: OnceLock::new() }
    }

    fn start(&self) -> Sender<Job> {
        let (job_in, job_out) = unbounded::<Job>();
        for _ in 0..self.count {
            let jobs = job_out.clone();
            thread::spawn(move || jobs.iter().for_each(|job| job()));
        }
        job_in
    }
}

impl Helpers for Pool {
    fn count(&self) -> usize {
        self.count
    }

    fn take(&self, job: Job) {
        // Nobody takes it only if all have panicked, which who waits for it is told.
        let _ = self.jobs.get_or_init(|| self.start()).send(job);
    }
}
