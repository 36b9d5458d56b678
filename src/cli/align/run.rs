//! Runs a command line of `nigh-align` and returns its exit status.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;

use super::args::{AlignArgs, usage};
use super::comparison::comparison;
use crate::cli::program_run::{OutputBuffering, ProgramRun};
use crate::cli::progress::Progress;
use crate::cli::run::{stop, stop_at};
use crate::cli::stdio::InheritedStreams;
use crate::cli::{environment, messages};

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
    let run = ProgramRun {
        search: comparison(args, inherited.input())?,
        work: "comparison",
        buffering: OutputBuffering::Blocks,
        stats: None,
        is_debugged: args.engine.debug,
    };
    let file = args.target.as_ref().unwrap_or(&args.query);
    let size = || std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    run.run_other(Progress::wanted(args.output.display.progress, "pairs", size), out)
}
