//! Compares the pairs of a batch and formats their rows.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::comparison::{StrandComparison, StrandValues};
use super::further::FurtherAlignment;
use super::lines::{LinePairs, LineReader, LineRules};
use super::lists::ListSets;
use super::sets::{ComparedSets, StrandedPairs};
use super::{PairSource, PairWork, QueryRecords, TargetLimit};
use crate::findings::{PairFindings, RankedRow};
use crate::rows::{PairRow, PairText};
use nigh_pairs::PairAlignment;
use nigh_pairs::pairs::{Pairs, Strings};
use nigh_pattern::Strand;
use nigh_report::{EarlyRows, Findings, ReportNeeds};
use nigh_search::batch_work::{BatchOutputs, EarlyOutput};
use nigh_search::batch_work::{BatchWork, BatchWorker};
use nigh_search::{Input, Strands};
use nigh_text::alphabet::reverse_complement;
use nigh_text::batch::{Batch, Records, Window};
use nigh_verify::{EngineError, EngineFacts};

/// Number of bytes of rows at which the rows are reported before the end of their batch.
const EARLY_ROW_BYTES: usize = 16 << 20;

/// Largest number of values that are computed before their rows are written.
const VALUES_AT_A_TIME: usize = 1 << 18;
/// Largest number of alignments that are computed before their rows are written. If there are more queries, one
/// alignment for each query.
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
    compared: StrandComparison<'a>,
    values: StrandValues,
}

/// A pair to print.
struct PrintedPair<'b> {
    names: [&'b [u8]; 2],
    texts: [PairText<'b>; 2],
    value: i64,
    strand: Strand,
    /// The alignment, if rows show it.
    alignment: Option<&'b PairAlignment>,
}

impl<'a> PairBatchWorker<'a> {
    pub(super) fn new(work: &'a PairWork, needs: &'a ReportNeeds) -> Result<Self, EngineError> {
        let comparison =
            PairComparison { work, compared: StrandComparison::new(work)?, values: StrandValues::default() };
        Ok(PairBatchWorker { comparison, needs, targets: Records::default() })
    }
}

/// Returns the residues of the first `count` records.
fn first_strings(records: &Records, count: usize) -> Strings<'_> {
    Strings::Packed { bytes: records.all_residues(), ends: &records.residue_ends()[..count] }
}

/// Makes a string in which each byte is a symbol.
fn text(bytes: &[u8]) -> PairText<'_> {
    PairText { bytes, symbols: bytes.len() }
}

/// Records as queries and targets.
struct RecordSets<'r> {
    queries: &'r QueryRecords,
    targets: &'r Records,
}

impl ComparedSets for RecordSets<'_> {
    fn query_count(&self) -> usize {
        self.queries.forward.len()
    }

    fn target_count(&self) -> usize {
        self.targets.len()
    }

    fn pairs(&mut self, query: usize, targets: Range<usize>) -> StrandedPairs<'_> {
        let strings = first_strings(self.targets, targets.end);
        let QueryRecords { forward, reverse } = self.queries;
        let reverse = reverse.as_deref().map(|reverse| reverse.residues(query));
        StrandedPairs {
            forward: Pairs::OneToMany { query: forward.residues(query), targets: strings },
            reverse: reverse.map(|query| Pairs::OneToMany { query, targets: strings }),
            first: targets.start,
            wide: &[],
        }
    }

    fn names(&self, query: usize, target: usize) -> [&[u8]; 2] {
        [self.queries.forward.name(query), self.targets.name(target)]
    }

    fn texts(&self, query: usize, target: usize) -> [PairText<'_>; 2] {
        [text(self.queries.forward.residues(query)), text(self.targets.residues(target))]
    }
}

