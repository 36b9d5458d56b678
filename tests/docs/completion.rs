//! Completions of bash with the script that nigh prints.

use std::path::Path;
use std::process::Command;

use crate::generate::{Document, made};
use crate::harness::{Nigh, finish, once};

/// Completions of the last word, and whether bash falls back to files.
#[derive(Debug, PartialEq, Eq)]
struct Offer {
    words: Vec<String>,
    files: bool,
}

/// Completes the last of the words in bash.
fn complete(nigh: &Nigh, words: &[&str]) -> Offer {
    const CALL: &str = r#"
        source "$SCRIPT"
        compopt() { echo 'no files'; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _nigh nigh "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    bash.args(["-c", CALL, "bash", "nigh"]).args(words).current_dir(nigh.path());
    bash.env("SCRIPT", Path::new(env!("CARGO_MANIFEST_DIR")).join("man/complete/nigh.bash"));
    let run = finish(bash, Vec::new());
    assert_eq!(run.stderr, "", "{words:?}");
    let mut words: Vec<String> = run.text().lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let files = words.iter().all(|line| line != "no files");
    words.retain(|line| line != "no files");
    Offer { words, files }
}

fn offer(words: &str) -> Offer {
    Offer { words: words.split_whitespace().map(str::to_owned).collect(), files: true }
}

const NOTHING: Offer = Offer { words: Vec::new(), files: false };

#[test]
fn words_that_are_no_options_are_files() {
    once(|nigh| {
        for words in [&[""][..], &["foo", ""], &["foo", "-n", ""], &["-n", "fi"], &["-e", "foo", "fi"], &["--", "-n"]] {
            assert_eq!(complete(nigh, words), offer(""), "{words:?}");
        }
        for words in [&["-f", ""][..], &["--file", "p"], &["--file", "=", "p"], &["-inf", ""], &["--exclude-from", ""]]
        {
            assert_eq!(complete(nigh, words), offer(""), "{words:?}");
        }
        nigh.write("pattern", "");
        assert_eq!(complete(nigh, &["--file=pat"]), offer("--file=pattern"), "where '=' splits no words");
    });
}

#[test]
fn options_and_their_values_are_offered() {
    once(|nigh| {
        // A file with the name of an option is not an option.
        nigh.write("-?", "").write("-c", "");
        assert_eq!(complete(nigh, &["--max-e"]), offer("--max-errors"));
        assert_eq!(complete(nigh, &["foo", "--count"]), offer("--count --count-matches"));
        let all = complete(nigh, &["-"]).words;
        assert!(
            all.contains(&"-c".to_owned()) && all.contains(&"--help".to_owned()) && !all.contains(&"-?".to_owned())
        );
        for words in [&["--color", "=", ""][..], &["--color", "="]] {
            assert_eq!(complete(nigh, words), offer("auto always never"), "{words:?}");
        }
        assert_eq!(complete(nigh, &["--color", "=", "al"]), offer("always"));
        assert_eq!(complete(nigh, &["--colour=al"]), offer("--colour=always"));
        assert_eq!(complete(nigh, &["--engine", "=", "c"]), offer("cpu cuda"));
        assert_eq!(complete(nigh, &["--engine", "c"]), offer("cpu cuda"));
        assert_eq!(complete(nigh, &["-d", ""]), offer("read recurse skip"));
    });
}

#[test]
fn nothing_is_offered_where_nothing_is_known() {
    once(|nigh| {
        // The word after '--color' is not its value.
        assert_eq!(complete(nigh, &["--color", ""]), offer(""));
        assert_eq!(complete(nigh, &["--best", "a"]), offer(""));
        for words in [&["--encoding", ""][..], &["-k", ""], &["-e", "-"], &["--max-count", "=", ""], &["-nm", ""]] {
            assert_eq!(complete(nigh, words), NOTHING, "{words:?}");
        }
    });
}

#[test]
fn fish_offers_values_of_color_only_behind_an_equals_sign() {
    let script = made(Document::CompleteFish);
    let line = |name: &str| script.lines().find(|line| line.contains(&format!(" -l {name} "))).unwrap().to_owned();
    assert!(line("color").ends_with(" -f -a \"auto\\t'On a terminal'"), "{}", line("color"));
    assert!(!line("color").contains(" -r ") && line("engine").contains(" -r "));
}
