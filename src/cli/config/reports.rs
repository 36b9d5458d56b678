//! Builds the reports on lines, and the settings that all reports share.

use std::sync::Arc;

use anyhow::{Result, bail};

use crate::cli::args::{Args, Output, bytes_of};
use crate::cli::terminal::{colours, columns_of_lines, controls};
use crate::searcher::largest_distance;
use nigh_pattern::{Pattern, PatternSet};
use nigh_report::{
    BestScope, Context, Count, CountReport, EventPrinter, FilesReport, GrepReport, Heading, HitChoice, HitSelection,
    Keep, KeptHits, Limits, LinePrinter, List, MatchReplacement, PatternCountReport, PlainPrinter, PlainStyle, Prefix,
    Report, RowReport, Rows, Show,
};
use nigh_search::InputKind;

/// Returns the lines or records to select, and their maximum number per input.
pub(super) fn limits(args: &Args) -> Limits {
    Limits { keep: if args.patterns.invert { Keep::NonMatching } else { Keep::Matching }, max: args.output.max_count }
}

/// Returns which hits of `patterns` are reported.
pub(super) fn choice(args: &Args, patterns: &PatternSet) -> HitChoice {
    let selection = args.fuzzy.hits.unwrap_or_else(|| default_hits(args.form(kind_of(patterns)), patterns));
    // The arguments have one of the two at most. With other scopes the first pass bounds the distance.
    let kept = match (args.fuzzy.best, args.output.max_hits) {
        (Some(BestScope::Record), _) => KeptHits::Nearest,
        (_, Some(max)) => KeptHits::First(max),
        (_, None) => KeptHits::All,
    };
    HitChoice { selection, kept }
}

/// Returns the hits that a form reports without `--hits`. In the format of Cas-OFFinder, this is one hit for each site if
/// all patterns have sites and may have bulges. Without bulges, a site has only one hit.
fn default_hits(form: Output, patterns: &PatternSet) -> HitSelection {
    let have_sites = || patterns.patterns().iter().all(Pattern::has_edge_group);
    match form {
        Output::Matches | Output::Align => HitSelection::Best,
        Output::CountPatterns | Output::Tsv if !patterns.alphabet().is_sequence() => HitSelection::Best,
        Output::CasOffinder if allow_bulges(patterns) && have_sites() => HitSelection::Sites,
        _ => HitSelection::All,
    }
}

/// Returns whether a match of any pattern can have insertions or deletions.
pub(super) fn allow_bulges(patterns: &PatternSet) -> bool {
    patterns.patterns().iter().any(|pattern| match pattern.constraints() {
        Some(constraints) => constraints.costs().insertion.max + constraints.costs().deletion.max > 0,
        None => pattern.k() > 0,
    })
}

/// Returns the kind of input in which patterns are searched for.
fn kind_of(patterns: &PatternSet) -> InputKind {
    if patterns.alphabet().is_sequence() { InputKind::Sequences } else { InputKind::Text }
}

/// Creates a report of rows of hits of `patterns`.
pub(super) fn row_report(args: &Args, rows: Arc<dyn Rows>, patterns: &Arc<PatternSet>) -> RowReport {
    RowReport::new(rows, limits(args)).choose(choice(args, patterns), patterns)
}

/// Returns the prefix of lines or rows. It shows the file name if there are `several` inputs, unless the arguments say
/// otherwise. Only printed lines have the other fields.
pub(super) fn prefix(args: &Args, kind: InputKind, several: bool) -> Prefix {
    let output = &args.output;
    let prints_lines = kind == InputKind::Text && matches!(args.form(kind), Output::Lines | Output::Matches);
    let vimgrep = output.vimgrep && prints_lines;
    Prefix {
        file: (several || output.with_filename || vimgrep) && !output.no_filename,
        line: prints_lines && output.line_number || vimgrep,
        column: prints_lines && output.column || vimgrep,
        byte: prints_lines && output.byte_offset,
        cost: prints_lines && args.fuzzy.cost,
        null: output.null,
        tab: (prints_lines && output.initial_tab).then_some(0),
        colours: colours(args.color()),
        controls: controls(),
    }
}

/// Returns the prefix of a report that prints one table for all inputs, or with `-H` one for each.
pub(super) fn named_prefix(args: &Args, kind: InputKind) -> Prefix {
    prefix(args, kind, false)
}

