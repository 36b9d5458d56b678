//! Threads for one comparison. A long pair is divided among them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that comparisons may use together. Workers that compare different pairs at the same time share a team,
/// so that no more threads run than were asked for.
#[derive(Debug)]
pub(crate) struct Team {
    /// Number of threads that may be started now.
    idle: AtomicUsize,
}

impl Team {
    /// Makes a team of `threads` threads, including the one that calls [`Team::run`].
    pub(crate) fn new(threads: usize) -> Self {
        Team { idle: AtomicUsize::new(threads.saturating_sub(1)) }
    }

    /// Runs `work` on the calling thread and on at most `max_threads - 1` others, which end before this returns. Each
    /// call receives the index of its thread, from 0, and their number.
    pub(crate) fn run(&self, max_threads: usize, work: impl Fn(usize, usize) + Sync) {
        let others = self.take(max_threads.saturating_sub(1));
        let threads = others + 1;
        let work = &work;
        std::thread::scope(|scope| {
            (1..threads).for_each(|index| {
                scope.spawn(move || work(index, threads));
            });
            work(0, threads);
        });
        self.idle.fetch_add(others, Ordering::Relaxed);
    }

    /// Takes up to `wanted` idle threads. Returns their number.
    fn take(&self, wanted: usize) -> usize {
        let mut taken = 0;
        let take = |idle: usize| {
            taken = idle.min(wanted);
            Some(idle - taken)
        };
        self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).expect("the update is never refused");
        taken
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn threads_in_use_are_not_started_again() {
        let team = Team::new(3);
        let counts = Mutex::new(Vec::new());
        team.run(2, |index, threads| {
            if index == 0 {
                team.run(8, |_, inner| counts.lock().unwrap().push((threads, inner)));
            }
        });
        assert_eq!(*counts.lock().unwrap(), [(2, 2), (2, 2)]);
        assert_eq!(team.idle.into_inner(), 2);
    }
}
