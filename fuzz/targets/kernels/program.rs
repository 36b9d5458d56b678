//! The program that runs kernels on the host, with the interface that the shared modules of the tests expect.

use std::fs::{self, File};
use std::process::Command;

/// Build variants of the program. The fuzz target has only one, which `ci/fuzz` builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Plain,
    /// With the address and undefined-behaviour sanitizers.
    #[allow(dead_code, reason = "the tests build it so too")]
    Sanitized,
}

/// Returns whether the kernels are skipped, which the fuzz target never does.
#[allow(dead_code, reason = "the tests ask")]
pub(crate) fn is_skipped() -> bool {
    false
}

/// Runs the program on some cases and returns its output.
pub(crate) fn run(_: Build, cases: &str) -> Option<String> {
    let program =
        std::env::var_os("NIGH_KERNELS").expect("NIGH_KERNELS must name the program; run ci/fuzz, which sets it");
    let path = std::env::temp_dir().join(format!("nigh-kernels-{}", std::process::id()));
    fs::write(&path, cases).expect("a file for the cases");
    let output = Command::new(program).stdin(File::open(&path).expect("it was written")).output().expect("a program");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}
