//! The program that runs kernels on the host, for the modules that the tests share.

use std::fs::{self, File};
use std::process::Command;

/// Build variants of the program. Here `ci/fuzz` has built it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Plain,
    /// With the address and undefined-behaviour sanitizers.
    #[allow(dead_code, reason = "the tests build it so too")]
    Sanitized,
}

/// Returns true if the kernels are skipped.
#[allow(dead_code, reason = "the tests ask")]
pub(crate) fn is_skipped() -> bool {
    false
}

/// Runs the program on some cases and returns its output.
pub(crate) fn run(_: Build, cases: &str) -> Option<String> {
    let program = std::env::var_os("NIGH_KERNELS").expect("NIGH_KERNELS names the program: run ci/fuzz");
    let path = std::env::temp_dir().join(format!("nigh-kernels-{}", std::process::id()));
    fs::write(&path, cases).expect("a file for the cases");
    let output = Command::new(program).stdin(File::open(&path).expect("it was written")).output().expect("a program");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}
