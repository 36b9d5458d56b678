//! Builds a route: the engine, report and format for text or for sequences.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::division::{batch_bytes, line_format, record_format, record_rule};
use super::engines::make_engine;
use super::inputs::may_be_several;
use super::patterns::records::place;
use super::patterns::sources::pattern_sources;
use super::patterns::{RouteParameters, patterns};
use super::reports::{
    choice, context, grep_report, limits, match_count, named_prefix, pattern_count, prefix, row_report, summary_report,
};
use super::tables::{align_report, table_report};
use crate::cli::args::{Args, Output, bytes_of};
use crate::cli::pattern_advice::short_patterns;
use crate::cli::terminal::controls;
use crate::searcher::largest_distance;
use nigh_engine::Engine;
use nigh_input::{Format, LongLines};
use nigh_pattern::{Pattern, PatternSet, unknown_references};
use nigh_report::{
    Context, DistanceFloor, EndRows, HistogramReport, HitCountReport, HitCounter, HitSelection, MatchDetail, Prefix,
    RecordShape, Report,
};
use nigh_search::{EngineWork, InputKind, RecordsInText, SearchRoute};
use nigh_text::alphabet::Alphabet;

/// The route for text.
pub(super) struct TextRoute {
    pub(super) route: SearchRoute<'static>,
    /// Whether text that looks like sequences is reported.
    pub(super) records_in_text: RecordsInText,
    /// Advice to print if nothing is found.
    pub(super) advice: Option<&'static str>,
    /// Warnings about the arguments.
    pub(super) warnings: Vec<String>,
}

/// The route for sequences.
pub(super) struct SequenceRoute {
    pub(super) route: SearchRoute<'static>,
    /// Warnings about the arguments.
    pub(super) warnings: Vec<String>,
}

/// Builds the route for text.
pub(super) fn text_route(args: &Args, wanted: RouteParameters<'_>) -> Result<TextRoute> {
    args.check_kind(InputKind::Text)?;
    let alphabet = if args.fuzzy.bytes { Alphabet::Bytes } else { Alphabet::Text };
    let engine = make_engine(args, || patterns(args, alphabet, wanted), wanted.bytes)?;
    let (report, long) = line_report(args, &engine, prefix(args, InputKind::Text, may_be_several(args)))?;
    let needs = report.needs();
    let has_rows = needs.each_hit.is_some() || needs.cells.is_some();
    let floor = least_edits(args, engine.patterns(), wanted)?;
    let floor = floor.map(|least| if has_rows { DistanceFloor::Hits(least) } else { DistanceFloor::Spans(least) });
    // A minimum number of edits needs all matches of a line at once. With shards, the best matches of a line must be
    // chosen in one shard.
    let chooses_hits = needs.hits != HitSelection::All
        || needs.spans != MatchDetail::None
        || matches!(floor, Some(DistanceFloor::Hits(_)));
    let is_in_one_shard = args.engine.shard.is_some() && chooses_hits && long == LongLines::Cut;
    let is_whole =
        matches!(floor, Some(DistanceFloor::Spans(_))) || is_in_one_shard || engine.patterns().has_expressions();
    let format = match record_rule(args, alphabet)? {
        Some(rule) => Format::LineRecords { rule, long },
        None => line_format(args, if is_whole { LongLines::Whole } else { long }),
    };
    let records_in_text = records_in_text(args, engine.patterns());
    let advice = advice(args, engine.patterns());
    let mut warnings = unknown_groups(args, engine.patterns());
    warnings.extend(short_patterns(engine.patterns()));
    let work = Arc::new(EngineWork::new(engine, None));
    let records = RecordShape::Linear;
    let route = SearchRoute { work, report, format, batch_bytes: batch_bytes(args), floor, records };
    Ok(TextRoute { route, records_in_text, advice, warnings })
}

/// Returns advice to print if nothing is found: a pattern that is searched exactly by default, because it is short, may
/// match with an edit, and a name of grok is searched as it is written.
fn advice(args: &Args, patterns: &PatternSet) -> Option<&'static str> {
    let has_grok = |pattern: &Pattern| has_grok_name(patterns.name(pattern));
    if !args.patterns.fixed_strings && patterns.patterns().iter().any(has_grok) {
        return Some("'%{NAME}' stands for itself; write the expression that grok has for the name");
    }
    let is_exact = |pattern: &Pattern| pattern.k() == 0 && pattern.symbols().len() > 1;
    let is_default = args.fuzzy.max_edits.is_none() && !args.patterns.invert && !args.has_form(Output::FilesWithout);
    (is_default && patterns.patterns().iter().any(is_exact))
        .then_some("patterns of up to 4 symbols are searched exactly by default; use -k1 to allow an edit")
}

/// Returns whether a pattern has a name of grok, such as `%{IP}` or `%{NUMBER:bytes}`.
fn has_grok_name(pattern: &[u8]) -> bool {
    pattern.windows(3).any(|part| part.starts_with(b"%{") && part[2].is_ascii_uppercase())
}

/// Returns a warning for each group to which `--replace` refers and that no pattern has.
fn unknown_groups(args: &Args, patterns: &PatternSet) -> Vec<String> {
    let Some(text) = &args.output.replace else { return Vec::new() };
    let unknown = unknown_references(bytes_of(text), patterns.all_captures());
    let warning = |name: String| {
        let letters = name.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let number = &name[..name.len() - letters.len()];
        let advice = if number.is_empty() || letters.is_empty() {
            String::from("; write '$$' for a dollar sign")
        } else {
            format!("; write '${{{number}}}{letters}' for group {number}")
        };
        format!("--replace: no pattern has a group '{name}', so '${name}' stands for nothing{advice}")
    };
    unknown.into_iter().map(warning).collect()
}

