//! The engine for the processor's cores: divides the work among the implementations for short, long and scored pairs.

use std::ops::Range;

#[cfg(feature = "cuda")]
use super::long::ProbedDistance;
use super::long::{LongPairs, edit_value};
use super::scored::{ScoredExtent, ScoredPairs};
use super::short::ShortPairs;
use crate::engine::{BATCH_BYTES, PairEngine, PairWorker};
use crate::pairs::{Pair, Pairs};
use crate::scoring::{GapCosts, Scoring, Substitution};
use crate::symbols::WidePair;
use crate::team::Team;
use crate::{EditModel, Objective, PairAlignment};
use nigh_simd::isa::Isa;
use nigh_text::interrupt;
use nigh_verify::{EngineError, EngineFacts};

/// Compares pairs on the processor's cores.
pub(crate) struct CpuPairs {
    objective: Objective,
    isa: Isa,
    threads: usize,
    /// The largest distance that matters; `None` if all do.
    max_distance: Option<usize>,
    /// The threads among which a long pair is divided.
    team: Team,
}

impl CpuPairs {
    /// Makes an engine for `threads` workers.
    pub(crate) fn new(objective: Objective, threads: usize) -> Self {
        CpuPairs { objective, isa: Isa::preferred(), threads, max_distance: None, team: Team::new(threads) }
    }

    /// Sets the largest edit distance that matters. A larger one may then be reported as any value above it.
    pub(crate) fn within(self, max_distance: Option<usize>) -> Self {
        CpuPairs { max_distance, ..self }
    }

    /// Returns the largest edit distance that matters; `None` if all do.
    #[cfg(feature = "cuda")]
    pub(crate) fn max_distance(&self) -> Option<usize> {
        self.max_distance
    }

    /// Returns whether the engine accepts a pair: every score that its lengths allow fits into 32 bits. Workers return
    /// an error for other pairs.
    #[cfg(feature = "cuda")]
    pub(crate) fn takes(&self, pair: Pair<'_>) -> bool {
        self.check_lengths(pair.query.len(), pair.target.len()).is_ok()
    }

    /// Makes a probe, which estimates how similar the strings of a long pair are.
    #[cfg(feature = "cuda")]
    pub(crate) fn probe(&self, model: EditModel) -> EditProbe<'_> {
        EditProbe {
            model,
            max_distance: self.max_distance,
            long: LongPairs::new(self.isa, &self.team),
            team: &self.team,
        }
    }

    /// Fails if a score of a pair with these lengths may not fit into 32 bits.
    fn check_lengths(&self, query: usize, target: usize) -> Result<(), EngineError> {
        match &self.objective {
            Objective::Distance | Objective::Lcs => Ok(()),
            Objective::Global(scoring) => check(scoring, ScoredExtent::Global, query, target),
            Objective::Local(scoring) => check(scoring, ScoredExtent::Local, query, target),
        }
    }
}

/// Fails if a score of a pair with these lengths may not fit into 32 bits.
fn check(scoring: &Scoring, extent: ScoredExtent, query: usize, target: usize) -> Result<(), EngineError> {
    match ScoredPairs::fits(scoring, extent, query, target) {
        true => Ok(()),
        false => Err(EngineError::PairTooLong { query, target }),
    }
}

impl PairEngine for CpuPairs {
    fn objective(&self) -> &Objective {
        &self.objective
    }

    fn description(&self) -> Vec<String> {
        vec![format!("CPU engine, {} workers, {}", self.threads, self.isa.name())]
    }

    fn facts(&self) -> EngineFacts<'_> {
        EngineFacts { name: "cpu", workers: self.threads, in_flight: 1, batch_bytes: BATCH_BYTES, failure: None }
    }

    fn check(&self, query: usize, target: usize) -> Result<(), EngineError> {
        self.check_lengths(query, target)
    }

    fn worker(&self) -> Result<Box<dyn PairWorker + '_>, EngineError> {
        let edits = |model| -> Box<dyn PairWorker + '_> {
            Box::new(EditWorker {
                isa: self.isa,
                model,
                max_distance: self.max_distance,
                short: ShortPairs::new(self.isa, model),
                long: LongPairs::new(self.isa, &self.team),
                rest: Vec::new(),
                team: &self.team,
            })
        };
        let scored = |scoring, extent| -> Box<dyn PairWorker + '_> {
            let scored = ScoredPairs::new(self.isa, scoring, extent, &self.team);
            Box::new(ScoreWorker { scoring, extent, scored, team: &self.team })
        };
        Ok(match &self.objective {
            Objective::Distance => edits(EditModel::Levenshtein),
            Objective::Lcs => edits(EditModel::Indel),
            Objective::Global(scoring) => scored(scoring, ScoredExtent::Global),
            Objective::Local(scoring) => scored(scoring, ScoredExtent::Local),
        })
    }
}

/// A probe, which estimates how similar the strings of a long pair are.
#[cfg(feature = "cuda")]
pub(crate) struct EditProbe<'a> {
    model: EditModel,
    max_distance: Option<usize>,
    long: LongPairs<'a>,
    team: &'a Team,
}

/// The result of a probe.
#[cfg(feature = "cuda")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ProbedValue {
    /// The value of the pair.
    Known(i64),
    /// The approximate number of cells that the processor would compute.
    Cells(f64),
}

