//! What is to be printed.

use crate::cli::args::{Args, HitChoice, bytes_of};
use crate::cli::colours;
use crate::report::{
    Binary, Context, CountReport, FilesReport, GrepReport, Hits, Keep, Limits, List, Prefix, Report, Show,
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

pub(super) fn prefix(args: &Args, several: bool) -> Prefix {
    Prefix {
        file: (several || args.output.with_filename) && !args.output.no_filename,
        line: args.output.line_number,
        byte: args.output.byte_offset,
        cost: args.fuzzy.cost,
        null: args.output.null,
        colours: colours(args.output.color),
    }
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
        None if args.output.count => Some(Box::new(CountReport::new(limits, prefix))),
        None => None,
    }
}

pub(super) fn grep_report(args: &Args, prefix: Prefix) -> GrepReport {
    let separator = bytes_of(&args.output.group_separator).to_vec();
    let (before, after) =
        (args.output.before_context.or(args.output.context), args.output.after_context.or(args.output.context));
    // Context of no lines makes groups too.
    let grouped = before.is_some() || after.is_some();
    let lines = |number: u64| usize::try_from(number).ok();
    let context = Context {
        before: before.and_then(lines).unwrap_or(0),
        after: after.and_then(lines).unwrap_or(0),
        separator: (grouped && !args.output.no_group_separator).then_some(separator),
    };
    let show = if args.output.only_matching { Show::Matches } else { Show::Lines };
    let binary = if args.input.text { Binary::Text } else { Binary::Announced };
    GrepReport::new(limits(args), show, prefix, context, binary)
}
