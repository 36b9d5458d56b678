//! Compares the pairs of a batch and formats their rows.

use std::ops::Range;

use super::lines::{IndexedPair, LinePairs, LineReader};
use super::{PairSource, PairWork, Top};
use crate::engine::EngineError;
use crate::input::{Batch, Records, Window};
use crate::pairwise::pairs::{Pairs, Strings};
use crate::pairwise::{PairAlignment, PairWorker};
use crate::report::{EarlyRows, Findings, PairRow, PairText, RankedRow, ReportNeeds};
use crate::search::Input;
use crate::search::batch_work::{BatchWork, BatchWorker};
use crate::search::select::selector::{BatchOutputs, EarlyOutput};

/// Number of bytes of rows at which the rows are reported before the end of their batch.
const EARLY_ROW_BYTES: usize = 16 << 20;

/// Largest number of values that are computed before their rows are written.
const VALUES_AT_A_TIME: usize = 1 << 18;
/// Largest number of alignments that are computed before their rows are written, unless there are more queries.
const ALIGNED_AT_A_TIME: usize = 1 << 12;

/// Compares the pairs of one batch at a time.
pub(super) struct PairBatchWorker<'a> {
    comparison: PairComparison<'a>,
    needs: &'a ReportNeeds,
    targets: Records,
}

/// Compares pairs and formats their rows.
struct PairComparison<'a> {
    work: &'a PairWork,
    worker: Box<dyn PairWorker + 'a>,
    values: Vec<i64>,
}

/// The strings of one side with those of the other.
#[derive(Clone, Copy)]
struct ZippedPairs<'b> {
    pairs: &'b Pairs<'b>,
    /// Pairs that replace those with the same indices, in order.
    wide: &'b [IndexedPair],
}

/// A pair to print.
struct PrintedPair<'b> {
    names: [&'b [u8]; 2],
    texts: [PairText<'b>; 2],
    value: i64,
    /// The alignment, if rows show it.
    alignment: Option<&'b PairAlignment>,
}

impl<'a> PairBatchWorker<'a> {
    pub(super) fn new(work: &'a PairWork, needs: &'a ReportNeeds) -> Result<Self, EngineError> {
        let comparison = PairComparison { work, worker: work.engine.worker()?, values: Vec::new() };
        Ok(PairBatchWorker { comparison, needs, targets: Records::default() })
    }
}

/// Returns the residues of the first `count` records.
fn first_strings(records: &Records, count: usize) -> Strings<'_> {
    Strings::Packed { bytes: records.all_residues(), ends: &records.residue_ends()[..count] }
}

/// Returns a string of which each byte is a symbol.
fn text(bytes: &[u8]) -> PairText<'_> {
    PairText { bytes, symbols: bytes.len() }
}

/// The queries, and the records of a batch.
#[derive(Clone, Copy)]
struct RecordSets<'r> {
    queries: &'r Records,
    targets: &'r Records,
}

impl<'r> RecordSets<'r> {
    /// Pairs a query with each record of the batch.
    fn pairs(self, query: usize) -> Pairs<'r> {
        let targets = first_strings(self.targets, self.targets.len());
        Pairs::OneToMany { query: self.queries.residues(query), targets }
    }

    /// Returns the pair of a query and a record.
    fn printed(self, query: usize, index: usize, value: i64, alignment: Option<&'r PairAlignment>) -> PrintedPair<'r> {
        PrintedPair {
            names: [self.queries.name(query), self.targets.name(index)],
            texts: [text(self.queries.residues(query)), text(self.targets.residues(index))],
            value,
            alignment,
        }
    }
}

