//! From parsed arguments to a search that is checked and ready to run.

mod engines;
mod globs;
mod inputs;
mod kinds;
mod lanes;
mod memory;
mod patterns;
mod reports;
mod shard;
mod skip;
mod sources;
mod tables;
mod walk;

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::{Result, bail};

use self::engines::make_engine;
use self::inputs::{Inputs, Item, Survey, closed_stdin, may_be_several};
use self::lanes::{Lanes, Sorter};
use self::patterns::patterns;
use self::reports::{
    common_report, grep_report, largest_distance, limits, match_count, named_prefix, prefix, row_report,
};
use self::sources::{pattern_files, pattern_sources, place};
use self::tables::{align_report, table_report};
use super::args::{Args, Best, EngineName, Strands, TableFormat};
use super::controls;
use crate::alphabet::Alphabet;
use crate::engine::Engine;
use crate::engine::InputSize;
use crate::input::{Format, LongLines};
use crate::report::{
    EndRows, HistogramReport, HitCountReport, Hits, Prefix, RecordNames, Report, RowReport, Rows, Stats, StatsReport,
};
use crate::search::{self, Entry, Kind, RecordsInText, Search, SearchRoute};

/// A search that is ready to run.
pub(super) struct Prepared {
    pub(super) search: Search,
    /// What is counted, if it is to be printed.
    pub(super) stats: Option<Stats>,
}

/// What is to be found.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    /// What the files of patterns hold.
    pattern_files: &'a [Vec<u8>],
    /// The most errors that patterns may have, if there is a bound beside their own.
    most: Option<usize>,
    /// How many bytes are to be searched, if that is known.
    bytes: InputSize,
}

/// What is to be searched for, and where.
pub(super) struct Task {
    inputs: Inputs,
    survey: Survey,
    /// The number of bytes to be searched, if it is known.
    size: OnceCell<InputSize>,
    pattern_files: Vec<Vec<u8>>,
    stdin: Stdin,
}

/// Whether standard input can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stdin {
    Open,
    Closed,
}

/// The task that the arguments set.
pub(super) fn task(args: &Args, stdin: Stdin) -> Result<Task> {
    let inputs = Inputs::new(args)?;
    let survey = inputs.survey();
    Ok(Task { inputs, survey, size: OnceCell::new(), pattern_files: pattern_files(args)?, stdin })
}

impl Task {
    /// Whether nothing is searched since options leave out all files of the folders given. An empty folder is silent, as in grep.
    pub(super) fn is_filtered_out(&self, args: &Args) -> bool {
        let input = &args.input;
        let is_filtered = input.ignore_vcs
            || !input.globs.is_empty()
            || !input.file_rules.is_empty()
            || !input.exclude_dir.is_empty();
        is_filtered && self.inputs.are_none()
    }

    /// The number of bytes to be searched, if all inputs are known and are files. They are asked once.
    pub(super) fn known_size(&self) -> InputSize {
        *self.size.get_or_init(|| self.inputs.known_size())
    }

    /// Searches for it with no more errors than `most`, if it is given; options that do not go together are refused.
    pub(super) fn lanes(&self, args: &Args, most: Option<usize>) -> Result<Lanes> {
        let bytes = match args.engine.engine {
            EngineName::Auto => self.known_size(),
            EngineName::Cpu | EngineName::Cuda | EngineName::Reference => None,
        };
        Lanes::new(args, &self.survey, Wanted { pattern_files: &self.pattern_files, most, bytes })
    }

    /// The inputs, each to be searched as a lane does.
    pub(super) fn entries(self, mut sorter: Sorter) -> impl Iterator<Item = Entry> + Send + 'static {
        let Task { inputs, stdin, .. } = self;
        inputs.filter_map(move |item| sorter.entry(readable(item, stdin)))
    }

    /// All inputs at once, which takes memory for each.
    pub(super) fn all_entries(&mut self, mut sorter: Sorter) -> Vec<Entry> {
        let stdin = self.stdin;
        self.inputs.by_ref().filter_map(|item| sorter.entry(readable(item, stdin))).collect()
    }
}

/// Leaves out standard input where it is closed.
fn readable(item: Item, stdin: Stdin) -> Item {
    match stdin {
        Stdin::Open => item,
        Stdin::Closed => closed_stdin(item),
    }
}

/// A search of inputs in lanes.
pub(super) fn prepare(args: &Args, lanes: Lanes, inputs: search::Inputs) -> Result<Prepared> {
    // The objects of --json hold what there is to be counted.
    let stats = (args.output.stats && !args.output.json).then(Stats::default);
    let counted = |route: Option<SearchRoute>| route.map(|route| with_stats(args, route, stats.as_ref()));
    let (text, sequences) = (counted(lanes.text), counted(lanes.sequences));
    let records_in_text = records_in_text(args, text.as_ref());
    let mut search = Search { buffers: None, inputs, text, sequences, shard: None, watch: None, records_in_text };
    memory::bound(args, &mut search)?;
    shard::share(args, &mut search)?;
    Ok(Prepared { search, stats })
}

