//! Runs a command line of `nigh-align` and returns its exit status.

use std::ffi::OsString;
use std::io::{BufWriter, Write};

use anyhow::Result;

use super::args::{AlignArgs, usage};
use super::comparison::comparison;
use crate::cli::environment;
use crate::cli::listeners::Listeners;
use crate::cli::messages::{self, MessagePrinter};
use crate::cli::progress::{Progress, WithProgress};
use crate::cli::run::{ERROR, NOTHING_SELECTED, OUTPUT_BUFFER, SELECTED, stop, stop_at};
use crate::cli::stdio::InheritedStreams;
use crate::search::{self, Notice, Outcome};

/// Runs the program and returns its exit status. `arguments` begin with the program's name.
pub fn run(arguments: Vec<OsString>, inherited: InheritedStreams) -> u8 {
    messages::set_program("nigh-align");
    let args = match AlignArgs::parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return stop_at(&error, &usage(), inherited),
    };
    let outcome = environment::apply().and_then(|()| run_parsed(&args, inherited, &mut inherited.output()));
    outcome.unwrap_or_else(|error| stop(&error))
}

/// Compares the pairs and returns the exit status. Output goes to `out`.
fn run_parsed(args: &AlignArgs, inherited: InheritedStreams, out: &mut dyn Write) -> Result<u8> {
    let messages = MessagePrinter::new(false, &messages::say);
    let mut search = comparison(args, inherited.input())?;
    let size = args.target.as_ref().unwrap_or(&args.query);
    let size = || std::fs::metadata(size).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    let progress = Progress::wanted(args.output.progress, "pairs", size);
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
    works.iter().filter_map(|work| work.facts().failure).for_each(|error| messages.went_on("comparison", error));
    if args.engine.debug {
        works.iter().flat_map(|work| work.plan()).for_each(|line| messages.debug(&line));
        messages.debug(&times.to_string());
    }
    Ok(match (failed, selected) {
        (true, _) => ERROR,
        (false, true) => SELECTED,
        (false, false) => NOTHING_SELECTED,
    })
}