/// Creates the report of a form that treats lines and records alike; `None` for other forms.
pub(super) fn summary_report(args: &Args, form: Output, prefix: Prefix) -> Option<Box<dyn Report>> {
    let limits = limits(args);
    let files = |list| -> Option<Box<dyn Report>> { Some(Box::new(FilesReport::new(list, limits, prefix.clone()))) };
    match form {
        Output::Nothing => files(List::Nothing),
        Output::Files => files(List::With),
        Output::FilesWithout => files(List::Without),
        Output::Count => Some(Box::new(CountReport::new(Count::Selected, limits, prefix))),
        _ => None,
    }
}

/// Creates a report that counts the matches in lines. With `-v`, it counts the selected lines, as ripgrep does, since
/// these lines have no matches.
pub(super) fn match_count(args: &Args, prefix: Prefix) -> CountReport {
    let count = if args.patterns.invert { Count::Selected } else { Count::Matches };
    CountReport::new(count, limits(args), prefix)
}

/// Creates a report that counts hits by pattern and distance.
pub(super) fn pattern_count(args: &Args, patterns: &Arc<PatternSet>) -> Result<Box<dyn Report>> {
    let kind = kind_of(patterns);
    let (choice, limits) = (choice(args, patterns), Limits { keep: Keep::Matching, max: args.output.max_count });
    let distance = largest_distance(patterns);
    match PatternCountReport::new(patterns.clone(), distance, choice, limits, named_prefix(args, kind)) {
        Some(report) => Ok(Box::new(report)),
        None => bail!(
            "--format count-patterns: a table of {} patterns and {} distances is too large; use fewer patterns, or lower -k",
            patterns.source_count(),
            distance + 1
        ),
    }
}

pub(super) fn grep_report(args: &Args, patterns: &Arc<PatternSet>, prefix: Prefix) -> GrepReport {
    let text = args.output.replace.as_ref().map(|text| bytes_of(text).to_vec());
    let replacement = text.map(|text| MatchReplacement::new(patterns.clone(), text));
    let printer: Box<dyn LinePrinter> = if args.has_form(Output::Json) {
        Box::new(EventPrinter::new(patterns.clone(), given_columns(args), replacement))
    } else {
        Box::new(PlainPrinter::new(plain_style(args, prefix), replacement))
    };
    GrepReport::new(limits(args), context(args), args.input.binary_files, printer)
}

/// Returns the lines that are printed around selected lines.
pub(super) fn context(args: &Args) -> Context {
    let output = &args.output;
    let (before, after) = (output.before_context.or(output.context), output.after_context.or(output.context));
    let lines = |number: Option<u64>| number.map_or(0, |number| usize::try_from(number).unwrap_or(usize::MAX));
    match (output.passthru, before, after) {
        (true, ..) => Context::All,
        (false, None, None) => Context::None,
        // A context of 0 lines still separates groups of lines.
        (false, before, after) => Context::Lines { before: lines(before), after: lines(after) },
    }
}

fn plain_style(args: &Args, prefix: Prefix) -> PlainStyle {
    let output = &args.output;
    let show = match (args.has_form(Output::Matches), output.passthru, output.vimgrep) {
        (true, true, _) => Show::MatchesAndLines,
        (true, false, _) => Show::Matches,
        (false, _, true) => Show::LineOfEachMatch,
        (false, _, false) => Show::Lines,
    };
    let heading = if output.heading && prefix.file && !output.vimgrep { Heading::Above } else { Heading::None };
    PlainStyle {
        show,
        keep: limits(args).keep,
        prefix: Prefix { file: prefix.file && heading == Heading::None, ..prefix },
        heading,
        separator: (!output.no_group_separator).then(|| bytes_of(&output.group_separator).to_vec()),
        columns: given_columns(args).or_else(|| columns_of_lines().filter(|_| output.max_columns.is_none())),
        trim: output.trim,
    }
}

/// Returns the number of columns of `--max-columns`; `None` if there is no such limit.
fn given_columns(args: &Args) -> Option<usize> {
    args.output.max_columns.filter(|&columns| columns > 0).and_then(|columns| usize::try_from(columns).ok())
}