/// Whether the user is told of text that looks like sequences: if all patterns are nucleotides, and nobody says that lines
/// are meant.
fn records_in_text(args: &Args, text: Option<&SearchRoute>) -> RecordsInText {
    let is_base = |byte: &u8| b"ACGTUN".contains(&byte.to_ascii_uppercase());
    let are_nucleotides = |route: &SearchRoute| {
        let patterns = route.engine.patterns();
        patterns.patterns().iter().all(|pattern| patterns.label(pattern).iter().all(is_base))
    };
    match text.is_some_and(|route| !args.input.text && are_nucleotides(route)) {
        true => RecordsInText::Told,
        false => RecordsInText::Ignored,
    }
}

/// The lane with what it prints counted, if that is wanted.
fn with_stats(args: &Args, route: SearchRoute, stats: Option<&Stats>) -> SearchRoute {
    let Some(stats) = stats.cloned() else { return route };
    let limits = limits(args);
    match route.format {
        // Matches are shown in whole lines, and so they are counted.
        Format::Lines { .. } | Format::ReturnLines { .. } | Format::Delimited { .. } => {
            let report = Box::new(StatsReport::of_lines(route.report, limits, stats));
            SearchRoute { report, format: line_format(args, LongLines::Whole), ..route }
        }
        _ => SearchRoute { report: Box::new(StatsReport::of_records(route.report, limits, stats)), ..route },
    }
}

/// An option that does not fit what an input holds.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("{0} is for lines of text, but this input holds sequences; use --text to search its lines")]
    ForLines(&'static str),
    #[error("{0} is for sequences, but this input holds text; use --fasta to read it as sequences")]
    ForSequences(&'static str),
}

/// Refuses options that mean nothing for sequences.
fn check_options_fit_sequences(args: &Args) -> Result<(), Unfit> {
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
    match for_lines.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Unfit::ForLines(name)),
        None => Ok(()),
    }
}

/// Refuses options that mean nothing for text.
fn check_options_fit_text(args: &Args) -> Result<(), Unfit> {
    let for_sequences = [
        ("--protein", args.sequences.protein),
        ("--header", args.sequences.header),
        ("--format", args.sequences.format.is_some()),
        ("--strand", args.sequences.strand != Strands::Both),
    ];
    match for_sequences.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Unfit::ForSequences(name)),
        None => Ok(()),
    }
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

fn text_lane(args: &Args, wanted: Wanted<'_>) -> Result<SearchRoute> {
    check_options_fit_text(args)?;
    let alphabet = if args.fuzzy.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, patterns(args, alphabet, wanted)?, wanted.bytes)?;
    let (report, long) = line_report(args, &engine, prefix(args, may_be_several(args)))?;
    Ok(SearchRoute { engine, report, format: line_format(args, long), batch_bytes: batch_bytes(args) })
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
        None if args.fuzzy.hits.is_some() => {
            bail!("--hits needs --ends, --align or sequences; use --fasta to read the input as sequences")
        }
        None if args.fuzzy.best == Some(Best::Record) => {
            bail!("--best=record needs --ends, --align or sequences; a line is printed as a whole")
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

fn sequence_lane(args: &Args, alphabet: Alphabet, wanted: Wanted<'_>) -> Result<SearchRoute> {
    check_options_fit_sequences(args)?;
    let several = may_be_several(args);
    let engine = make_engine(args, patterns(args, alphabet, wanted)?, wanted.bytes)?;
    let report = match common_report(args, prefix(args, several)) {
        Some(_) if args.sequences.header => bail!("--header needs rows of hits, but none are printed; omit it"),
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
            let sources = pattern_sources(args, wanted.pattern_files, Kind::Sequences)?;
            let empty = sources.iter().find(|source| source.text.is_empty());
            let place = empty.and_then(place).map_or_else(String::new, |place| place + ": ");
            bail!(
                "{place}a pattern without symbols selects records but has no hits to print; use -c, -l, -q or --format fasta"
            )
        }
        None if args.output.align => align_report(args, alphabet, prefix(args, several)),
        None => table_report(args, alphabet, prefix(args, several))?,
    };
    Ok(SearchRoute { engine, report, format: Format::Fasta { long: LongLines::Cut }, batch_bytes: batch_bytes(args) })
}

/// Rows of hits in sequences, to be counted: of which hits, if the arguments do not say, is `unsaid`.
fn hit_rows(args: &Args, unsaid: Hits) -> impl FnOnce(Arc<dyn Rows>) -> RowReport {
    move |rows| row_report(args, rows, unsaid).names(RecordNames::NotPrinted)
}
