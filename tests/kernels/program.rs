//! The program that runs kernels on the host.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use crate::support::cxx::{Product, build, compiler};

pub(crate) use crate::support::cxx::is_skipped;

/// Build variants of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Plain,
    /// With the address and undefined-behaviour sanitizers.
    Sanitized,
}

/// Returns the program; `None` if the compiler has no sanitizers.
fn program(how: Build) -> Option<PathBuf> {
    let options: &[&str] = match how {
        Build::Plain => &["-O2"],
        Build::Sanitized => &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    };
    if how == Build::Sanitized && !has_sanitizers() {
        eprintln!("the compiler has no sanitizers, so the kernels run without them");
        return None;
    }
    Some(build(&Product { file: "kernels", folders: &[".", "host"], sources: &["host/main.cpp"], options }))
}

fn has_sanitizers() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("empty.cpp");
    fs::write(&source, "int main() {}\n").unwrap();
    let program = folder.path().join("empty");
    let mut command = Command::new(compiler());
    command.args(["-fsanitize=address,undefined", "-o"]).arg(&program).arg(&source);
    command.output().is_ok_and(|o| o.status.success()) && Command::new(program).status().is_ok_and(|s| s.success())
}

/// Runs the program on some cases. Returns its output, or `None` if this variant cannot be built.
pub(crate) fn run(build: Build, cases: &str) -> Option<String> {
    let program = program(build)?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cases");
    fs::write(&path, cases).unwrap();
    let output = Command::new(program).stdin(File::open(&path).unwrap()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{build:?}, {}: {errors}", output.status);
    Some(String::from_utf8(output.stdout).unwrap())
}
