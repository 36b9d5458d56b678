//! Values and alignments of pairs, on the strands that are compared.

use std::ops::Range;

use super::PairWork;
use super::lines::IndexedPair;
use super::sets::StrandedPairs;
use nigh_pairs::{PairAlignment, PairWorker};
use nigh_pattern::Strand;
use nigh_search::Strands;
use nigh_verify::EngineError;

/// Compares pairs on the strands that are compared.
pub(super) struct StrandComparison<'a> {
    pub(super) work: &'a PairWork,
    worker: Box<dyn PairWorker + 'a>,
}

/// The values of some pairs, and for each pair the strand of the query on which it has its value.
#[derive(Default)]
pub(super) struct StrandValues {
    pub(super) values: Vec<i64>,
    strands: Vec<Strand>,
    /// The values on the reverse strand, if both are compared; a buffer that is reused.
    others: Vec<i64>,
}

impl<'a> StrandComparison<'a> {
    pub(super) fn new(work: &'a PairWork) -> Result<Self, EngineError> {
        Ok(StrandComparison { work, worker: work.engine.worker()? })
    }

    /// Computes the values of the pairs in `range`, on the strands that are compared.
    pub(super) fn values(
        &mut self,
        pairs: &StrandedPairs<'_>,
        range: Range<usize>,
        found: &mut StrandValues,
    ) -> Result<(), EngineError> {
        let first = match self.work.strands {
            Strands::Forward | Strands::Both => Strand::Forward,
            Strands::Reverse => Strand::Reverse,
        };
        found.reset(range.len(), first);
        let indices = pairs.first + range.start..pairs.first + range.end;
        self.worker.values(pairs.on(first), indices.clone(), &mut found.values)?;
        if self.work.strands == Strands::Both {
            let measure = self.work.measure;
            found.others.resize(range.len(), 0);
            self.worker.values(pairs.on(Strand::Reverse), indices, &mut found.others)?;
            found.replace_if_worse(|forward, reverse| measure.rank(reverse) > measure.rank(forward));
        }
        for IndexedPair { index, pair } in pairs.wide.iter().filter(|wide| range.contains(&wide.index)) {
            found.values[index - range.start] = self.worker.wide_value(pair)?;
        }
        Ok(())
    }

    /// Aligns pairs on the strands on which they have their values, if rows show alignments; otherwise returns no
    /// alignments. The indices of `indices` and `values` count from the pair `first`.
    pub(super) fn alignments(
        &mut self,
        pairs: &StrandedPairs<'_>,
        first: usize,
        indices: &[usize],
        values: &StrandValues,
    ) -> Result<Vec<PairAlignment>, EngineError> {
        if !self.work.rows.wants_alignment() {
            return Ok(Vec::new());
        }
        let mut aligned = match self.work.strands {
            Strands::Forward => self.aligned_on(pairs, Strand::Forward, indices.iter().map(|index| first + index))?,
            Strands::Reverse => self.aligned_on(pairs, Strand::Reverse, indices.iter().map(|index| first + index))?,
            Strands::Both => self.aligned_on_both(pairs, first, indices, values)?,
        };
        for IndexedPair { index, pair } in pairs.wide {
            let place = index.checked_sub(first).and_then(|index| indices.binary_search(&index).ok());
            if let Some(place) = place {
                aligned[place] = self.worker.align_wide(pair)?;
            }
        }
        Ok(aligned)
    }

    /// Aligns the pairs with the indices `indices` on a strand.
    fn aligned_on(
        &mut self,
        pairs: &StrandedPairs<'_>,
        strand: Strand,
        indices: impl Iterator<Item = usize>,
    ) -> Result<Vec<PairAlignment>, EngineError> {
        let indices: Vec<usize> = indices.map(|index| pairs.first + index).collect();
        let mut aligned = Vec::with_capacity(indices.len());
        self.worker.align_all(pairs.on(strand), &indices, &mut aligned)?;
        Ok(aligned)
    }

    /// Aligns each pair on the strand on which it has its value.
    fn aligned_on_both(
        &mut self,
        pairs: &StrandedPairs<'_>,
        first: usize,
        indices: &[usize],
        values: &StrandValues,
    ) -> Result<Vec<PairAlignment>, EngineError> {
        let on = |strand| indices.iter().filter(move |&&index| values.strands[index] == strand);
        let mut forward =
            self.aligned_on(pairs, Strand::Forward, on(Strand::Forward).map(|index| first + index))?.into_iter();
        let mut reverse =
            self.aligned_on(pairs, Strand::Reverse, on(Strand::Reverse).map(|index| first + index))?.into_iter();
        let in_order = indices.iter().filter_map(|&index| match values.strands[index] {
            Strand::Forward => forward.next(),
            Strand::Reverse => reverse.next(),
        });
        Ok(in_order.collect())
    }
}

impl StrandValues {
    /// Prepares the values of `count` pairs on a strand.
    fn reset(&mut self, count: usize, strand: Strand) {
        self.values.clear();
        self.values.resize(count, 0);
        self.strands.clear();
        self.strands.resize(count, strand);
    }

    /// Replaces the value of each pair by that of the reverse strand, if the latter is better.
    fn replace_if_worse(&mut self, is_worse: impl Fn(i64, i64) -> bool) {
        for ((value, strand), &other) in self.values.iter_mut().zip(&mut self.strands).zip(&self.others) {
            if is_worse(*value, other) {
                (*value, *strand) = (other, Strand::Reverse);
            }
        }
    }

    /// Returns the value of a pair and its strand.
    pub(super) fn get(&self, index: usize) -> (i64, Strand) {
        (self.values[index], self.strands[index])
    }

    /// Replaces all values and strands.
    pub(super) fn set(&mut self, all: impl Iterator<Item = (i64, Strand)>) {
        (self.values, self.strands) = all.unzip();
    }
}

impl PairWork {
    /// Returns whether a pair with this value has a row.
    pub(super) fn is_printed(&self, value: i64) -> bool {
        self.bound.is_none_or(|bound| self.measure.rank(value) >= self.measure.rank(bound))
    }

    /// Returns the indices of the pairs whose values are printed.
    pub(super) fn printed(&self, values: &[i64]) -> Vec<usize> {
        (0..values.len()).filter(|&index| self.is_printed(values[index])).collect()
    }
}
