//! From parsed arguments to a search that is checked and ready to run.

mod engines;
mod globs;
mod inputs;
mod memory;
mod patterns;
mod reports;
mod shard;
mod skip;
mod sources;
mod tables;
mod walk;

use std::sync::Arc;

use anyhow::{Result, bail};

use self::engines::make_engine;
pub(super) use self::inputs::known_size;
use self::inputs::{are_proteins, inputs, is_output, may_be_several, take_for_text};
use self::patterns::patterns;
use self::reports::{
    common_report, grep_report, largest_distance, limits, match_count, named_prefix, prefix, row_report,
};
use self::sources::{pattern_sources, place};
use self::tables::{align_report, table_report};
use super::args::{Args, Best, Strands, TableFormat};
use super::controls;
use super::messages::Messages;
use crate::alphabet::Alphabet;
use crate::engine::Engine;
use crate::engine::InputSize;
use crate::input::{Format, LongLines};
use crate::pattern::PatternSource;
use crate::report::{
    EndRows, HistogramReport, HitCountReport, Hits, Names, Prefix, Report, RowReport, Rows, Stats, StatsReport,
};
use crate::search::{Input, Kind, Lane, Search};

/// A search that is ready to run.
pub(super) struct Prepared {
    pub(super) search: Search,
    /// What is counted, if it is to be printed.
    pub(super) stats: Option<Stats>,
}

/// What is to be found.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    sources: &'a [PatternSource],
    /// The most errors that patterns may have, if there is a bound beside their own.
    most: Option<usize>,
    /// How many bytes are to be searched, if that is known.
    bytes: InputSize,
}

/// What is to be searched for, and where.
pub(super) struct Task {
    pub(super) inputs: Vec<Input>,
    /// Whether an input was refused or could not be found.
    pub(super) refused: bool,
    sources: Vec<PatternSource>,
}

/// The task that the arguments set.
pub(super) fn task(args: &Args, messages: &Messages) -> Result<Task> {
    skip::check(args)?;
    let (mut inputs, unreadable) = inputs(args, messages)?;
    inputs.retain(|input| !skip::is_skipped(args, input));
    let has_text = inputs.iter().any(|input| input.kind == Kind::Text);
    let sources = pattern_sources(args, if has_text { Kind::Text } else { Kind::Sequences })?;
    let count = inputs.len();
    if writes_while_reading(args) {
        inputs.retain(|input| !is_output(input, messages));
    }
    let refused = unreadable || inputs.len() < count;
    Ok(Task { inputs, refused, sources })
}

/// Whether output can come to a file before the file is read to its end, so that reading it would never end if it is also the
/// output. As in GNU grep, counts, lists and the first line alone cannot.
fn writes_while_reading(args: &Args) -> bool {
    let output = &args.output;
    let context = [output.after_context, output.before_context, output.context].iter().any(Option::is_some);
    let is_one_line = output.max_count.is_some_and(|limit| limit <= 1) && !context && !output.passthru;
    let is_summary = output.quiet || output.list_with || output.list_without || output.count;
    !is_one_line && !is_summary
}

impl Task {
    /// Whether nothing is searched since options leave out all files of the folders given. An empty folder is silent, as in grep.
    pub(super) fn is_filtered_out(&self, args: &Args) -> bool {
        let input = &args.input;
        let is_filtered = input.ignore_vcs
            || !input.globs.is_empty()
            || !input.file_rules.is_empty()
            || !input.exclude_dir.is_empty();
        self.inputs.is_empty() && !self.refused && is_filtered
    }

    /// A search for it, with no more errors than `most`, if it is given; options that do not go together are refused.
    pub(super) fn search(&mut self, args: &Args, most: Option<usize>) -> Result<Prepared> {
        let Task { inputs, sources, .. } = self;
        let several = may_be_several(args);
        let wanted = Wanted { sources, most, bytes: known_size(inputs) };
        // The objects of --json hold what there is to be counted.
        let stats = (args.output.stats && !args.output.json).then(Stats::default);
        let sequences = match inputs.iter().any(|input| input.kind == Kind::Sequences) {
            true => match sequence_lane(args, inputs, wanted, several) {
                Ok(lane) => Some(with_stats(args, lane, stats.as_ref())),
                // Nobody asked for sequences.
                Err(_) if take_for_text(args, inputs) => None,
                Err(error) => return Err(error),
            },
            false => None,
        };
        let text = match inputs.iter().any(|input| input.kind == Kind::Text) {
            true => Some(with_stats(args, text_lane(args, wanted, several)?, stats.as_ref())),
            false => None,
        };
        let mut search = Search { buffers: None, inputs: inputs.clone(), text, sequences, shard: None, watch: None };
        memory::bound(args, &mut search)?;
        shard::share(args, &mut search)?;
        Ok(Prepared { search, stats })
    }
}

