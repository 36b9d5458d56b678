//! Terms that were renamed, which no file may use again. CONTRIBUTING.md has the glossary.

use std::fs;
use std::path::{Path, PathBuf};

use super::root;

/// Old names of types, functions, variants, constants and files, and the names that replaced them.
const OLD_NAMES: [(&str, &str); 58] = [
    ("Anchor", "Seed"),
    ("Beside", "WithProgress"),
    ("Duty", "WorkerConfig"),
    ("Exits", "BatchOutputs"),
    ("Floor", "EarliestStart"),
    ("Hold", "ExactGroup"),
    ("Keep::Others", "Keep::NonMatching"),
    ("Lanes", "Simd"),
    ("Leg", "HandoffSlot"),
    ("MaxErrors", "MaxEdits"),
    ("Nibbles", "TeddyMasks"),
    ("PatternRuns", "QGramIndex"),
    ("PlaneCodes", "ByteCodes"),
    ("Price", "EditLimit"),
    ("Relay", "OrderedHandoff"),
    ("Rules", "EditConstraints"),
    ("Stretch", "TextWindow"),
    ("Terms", "EditCosts"),
    ("TooManyErrors", "TooManyEdits"),
    ("Trouble", "SkipReason"),
    ("WordPattern", "BlockPattern"),
    ("accepts_once", "try_spend_dedup"),
    ("appetite", "offload"),
    ("appetite.rs", "offload.rs"),
    ("backed", "hybrid"),
    ("backed.rs", "hybrid/engine.rs"),
    ("each_line", "LineWriter"),
    ("grams.rs", "qgram.rs"),
    ("input.most", "input.max_distance"),
    ("is_for_devices", "should_offload"),
    ("lanes.rs", "vector.rs"),
    ("lead_to", "extend_to"),
    ("limit.most", "limit.max"),
    ("limits.most", "limits.max"),
    ("loaded.rs", "device_tables.rs"),
    ("look_up", "byte_to_planes"),
    ("max_errors", "max_edits"),
    ("may_begin", "teddy_mask"),
    ("pieces.rs", "teddy.rs, frames.rs"),
    ("plane_code", "code"),
    ("plane_of", "code"),
    ("preset", "config_file"),
    ("preset.rs", "config_file.rs"),
    ("quadrant.rs", "checkpoint.rs"),
    ("ruled", "constrained"),
    ("ruled.rs", "constraints/"),
    ("rules.rs", "constraints.rs"),
    ("settle", "verify"),
    ("settle.rs", "verify.rs"),
    ("settled", "verified"),
    ("sliced.rs", "bitslice.rs"),
    ("squeeze", "compress"),
    ("staged.rs", "staging.rs"),
    ("stretch", "text window"),
    ("stretch.rs", "text_window.rs"),
    ("tuning.rs", "launch_geometry.rs"),
    ("word.rs", "myers.rs"),
    ("words.rs", "blocks.rs"),
];

/// Old names that are still used for kernels and for their tables on the host.
const KERNEL_NAMES: [&str; 4] = ["WordPattern", "sliced.rs", "word.rs", "words.rs"];

/// Beginnings of constants that were renamed to `MAX_` and `MIN_`.
const OLD_PREFIXES: [&str; 4] = ["MOST_", "LEAST_", "FEWEST_", "LONGEST_"];

/// Words that stand for a thing without naming it.
const RIDDLES: [&str; 6] = ["so many", "so much", "who has", "whoever", "nobody", "somebody"];

/// Returns all files of code and text, without generated files and data.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in
        ["src", "crates", "kernels", "tests", "docs", "man", "examples", "benches", "fuzz/src", "fuzz/targets", "ci"]
    {
        collect(&root().join(folder), &mut files);
    }
    let pages = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    files.extend(pages.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    assert!(files.len() > 250, "only {} files are found", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    const WRITTEN: [&str; 9] = ["rs", "cu", "cuh", "h", "cpp", "c", "md", "py", "1"];
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| WRITTEN.iter().any(|written| ending == *written)) {
            files.push(path);
        }
    }
}

/// Returns whether a line is prose: a comment or a line of a page.
fn is_prose(path: &Path, line: &str) -> bool {
    let is_page = path.extension().is_some_and(|ending| ending == "md" || ending == "1");
    is_page || ["//", "#", "*"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Returns whether the old name of a type is also an ordinary word, which may begin a sentence.
fn is_ordinary_word(old: &str) -> bool {
    [
        "Anchor", "Beside", "Duty", "Exits", "Floor", "Hold", "Lanes", "Leg", "Nibbles", "Price", "Relay", "Rules",
        "Stretch",
    ]
    .contains(&old)
        || ["Terms", "Trouble"].contains(&old)
}

/// Returns whether a file is about kernels.
fn is_about_kernels(path: &Path) -> bool {
    let shown = path.strip_prefix(root()).unwrap();
    ["kernels", "crates/core/src/engine/cuda", "crates/device", "tests/kernels", "fuzz/targets/kernels"]
        .iter()
        .any(|home| shown.starts_with(home))
}

/// Returns whether a line contains a term as a whole word: without a letter, digit or underscore on either side.
fn holds(line: &str, term: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(term).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + term.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn holds_prefix(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(start, _)| !line[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Returns a message for each old term in a line of a file.
fn old_terms(path: &Path, line: &str) -> Vec<String> {
    let lower = line.to_lowercase();
    let is_prose = is_prose(path, line);
    let is_about_kernels = is_about_kernels(path);
    let is_allowed = |old: &str| is_prose && is_ordinary_word(old) || is_about_kernels && KERNEL_NAMES.contains(&old);
    let names = OLD_NAMES.iter().filter(|(old, _)| holds(line, old) && !is_allowed(old));
    let names = names.map(|(old, new)| format!("'{old}' was renamed to '{new}'"));
    let prefixes = OLD_PREFIXES.iter().filter(|old| holds_prefix(line, old));
    let prefixes = prefixes.map(|old| format!("'{old}' was renamed to MAX_ or MIN_"));
    let riddles = RIDDLES.iter().filter(|riddle| holds(&lower, riddle));
    let riddles = riddles.map(|riddle| format!("'{riddle}': name the thing"));
    names.chain(prefixes).chain(riddles).collect()
}

#[test]
fn old_terms_are_gone() {
    let mut found = Vec::new();
    for path in files().into_iter().filter(|path| !path.ends_with("tests/house/terms.rs")) {
        let shown = path.strip_prefix(root()).unwrap().display();
        let text = fs::read_to_string(&path).unwrap();
        // The glossary lists the words that it replaces.
        let is_glossary = |line: &str| path.ends_with("CONTRIBUTING.md") && line.starts_with('|');
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !is_glossary(line)) {
            found.extend(old_terms(&path, line).iter().map(|term| format!("{shown}:{}: {term}", number + 1)));
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        found.extend(old_terms(&path, name).iter().map(|term| format!("{shown}: {term}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_term_is_found_as_a_word() {
    assert!(holds("let settle = 1;", "settle") && holds("(settle)", "settle"));
    assert!(!holds("resettle", "settle") && !holds("settle_down", "settle"));
    assert!(holds_prefix("const MOST_ROWS: usize = 4;", "MOST_") && !holds_prefix("ALMOST_ALL", "MOST_"));
}
