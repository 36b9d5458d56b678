//! External programs that read nigh's output.

use std::path::Path;
use std::process::Command;

use crate::harness::finish;
pub(crate) use crate::support::programs::{has, has_version};

/// Runs a program in a folder, with arguments that are given in one string and split at blanks. Returns its output for
/// `input`.
pub(crate) fn output(tool: &str, arguments: &str, folder: &Path, input: &[u8]) -> String {
    let mut command = Command::new(tool);
    command.args(arguments.split_whitespace()).current_dir(folder);
    let run = finish(command, input.to_vec());
    assert_eq!(run.status, Some(0), "{tool} {arguments}: {}", run.stderr);
    run.text()
}