/// The lane with what it prints counted, if that is wanted.
fn with_stats(args: &Args, lane: Lane, stats: Option<&Stats>) -> Lane {
    let Some(stats) = stats.cloned() else { return lane };
    let limits = limits(args);
    match lane.format {
        // Matches are shown in whole lines, and so they are counted.
        Format::Lines { .. } | Format::ReturnLines { .. } | Format::Delimited { .. } => {
            let report = Box::new(StatsReport::of_lines(lane.report, limits, stats));
            Lane { report, format: line_format(args, LongLines::Whole), ..lane }
        }
        _ => Lane { report: Box::new(StatsReport::of_records(lane.report, limits, stats)), ..lane },
    }
}

/// Refuses options that mean nothing for sequences.
fn check_options_fit_sequences(args: &Args) -> Result<()> {
    let for_lines = [
        ("--line-number", args.output.line_number),
        ("--byte-offset", args.output.byte_offset),
        ("--column", args.output.column),
        ("--vimgrep", args.output.vimgrep),
        ("--passthru", args.output.passthru),
        ("--initial-tab", args.output.initial_tab),
        ("--max-columns", args.output.max_columns.is_some()),
        ("--trim", args.output.trim),
        ("--json", args.output.json),
        ("--heading", args.output.heading),
        ("--after-context", args.output.after_context.is_some()),
        ("--before-context", args.output.before_context.is_some()),
        ("--context", args.output.context.is_some()),
        ("--cost", args.fuzzy.cost),
        ("--ends", args.fuzzy.ends),
        ("--word-regexp", args.patterns.word),
        ("--bytes", args.fuzzy.bytes),
        ("--null-data", args.input.null_data),
        ("--delimiter", args.input.delimiter.is_some()),
    ];
    if let Some((name, _)) = for_lines.iter().find(|(_, given)| *given) {
        bail!("{name} is for lines of text, and an input holds sequences; --text searches their lines");
    }
    Ok(())
}

/// Refuses options that mean nothing for text.
fn check_options_fit_text(args: &Args) -> Result<()> {
    let for_sequences = [
        ("--protein", args.sequences.protein),
        ("--header", args.sequences.header),
        ("--format", args.sequences.format.is_some()),
        ("--strand", args.sequences.strand != Strands::Both),
    ];
    if let Some((name, _)) = for_sequences.iter().find(|(_, given)| *given) {
        bail!("{name} is for sequences, and an input holds text; --fasta takes it for sequences");
    }
    Ok(())
}

/// How many bytes make a batch, if that is not for the engine to say.
fn batch_bytes(args: &Args) -> Option<usize> {
    let shared = args.engine.shard.map(|_| shard::BATCH);
    args.engine.batch_size.and_then(|size| usize::try_from(size).ok()).or(shared)
}

/// What ends a line.
fn terminator(args: &Args) -> u8 {
    match (&args.input.delimiter, args.input.null_data) {
        (Some(delimiter), _) => match delimiter.0[..] {
            [byte] if byte.is_ascii() => byte,
            // No symbol of a pattern is kept from matching by what is no symbol.
            _ => 0,
        },
        (None, true) => 0,
        (None, false) => b'\n',
    }
}

/// The last byte of what ends a line.
pub(super) fn last_of_line(args: &Args) -> u8 {
    let delimiter = args.input.delimiter.as_ref();
    delimiter.and_then(|delimiter| delimiter.0.last().copied()).unwrap_or(terminator(args))
}

/// How text is divided into lines.
fn line_format(args: &Args, long: LongLines) -> Format {
    match &args.input.delimiter {
        Some(delimiter) if delimiter.0.len() > 1 || !delimiter.0.is_ascii() => {
            Format::Delimited { delimiter: delimiter.0.clone(), long }
        }
        None if args.input.crlf => Format::ReturnLines { long },
        _ => match (terminator(args), long) {
            // A NUL byte that ends lines does not tell binary files.
            (0, LongLines::WholeText) => Format::Lines { terminator: 0, long: LongLines::Whole },
            (terminator, _) => Format::Lines { terminator, long },
        },
    }
}

