//! Runs the work of a program other than nigh, with its progress and messages.

use std::io::{BufWriter, Write};

use anyhow::Result;

use super::args::When;
use super::listeners::Listeners;
use super::messages::{self, MessagePrinter};
use super::progress::{Progress, WithProgress};
use super::run::{ERROR, NOTHING_SELECTED, OUTPUT_BUFFER, SELECTED};
use crate::search::{self, Notice, Outcome, Search};

/// A search that is ready to run, and what is printed about it.
pub(super) struct ProgramRun {
    pub(super) search: Search<'static>,
    /// Noun for the work in messages, such as "search".
    pub(super) work: &'static str,
    /// Noun for the results in the progress, such as "hits".
    pub(super) results: &'static str,
    /// When the progress is shown.
    pub(super) progress: When,
    /// Whether `--debug` is given.
    pub(super) is_debugged: bool,
}

impl ProgramRun {
    /// Runs the search and returns the exit status. `size` returns the number of bytes to be searched, if known.
    pub(super) fn run(self, size: impl FnOnce() -> Option<u64>, out: &mut dyn Write) -> Result<u8> {
        let ProgramRun { mut search, work, results, progress, is_debugged } = self;
        let messages = MessagePrinter::new(false, &messages::say);
        let progress = Progress::wanted(progress, results, size);
        let listeners = Listeners { messages: &messages, progress: progress.clone() };
        search.watch = listeners.watch();
        let times = search.times.clone();
        let works: Vec<_> =
            [&search.text, &search.sequences].into_iter().flatten().map(|route| route.work.clone()).collect();
        let mut notify = |label: &[u8], notice: &Notice| listeners.notice(label, notice);
        let out = WithProgress(progress.clone(), out);
        let outcome = search::run(search, &mut BufWriter::with_capacity(OUTPUT_BUFFER, out), &mut notify);
        if let Some(progress) = progress {
            progress.end();
        }
        let Outcome { selected, failed } = outcome?;
        works.iter().filter_map(|work| work.facts().failure).for_each(|error| messages.went_on(work, error));
        if is_debugged {
            works.iter().flat_map(|work| work.plan()).for_each(|line| messages.debug(&line));
            messages.debug(&times.to_string());
        }
        Ok(match (failed, selected) {
            (true, _) => ERROR,
            (false, true) => SELECTED,
            (false, false) => NOTHING_SELECTED,
        })
    }
}
