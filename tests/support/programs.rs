//! External programs that tests use.

use std::process::{Command, Stdio};

/// Returns whether a program is installed. If it is not, prints that the test skips the part that needs it, or panics
/// with NIGH_REQUIRE_TOOLS=1.
pub(crate) fn has(tool: &str) -> bool {
    has_version(tool, "")
}

/// Returns whether a program is installed whose output of --version begins with `words`. If not, does the same as
/// [`has`].
pub(crate) fn has_version(tool: &str, words: &str) -> bool {
    let run = Command::new(tool).arg("--version").stdin(Stdio::null()).output();
    let found = run.is_ok_and(|run| run.status.success() && run.stdout.starts_with(words.as_bytes()));
    if !found {
        let required = std::env::var_os("NIGH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!required, "{tool} {words} is not installed, but NIGH_REQUIRE_TOOLS=1 requires it");
        eprintln!("SKIPPED: {tool} {words} is not installed");
    }
    found
}