impl PairComparison<'_> {
    /// Compares the columns of each line.
    fn lines(&mut self, batch: &Batch, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let engine = self.work.engine.clone();
        let mut reader = LineReader::new(batch, self.work.alphabet, engine.as_ref());
        let mut lines = LinePairs::default();
        while reader.read(&mut lines) {
            let (queries, targets) = (lines.side(0), lines.side(1));
            let pairs = Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets));
            let zipped = ZippedPairs { pairs: &pairs, wide: &lines.wide };
            self.zipped(zipped, |index| (lines.names[index], lines.texts[index]), output)?;
        }
        (output.findings.lines, output.findings.bad_lines) = (reader.lines, reader.bad_lines);
        Ok(())
    }

    /// Compares each record with its mate.
    fn mates(&mut self, batch: &Batch, records: &Records, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let Some(queries) = batch.mates() else { return Ok(()) };
        // If the second input has ended, the last records have no mates.
        let count = queries.len().min(records.len());
        let pairs = Pairs::zipped(first_strings(queries, count), first_strings(records, count));
        let names_and_texts = |index| {
            let names = [queries.name(index), records.name(index)];
            (names, [text(queries.residues(index)), text(records.residues(index))])
        };
        self.zipped(ZippedPairs { pairs: &pairs, wide: &[] }, names_and_texts, output)
    }

    /// Compares each record with each query. Rows are in the order of the records, and of the queries for each record.
    fn against(&mut self, sets: RecordSets<'_>, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let RecordSets { queries, targets } = sets;
        let at_a_time = if self.work.rows.wants_alignment() { ALIGNED_AT_A_TIME } else { VALUES_AT_A_TIME };
        let per_block = (at_a_time / queries.len().max(1)).max(1);
        for start in (0..targets.len()).step_by(per_block) {
            let block = start..targets.len().min(start + per_block);
            let mut values = vec![0; queries.len() * block.len()];
            // The alignments of each query, in the order of the records.
            let mut aligned = Vec::with_capacity(queries.len());
            for (query, values) in values.chunks_exact_mut(block.len()).enumerate() {
                let pairs = sets.pairs(query);
                self.worker.values(&pairs, block.clone(), values)?;
                let printed = self.work.printed(block.clone(), values);
                aligned.push(self.alignments(&pairs, &printed)?.into_iter());
            }
            for index in block.clone() {
                for (query, aligned) in aligned.iter_mut().enumerate() {
                    let value = values[query * block.len() + index - block.start];
                    if self.work.is_printed(value) {
                        let alignment = aligned.next();
                        self.print(&sets.printed(query, index, value, alignment.as_ref()), output);
                    }
                }
                output.send_if_full();
            }
        }
        Ok(())
    }

    /// Finds the records of this batch that may be among the best of each query.
    fn best(&mut self, sets: RecordSets<'_>, top: &Top, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let (work, count) = (self.work, sets.targets.len());
        for query in 0..sets.queries.len() {
            let pairs = sets.pairs(query);
            let mut values = std::mem::take(&mut self.values);
            values.clear();
            values.resize(count, 0);
            self.worker.values(&pairs, 0..count, &mut values)?;
            let mut ranked: Vec<(i64, usize)> = (0..count)
                .filter(|&index| work.is_printed(values[index]))
                .map(|index| (work.measure.rank(values[index]), index))
                .filter(|&(rank, _)| top.bounds.admits(query, rank))
                .collect();
            // The best first, and of equal records the first.
            let order = |&(rank, index): &(i64, usize)| (std::cmp::Reverse(rank), index);
            if ranked.len() > top.count {
                ranked.select_nth_unstable_by_key(top.count, order);
                ranked.truncate(top.count);
            }
            ranked.sort_unstable_by_key(|&(_, index)| index);
            let indices: Vec<usize> = ranked.iter().map(|&(_, index)| index).collect();
            let aligned = self.alignments(&pairs, &indices)?;
            for (place, (rank, index)) in ranked.into_iter().enumerate() {
                let printed = sets.printed(query, index, values[index], aligned.get(place));
                let start = output.findings.rows.len();
                self.print(&printed, output);
                output.findings.ranked.push(RankedRow { query, rank, row: start..output.findings.rows.len() });
            }
            self.values = values;
        }
        Ok(())
    }

    /// Compares all pairs. `names_and_texts` returns the names and strings of the pair with an index.
    fn zipped<'b>(
        &mut self,
        zipped: ZippedPairs<'b>,
        names_and_texts: impl Fn(usize) -> ([&'b [u8]; 2], [PairText<'b>; 2]),
        output: &mut RowOutput<'_, '_>,
    ) -> Result<(), EngineError> {
        let ZippedPairs { pairs, wide } = zipped;
        let mut values = std::mem::take(&mut self.values);
        for start in (0..pairs.len()).step_by(VALUES_AT_A_TIME) {
            let range = start..pairs.len().min(start + VALUES_AT_A_TIME);
            values.clear();
            values.resize(range.len(), 0);
            self.worker.values(pairs, range.clone(), &mut values)?;
            for IndexedPair { index, pair } in wide.iter().filter(|wide| range.contains(&wide.index)) {
                values[index - range.start] = self.worker.wide_value(pair)?;
            }
            for indices in self.work.printed(range.clone(), &values).chunks(ALIGNED_AT_A_TIME) {
                let mut aligned = self.alignments(pairs, indices)?;
                for (aligned, index) in aligned.iter_mut().zip(indices) {
                    if let Ok(place) = wide.binary_search_by_key(index, |wide| wide.index) {
                        *aligned = self.worker.align_wide(&wide[place].pair)?;
                    }
                }
                for (place, &index) in indices.iter().enumerate() {
                    let (names, texts) = names_and_texts(index);
                    let (value, alignment) = (values[index - range.start], aligned.get(place));
                    self.print(&PrintedPair { names, texts, value, alignment }, output);
                    output.send_if_full();
                }
            }
        }
        self.values = values;
        Ok(())
    }

    /// Aligns the pairs with these indices, if rows show alignments.
    fn alignments(&mut self, pairs: &Pairs<'_>, indices: &[usize]) -> Result<Vec<PairAlignment>, EngineError> {
        let mut aligned = Vec::new();
        if self.work.rows.wants_alignment() {
            self.worker.align_all(pairs, indices, &mut aligned)?;
        }
        Ok(aligned)
    }

    /// Appends the row of a pair.
    fn print(&self, printed: &PrintedPair<'_>, output: &mut RowOutput<'_, '_>) {
        let row = PairRow {
            query_name: printed.names[0],
            target_name: printed.names[1],
            query: printed.texts[0],
            target: printed.texts[1],
            value: printed.value,
            bits: self.work.bits.map(|scale| scale.bits(printed.value)),
            alignment: printed.alignment,
        };
        self.work.rows.row(&row, &mut output.findings.rows);
        output.findings.hits += 1;
    }
}

