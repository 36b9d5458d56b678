//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    nigh::cli::run(std::env::args_os())
}
