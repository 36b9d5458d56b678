//! Threads for comparisons. A long pair is divided among those that are idle.

use std::sync::atomic::{AtomicUsize, Ordering};

use nigh_text::threads::on_threads;

/// The threads that comparisons may use together. A worker that compares pairs holds a permit; a long pair is divided
/// among the worker and as many others as there are permits left. So no more threads run than were asked for.
#[derive(Debug)]
pub(crate) struct Team {
    /// Number of permits left.
    idle: AtomicUsize,
}

/// The permit of a worker to run, until it is dropped. A worker without a permit may run all the same.
pub(crate) struct Permit<'a> {
    team: &'a Team,
    count: usize,
}

impl Team {
    /// Makes a team of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        Team { idle: AtomicUsize::new(threads) }
    }

    /// Takes the permit of the calling thread, if one is left.
    pub(crate) fn enter(&self) -> Permit<'_> {
        Permit { team: self, count: self.take(1) }
    }

    /// Runs `work` on the calling thread, which should hold a permit, and on at most `max_threads - 1` others, which
    /// end before this returns.
    pub(crate) fn run(&self, max_threads: usize, work: impl Fn() + Sync) {
        let others = Permit { team: self, count: self.take(max_threads.saturating_sub(1)) };
        on_threads(others.count + 1, work);
    }

    /// Returns the number of threads that [`Team::run`] would use now, if it may use all.
    pub(crate) fn available(&self) -> usize {
        self.idle.load(Ordering::Relaxed) + 1
    }

    /// Takes up to `wanted` permits. Returns their number.
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

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.team.idle.fetch_add(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_in_use_are_not_started_again() {
        let team = Team::new(4);
        let (outer, inner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let permit = team.enter();
        team.run(2, || {
            if outer.fetch_add(1, Ordering::Relaxed) == 0 {
                team.run(8, || {
                    inner.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        drop(permit);
        assert_eq!((outer.into_inner(), inner.into_inner()), (2, 3));
        assert_eq!(team.idle.into_inner(), 4);
    }
}
