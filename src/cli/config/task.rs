//! Turns arguments into a task, and the task into a search.

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::Result;

use super::division::line_format;
use super::inputs::{Item, LazyInputs, Survey, closed_stdin};
use super::patterns::RouteParameters;
use super::patterns::sources::pattern_files;
use super::reports::limits;
use super::routes::{Routes, Sorter};
use super::{memory, shard};
use crate::cli::args::{Args, EngineName, Output};
use nigh_input::{Format, LongLines};
use nigh_report::{Stats, StatsReport, StatsScope};
use nigh_search::{Entry, Inputs, Search, SearchRoute, StageTimes};
use nigh_verify::InputSize;

/// A search that is ready to run.
pub(crate) struct Prepared {
    pub(crate) search: Search<'static>,
    /// The totals of `--stats`; `None` if they are not printed.
    pub(crate) stats: Option<Stats>,
    /// Advice to print if nothing is found.
    pub(crate) advice: Option<&'static str>,
}

/// The inputs and pattern files of a search, before its routes are built.
pub(crate) struct Task {
    inputs: LazyInputs,
    survey: Survey,
    /// Number of bytes to be searched, if known. It is determined on first use.
    size: OnceCell<InputSize>,
    pattern_files: Vec<Vec<u8>>,
    stdin: Stdin,
}

/// The state of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    Open,
    Closed,
}

/// Creates the task described by the arguments.
pub(crate) fn task(args: &Args, stdin: Stdin) -> Result<Task> {
    let inputs = LazyInputs::new(args)?;
    let survey = inputs.survey();
    Ok(Task { inputs, survey, size: OnceCell::new(), pattern_files: pattern_files(args)?, stdin })
}

impl Task {
    /// Returns true if there are no inputs and options may have excluded some. As in grep, an empty directory alone is
    /// not reported.
    pub(crate) fn is_filtered_out(&self, args: &Args) -> bool {
        let input = &args.input;
        let is_filtered = input.ignore_vcs
            || !input.globs.is_empty()
            || !input.file_rules.is_empty()
            || !input.exclude_dir.is_empty();
        is_filtered && self.inputs.are_none()
    }

    /// Returns the number of bytes to be searched; `None` if it is not known before the search. The result is cached.
    pub(crate) fn known_size(&self) -> InputSize {
        *self.size.get_or_init(|| self.inputs.known_size())
    }

    /// Creates the routes. If `max_edits` is given, it limits the edits of all patterns. Refuses options that exclude
    /// each other.
    pub(crate) fn routes(&self, args: &Args, max_edits: Option<usize>) -> Result<Routes> {
        let bytes = match args.engine.threads.engine {
            EngineName::Auto => self.known_size(),
            EngineName::Cpu | EngineName::Cuda | EngineName::Reference => None,
        };
        Routes::new(args, &self.survey, RouteParameters { pattern_files: &self.pattern_files, max_edits, bytes })
    }

    /// Iterates over the inputs, each assigned to a route by `sorter`.
    pub(crate) fn entries(self, mut sorter: Sorter) -> impl Iterator<Item = Entry> + Send + 'static {
        let Task { inputs, stdin, .. } = self;
        inputs.filter_map(move |item| sorter.entry(readable(item, stdin)))
    }

    /// Returns all inputs at once, each assigned to a route by `sorter`. This takes memory for each input.
    pub(crate) fn all_entries(&mut self, mut sorter: Sorter) -> Vec<Entry> {
        let stdin = self.stdin;
        self.inputs.by_ref().filter_map(|item| sorter.entry(readable(item, stdin))).collect()
    }
}

/// Replaces standard input by an error if it is closed. Leaves other items unchanged.
fn readable(item: Item, stdin: Stdin) -> Item {
    match stdin {
        Stdin::Open => item,
        Stdin::Closed => closed_stdin(item),
    }
}

/// Builds the search of `inputs` with `routes`.
pub(crate) fn prepare(args: &Args, routes: Routes, inputs: Inputs) -> Result<Prepared> {
    // In text, the objects of --json already include the totals.
    let stats = (args.output.stats && !args.has_form(Output::Json))
        .then(|| Stats::new(if args.engine.shard.is_some() { StatsScope::Shard } else { StatsScope::Whole }));
    let counted = |route: Option<SearchRoute<'static>>| route.map(|route| with_stats(args, route, stats.as_ref()));
    let (text, sequences) = (counted(routes.text), counted(routes.sequences));
    let (records_in_text, advice) = (routes.records_in_text, routes.advice);
    let times = Arc::new(StageTimes::new(args.engine.threads.debug));
    let mut search = Search { records_in_text, times, ..Search::new(inputs, text, sequences) };
    memory::bound(args, &mut search)?;
    shard::share(args, &mut search)?;
    Ok(Prepared { search, stats, advice })
}

/// If `stats` is given, wraps the report of a route in one that counts the totals.
fn with_stats(args: &Args, route: SearchRoute<'static>, stats: Option<&Stats>) -> SearchRoute<'static> {
    let Some(stats) = stats.cloned() else { return route };
    let limits = limits(args);
    match route.format {
        // The totals count matches as line reports print them: in whole lines.
        Format::Lines { .. } | Format::ReturnLines { .. } => {
            let report = Box::new(StatsReport::of_lines(route.report, limits, stats));
            SearchRoute { report, format: line_format(args, LongLines::Whole), ..route }
        }
        Format::LineRecords { rule, .. } => {
            let report = Box::new(StatsReport::of_line_records(route.report, limits, stats));
            SearchRoute { report, format: Format::LineRecords { rule, long: LongLines::Whole }, ..route }
        }
        _ => SearchRoute { report: Box::new(StatsReport::of_records(route.report, limits, stats)), ..route },
    }
}
