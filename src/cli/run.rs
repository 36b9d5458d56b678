//! Runs a command line and returns its exit status.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::iter;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Result;

use super::args::{Args, Output, When, usage};
use super::config::{self, Prepared, Task};
use super::config_file::{self, ConfigFileError};
use super::environment;
use super::listeners::Listeners;
use super::messages::{self, MessagePrinter};
use super::program_run::{ERROR, NOTHING_SELECTED, OutputBuffering, ProgramRun, SELECTED, status};
use super::progress::Progress;
use super::stdio::InheritedStreams;
use super::terminal::are_coloured;
use super::usage::Usage;
use nigh_input::plain;
use nigh_report::ReportError;
use nigh_search::{Copies, FirstPass, Notice, Outcome, SearchError, find_least};

/// Runs the program and returns its exit status. `arguments` begin with the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, inherited: InheritedStreams) -> u8 {
    let mut args = match config_file::parse_with_config_file(arguments.into_iter().collect()) {
        Ok(args) => args,
        Err(ConfigFileError::Arguments(error)) => return stop_at(&error, &usage(), inherited),
        Err(error) => return stop(&error.into()),
    };
    let outcome =
        environment::apply().and_then(|()| run_parsed(&mut args, &messages::say, inherited, &mut inherited.output()));
    outcome.unwrap_or_else(|error| stop(&error))
}

/// The outcome of a command line that ran within the caller's process.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Exit status.
    pub status: u8,
    /// The messages that the program would print on standard error.
    pub messages: Vec<String>,
}

/// Runs a command line within the caller's process, for fuzzing. `arguments` begin with the program's name. Output goes
/// to `out`.
#[doc(hidden)]
pub fn answer(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Answer {
    let mut args = match Args::parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return Answer { status: ERROR, messages: vec![usage().message(&error)] },
    };
    let messages = Mutex::new(Vec::new());
    let add = |message: String| messages.lock().expect("no panic while the lock is held").push(message);
    let outcome = run_parsed(&mut args, &|message| add(message.to_string()), InheritedStreams::default(), out);
    let status = outcome.unwrap_or_else(|error| {
        add(format!("{error:#}"));
        ERROR
    });
    Answer { status, messages: messages.into_inner().expect("no panic while the lock is held") }
}

/// Reports that standard output could not be closed, so that output may be lost. Returns the exit status.
pub fn stop_after_write_error(error: io::Error) -> u8 {
    stop(&SearchError::Write(error).into())
}

/// Reports that /dev/null could not be opened in place of closed standard streams. Returns the exit status.
pub fn stop_without_streams(error: &io::Error) -> u8 {
    messages::say(&format_args!("/dev/null: {}", plain(error)));
    ERROR
}

/// Prints an error and returns the exit status. The error may be a closed pipe if the parent process ignores SIGPIPE.
pub(super) fn stop(error: &anyhow::Error) -> u8 {
    messages::error(error);
    ERROR
}

/// Prints help or the version to standard output if the arguments ask for it, or else the error in the arguments.
/// Returns the exit status.
pub(super) fn stop_at(error: &clap::Error, usage: &Usage, inherited: InheritedStreams) -> u8 {
    if error.use_stderr() {
        messages::say(&usage.message(error));
        return ERROR;
    }
    let mut out = inherited.output();
    let text = if are_coloured(When::Auto) { error.render().ansi().to_string() } else { error.render().to_string() };
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => SELECTED,
        Err(error) => stop(&SearchError::Write(error).into()),
    }
}

/// Runs a search with parsed arguments and returns the exit status. Output goes to `out` and messages to `say`.
fn run_parsed(
    args: &mut Args,
    say: &dyn Fn(&dyn Display),
    inherited: InheritedStreams,
    out: &mut dyn Write,
) -> Result<u8> {
    let messages = MessagePrinter::new(args.input.no_messages, say).with_remedy(messages::input_remedy);
    if args.output.max_count == Some(0) && !args.has_form(Output::FilesWithout) {
        // `-m 0` selects nothing. As in grep, the inputs are not opened.
        return Ok(NOTHING_SELECTED);
    }
    let since = Instant::now();
    inherited.check_patterns(args)?;
    config::take_genome(args)?;
    let args = &*args;
    let task = config::task(args, inherited.input())?;
    if task.is_filtered_out(args) {
        messages.nothing_searched();
    }
    let passes = if args.fuzzy.two_pass_scope().is_some() { 2 } else { 1 };
    let progress = Progress::wanted(args.output.progress, "hits", || task.known_size().map(|size| passes * size));
    let listeners = Listeners { messages: &messages, progress };
    let PlannedSearch { prepared: Prepared { search, stats, advice }, failed: refused, _copies } =
        plan_search(args, task, &listeners)?;
    let buffering = match args.output.line_buffered {
        true => OutputBuffering::Lines(config::terminator(args)),
        false => OutputBuffering::Blocks,
    };
    let stats = stats.map(|stats| (stats, since));
    let run = ProgramRun { search, work: "search", buffering, stats, is_debugged: args.engine.threads.debug };
    let Outcome { selected, failed } = run.run(&listeners, out)?;
    let failed = failed || refused;
    let quiet = args.has_form(Output::Nothing);
    if let (Some(advice), false, false) = (advice, selected, failed || quiet) {
        messages.advice(advice);
    }
    Ok(if quiet && selected { SELECTED } else { status(Outcome { selected, failed }) })
}

/// A search that is ready to run, and the temporary files that must stay open until the search ends.
struct PlannedSearch {
    prepared: Prepared,
    /// Set if the first pass of `--best` left out an input that it could not read.
    failed: bool,
    /// Temporary copies of inputs that can be read only once.
    _copies: Copies,
}

/// Plans the search that the arguments ask for. With `--best=all` and `--best=file`, runs the first pass.
fn plan_search(args: &Args, mut task: Task, listeners: &Listeners<'_>) -> Result<PlannedSearch> {
    let routes = task.routes(args, None)?;
    args.ignored(&routes.kinds()).iter().chain(&routes.warnings).for_each(|message| listeners.messages.warn(message));
    let Some(scope) = args.fuzzy.two_pass_scope() else {
        let entries = Box::new(task.entries(routes.sorter.clone()));
        let prepared = config::prepare(args, routes, entries)?;
        return Ok(PlannedSearch { prepared, failed: false, _copies: Copies::default() });
    };
    let mut entries = task.all_entries(routes.sorter.clone());
    let _copies = Copies::of_streams(&mut entries).map_err(ReportError::Spool)?;
    let Prepared { mut search, .. } = config::prepare(args, routes, Box::new(iter::empty()))?;
    search.watch = listeners.watch();
    let mut notify = |label: &[u8], notice: &Notice| listeners.notice(label, notice);
    let FirstPass { entries, max_distance, failed } = find_least(search, entries, scope, &mut notify)?;
    let routes = task.routes(args, Some(max_distance))?;
    let prepared = config::prepare(args, routes, Box::new(entries.into_iter()))?;
    Ok(PlannedSearch { prepared, failed, _copies })
}
