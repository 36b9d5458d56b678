//! Finds the least distance of the hits in each input, and prints nothing. It is the first pass of a two-pass search.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::{Findings, Flow, InputFault, KnownSize, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// The least distance in each input with a match, keyed by the label of the input. Labels must be unique.
pub type Distances = HashMap<Vec<u8>, usize>;

/// Finds the least distance in each input. The caller keeps a reference to `distances` and reads them after the search.
pub struct LeastReport {
    distances: Arc<Mutex<Distances>>,
    label: Vec<u8>,
    /// How the search continues after a match with distance 0.
    at_zero: Flow,
}

impl LeastReport {
    /// Makes a report that stores least distances in `distances`. A match with distance 0 cannot be improved, so
    /// `at_zero` ends its input or the whole search.
    pub fn new(distances: Arc<Mutex<Distances>>, at_zero: Flow) -> Self {
        LeastReport { distances, label: Vec::new(), at_zero }
    }

    fn distances(&self) -> MutexGuard<'_, Distances> {
        self.distances.lock().expect("no panic while the lock is held")
    }
}

impl Report for LeastReport {
    fn needs(&self) -> ReportNeeds {
        ReportNeeds::items(usize::MAX)
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.label = label.to_vec();
    }

    fn add(&mut self, _: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let Some(least) = findings.items.iter().map(|item| item.min_distance).min() else { return Ok(Flow::More) };
        let mut distances = self.distances();
        let known = distances.entry(self.label.clone()).or_insert(least);
        *known = least.min(*known);
        Ok(if *known == 0 { self.at_zero } else { Flow::More })
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        !self.distances().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{lines, print_input};

    #[test]
    fn each_input_with_a_match_has_its_least_distance() {
        let distances = Arc::new(Mutex::new(Distances::new()));
        let mut report = LeastReport::new(distances.clone(), Flow::EnoughOfInput);
        for (name, batches) in [
            ("a", &[lines("[x|3]\n[x|2]\n"), lines("[x|1]\n"), lines("[x|2]\n")][..]),
            ("b", &[lines("[x|4]\n")]),
            ("c", &[lines("x\n")]),
        ] {
            assert_eq!(print_input(&mut report, name, batches), "");
        }
        let expected = [(b"a".to_vec(), 1), (b"b".to_vec(), 4)];
        assert_eq!(*distances.lock().unwrap(), expected.into());
    }

    #[test]
    fn an_exact_match_ends_its_input_or_the_search() {
        for at_zero in [Flow::EnoughOfInput, Flow::EnoughOfAll] {
            let mut report = LeastReport::new(Arc::default(), at_zero);
            report.begin(b"in", &|| None);
            let mut add = |text| {
                let (batch, findings) = lines(text);
                report.add(&batch, &findings, &mut Vec::new()).unwrap()
            };
            assert_eq!(add("[x|1]\n"), Flow::More);
            assert_eq!(add("[x|0]\n"), at_zero);
        }
    }
}
