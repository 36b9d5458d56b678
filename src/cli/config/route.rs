//! Builds a route: the engine, report and format for text or for sequences.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::division::{batch_bytes, line_format, record_format};
use super::engines::make_engine;
use super::inputs::may_be_several;
use super::pattern_records::place;
use super::patterns::patterns;
use super::reports::{
    choice, context, grep_report, hits, largest_distance, limits, match_count, named_prefix, pattern_count, prefix,
    row_report, summary_report,
};
use super::route_parameters::RouteParameters;
use super::sources::pattern_sources;
use super::tables::{align_report, table_report};
use crate::cli::args::{Args, BestScope, Mode, TableFormat};
use crate::cli::terminal::controls;
use crate::report::{
    Context, DistanceFloor, EndRows, HistogramReport, HitCountReport, HitCounter, Hits, MatchDetail, Prefix, Report,
};
use crate::search::{EngineWork, InputKind, RecordsInText, SearchRoute, Strands};
use nigh_core::alphabet::Alphabet;
use nigh_core::engine::Engine;
use nigh_core::pattern::{Pattern, PatternSet};
use nigh_input::LongLines;

/// The options and inputs that report single hits. An option that chooses among hits needs one of them.
const FOR_HITS: &str = "--ends, --align, --count-patterns or sequence input";

/// An option that does not apply to the content of an input. Holds the name of the option.
#[derive(Debug, thiserror::Error)]
pub(super) enum InapplicableOption {
    #[error("{0} is for lines of text, but this input holds sequences; use --text to search its lines")]
    ForLines(&'static str),
    #[error("--json is for lines of text, but this input holds sequences; use --format json")]
    Json,
    #[error("{0} is for sequences, but this input holds text; use --fasta to read it as sequences")]
    ForSequences(&'static str),
    #[error("{0} needs {FOR_HITS}; use --fasta to read the input as sequences")]
    ForHits(&'static str),
    #[error("--best=record chooses among matches, but a line is printed whole; use --best=record with {FOR_HITS}")]
    BestOfRecord,
}

/// Returns an error if an option is given that applies only to lines.
fn check_options_fit_sequences(args: &Args) -> Result<(), InapplicableOption> {
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
    ];
    match for_lines.iter().find(|(_, given)| *given) {
        Some(("--json", _)) => Err(InapplicableOption::Json),
        Some((name, _)) => Err(InapplicableOption::ForLines(name)),
        None => Ok(()),
    }
}

/// Returns an error if an option is given that applies only to sequences.
fn check_options_fit_text(args: &Args) -> Result<(), InapplicableOption> {
    let for_sequences = [
        ("--protein", args.sequences.protein),
        ("--header", args.sequences.header),
        ("--format", args.sequences.format.is_some()),
        ("--columns", !args.sequences.columns.is_empty()),
        ("--strand", args.sequences.strand != Strands::Both),
        ("--ambiguous", args.sequences.ambiguous.is_some()),
    ];
    match for_sequences.iter().find_map(|&(name, given)| given.then_some(name)) {
        Some(name) => Err(InapplicableOption::ForSequences(name)),
        None => Ok(()),
    }
}

/// The route for text.
pub(super) struct TextRoute {
    pub(super) route: SearchRoute,
    /// Whether text that looks like sequences is reported.
    pub(super) records_in_text: RecordsInText,
    /// Advice to print if nothing is found.
    pub(super) advice: Option<&'static str>,
}

/// Builds the route for text.
pub(super) fn text_route(args: &Args, wanted: RouteParameters<'_>) -> Result<TextRoute> {
    check_options_fit_text(args)?;
    let alphabet = if args.fuzzy.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, || patterns(args, alphabet, wanted), wanted.bytes)?;
    let (report, long) = line_report(args, &engine, prefix(args, may_be_several(args)))?;
    let needs = report.needs();
    let has_rows = needs.rows.is_some() || needs.cells.is_some();
    let floor = least_edits(args, engine.patterns(), wanted)?;
    let floor = floor.map(|least| if has_rows { DistanceFloor::Hits(least) } else { DistanceFloor::Spans(least) });
    // A minimum number of edits needs all matches of a line at once. With shards, the best matches of a line must be
    // chosen in one shard.
    let chooses_hits =
        needs.hits != Hits::All || needs.spans != MatchDetail::None || matches!(floor, Some(DistanceFloor::Hits(_)));
    let is_in_one_shard = args.engine.shard.is_some() && chooses_hits && long == LongLines::Cut;
    let is_whole =
        matches!(floor, Some(DistanceFloor::Spans(_))) || is_in_one_shard || engine.patterns().has_expressions();
    let long = if is_whole { LongLines::Whole } else { long };
    let records_in_text = records_in_text(args, engine.patterns());
    let advice = advice(args, engine.patterns());
    let work = Arc::new(EngineWork::new(engine, None));
    let route = SearchRoute { work, report, format: line_format(args, long), batch_bytes: batch_bytes(args), floor };
    Ok(TextRoute { route, records_in_text, advice })
}

/// Returns advice to print if nothing is found: a pattern that is searched exactly by default, because it is short, may
/// match with an edit.
fn advice(args: &Args, patterns: &PatternSet) -> Option<&'static str> {
    let is_exact = |pattern: &Pattern| pattern.k() == 0 && pattern.symbols().len() > 1;
    let is_default = args.fuzzy.max_edits.is_none() && !args.patterns.invert && !args.output.list_without;
    (is_default && patterns.patterns().iter().any(is_exact))
        .then_some("patterns of up to 4 symbols are searched exactly by default; use -k1 to allow an edit")
}

