//! Finds the least distance of each input, and prints nothing. It is the first pass of a two-pass search.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::input::Batch;
use crate::report::{Findings, Flow, Report, ReportNeeds};

/// The least distance in each input with a match, by name. Inputs with equal names share an entry.
pub type Distances = HashMap<Vec<u8>, usize>;

/// Finds the least distances, to be read when the search has ended.
pub struct LeastReport {
    distances: Arc<Mutex<Distances>>,
    label: Vec<u8>,
    /// Whether a match with distance 0 in any input ends the whole search.
    one_for_all: bool,
}

impl LeastReport {
    /// Makes a report that stores into `distances`. With `one_for_all`, a match with distance 0 ends the whole
    /// search, otherwise only its input.
    pub fn new(distances: Arc<Mutex<Distances>>, one_for_all: bool) -> Self {
        LeastReport { distances, label: Vec::new(), one_for_all }
    }

    fn distances(&self) -> MutexGuard<'_, Distances> {
        self.distances.lock().expect("no panic while the lock is held")
    }
}

impl Report for LeastReport {
    fn detail(&self) -> ReportNeeds {
        ReportNeeds::items(usize::MAX)
    }

    fn begin(&mut self, label: &[u8]) {
        self.label = label.to_vec();
    }

    fn add(&mut self, _: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let Some(least) = findings.items.iter().map(|item| item.cost).min() else { return Ok(Flow::More) };
        let mut distances = self.distances();
        let known = distances.entry(self.label.clone()).or_insert(least);
        *known = least.min(*known);
        Ok(match (*known, self.one_for_all) {
            (0, true) => Flow::EnoughOfAll,
            (0, false) => Flow::EnoughOfInput,
            _ => Flow::More,
        })
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn has_selected(&self) -> bool {
        !self.distances().is_empty()
    }
}
