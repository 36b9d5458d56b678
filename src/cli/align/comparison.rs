//! Turns the arguments into a search that compares pairs.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::args::{AlignArgs, PairFormat};
use super::inputs::{Queries, Residues};
use super::reports::{PairOutput, ShownPairs, output};
use super::{inputs, scoring};
use crate::cli::config::{Stdin, engine_choice, thread_count};
use crate::cli::program_run;
use nigh_align::{Measure, PairSource, PairWork, QueryRecords, RankBounds, TargetLimit};
use nigh_input::{Format, LongLines};
use nigh_pairs::{ExpectedWork, Objective, PairEngine, PairEngineTask, pair_engine};
use nigh_report::RecordShape;
use nigh_search::{InputKind, Search, SearchRoute, StageTimes, Strands};
use nigh_text::alphabet::Alphabet;

/// Builds the search.
pub(super) fn comparison(args: &AlignArgs, stdin: Stdin) -> Result<Search<'static>> {
    inputs::check(args)?;
    let queries = inputs::queries(args, stdin)?;
    let residues = residues(args, queries.as_ref());
    refuse_unused(args, residues)?;
    let objective = scoring::objective(args, residues)?;
    let strands = strands(args, &objective, residues)?;
    let measure = match objective {
        Objective::Distance => Measure::Distance,
        Objective::Lcs => Measure::Length,
        Objective::Global(_) | Objective::Local(_) => Measure::Score,
    };
    let bits = scoring::bit_scale(args, &objective, residues)?;
    let bound = bound(args, &objective);
    let is_text = residues == Residues::Characters;
    let alphabet = if is_text && !args.objective.bytes { Alphabet::Text } else { Alphabet::Bytes };
    let kind = if is_text { InputKind::Text } else { InputKind::Sequences };
    let input = inputs::main_input(args, kind, stdin)?;
    let source = match queries {
        None if args.target.is_none() => PairSource::Columns,
        None => PairSource::Mates,
        Some(Queries::Records(forward)) => {
            let reverse = (strands != Strands::Forward).then(|| Arc::new(forward.reverse_complemented()));
            PairSource::Queries(QueryRecords { forward, reverse })
        }
        Some(Queries::Lines(text)) => PairSource::List(Arc::new(inputs::list(args, &text, alphabet, &objective)?)),
    };
    let top = args.output.top.map(|count| TargetLimit { count, bounds: RankBounds::new(source.query_count()) });
    let PairOutput { rows, report } = output(args, ShownPairs { measure, alphabet, strands }, top.as_ref())?;
    let engine = engine(args, objective, expected(args, &source, strands))?;
    let wants_all = args.output.all;
    let work = PairWork { engine, source, rows, measure, bound, bits, top, wants_all, alphabet, strands };
    let work = Arc::new(work);
    let format = match kind {
        InputKind::Text => Format::Lines { terminator: b'\n', long: LongLines::Whole },
        InputKind::Sequences => Format::Fasta { long: LongLines::Whole },
    };
    let batch_bytes = args.engine.batch_bytes();
    let route = SearchRoute { work, report, format, batch_bytes, floor: None, records: RecordShape::Linear };
    Ok(Search { times: Arc::new(StageTimes::new(true)), ..Search::of_input(input, route) })
}

/// Refuses options that would have no effect.
fn refuse_unused(args: &AlignArgs, residues: Residues) -> Result<()> {
    let (objective, output) = (&args.objective, &args.output);
    let is_text = residues == Residues::Characters;
    let is_scored = objective.lcs || objective.global || objective.local;
    let is_table = matches!(output.format, PairFormat::Tsv | PairFormat::Json);
    let shows_bits = is_table || output.format == PairFormat::Align;
    let unused = [
        (
            output.min_score.is_some() && !is_scored,
            "--min-score needs --lcs, --global or --local; use -k for distances",
        ),
        (output.bits && !objective.local, "--bits needs --local"),
        (output.bits && !shows_bits, "--bits needs --format tsv, json or align"),
        (output.cigar && !is_table, "--cigar needs --format tsv or json; other formats always or never have a CIGAR"),
        (output.all && !objective.local, "--all needs --local"),
        (
            output.all && output.min_score.is_none_or(|least| least < 1),
            "--all needs --min-score, 1 or more: any two sequences have many alignments with a low score",
        ),
        (output.all && output.format == PairFormat::Values, "--all cannot be used with --format values"),
        (
            objective.bytes && !is_text,
            "--bytes needs lists of lines, or a table of pairs: --pairs with one file; in FASTA and FASTQ, a symbol is a byte",
        ),
        (objective.text && args.target.is_none(), "--text needs QUERY and TARGET; a table of pairs is always text"),
        (
            output.format == PairFormat::Sam && is_text,
            "--format sam needs the targets in a FASTA or FASTQ file; use --format paf for text",
        ),
        (
            is_text && args.target.is_some() && objective.strand.is_some_and(|strand| strand != Strands::Forward),
            "--strand needs FASTA or FASTQ files, or a table of pairs: --pairs with one file",
        ),
    ];
    program_run::refuse_unused(&unused)
}

/// Returns the kind of the symbols: characters in text, otherwise the kind of residues that the files hold.
fn residues(args: &AlignArgs, queries: Option<&Queries>) -> Residues {
    match (&args.target, queries) {
        (None, _) | (_, Some(Queries::Lines(_))) => Residues::Characters,
        (_, None) => inputs::residues(args, None),
        (_, Some(Queries::Records(records))) => inputs::residues(args, Some(records)),
    }
}

/// Returns the strands of the queries that are compared.
fn strands(args: &AlignArgs, objective: &Objective, residues: Residues) -> Result<Strands> {
    let is_local = matches!(objective, Objective::Local(_));
    Ok(match args.objective.strand {
        Some(Strands::Reverse | Strands::Both) if residues == Residues::AminoAcids => {
            bail!("--strand is for nucleotides, but the sequences are amino acids; omit --strand")
        }
        Some(strands) => strands,
        None if is_local && residues == Residues::Nucleotides => Strands::Both,
        None => Strands::Forward,
    })
}

/// Returns the worst value that is printed; `None` if all pairs are printed.
fn bound(args: &AlignArgs, objective: &Objective) -> Option<i64> {
    match objective {
        Objective::Distance => args.output.max_distance,
        Objective::Lcs | Objective::Global(_) => args.output.min_score,
        Objective::Local(_) => Some(args.output.min_score.unwrap_or(1)),
    }
}

/// Returns the expected number of query and target symbols; `None` if the queries are not in memory, or if the targets
/// are not a regular file. The number of target symbols is the size of the file in bytes, whether or not it is
/// compressed.
fn expected(args: &AlignArgs, source: &PairSource, strands: Strands) -> Option<ExpectedWork> {
    let (Some(query), Some(target)) = (source.query_symbols(), &args.target) else { return None };
    let compared = if strands == Strands::Both { 2 } else { 1 };
    let metadata = std::fs::metadata(target).ok().filter(std::fs::Metadata::is_file)?;
    Some(ExpectedWork { query: compared * query, targets: usize::try_from(metadata.len()).ok()? })
}

/// Makes the engine that the arguments choose.
fn engine(args: &AlignArgs, objective: Objective, expected: Option<ExpectedWork>) -> Result<Arc<dyn PairEngine>> {
    let choice = engine_choice(args.engine.engine, args.engine.device.clone(), None)?;
    let max_distance = args.output.max_distance.and_then(|bound| usize::try_from(bound).ok());
    let task = PairEngineTask { objective, max_distance, expected };
    Ok(pair_engine(choice, task, thread_count(args.engine.threads))?)
}