/// Returns whether text that looks like sequences is reported: if all patterns are nucleotides and `--text` is not
/// given.
fn records_in_text(args: &Args, patterns: &PatternSet) -> RecordsInText {
    let is_base = |byte: &u8| b"ACGTUN".contains(&byte.to_ascii_uppercase());
    let are_nucleotides = patterns.patterns().iter().all(|pattern| patterns.name(pattern).iter().all(is_base));
    if are_nucleotides && !args.input.text { RecordsInText::Reported } else { RecordsInText::Ignored }
}

/// Returns the report on lines, and the treatment of long lines that the report needs.
fn line_report(args: &Args, engine: &Arc<dyn Engine>, prefix: Prefix) -> Result<(Box<dyn Report>, LongLines)> {
    let patterns = engine.patterns();
    if let Some(report) = summary_report(args, prefix.clone()) {
        return Ok((report, LongLines::Cut));
    }
    Ok(match args.mode() {
        Mode::Ends => {
            let rows = row_report(args, Arc::new(EndRows), patterns, Hits::All)?;
            (Box::new(rows.controls(controls())), LongLines::Cut)
        }
        Mode::CountPatterns => (pattern_count(args, patterns, Hits::Best)?, LongLines::Cut),
        Mode::Align => (align_report(args, patterns, prefix)?, LongLines::Cut),
        mode => {
            check_chooses_no_hits(args)?;
            match mode {
                Mode::CountMatches => (Box::new(match_count(args, prefix)), LongLines::Cut),
                Mode::Histogram => {
                    let distance = largest_distance(patterns);
                    let report = HistogramReport::of_lines(limits(args), distance, named_prefix(args));
                    (Box::new(report), LongLines::Whole)
                }
                _ => (Box::new(grep_report(args, patterns, prefix)), printed_lines(args, patterns)),
            }
        }
    })
}

/// Refuses options that choose among hits if the mode prints whole lines.
fn check_chooses_no_hits(args: &Args) -> Result<(), InapplicableOption> {
    let options = [("--max-hits", args.output.max_hits.is_some()), ("--hits", args.fuzzy.hits.is_some())];
    match options.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(InapplicableOption::ForHits(name)),
        None if args.fuzzy.best == Some(BestScope::Record) => Err(InapplicableOption::BestOfRecord),
        None => Ok(()),
    }
}

