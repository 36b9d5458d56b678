//! Failing system calls in a program under test: see `faults.c`.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::NamedTempFile;

use crate::support::root::builds;

/// The library that makes calls fail.
const SOURCE: &str = include_str!("faults.c");

/// Error numbers of Linux.
pub(crate) const EIO: i32 = 5;
pub(crate) const ENOMEM: i32 = 12;
pub(crate) const EMFILE: i32 = 24;
pub(crate) const ENOSPC: i32 = 28;

/// A call that fails.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    /// Kind of call, as named in `faults.c`.
    pub(crate) call: &'static str,
    /// Number of the call that fails, from 1.
    pub(crate) at: u64,
    /// Whether only one call fails, or all later calls too.
    pub(crate) lasts: Lasts,
    /// Error number of the call; 0 if it returns 0 instead of failing.
    pub(crate) error: i32,
    /// Minimum size of the calls that are counted, in bytes.
    pub(crate) least_size: usize,
}

/// The calls that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    Once,
    FromThenOn,
}

impl Fault {
    /// Creates a fault: the `at`-th call of a kind fails once with EIO.
    pub(crate) fn new(call: &'static str, at: u64) -> Self {
        Fault { call, at, lasts: Lasts::Once, error: EIO, least_size: 0 }
    }

    /// Sets the environment of a program so that the call fails.
    pub(crate) fn put_into(&self, command: &mut Command, library: &Path) {
        command
            .env("LD_PRELOAD", library)
            .env("NIGH_FAULT_CALL", self.call)
            .env("NIGH_FAULT_AT", self.at.to_string())
            .env("NIGH_FAULT_REST", if self.lasts == Lasts::FromThenOn { "1" } else { "0" })
            .env("NIGH_FAULT_ERRNO", self.error.to_string())
            .env("NIGH_FAULT_SIZE", self.least_size.to_string());
    }
}

/// Returns the number of calls of each kind that the program started by `run` makes. Calls for less than `least_size`
/// bytes are not counted.
pub(crate) fn count(library: &Path, least_size: usize, run: impl FnOnce(&dyn Fn(&mut Command))) -> Vec<(String, u64)> {
    let counts = NamedTempFile::new().unwrap();
    run(&|command| {
        command
            .env("LD_PRELOAD", library)
            .env("NIGH_FAULT_SIZE", least_size.to_string())
            .env("NIGH_FAULT_COUNTS", counts.path());
    });
    let text = fs::read_to_string(counts.path()).unwrap();
    let number = |line: &str| line.split_once(' ').map(|(call, count)| (call.to_owned(), count.parse().unwrap()));
    text.lines().filter_map(number).collect()
}

/// Returns the library to preload, which is built again only if its source has changed. Prints a message and returns
/// `None` if the platform is not supported or NIGH_NO_CXX is set.
pub(crate) fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) || std::env::var_os("NIGH_NO_CXX").is_some() {
        eprintln!("skipped: system calls are made to fail only on Linux with glibc, and without NIGH_NO_CXX");
        return None;
    }
    let mut hasher = DefaultHasher::new();
    SOURCE.hash(&mut hasher);
    let library = builds().join(format!("faults-{:016x}.so", hasher.finish()));
    if library.exists() {
        return Some(library);
    }
    let new = library.with_extension(format!("new-{}", std::process::id()));
    let source = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
    fs::write(source.path(), SOURCE).unwrap();
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()));
    compiler
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o"])
        .arg(&new)
        .arg(source.path());
    let output = compiler.arg("-ldl").output().expect("no C compiler: set CC, or NIGH_NO_CXX=1 to skip the test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::rename(&new, &library).unwrap();
    Some(library)
}
