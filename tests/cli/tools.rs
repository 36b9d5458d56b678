//! External programs that read nigh's output.

use std::path::Path;
use std::process::Command;

use crate::harness::finish;
pub(crate) use crate::support::programs::{has, has_version};

/// Returns the output of a program for some input, with arguments in one string that is split at blanks.
pub(crate) fn output(tool: &str, arguments: &str, folder: &Path, input: &[u8]) -> String {
    let mut command = Command::new(tool);
    command.args(arguments.split_whitespace()).current_dir(folder);
    let run = finish(command, input.to_vec());
    assert_eq!(run.status, Some(0), "{tool} {arguments}: {}", run.stderr);
    run.text()
}
