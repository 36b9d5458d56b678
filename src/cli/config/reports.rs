//! What is to be printed.

use std::sync::Arc;

use crate::cli::args::{Args, Best, BinaryFiles, HitChoice, bytes_of};
use crate::cli::terminal::{colours, controls};
use crate::pattern::{EditConstraints, Pattern, PatternSet};
use crate::report::{
    Binary, Choice, Context, Count, CountReport, EventPrinter, FilesReport, GrepReport, Heading, Hits, Keep, Limits,
    LinePrinter, List, PlainPrinter, PlainStyle, Prefix, Report, RowReport, Rows, Show,
};

pub(super) fn limits(args: &Args) -> Limits {
    Limits { keep: if args.patterns.invert { Keep::Others } else { Keep::Matching }, most: args.output.max_count }
}

/// Which hits are shown, if the arguments do not say: `unsaid`.
pub(super) fn hits(args: &Args, unsaid: Hits) -> Hits {
    match args.fuzzy.hits {
        Some(HitChoice::All) => Hits::All,
        Some(HitChoice::Best) => Hits::Best,
        None => unsaid,
    }
}

/// A report of rows. Of which hits, if the arguments do not say, is `unsaid`.
pub(super) fn row_report(args: &Args, rows: Arc<dyn Rows>, unsaid: Hits) -> RowReport {
    let choice = match args.fuzzy.best {
        Some(Best::Record) => Choice::Nearest,
        Some(Best::All | Best::File) | None => Choice::All,
    };
    RowReport::new(rows, limits(args)).hits(hits(args, unsaid)).within_record(choice)
}

pub(super) fn prefix(args: &Args, several: bool) -> Prefix {
    let output = &args.output;
    Prefix {
        file: (several || output.with_filename || output.vimgrep) && !output.no_filename,
        line: output.line_number || output.vimgrep,
        column: output.column || output.vimgrep,
        byte: output.byte_offset,
        cost: args.fuzzy.cost,
        null: output.null,
        tab: output.initial_tab.then_some(0),
        colours: colours(args.color()),
        controls: controls(),
    }
}

/// The prefix of what is one table for all inputs if nobody asks for names.
pub(super) fn named_prefix(args: &Args) -> Prefix {
    prefix(args, false)
}

/// The largest distance that a hit can have: K, or with costs and transpositions what its edits may cost together.
pub(super) fn largest_distance(patterns: &PatternSet) -> usize {
    let largest = |pattern: &Pattern| pattern.rules().map_or(pattern.k(), EditConstraints::budget);
    patterns.patterns().iter().map(largest).max().unwrap_or(0)
}

/// The reports that are the same for lines and records, if one of them is asked for.
pub(super) fn common_report(args: &Args, prefix: Prefix) -> Option<Box<dyn Report>> {
    let limits = limits(args);
    let list = match (args.output.quiet, args.output.list_with, args.output.list_without) {
        (true, _, _) => Some(List::Nothing),
        (false, true, _) => Some(List::With),
        (false, false, true) => Some(List::Without),
        (false, false, false) => None,
    };
    match list {
        Some(list) => Some(Box::new(FilesReport::new(list, limits, prefix))),
        None if args.output.count => Some(Box::new(CountReport::new(Count::Selected, limits, prefix))),
        None => None,
    }
}

/// How many matches there are in lines. Lines without a match have none, so then, as in ripgrep, they are counted.
pub(super) fn match_count(args: &Args, prefix: Prefix) -> CountReport {
    let count = if args.patterns.invert { Count::Selected } else { Count::Matches };
    CountReport::new(count, limits(args), prefix)
}

pub(super) fn grep_report(args: &Args, patterns: &Arc<PatternSet>, prefix: Prefix) -> GrepReport {
    let binary = match args.input.binary_files {
        BinaryFiles::Binary => Binary::Announced,
        BinaryFiles::WithoutMatch => Binary::PassedOver,
        BinaryFiles::Text => Binary::Text,
    };
    let printer: Box<dyn LinePrinter> = match args.output.json {
        true => Box::new(EventPrinter::new(patterns.clone())),
        false => Box::new(PlainPrinter::new(plain_style(args, prefix))),
    };
    GrepReport::new(limits(args), context(args), binary, printer)
}

fn context(args: &Args) -> Context {
    let output = &args.output;
    let (before, after) = (output.before_context.or(output.context), output.after_context.or(output.context));
    let lines = |number: Option<u64>| number.map_or(0, |number| usize::try_from(number).unwrap_or(usize::MAX));
    match (output.passthru, before, after) {
        (true, ..) => Context::All,
        (false, None, None) => Context::None,
        // Context of no lines makes groups too.
        (false, before, after) => Context::Lines { before: lines(before), after: lines(after) },
    }
}

fn plain_style(args: &Args, prefix: Prefix) -> PlainStyle {
    let output = &args.output;
    let show = match (output.only_matching, output.passthru, output.vimgrep) {
        (true, true, _) => Show::MatchesAndLines,
        (true, false, _) => Show::Matches,
        (false, _, true) => Show::LineOfEachMatch,
        (false, _, false) => Show::Lines,
    };
    let heading = match output.heading && prefix.file && !output.vimgrep {
        true => Heading::Above,
        false => Heading::None,
    };
    let longest = output.max_columns.filter(|&longest| longest > 0);
    PlainStyle {
        show,
        keep: limits(args).keep,
        prefix: Prefix { file: prefix.file && heading == Heading::None, ..prefix },
        heading,
        separator: (!output.no_group_separator).then(|| bytes_of(&output.group_separator).to_vec()),
        longest: longest.and_then(|longest| usize::try_from(longest).ok()),
        trim: output.trim,
    }
}
