//! The best targets of each query.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::findings::{PairFindings, RankedRow};
use nigh_report::{EarlyRows, ExceededLimit, Findings, Flow, InputFault, KnownSize, Report, ReportNeeds};
use nigh_text::batch::Batch;

/// For each query, the rank that a further target must exceed to be among the best. Workers use these bounds to drop
/// targets early.
#[derive(Debug, Clone)]
pub struct RankBounds(Arc<[AtomicI64]>);

impl RankBounds {
    /// Makes the bounds for `queries` queries. At first, targets of any rank exceed them.
    pub fn new(queries: usize) -> Self {
        RankBounds((0..queries).map(|_| AtomicI64::new(i64::MIN)).collect())
    }

    /// Returns whether a target of this rank may be among the best of a query.
    pub fn admits(&self, query: usize, rank: i64) -> bool {
        let bound = self.0[query].load(Ordering::Relaxed);
        bound == i64::MIN || rank > bound
    }
}

/// Keeps the rows of the best targets of each query, and passes them on at the end, query by query. The best come
/// first; equal targets stay in input order.
pub struct TopReport {
    inner: Box<dyn Report>,
    /// Largest number of rows of a query.
    count: usize,
    /// The best rows of each query so far, the best first.
    queries: Vec<Vec<KeptRow>>,
    bounds: RankBounds,
}

struct KeptRow {
    rank: i64,
    row: Box<[u8]>,
}

impl TopReport {
    /// Makes a report that keeps at most `count` rows of each query. `count` is not 0.
    pub fn new(inner: Box<dyn Report>, count: usize, bounds: RankBounds) -> Self {
        let queries = bounds.0.iter().map(|_| Vec::new()).collect();
        TopReport { inner, count, queries, bounds }
    }

    fn add_row(&mut self, ranked: &RankedRow, rows: &[u8]) {
        let kept = &mut self.queries[ranked.query];
        // Rows arrive in the order of the targets, so rows of equal rank stay in that order.
        let place = kept.partition_point(|other| Reverse(other.rank) <= Reverse(ranked.rank));
        if place >= self.count {
            return;
        }
        kept.insert(place, KeptRow { rank: ranked.rank, row: rows[ranked.row.clone()].into() });
        kept.truncate(self.count);
        if let Some(last) = kept.get(self.count - 1) {
            self.bounds.0[ranked.query].store(last.rank, Ordering::Relaxed);
        }
    }
}

impl Report for TopReport {
    fn needs(&self) -> ReportNeeds {
        ReportNeeds { all_rows: false, ..self.inner.needs() }
    }

    fn begin(&mut self, label: &[u8], size: &KnownSize<'_>) {
        self.inner.begin(label, size);
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        for ranked in PairFindings::of(findings).into_iter().flat_map(|pairs| &pairs.ranked) {
            self.add_row(ranked, &findings.rows);
        }
        // A report may need the records of the batch.
        let (lengths, of_program) = (findings.lengths.clone(), findings.of_program.clone());
        let records = Findings { lengths, of_program, ..Findings::default() };
        self.inner.add(batch, &records, out)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.inner.end(out)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        for kept in std::mem::take(&mut self.queries).into_iter().flatten() {
            self.inner.add_rows(&EarlyRows { bytes: kept.row.into(), ..EarlyRows::default() }, out)?;
        }
        self.inner.finish(out)
    }

    fn has_selected(&self) -> bool {
        self.inner.has_selected()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::PairReport;

    #[test]
    fn the_best_rows_of_each_query_are_printed_in_order() {
        let bounds = RankBounds::new(2);
        let mut report = TopReport::new(Box::new(PairReport::new(Some("header\n".into()))), 2, bounds.clone());
        let rows = "a\nb\nc\nd\ne\n";
        let ranked = |index: usize, query, rank| RankedRow { query, rank, row: 2 * index..2 * index + 2 };
        let all = [(0, 1), (1, 7), (0, 5), (0, 5), (0, 9)];
        let ranked = all.iter().enumerate().map(|(index, &(query, rank))| ranked(index, query, rank)).collect();
        let findings = Findings {
            rows: rows.into(),
            of_program: Some(Arc::new(PairFindings { ranked, ..PairFindings::default() })),
            ..Findings::default()
        };
        let mut out = Vec::new();
        report.add(&Batch::of_record(""), &findings, &mut out).unwrap();
        report.end(&mut out).unwrap();
        report.finish(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "header\ne\nc\nb\n");
        assert!(bounds.admits(0, 6) && !bounds.admits(0, 5) && bounds.admits(1, 0));
    }
}