impl PairComparison<'_> {
    /// Compares the columns of each line.
    fn lines(&mut self, batch: &Batch, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let PairWork { alphabet, strands, ref engine, .. } = *self.work;
        let mut reader = LineReader::new(batch, LineRules { alphabet, strands, engine: engine.as_ref() });
        let mut lines = LinePairs::default();
        while reader.read(&mut lines) {
            let (queries, targets) = (lines.side(0), lines.side(1));
            let reversed: Vec<Vec<u8>> = match strands {
                Strands::Forward => Vec::new(),
                Strands::Reverse | Strands::Both => queries.iter().map(|query| reversed(query)).collect(),
            };
            let reversed: Vec<&[u8]> = reversed.iter().map(Vec::as_slice).collect();
            let zipped = |queries| Pairs::zipped(Strings::Slices(queries), Strings::Slices(&targets));
            let reverse = (strands != Strands::Forward).then(|| zipped(&reversed));
            let pairs = StrandedPairs { forward: zipped(&queries), reverse, first: 0, wide: &lines.wide };
            self.zipped(&pairs, |index| (lines.names[index], lines.texts[index]), output)?;
        }
        let found = &mut output.pairs;
        (found.lines, found.bad_lines) = (reader.lines, reader.bad_lines);
        Ok(())
    }

    /// Compares each record with its mate.
    fn mates(&mut self, batch: &Batch, records: &Records, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let Some(queries) = batch.mates() else { return Ok(()) };
        // If the second input has ended, the last records have no mates.
        let count = queries.len().min(records.len());
        let zipped = |queries| Pairs::zipped(first_strings(queries, count), first_strings(records, count));
        let reversed = (self.work.strands != Strands::Forward).then(|| queries.reverse_complemented());
        let reverse = reversed.as_ref().map(zipped);
        let pairs = StrandedPairs { forward: zipped(queries), reverse, first: 0, wide: &[] };
        let names_and_texts = |index| {
            let names = [queries.name(index), records.name(index)];
            (names, [text(queries.residues(index)), text(records.residues(index))])
        };
        self.zipped(&pairs, names_and_texts, output)
    }

    /// Compares each query with each target, and keeps all rows or, with a limit, the best of each query.
    fn sets(
        &mut self,
        sets: &mut dyn ComparedSets,
        top: Option<&TargetLimit>,
        output: &mut RowOutput<'_, '_>,
    ) -> Result<(), EngineError> {
        match top {
            Some(top) => self.best(sets, top, output),
            None => self.against(sets, output),
        }
    }

    /// Compares each target with each query. Rows are in the order of the targets, and of the queries for each target.
    fn against(&mut self, sets: &mut dyn ComparedSets, output: &mut RowOutput<'_, '_>) -> Result<(), EngineError> {
        let (count, target_count) = (sets.query_count(), sets.target_count());
        let at_a_time = if self.work.rows.wants_alignment() { ALIGNED_AT_A_TIME } else { VALUES_AT_A_TIME };
        let per_block = (at_a_time / count.max(1)).max(1);
        let mut values: Vec<StrandValues> = Vec::new();
        values.resize_with(count, StrandValues::default);
        for start in (0..target_count).step_by(per_block) {
            let block = start..target_count.min(start + per_block);
            // The alignments of each query, in the order of the targets.
            let mut aligned = Vec::with_capacity(count);
            for (query, values) in values.iter_mut().enumerate() {
                let pairs = sets.pairs(query, block.clone());
                self.compared.values(&pairs, 0..block.len(), values)?;
                let printed = self.work.printed(&values.values);
                let best = self.compared.alignments(&pairs, 0, &printed, values)?;
                let further = self.compared.further(&pairs, 0, (&printed, &best))?;
                aligned.push((best.into_iter(), further.into_iter()));
            }
            for index in block.clone() {
                for (query, (aligned, further)) in aligned.iter_mut().enumerate() {
                    let (value, strand) = values[query].get(index - block.start);
                    if self.work.is_printed(value) {
                        let (alignment, further) = (aligned.next(), further.next().unwrap_or_default());
                        let (names, texts) = (sets.names(query, index), sets.texts(query, index));
                        let best = PrintedPair { names, texts, value, strand, alignment: alignment.as_ref() };
                        self.print(&best, output);
                        self.print_further(&best, &further, output);
                    }
                }
                output.send_if_full();
            }
        }
        Ok(())
    }

    /// For each query, formats the rows of those targets of this batch that may be among the best of all targets.
    fn best(
        &mut self,
        sets: &mut dyn ComparedSets,
        top: &TargetLimit,
        output: &mut RowOutput<'_, '_>,
    ) -> Result<(), EngineError> {
        let (work, count) = (self.work, sets.target_count());
        let mut values = std::mem::take(&mut self.values);
        for query in 0..sets.query_count() {
            let pairs = sets.pairs(query, 0..count);
            self.compared.values(&pairs, 0..count, &mut values)?;
            let mut ranked: Vec<(i64, usize)> = (0..count)
                .filter(|&index| work.is_printed(values.values[index]))
                .map(|index| (work.measure.rank(values.values[index]), index))
                .filter(|&(rank, _)| top.bounds.admits(query, rank))
                .collect();
            // Best rank first; equal ranks in the order of the targets.
            let order = |&(rank, index): &(i64, usize)| (std::cmp::Reverse(rank), index);
            if ranked.len() > top.count {
                ranked.select_nth_unstable_by_key(top.count, order);
                ranked.truncate(top.count);
            }
            ranked.sort_unstable_by_key(|&(_, index)| index);
            let indices: Vec<usize> = ranked.iter().map(|&(_, index)| index).collect();
            let aligned = self.compared.alignments(&pairs, 0, &indices, &values)?;
            for (place, (rank, index)) in ranked.into_iter().enumerate() {
                let (value, strand) = values.get(index);
                let (names, texts, alignment) =
                    (sets.names(query, index), sets.texts(query, index), aligned.get(place));
                let start = output.findings.rows.len();
                self.print(&PrintedPair { names, texts, value, strand, alignment }, output);
                output.pairs.ranked.push(RankedRow { query, rank, row: start..output.findings.rows.len() });
            }
        }
        self.values = values;
        Ok(())
    }

    /// Compares all pairs. `names_and_texts` returns the names and strings of the pair with an index.
    fn zipped<'b>(
        &mut self,
        pairs: &StrandedPairs<'b>,
        names_and_texts: impl Fn(usize) -> ([&'b [u8]; 2], [PairText<'b>; 2]),
        output: &mut RowOutput<'_, '_>,
    ) -> Result<(), EngineError> {
        let (mut values, count) = (std::mem::take(&mut self.values), pairs.forward.len());
        for start in (0..count).step_by(VALUES_AT_A_TIME) {
            self.compared.values(pairs, start..count.min(start + VALUES_AT_A_TIME), &mut values)?;
            for indices in self.work.printed(&values.values).chunks(ALIGNED_AT_A_TIME) {
                let aligned = self.compared.alignments(pairs, start, indices, &values)?;
                let further = self.compared.further(pairs, start, (indices, &aligned))?;
                for (place, &index) in indices.iter().enumerate() {
                    let (names, texts) = names_and_texts(start + index);
                    let ((value, strand), alignment) = (values.get(index), aligned.get(place));
                    let best = PrintedPair { names, texts, value, strand, alignment };
                    self.print(&best, output);
                    self.print_further(&best, further.get(place).map_or(&[], Vec::as_slice), output);
                    output.send_if_full();
                }
            }
        }
        self.values = values;
        Ok(())
    }

    /// Appends the rows of the further alignments of a pair.
    fn print_further(&self, best: &PrintedPair<'_>, further: &[FurtherAlignment], output: &mut RowOutput<'_, '_>) {
        for FurtherAlignment { strand, alignment } in further {
            let (value, strand) = (alignment.value, *strand);
            self.print(&PrintedPair { value, strand, alignment: Some(alignment), ..*best }, output);
        }
    }

    /// Appends the row of a pair.
    fn print(&self, printed: &PrintedPair<'_>, output: &mut RowOutput<'_, '_>) {
        let row = PairRow {
            query_name: printed.names[0],
            target_name: printed.names[1],
            query: printed.texts[0],
            target: printed.texts[1],
            value: printed.value,
            strand: printed.strand,
            bits: self.work.bits.map(|scale| scale.bits(printed.value)),
            alignment: printed.alignment,
        };
        self.work.rows.row(&row, &mut output.findings.rows);
        output.findings.hits += 1;
    }
}

