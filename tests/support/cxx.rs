//! Builds C++ programs and libraries from the kernels. Each is built again only if its sources have changed.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::root::{builds, root};

/// A program or library to build.
#[derive(Debug, Hash)]
pub(crate) struct Product<'a> {
    /// Name of the built file.
    pub(crate) file: &'a str,
    /// Folders under `kernels` with the files that it depends on.
    pub(crate) folders: &'a [&'a str],
    /// Sources to compile, under `kernels`.
    pub(crate) sources: &'a [&'a str],
    /// Compiler options, in addition to the common ones.
    pub(crate) options: &'a [&'a str],
}

/// Lock that serializes builds.
static BUILDING: Mutex<()> = Mutex::new(());

/// Returns the folder of the kernels.
pub(crate) fn kernels() -> PathBuf {
    root().join("kernels")
}

/// Returns whether NIGH_NO_CXX=1 says that there is no compiler.
pub(crate) fn is_skipped() -> bool {
    let skipped = std::env::var_os("NIGH_NO_CXX").is_some_and(|value| value == "1");
    if skipped {
        eprintln!("skipped: NIGH_NO_CXX=1, so the kernels were not run");
    }
    skipped
}

pub(crate) fn compiler() -> String {
    let candidates = std::env::var("CXX").into_iter().chain(["c++", "g++", "clang++"].map(String::from));
    let works = |name: &String| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    candidates
        .into_iter()
        .find(works)
        .expect("no C++ compiler: set CXX, or NIGH_NO_CXX=1 to leave the kernels untested")
}

/// Builds a product in a folder of its own, unless it is built already. Returns its path.
pub(crate) fn build(product: &Product<'_>) -> PathBuf {
    let _only = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let compiler = compiler();
    let folder = builds().join(format!("cxx-{:016x}", fingerprint(&compiler, product)));
    let made = folder.join(product.file);
    if made.exists() {
        return made;
    }
    fs::create_dir_all(&folder).unwrap();
    let new = folder.join(format!("new-{}", std::process::id()));
    let mut command = Command::new(&compiler);
    // Line numbers suffice for the traces of a sanitizer. All other debug information takes a third of the time of a
    // build.
    command.args(["-std=c++17", "-g1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-o"]).arg(&new);
    command.args(product.sources.iter().map(|source| kernels().join(source))).args(product.options);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
    fs::rename(&new, &made).unwrap();
    made
}

/// Returns a hash of the sources and of the build command.
fn fingerprint(compiler: &str, product: &Product<'_>) -> u64 {
    let mut files: Vec<PathBuf> = product
        .folders
        .iter()
        .flat_map(|folder| fs::read_dir(kernels().join(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let mut hasher = DefaultHasher::new();
    (compiler, product).hash(&mut hasher);
    files.iter().for_each(|path| (path, fs::read(path).unwrap()).hash(&mut hasher));
    hasher.finish()
}
