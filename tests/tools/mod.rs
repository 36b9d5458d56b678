//! Programs of others that tests use.

use std::process::{Command, Stdio};

/// Whether a program is installed. If it is not, the test says so and skips what needs it; with NIGH_REQUIRE_TOOLS=1 it fails.
#[allow(dead_code, reason = "not all tests that share this file need it")]
pub(crate) fn has(tool: &str) -> bool {
    has_version(tool, "")
}

/// Whether a program is installed, of a version that is introduced with these words.
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