/// Returns whether text that looks like sequences is reported: if all patterns are nucleotides and `--text` is not
/// given.
fn records_in_text(args: &Args, patterns: &PatternSet) -> RecordsInText {
    let is_base = |byte: &u8| b"ACGTUN".contains(&byte.to_ascii_uppercase());
    let are_nucleotides = patterns.patterns().iter().all(|pattern| patterns.name(pattern).iter().all(is_base));
    if are_nucleotides && !args.input.text { RecordsInText::Reported } else { RecordsInText::Ignored }
}

/// Returns the report on lines, and the treatment of long lines that the report needs.
fn line_report(args: &Args, engine: &Arc<Engine>, prefix: Prefix) -> Result<(Box<dyn Report>, LongLines)> {
    let patterns = engine.patterns();
    let form = args.form(InputKind::Text);
    if let Some(report) = summary_report(args, form, prefix.clone()) {
        return Ok((report, LongLines::Cut));
    }
    Ok(match form {
        Output::Ends => {
            let rows = row_report(args, Arc::new(EndRows), patterns);
            (Box::new(rows.controls(controls())), LongLines::Cut)
        }
        Output::Tsv => (table_report(args, form, patterns, prefix)?, LongLines::Whole),
        Output::CountPatterns => (pattern_count(args, patterns)?, LongLines::Cut),
        Output::Align => (align_report(args, patterns, prefix), LongLines::Cut),
        Output::CountMatches => (Box::new(match_count(args, prefix)), LongLines::Cut),
        Output::Histogram => {
            let distance = largest_distance(patterns);
            (
                Box::new(HistogramReport::of_lines(limits(args), distance, named_prefix(args, InputKind::Text))),
                LongLines::Whole,
            )
        }
        _ => (Box::new(grep_report(args, patterns, prefix)), printed_lines(args, patterns)),
    })
}

/// Returns the treatment of long lines for a report that prints lines, or only their matches.
fn printed_lines(args: &Args, patterns: &PatternSet) -> LongLines {
    let prints_lines = args.output.passthru || args.patterns.invert;
    // Lines around a match are counted, so lines must be whole. So must a line that a pattern without symbols selects,
    // since it has no match to print.
    let is_whole = context(args) != Context::None
        || args.engine.shard.is_some()
        || !patterns.empty().is_empty()
        || args.input.ignore_ansi;
    match (args.has_form(Output::Matches) && !prints_lines, is_whole) {
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
    if args.fuzzy.hits == Some(HitSelection::All) {
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
pub(super) fn sequence_route(args: &Args, alphabet: Alphabet, wanted: RouteParameters<'_>) -> Result<SequenceRoute> {
    args.check_kind(InputKind::Sequences)?;
    let several = may_be_several(args);
    let engine = make_engine(args, || patterns(args, alphabet, wanted), wanted.bytes)?;
    let patterns = engine.patterns();
    let (form, prefix) = (args.form(InputKind::Sequences), prefix(args, InputKind::Sequences, several));
    let report: Box<dyn Report> = match form {
        Output::CountMatches if args.patterns.invert => Box::new(match_count(args, prefix)),
        Output::CountMatches => Box::new(HitCountReport::new(hit_counter(args, patterns), prefix)),
        Output::CountPatterns => pattern_count(args, patterns)?,
        Output::Histogram => {
            let distance = largest_distance(patterns);
            Box::new(HistogramReport::of_hits(
                hit_counter(args, patterns),
                distance,
                named_prefix(args, InputKind::Sequences),
            ))
        }
        form => match summary_report(args, form, prefix.clone()) {
            Some(report) => report,
            None => {
                check_symbols(args, patterns, wanted)?;
                match form {
                    Output::Align => align_report(args, patterns, prefix),
                    _ => table_report(args, form, patterns, prefix)?,
                }
            }
        },
    };
    let floor = least_edits(args, patterns, wanted)?.map(DistanceFloor::Hits);
    let warnings = Vec::from_iter(short_patterns(patterns));
    let records = record_shape(args, patterns)?;
    let work = Arc::new(EngineWork::new(engine, None));
    let (format, batch_bytes) = (record_format(args), batch_bytes(args));
    Ok(SequenceRoute { route: SearchRoute { work, report, format, batch_bytes, floor, records }, warnings })
}

/// Returns the form of records. Refuses patterns that circular records cannot match, because they have no ends.
fn record_shape(args: &Args, patterns: &PatternSet) -> Result<RecordShape> {
    match args.sequences.circular {
        false => Ok(RecordShape::Linear),
        true if patterns.has_edges() => {
            bail!("--circular cannot be used with '^' or '$', because a circle has no ends; omit one of them")
        }
        true => Ok(RecordShape::Circular),
    }
}

/// Refuses a pattern without symbols if hits are printed, rather than records or their names.
fn check_symbols(args: &Args, patterns: &PatternSet, wanted: RouteParameters<'_>) -> Result<()> {
    let shows_hits = !args.has_form(Output::Fasta) && !args.patterns.invert;
    if patterns.empty().is_empty() || !shows_hits {
        return Ok(());
    }
    let sources = pattern_sources(args, wanted.pattern_files, InputKind::Sequences)?;
    let empty = sources.iter().find(|source| source.text.is_empty());
    let place = empty.and_then(place).map_or_else(String::new, |place| place + ": ");
    bail!("{place}a pattern without symbols selects records but has no hits to print; use -c, -l, -q or --format fasta")
}

/// Returns a counter of hits in sequences.
fn hit_counter(args: &Args, patterns: &PatternSet) -> HitCounter {
    HitCounter::new(args.output.max_count, choice(args, patterns))
}
