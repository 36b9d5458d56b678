//! Programs of others that tests use.

use std::process::{Command, Stdio};

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
