//! Threads that run jobs, such as decompressing pieces of a file.

use std::sync::OnceLock;
use std::thread::Builder;

use crossbeam_channel::{Sender, unbounded};

use crate::helpers::{Helpers, Job};

/// Up to `count` threads that start with the first job; fewer if the system refuses.
pub struct Pool {
    count: usize,
    /// The queue of jobs; `None` if no thread could be started, in which case jobs run in the calling thread.
    jobs: OnceLock<Option<Sender<Job>>>,
}

impl Pool {
    /// Makes a pool of at most `count` threads. No thread starts before the first job.
    pub fn new(count: usize) -> Self {
        Pool { count, jobs: OnceLock::new() }
    }

    fn start(&self) -> Option<Sender<Job>> {
        let (job_in, job_out) = unbounded::<Job>();
        let start_one = || {
            let jobs = job_out.clone();
            Builder::new().spawn(move || jobs.iter().for_each(|job| job()))
        };
        let started = (0..self.count).map_while(|_| start_one().ok()).count();
        (started > 0).then_some(job_in)
    }
}

impl Helpers for Pool {
    fn count(&self) -> usize {
        self.count
    }

    fn take(&self, job: Job) {
        match self.jobs.get_or_init(|| self.start()) {
            // Sending fails only if every thread panicked. The receiver of the result then reports it.
            Some(jobs) => drop(jobs.send(job)),
            None => job(),
        }
    }
}