#[cfg(feature = "cuda")]
impl EditProbe<'_> {
    /// Compares a pair if its strings are similar; otherwise estimates the work.
    pub(crate) fn run(&mut self, pair: Pair<'_>) -> ProbedValue {
        let _permit = self.team.enter();
        match self.long.probe(self.model, pair, self.max_distance) {
            ProbedDistance::Known(Some(distance)) => ProbedValue::Known(edit_value(self.model, pair, distance)),
            ProbedDistance::Known(None) => ProbedValue::Known(i64::MAX),
            ProbedDistance::Guessed { edits, length } => {
                let edits = self.max_distance.map_or(edits, |bound| edits.min(bound));
                // On either side of the middle, the band has as many diagonals as the pair has edits.
                ProbedValue::Cells(length as f64 * (2 * edits + 1) as f64)
            }
        }
    }
}

/// Computes edit distances and common subsequences.
struct EditWorker<'a> {
    isa: Isa,
    model: EditModel,
    max_distance: Option<usize>,
    short: ShortPairs,
    long: LongPairs<'a>,
    /// The indices of long pairs; a buffer that is reused.
    rest: Vec<usize>,
    team: &'a Team,
}

impl EditWorker<'_> {
    /// Returns the value of a long pair.
    fn long_value(&mut self, pair: Pair<'_>) -> i64 {
        match self.long.distance(self.model, pair, self.max_distance) {
            Some(distance) => edit_value(self.model, pair, distance),
            None => i64::MAX,
        }
    }

    /// Compares a wide pair by a global alignment. Its score is the length of the longest common subsequence, or the
    /// negated distance.
    fn wide<T>(&self, pair: &WidePair, run: impl Fn(&mut ScoredPairs<'_>) -> T) -> Result<T, EngineError> {
        let (equal, different, extend) = match self.model {
            EditModel::Levenshtein => (0, -1, 1),
            // Two gaps are better than a substitution.
            EditModel::Indel => (1, -1, 0),
        };
        let scoring = Scoring::new(Substitution::Equality { equal, different }, GapCosts { open: 0, extend });
        let scoring = scoring.expect("the costs of gaps are valid");
        check(&scoring, ScoredExtent::Global, pair.query().len(), pair.target().len())?;
        let _permit = self.team.enter();
        Ok(run(&mut ScoredPairs::new(self.isa, &scoring, ScoredExtent::Global, self.team)))
    }

    /// Returns the value of a pair with this score.
    fn value_of(&self, score: i64) -> i64 {
        match self.model {
            EditModel::Levenshtein => -score,
            EditModel::Indel => score,
        }
    }
}

impl PairWorker for EditWorker<'_> {
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) -> Result<(), EngineError> {
        let _permit = self.team.enter();
        let mut rest = std::mem::take(&mut self.rest);
        rest.clear();
        self.short.values(pairs, range.clone(), values, &mut rest);
        for &index in &rest {
            values[index - range.start] = self.long_value(pairs.get(index));
        }
        self.rest = rest;
        Ok(())
    }

    fn align(&mut self, pair: Pair<'_>) -> Result<PairAlignment, EngineError> {
        interrupt::check();
        let _permit = self.team.enter();
        Ok(match ShortPairs::aligns(pair) {
            true => self.short.align(pair),
            false => self.long.align(self.model, pair),
        })
    }

    fn wide_value(&mut self, pair: &WidePair) -> Result<i64, EngineError> {
        self.wide(pair, |scored| self.value_of(scored.wide_value(pair)))
    }

    fn align_wide(&mut self, pair: &WidePair) -> Result<PairAlignment, EngineError> {
        let aligned = self.wide(pair, |scored| scored.align_wide(pair))?;
        Ok(PairAlignment { value: self.value_of(aligned.value), ..aligned })
    }
}

/// Computes scores.
struct ScoreWorker<'a> {
    scoring: &'a Scoring,
    extent: ScoredExtent,
    scored: ScoredPairs<'a>,
    team: &'a Team,
}

impl ScoreWorker<'_> {
    /// Fails if a score of a pair with these lengths may not fit into 32 bits.
    fn check(&self, query: usize, target: usize) -> Result<(), EngineError> {
        check(self.scoring, self.extent, query, target)
    }
}

impl PairWorker for ScoreWorker<'_> {
    fn values(&mut self, pairs: &Pairs<'_>, range: Range<usize>, values: &mut [i64]) -> Result<(), EngineError> {
        let _permit = self.team.enter();
        range.clone().try_for_each(|index| {
            let Pair { query, target } = pairs.get(index);
            self.check(query.len(), target.len())
        })?;
        self.scored.values(pairs, range, values);
        Ok(())
    }

    fn align(&mut self, pair: Pair<'_>) -> Result<PairAlignment, EngineError> {
        interrupt::check();
        let _permit = self.team.enter();
        self.check(pair.query.len(), pair.target.len())?;
        Ok(self.scored.align(pair))
    }

    fn wide_value(&mut self, pair: &WidePair) -> Result<i64, EngineError> {
        let _permit = self.team.enter();
        self.check(pair.query().len(), pair.target().len())?;
        Ok(self.scored.wide_value(pair))
    }

    fn align_wide(&mut self, pair: &WidePair) -> Result<PairAlignment, EngineError> {
        let _permit = self.team.enter();
        self.check(pair.query().len(), pair.target().len())?;
        Ok(self.scored.align_wide(pair))
    }
}
