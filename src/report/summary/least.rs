//! What the least distance is, of all inputs and of each, without a word.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::input::Batch;
use crate::report::{Findings, Flow, Report, ReportNeeds};

/// The least distance in each input that has a match, by its name. Inputs of one name count as one.
pub type Distances = HashMap<Vec<u8>, usize>;

/// Finds the least distances, for others to read when the search is over.
pub struct LeastReport {
    distances: Arc<Mutex<Distances>>,
    label: Vec<u8>,
    /// Whether nothing can be better than a match without an error in any input.
    one_for_all: bool,
}

impl LeastReport {
    /// Keeps the distances there. If there is to be one for all inputs, they are not read on after a match without an error.
    pub fn new(distances: Arc<Mutex<Distances>>, one_for_all: bool) -> Self {
        LeastReport { distances, label: Vec::new(), one_for_all }
    }

    fn distances(&self) -> MutexGuard<'_, Distances> {
        self.distances.lock().expect("nobody panics with them in hand")
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
