//! Runs the search of a program, with its progress and messages.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};

use super::line_writer::LineWriter;
use super::listeners::Listeners;
use super::messages::{self, MessagePrinter};
use super::progress::{Progress, WithProgress};
use nigh_report::Stats;
use nigh_search::{Notice, Outcome, Search, SearchError};

/// Exit status: at least one line or record was selected.
pub(super) const SELECTED: u8 = 0;
/// Exit status: no line or record was selected.
pub(super) const NOTHING_SELECTED: u8 = 1;
/// Exit status: an error occurred.
pub const ERROR: u8 = 2;

/// Size of the output buffer, in bytes.
const OUTPUT_BUFFER: usize = 128 << 10;

/// A search that is ready to run, and what is printed about it.
pub(super) struct ProgramRun {
    pub(super) search: Search<'static>,
    /// Noun for the work in messages, such as "search".
    pub(super) work: &'static str,
    pub(super) buffering: OutputBuffering,
    /// The totals to write after the results, and the start of the time that they show; `None` if they are not written.
    pub(super) stats: Option<(Stats, Instant)>,
    /// Whether `--debug` is given.
    pub(super) is_debugged: bool,
}

/// When the output is written.
pub(super) enum OutputBuffering {
    /// After each line that ends with this byte.
    Lines(u8),
    /// When a buffer is full.
    Blocks,
}

impl ProgramRun {
    /// Runs the search.
    pub(super) fn run(self, listeners: &Listeners<'_>, out: &mut dyn Write) -> Result<Outcome> {
        let ProgramRun { mut search, work, buffering, stats, is_debugged } = self;
        let Listeners { messages, progress } = listeners;
        search.watch = listeners.watch();
        let times = search.times.clone();
        let works: Vec<_> = search.routes().map(|route| route.work.clone()).collect();
        let mut notify = |label: &[u8], notice: &Notice| listeners.notice(label, notice);
        let shown = WithProgress(progress.clone(), &mut *out);
        let outcome = match buffering {
            OutputBuffering::Lines(terminator) => {
                nigh_search::run(search, &mut LineWriter::new(shown, terminator), &mut notify)
            }
            OutputBuffering::Blocks => {
                nigh_search::run(search, &mut BufWriter::with_capacity(OUTPUT_BUFFER, shown), &mut notify)
            }
        };
        if let Some(progress) = progress {
            progress.end();
        }
        let outcome = outcome?;
        if let Some((stats, since)) = stats {
            stats.write(since, out).and_then(|()| out.flush()).map_err(SearchError::Write)?;
        }
        works.iter().filter_map(|work| work.facts().failure).for_each(|error| messages.went_on(work, error));
        if is_debugged {
            works.iter().flat_map(|work| work.description()).for_each(|line| messages.debug(&line));
            messages.debug(&times.to_string());
        }
        Ok(outcome)
    }

    /// Runs the search of a program other than nigh, and returns the exit status.
    pub(super) fn run_other(self, progress: Option<Arc<Progress>>, out: &mut dyn Write) -> Result<u8> {
        let messages = MessagePrinter::new(false, &messages::say);
        Ok(status(self.run(&Listeners { messages: &messages, progress }, out)?))
    }
}

/// Returns the exit status of a search.
pub(super) fn status(outcome: Outcome) -> u8 {
    match outcome {
        Outcome { failed: true, .. } => ERROR,
        Outcome { selected: true, .. } => SELECTED,
        Outcome { selected: false, .. } => NOTHING_SELECTED,
    }
}

/// Refuses the first option that would have no effect. Each is given as whether it is unused, with a message.
pub(super) fn refuse_unused(options: &[(bool, &str)]) -> Result<()> {
    match options.iter().find(|(is_unused, _)| *is_unused) {
        Some((_, message)) => bail!("{message}"),
        None => Ok(()),
    }
}