impl PairWork {
    /// Returns whether a pair with this value has a row.
    fn is_printed(&self, value: i64) -> bool {
        self.bound.is_none_or(|bound| self.measure.rank(value) >= self.measure.rank(bound))
    }

    /// Returns the indices in `range` whose values have a row. `values` begins with that of the first index.
    fn printed(&self, range: Range<usize>, values: &[i64]) -> Vec<usize> {
        range.zip(values).filter(|&(_, &value)| self.is_printed(value)).map(|(index, _)| index).collect()
    }
}

/// The findings of a batch so far, and the way to report rows before the end of the batch.
struct RowOutput<'o, 'e> {
    findings: Findings,
    needs: &'o ReportNeeds,
    outputs: BatchOutputs<'e>,
}

impl RowOutput<'_, '_> {
    /// Reports the rows so far if they have at least `EARLY_ROW_BYTES` bytes.
    fn send_if_full(&mut self) {
        if self.needs.all_rows && self.findings.rows.len() >= EARLY_ROW_BYTES {
            let bytes = std::mem::take(&mut self.findings.rows);
            (self.outputs.early)(EarlyOutput::Rows(EarlyRows { bytes, ended: None }));
        }
    }
}

impl BatchWorker for PairBatchWorker<'_> {
    fn work(&mut self, batch: &Batch, _: &Input, outputs: BatchOutputs<'_>) -> Result<(Findings, usize), EngineError> {
        let PairBatchWorker { comparison, needs, targets } = self;
        let mut output = RowOutput { findings: Findings::default(), needs, outputs };
        targets.clear();
        batch.copy_records(targets);
        if needs.lengths {
            let lengths = (0..targets.len()).map(|index| targets.residues(index).len() as u64);
            output.findings.lengths = lengths.collect();
        }
        let work = comparison.work;
        match (&work.source, &work.top) {
            (PairSource::Columns, _) => comparison.lines(batch, &mut output)?,
            (PairSource::Mates, _) => comparison.mates(batch, targets, &mut output)?,
            (PairSource::Queries(queries), None) => {
                comparison.against(RecordSets { queries, targets }, &mut output)?;
            }
            (PairSource::Queries(queries), Some(top)) => {
                comparison.best(RecordSets { queries, targets }, top, &mut output)?;
            }
        }
        Ok((output.findings, 0))
    }
}

impl BatchWork for PairWork {
    fn workers(&self) -> usize {
        self.engine.workers()
    }

    fn batch_bytes(&self) -> usize {
        self.engine.batch_bytes()
    }

    fn window(&self, bytes: usize) -> Window {
        // Records and lines are whole, so batches need no context.
        Window { bytes, max_match_len: 0, alphabet: self.alphabet }
    }

    fn plan(&self) -> Vec<String> {
        self.engine.plan()
    }

    fn failure(&self) -> Option<&EngineError> {
        self.engine.failure()
    }

    fn worker<'a>(&'a self, needs: &'a ReportNeeds) -> Result<Box<dyn BatchWorker + 'a>, EngineError> {
        Ok(Box::new(PairBatchWorker::new(self, needs)?))
    }
}
