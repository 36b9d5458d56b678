//! Turns the arguments into a search that compares pairs.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::args::AlignArgs;
use super::reports::{PairOutput, output};
use super::{inputs, scoring};
use crate::alphabet::Alphabet;
use crate::cli::args::EngineName;
use crate::cli::config::{Stdin, fallback, thread_count};
use crate::engine::{Devices, EngineChoice};
use crate::input::{Format, LongLines};
use crate::pairwise::{ExpectedWork, Objective, PairEngine, PairTask, pair_engine};
use crate::report::{Measure, RankBounds};
use crate::search::{Entry, PairSource, PairWork, RecordsInText, Search, SearchRoute, Top};

/// Builds the search.
pub(super) fn comparison(args: &AlignArgs, stdin: Stdin) -> Result<Search> {
    inputs::check(args)?;
    let objective = scoring::objective(args)?;
    let measure = match objective {
        Objective::Distance => Measure::Distance,
        Objective::Lcs => Measure::Length,
        Objective::Global(_) | Objective::Local(_) => Measure::Score,
    };
    let bits = scoring::bit_scale(args, &objective)?;
    let bound = bound(args, &objective);
    let alphabet = if args.target.is_none() && !args.objective.bytes { Alphabet::Text } else { Alphabet::Bytes };
    let input = inputs::main_input(args, stdin)?;
    let source = match (&args.target, args.objective.pairs) {
        (None, _) => PairSource::Columns,
        (Some(_), true) => PairSource::Mates,
        (Some(_), false) => PairSource::Queries(inputs::queries(args, stdin)?),
    };
    let top = match (&source, args.output.top) {
        (PairSource::Queries(queries), Some(count)) => Some(Top { count, bounds: RankBounds::new(queries.len()) }),
        _ => None,
    };
    let PairOutput { rows, report } = output(args, measure, alphabet, top.as_ref())?;
    let engine = engine(args, objective, expected(args, &source))?;
    let work = Arc::new(PairWork { engine, source, rows, measure, bound, bits, top, alphabet });
    let batch_bytes = args.engine.batch_size.and_then(|size| usize::try_from(size).ok());
    let (text, sequences) = match args.target {
        None => {
            let format = Format::Lines { terminator: b'\n', long: LongLines::Whole };
            (Some(SearchRoute { work, report, format, batch_bytes, floor: None }), None)
        }
        Some(_) => {
            let format = Format::Fasta { long: LongLines::Whole };
            (None, Some(SearchRoute { work, report, format, batch_bytes, floor: None }))
        }
    };
    let inputs = Box::new(std::iter::once(Entry::Input(input)));
    let records_in_text = RecordsInText::Ignored;
    Ok(Search { buffers: None, inputs, text, sequences, shard: None, watch: None, records_in_text })
}

/// Returns the worst value that has a row; `None` if all pairs have one.
fn bound(args: &AlignArgs, objective: &Objective) -> Option<i64> {
    match objective {
        Objective::Distance => args.output.max_distance,
        Objective::Lcs | Objective::Global(_) => args.output.min_score,
        Objective::Local(_) => Some(args.output.min_score.unwrap_or(1)),
    }
}

/// Returns the size of a search in the file of targets, if it is known. A compressed file counts as it is.
fn expected(args: &AlignArgs, source: &PairSource) -> Option<ExpectedWork> {
    let (PairSource::Queries(queries), Some(target)) = (source, &args.target) else { return None };
    let metadata = std::fs::metadata(target).ok().filter(std::fs::Metadata::is_file)?;
    Some(ExpectedWork { query: queries.all_residues().len(), targets: usize::try_from(metadata.len()).ok()? })
}

/// Makes the engine that the arguments choose.
fn engine(args: &AlignArgs, objective: Objective, expected: Option<ExpectedWork>) -> Result<Arc<dyn PairEngine>> {
    let devices = args.engine.device.clone();
    let choice = match args.engine.engine {
        EngineName::Auto => EngineChoice::Auto(devices, None),
        EngineName::Cuda => EngineChoice::Cuda(devices.unwrap_or(Devices::First), fallback()),
        EngineName::Cpu | EngineName::Reference if devices.is_some() => bail!("--device needs --engine cuda or auto"),
        EngineName::Cpu => EngineChoice::Cpu,
        EngineName::Reference => EngineChoice::Reference,
    };
    let max_distance = args.output.max_distance.and_then(|bound| usize::try_from(bound).ok());
    let task = PairTask { objective, max_distance, expected };
    Ok(pair_engine(choice, task, thread_count(args.engine.threads))?)
}
