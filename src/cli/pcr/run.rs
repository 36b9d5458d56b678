//! Runs a command line of `nigh-pcr` and returns its exit status.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;

use super::args::{PcrArgs, usage};
use super::inputs::known_size;
use super::products::search;
use crate::cli::program_run::{OutputBuffering, ProgramRun};
use crate::cli::progress::Progress;
use crate::cli::run::{stop, stop_at};
use crate::cli::stdio::InheritedStreams;
use crate::cli::{environment, messages};

/// Runs the program and returns its exit status. `arguments` begin with the program's name.
pub fn run(arguments: Vec<OsString>, inherited: InheritedStreams) -> u8 {
    messages::set_program("nigh-pcr");
    let args = match PcrArgs::parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return stop_at(&error, &usage(), inherited),
    };
    let outcome = environment::apply().and_then(|()| run_parsed(&args, inherited, &mut inherited.output()));
    outcome.unwrap_or_else(|error| stop(&error))
}

/// Finds the products and returns the exit status. Output goes to `out`.
fn run_parsed(args: &PcrArgs, inherited: InheritedStreams, out: &mut dyn Write) -> Result<u8> {
    let run = ProgramRun {
        search: search(args, inherited.input())?,
        work: "search",
        buffering: OutputBuffering::Blocks,
        stats: None,
        is_debugged: args.engine.debug,
    };
    run.run_other(Progress::wanted(args.output.display.progress, "hits", || known_size(args)), out)
}
