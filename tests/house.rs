//! The rules of the house: which layer may use which, where `unsafe` may stand, and how long a file may be.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, first to last; a module uses its own layer's modules and those above it.
const LAYERS: [&[&str]; 6] =
    [&["alphabet", "text", "pattern", "hit", "alignment"], &["input"], &["engine"], &["report"], &["search"], &["cli"]];

/// The only files in which `unsafe` may stand.
const UNSAFE_HOMES: [&str; 6] = [
    "src/engine/cpu/simd/isa.rs",
    "src/engine/cpu/simd/avx2.rs",
    "src/engine/cpu/simd/avx512.rs",
    "src/engine/cpu/simd/neon.rs",
    "src/engine/cuda/device.rs",
    "src/main.rs",
];

/// The most lines of code in a file, without tests, comments and blank lines.
const MAX_FILE_LINES: usize = 500;

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

fn source_files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = sources(&root.join("src"));
    assert!(files.len() > 10, "the sources are found");
    files.into_iter().map(|(path, text)| (path.strip_prefix(root).unwrap().to_owned(), text)).collect()
}

/// The code of a file: no comments, no blank lines, no test module.
fn code(text: &str) -> Vec<&str> {
    let body = text.split("#[cfg(test)]").next().unwrap();
    body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).collect()
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules of the crate that a line of code names.
fn named_modules(line: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for rest in line.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |list| list.split('}').next().unwrap());
        let parts: Vec<&str> = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for part in parts {
            let word: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            named.insert(word);
        }
    }
    named
}

#[test]
fn a_layer_uses_only_layers_above_it() {
    for (path, text) in source_files() {
        let module = path.components().nth(1).unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let Some(own) = layer_of(&module) else {
            assert!(["lib", "main"].contains(&module.as_str()), "{} is in no layer", path.display());
            continue;
        };
        for line in code(&text) {
            for named in named_modules(line) {
                let used = layer_of(&named).unwrap_or_else(|| panic!("{}: {named} is in no layer", path.display()));
                assert!(used <= own, "{}: {module} may not use {named}: {line}", path.display());
            }
        }
    }
}

#[test]
fn engines_for_different_hardware_do_not_use_each_other() {
    for (path, text) in source_files() {
        let inside = |folder: &str| path.starts_with(format!("src/engine/{folder}"));
        for (own, other) in [("cpu", "cuda"), ("cuda", "cpu")] {
            let uses = code(&text).iter().any(|line| line.contains(&format!("{other}::")));
            assert!(!(inside(own) && uses), "{} uses {other}", path.display());
        }
    }
}

#[test]
fn only_search_has_threads_and_engines_do_no_input_or_output() {
    for (path, text) in source_files() {
        let code = code(&text).join("\n");
        // Devices are opened beside each other before a search begins.
        let is_home = path.starts_with("src/search") || path == Path::new("src/engine/cuda/engine.rs");
        let has_threads = ["thread::spawn", "thread::scope", "thread::Builder", "Builder::new().spawn"];
        assert!(is_home || !has_threads.iter().any(|call| code.contains(call)), "{}", path.display());
        if path.starts_with("src/engine") {
            assert!(!code.contains("std::io") && !code.contains("std::fs"), "{}", path.display());
        }
        if path.starts_with("src/input") {
            assert!(!code.contains("crate::pattern"), "{}", path.display());
        }
    }
}

#[test]
fn unsafe_stands_only_where_it_is_at_home() {
    for (path, text) in source_files() {
        let has = code(&text)
            .iter()
            .any(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe"));
        let home = UNSAFE_HOMES.iter().any(|home| path == Path::new(home));
        assert!(!has || home, "{} has unsafe code", path.display());
    }
}

#[test]
fn no_file_is_longer_than_a_reader_likes() {
    for (path, text) in source_files() {
        let length = code(&text).len();
        assert!(length <= MAX_FILE_LINES, "{} has {length} lines of code", path.display());
    }
}