/// Returns the treatment of long lines for a report that prints lines, or only their matches.
fn printed_lines(args: &Args, patterns: &PatternSet) -> LongLines {
    let prints_lines = args.output.passthru || args.output.json || args.patterns.invert;
    // Lines around a match are counted, so lines must be whole. So must a line that a pattern without symbols selects,
    // since it has no match to print.
    let is_whole = context(args) != Context::None || args.engine.shard.is_some() || !patterns.empty().is_empty();
    match (args.output.only_matching && !prints_lines, is_whole) {
        (true, false) => LongLines::Cut,
        // With `-o`, matches before a NUL byte in the line are printed, so even a line of binary data must be whole.
        (true, true) => LongLines::Whole,
        (false, _) if args.input.text => LongLines::Whole,
        (false, _) => LongLines::WholeText,
    }
}

/// Returns the least number of edits of a reported match; `None` if matches without edits are reported too. Refuses a
/// number above the largest possible distance, and `--hits all`.
fn least_edits(args: &Args, patterns: &PatternSet, wanted: RouteParameters<'_>) -> Result<Option<usize>> {
    let least = args.fuzzy.min_edits();
    if least == 0 {
        return Ok(None);
    }
    if args.fuzzy.hits == Some(Hits::All) {
        bail!("--hits all cannot be used with a minimum number of edits; use --hits best");
    }
    let largest = largest_distance(patterns);
    // In the second pass of --best, `max_edits` lowers the bound, to 0 if there is no match, so the bound does not show
    // an error of the user.
    if largest < least && wanted.max_edits.is_none() {
        bail!("no match can have {least} or more edits, since at most {largest} are allowed; raise -k");
    }
    Ok(Some(least))
}

/// Builds the route for sequences.
pub(super) fn sequence_route(args: &Args, alphabet: Alphabet, wanted: RouteParameters<'_>) -> Result<SearchRoute> {
    check_options_fit_sequences(args)?;
    let several = may_be_several(args);
    let engine = make_engine(args, || patterns(args, alphabet, wanted), wanted.bytes)?;
    let patterns = engine.patterns();
    let report = match (summary_report(args, prefix(args, several)), args.mode()) {
        (Some(_), _) if args.sequences.header => {
            bail!("--header needs rows of hits, which -c, -l, -L and -q do not print; omit --header")
        }
        (Some(report), _) => report,
        (None, Mode::CountMatches) if args.patterns.invert => Box::new(match_count(args, prefix(args, several))),
        (None, Mode::CountMatches) => {
            Box::new(HitCountReport::new(hit_counter(args, Hits::Best), prefix(args, several)))
        }
        (None, Mode::CountPatterns) => pattern_count(args, patterns, Hits::All)?,
        (None, Mode::Histogram) => {
            let distance = largest_distance(patterns);
            Box::new(HistogramReport::of_hits(hit_counter(args, Hits::All), distance, named_prefix(args)))
        }
        (None, mode) => {
            check_symbols(args, patterns, wanted)?;
            match mode {
                Mode::Align => align_report(args, patterns, prefix(args, several))?,
                _ => table_report(args, patterns, prefix(args, several))?,
            }
        }
    };
    let floor = least_edits(args, patterns, wanted)?.map(DistanceFloor::Hits);
    let work = Arc::new(EngineWork::new(engine, None));
    Ok(SearchRoute { work, report, format: record_format(args), batch_bytes: batch_bytes(args), floor })
}

/// Refuses a pattern without symbols if hits are printed, rather than records or their names.
fn check_symbols(args: &Args, patterns: &PatternSet, wanted: RouteParameters<'_>) -> Result<()> {
    let shows_hits = args.sequences.format != Some(TableFormat::Fasta) && !args.patterns.invert;
    if patterns.empty().is_empty() || !shows_hits {
        return Ok(());
    }
    let sources = pattern_sources(args, wanted.pattern_files, InputKind::Sequences)?;
    let empty = sources.iter().find(|source| source.text.is_empty());
    let place = empty.and_then(place).map_or_else(String::new, |place| place + ": ");
    bail!("{place}a pattern without symbols selects records but has no hits to print; use -c, -l, -q or --format fasta")
}

/// Returns a counter of hits in sequences. Without `--hits`, `default` applies.
fn hit_counter(args: &Args, default: Hits) -> HitCounter {
    HitCounter::new(args.output.max_count, hits(args, default), choice(args))
}