fn text_lane(args: &Args, wanted: Wanted<'_>, several: bool) -> Result<Lane> {
    check_options_fit_text(args)?;
    let alphabet = if args.fuzzy.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, patterns(args, alphabet, wanted)?, wanted.bytes)?;
    let (report, long) = line_report(args, &engine, prefix(args, several))?;
    Ok(Lane { engine, report, format: line_format(args, long), batch_bytes: batch_bytes(args) })
}

/// The report on lines, and whether it wants them whole.
fn line_report(args: &Args, engine: &Arc<dyn Engine>, prefix: Prefix) -> Result<(Box<dyn Report>, LongLines)> {
    let patterns = engine.patterns();
    Ok(match common_report(args, prefix.clone()) {
        Some(report) => (report, LongLines::Cut),
        None if args.fuzzy.ends => {
            (Box::new(row_report(args, Arc::new(EndRows), Hits::All).controls(controls())), LongLines::Cut)
        }
        None if args.output.align => (align_report(args, patterns.alphabet(), prefix), LongLines::Cut),
        None if args.fuzzy.hits.is_some() => bail!("--hits is for --ends, --align and sequences"),
        None if args.fuzzy.best == Some(Best::Record) => {
            bail!("--best=record is for --ends, --align and sequences; a line is printed as a whole")
        }
        None if args.output.count_matches => (Box::new(match_count(args, prefix)), LongLines::Whole),
        None if args.output.histogram => {
            let report = HistogramReport::of_lines(limits(args), largest_distance(patterns), named_prefix(args));
            (Box::new(report), LongLines::Whole)
        }
        None => {
            let long = if args.input.text { LongLines::Whole } else { LongLines::WholeText };
            (Box::new(grep_report(args, patterns, prefix)), long)
        }
    })
}

/// Whether hits in sequences are shown, and not the records that have some or none.
fn shows_hits(args: &Args) -> bool {
    args.sequences.format != Some(TableFormat::Fasta) && !args.patterns.invert
}

fn sequence_lane(args: &Args, inputs: &[Input], wanted: Wanted<'_>, several: bool) -> Result<Lane> {
    check_options_fit_sequences(args)?;
    let proteins = are_proteins(inputs);
    let alphabet = match args.sequences.protein || proteins == Some(true) {
        true => Alphabet::Protein,
        false if proteins.is_none() => {
            bail!("amino acids and other inputs cannot be searched at once, except with --protein")
        }
        false => Alphabet::Dna,
    };
    let engine = make_engine(args, patterns(args, alphabet, wanted)?, wanted.bytes)?;
    let report = match common_report(args, prefix(args, several)) {
        Some(_) if args.sequences.header => bail!("--header is for rows of hits, and none are printed"),
        Some(report) => report,
        None if args.output.count_matches && args.patterns.invert => Box::new(match_count(args, prefix(args, several))),
        None if args.output.count_matches => {
            Box::new(HitCountReport::new(hit_rows(args, Hits::Best), prefix(args, several)))
        }
        None if args.output.histogram => {
            let most = largest_distance(engine.patterns());
            Box::new(HistogramReport::of_hits(hit_rows(args, Hits::All), most, named_prefix(args)))
        }
        None if !engine.patterns().empty().is_empty() && shows_hits(args) => {
            let empty = wanted.sources.iter().find(|source| source.text.is_empty());
            let place = empty.and_then(place).map_or_else(String::new, |place| place + ": ");
            bail!(
                "{place}a pattern without symbols selects records, and has no hits to be shown; -c, -l, -q and --format fasta take it"
            )
        }
        None if args.output.align => align_report(args, alphabet, prefix(args, several)),
        None => table_report(args, alphabet, prefix(args, several))?,
    };
    Ok(Lane { engine, report, format: Format::Fasta { long: LongLines::Cut }, batch_bytes: batch_bytes(args) })
}

/// Rows of hits in sequences, to be counted: of which hits, if the arguments do not say, is `unsaid`.
fn hit_rows(args: &Args, unsaid: Hits) -> impl FnOnce(Arc<dyn Rows>) -> RowReport {
    move |rows| row_report(args, rows, unsaid).names(Names::NotPrinted)
}
