//! The program that runs kernels on the host: built once for the sources as they are, and fed with cases.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// How the program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Build {
    Plain,
    /// With the address and undefined-behaviour sanitizers.
    Sanitized,
}

/// One at a time builds it.
static BUILDING: Mutex<()> = Mutex::new(());

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// Whether somebody has said aloud that there is no compiler.
pub(crate) fn is_skipped() -> bool {
    let skipped = std::env::var_os("NIGH_NO_CXX").is_some_and(|value| value == "1");
    if skipped {
        eprintln!("skipped: NIGH_NO_CXX=1, so the kernels were not run");
    }
    skipped
}

fn compiler() -> String {
    let candidates = std::env::var("CXX").into_iter().chain(["c++", "g++", "clang++"].map(String::from));
    let works = |name: &String| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    candidates
        .into_iter()
        .find(works)
        .expect("no C++ compiler: set CXX, or NIGH_NO_CXX=1 to leave the kernels untested")
}

/// A number that changes with the sources and with how they are built.
fn fingerprint(compiler: &str, build: Build) -> u64 {
    let mut files: Vec<PathBuf> = [folder(), folder().join("host")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    (compiler, build).hash(&mut hasher);
    files.iter().for_each(|path| fs::read(path).unwrap().hash(&mut hasher));
    hasher.finish()
}

/// The program; nothing if the compiler has no sanitizers.
fn program(build: Build) -> Option<PathBuf> {
    let _only = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let compiler = compiler();
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kernels-{:016x}", fingerprint(&compiler, build)));
    if made.exists() {
        return Some(made);
    }
    if build == Build::Sanitized && !has_sanitizers(&compiler) {
        eprintln!("{compiler} has no sanitizers: the kernels run without");
        return None;
    }
    let new = made.with_extension("new");
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-o"]).arg(&new);
    match build {
        Build::Plain => command.arg("-O2"),
        Build::Sanitized => command.args(["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
    };
    let output = command.arg(folder().join("host/main.cpp")).output().unwrap();
    assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
    fs::rename(&new, &made).unwrap();
    Some(made)
}

fn has_sanitizers(compiler: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("empty.cpp");
    fs::write(&source, "int main() {}\n").unwrap();
    let program = folder.path().join("empty");
    let mut command = Command::new(compiler);
    command.args(["-fsanitize=address,undefined", "-o"]).arg(&program).arg(&source);
    command.output().is_ok_and(|o| o.status.success()) && Command::new(program).status().is_ok_and(|s| s.success())
}

/// Runs the program on some cases; gives what it prints, or nothing if it cannot be built so.
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
