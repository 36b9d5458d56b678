//! External programs that tests use.

use std::process::{Command, Stdio};

/// Returns true if a program is installed. Otherwise the test prints a message and skips the part that needs it, or fails with
/// NIGH_REQUIRE_TOOLS=1.
pub(crate) fn has(tool: &str) -> bool {
    has_version(tool, "")
}

/// Returns true if a program is installed whose version text begins with these words.
pub(crate) fn has_version(tool: &str, words: &str) -> bool {
    let run = Command::new(tool).arg("--version").stdin(Stdio::null()).output();
    let found = run.is_ok_and(|run| run.status.success() && run.stdout.starts_with(words.as_bytes()));
    if !found {
        let required = std::env::var_os("NIGH_REQUIRE_TOOLS").is_some_and(|value| value == "1");
        assert!(!required, "{tool} {words} is missing, and NIGH_REQUIRE_TOOLS is 1");
        eprintln!("SKIPPED: {tool} {words} is missing");
    }
    found
}
