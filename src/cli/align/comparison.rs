//! Turns the arguments into a search that compares pairs.

use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::Result;

use super::args::{AlignArgs, PairEngineName};
use super::reports::{PairOutput, output};
use super::{inputs, scoring};
use crate::alphabet::Alphabet;
use crate::cli::config::Stdin;
use crate::input::{Format, LongLines};
use crate::pairwise::{CpuPairs, Objective, PairEngine, ReferencePairs};
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
    let engine = engine(args, objective)?;
    let work = Arc::new(PairWork { engine, source, rows, measure, bound, bits, top, alphabet });
    let batch_bytes = args.engine.batch_size.and_then(|size| usize::try_from(size).ok());
    let (text, sequences) = match args.target {
        None => {
            let format = Format::Lines { terminator: b'\n', long: LongLines::Whole };
            (Some(SearchRoute { work, report, format, batch_bytes }), None)
        }
        Some(_) => {
            let format = Format::Fasta { long: LongLines::Whole };
            (None, Some(SearchRoute { work, report, format, batch_bytes }))
        }
    };
    let inputs = Box::new(std::iter::once(Entry::Input(input)));
    let records_in_text = RecordsInText::Ignored;
    Ok(Search { buffers: None, inputs, text, sequences, shard: None, watch: None, records_in_text })
}

/// Returns the worst value that has a row; `None` if all pairs have one.
fn bound(args: &AlignArgs, objective: &Objective) -> Option<i32> {
    match objective {
        Objective::Distance => args.output.max_distance,
        Objective::Lcs | Objective::Global(_) => args.output.min_score,
        Objective::Local(_) => Some(args.output.min_score.unwrap_or(1)),
    }
}

fn engine(args: &AlignArgs, objective: Objective) -> Result<Arc<dyn PairEngine>> {
    let threads = match args.engine.threads {
        0 => available_parallelism().map_or(1, usize::from),
        threads => usize::from(threads),
    };
    Ok(match args.engine.engine {
        PairEngineName::Cpu => {
            let max_distance = args.output.max_distance.and_then(|bound| usize::try_from(bound).ok());
            Arc::new(CpuPairs::new(objective, threads)?.within(max_distance))
        }
        PairEngineName::Reference => Arc::new(ReferencePairs::new(objective, threads)),
    })
}