/// Returns the reverse complement of a string.
fn reversed(string: &[u8]) -> Vec<u8> {
    let mut reversed = string.to_vec();
    reverse_complement(&mut reversed);
    reversed
}

/// The findings of a batch so far, and the way to report rows before the end of the batch.
struct RowOutput<'o, 'e> {
    findings: Findings,
    pairs: PairFindings,
    needs: &'o ReportNeeds,
    outputs: BatchOutputs<'e>,
}

impl RowOutput<'_, '_> {
    /// Reports the rows so far if they have at least `EARLY_ROW_BYTES` bytes.
    fn send_if_full(&mut self) {
        if self.needs.all_rows && self.findings.rows.len() >= EARLY_ROW_BYTES {
            let bytes = std::mem::take(&mut self.findings.rows);
            (self.outputs.early)(EarlyOutput::Rows(EarlyRows { bytes, ..EarlyRows::default() }));
        }
    }
}

impl BatchWorker for PairBatchWorker<'_> {
    fn work(&mut self, batch: &Batch, _: &Input, outputs: BatchOutputs<'_>) -> Result<(Findings, usize), EngineError> {
        let PairBatchWorker { comparison, needs, targets } = self;
        let mut output = RowOutput { findings: Findings::default(), pairs: PairFindings::default(), needs, outputs };
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
            (PairSource::Queries(queries), top) => {
                comparison.sets(&mut RecordSets { queries, targets }, top.as_ref(), &mut output)?;
            }
            (PairSource::List(list), top) => {
                let mut sets = ListSets::new(batch, list, work.alphabet, work.engine.as_ref());
                comparison.sets(&mut sets, top.as_ref(), &mut output)?;
                let found = &mut output.pairs;
                (found.lines, found.bad_lines) = (sets.line_count, sets.bad_lines);
            }
        }
        let of_program: Option<Arc<dyn Any + Send + Sync>> = Some(Arc::new(output.pairs));
        Ok((Findings { of_program, ..output.findings }, 0))
    }
}

impl BatchWork for PairWork {
    fn facts(&self) -> EngineFacts<'_> {
        self.engine.facts()
    }

    fn window(&self, bytes: usize) -> Window {
        // Records and lines are whole, so batches need no context.
        Window { bytes, max_match_len: 0, alphabet: self.alphabet }
    }

    fn description(&self) -> Vec<String> {
        self.engine.description()
    }

    fn worker<'a>(&'a self, needs: &'a ReportNeeds) -> Result<Box<dyn BatchWorker + 'a>, EngineError> {
        Ok(Box::new(PairBatchWorker::new(self, needs)?))
    }
}
