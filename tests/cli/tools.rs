//! Programs of others that read what nigh prints.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::finish;

/// Whether a program is there. Without it a test says so and leaves it out, but where NIGH_REQUIRE_TOOLS is 1.
pub(crate) fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").stdin(Stdio::null()).output().is_ok_and(|run| run.status.success());
    if !found {
        let required = std::env::var_os("NIGH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!required, "{tool} is missing, and NIGH_REQUIRE_TOOLS is 1");
        eprintln!("{tool} is missing: what it makes of the output is not tested");
    }
    found
}

/// What a program prints of some input, with arguments in one string that is split at blanks.
pub(crate) fn output(tool: &str, arguments: &str, folder: &Path, input: &[u8]) -> String {
    let mut command = Command::new(tool);
    command.args(arguments.split_whitespace()).current_dir(folder);
    let run = finish(command, input.to_vec());
    assert_eq!(run.status, Some(0), "{tool} {arguments}: {}", run.stderr);
    run.text()
}
