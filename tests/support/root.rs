//! Files of the project. Tests also find them on another machine than the one that built the tests.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns the folder of the project: the one in which the tests were built or, if it does not exist, the current
/// folder.
pub(crate) fn root() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR"));
    match built.join("Cargo.toml").exists() {
        true => built.to_owned(),
        false => env::current_dir().expect("a current folder"),
    }
}

/// Returns the folder for files that tests build: that of Cargo or, if it does not exist, the system's folder for
/// temporary files.
pub(crate) fn builds() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match folder.exists() {
        true => folder.to_owned(),
        false => env::temp_dir(),
    }
}

/// Returns another program under test, which is beside the program `nigh`.
pub(crate) fn program_beside(name: &str) -> PathBuf {
    PathBuf::from(program()).with_file_name(name)
}

/// Returns the program under test: the one built with the tests, unless NIGH_PROGRAM names another.
pub(crate) fn program() -> OsString {
    env::var_os("NIGH_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_nigh").into())
}
