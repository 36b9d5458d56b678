//! The completions that the scripts for bash and fish offer.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

use crate::generate::{Document, NIGH, made};

/// The script for bash that packages contain.
const BASH: &str = include_str!("../../man/complete/nigh.bash");

/// The completions of the last word, and whether bash completes files if there are none.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    words: Vec<String>,
    files: bool,
}

/// Returns the completions of the last of the words in bash.
fn complete(folder: &Path, words: &[&str]) -> Offer {
    const CALL: &str = r#"
        eval "$SCRIPT"
        compopt() { echo 'no files'; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _nigh nigh "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    bash.args(["-c", CALL, "bash", "nigh"]).args(words).current_dir(folder).env("SCRIPT", BASH);
    let run = bash.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{words:?}");
    let printed = String::from_utf8(run.stdout).unwrap();
    let mut words: Vec<String> = printed.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let files = words.iter().all(|line| line != "no files");
    words.retain(|line| line != "no files");
    Offer { words, files }
}

fn offer(words: &str) -> Offer {
    Offer { words: words.split_whitespace().map(str::to_owned).collect(), files: true }
}

const NOTHING: Offer = Offer { words: Vec::new(), files: false };

#[test]
fn words_other_than_options_are_completed_as_files() {
    let folder = tempdir().unwrap();
    for words in [&[""][..], &["foo", ""], &["foo", "-n", ""], &["-n", "fi"], &["-e", "foo", "fi"], &["--", "-n"]] {
        assert_eq!(complete(folder.path(), words), offer(""), "{words:?}");
    }
    for words in [&["-f", ""][..], &["--file", "p"], &["--file", "=", "p"], &["-inf", ""], &["--exclude-from", ""]] {
        assert_eq!(complete(folder.path(), words), offer(""), "{words:?}");
    }
    fs::write(folder.path().join("pattern"), "").unwrap();
    assert_eq!(complete(folder.path(), &["--file=pat"]), offer("--file=pattern"), "where '=' does not split words");
}

#[test]
fn options_and_their_values_are_offered() {
    let folder = tempdir().unwrap();
    // A file with the name of an option is not an option.
    for name in ["-?", "-c"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    assert_eq!(complete(folder.path(), &["--max-e"]), offer("--max-errors"));
    assert_eq!(complete(folder.path(), &["foo", "--count"]), offer("--count --count-matches"));
    let all = complete(folder.path(), &["-"]).words;
    assert!(all.contains(&"-c".to_owned()) && all.contains(&"--help".to_owned()) && !all.contains(&"-?".to_owned()));
    for words in [&["--color", "=", ""][..], &["--color", "="]] {
        assert_eq!(complete(folder.path(), words), offer("auto always never"), "{words:?}");
    }
    assert_eq!(complete(folder.path(), &["--color", "=", "al"]), offer("always"));
    assert_eq!(complete(folder.path(), &["--colour=al"]), offer("--colour=always"));
    assert_eq!(complete(folder.path(), &["--engine", "=", "c"]), offer("cpu cuda"));
    assert_eq!(complete(folder.path(), &["--engine", "c"]), offer("cpu cuda"));
    assert_eq!(complete(folder.path(), &["-d", ""]), offer("read recurse skip"));
}

#[test]
fn unknown_values_have_no_completions() {
    let folder = tempdir().unwrap();
    // The word after '--color' is not its value.
    assert_eq!(complete(folder.path(), &["--color", ""]), offer(""));
    assert_eq!(complete(folder.path(), &["--best", "a"]), offer(""));
    for words in [&["--encoding", ""][..], &["-k", ""], &["-e", "-"], &["--max-count", "=", ""], &["-nm", ""]] {
        assert_eq!(complete(folder.path(), words), NOTHING, "{words:?}");
    }
}

#[test]
fn fish_offers_values_of_color_only_behind_an_equals_sign() {
    let script = made(NIGH, Document::CompleteFish);
    let line = |name: &str| script.lines().find(|line| line.contains(&format!(" -l {name} "))).unwrap().to_owned();
    assert!(line("color").ends_with(" -f -a \"auto\\t'On a terminal'"), "{}", line("color"));
    assert!(!line("color").contains(" -r ") && line("engine").contains(" -r "));
}
