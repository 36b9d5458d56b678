//! Comparison with GNU grep: with 0 edits, output, messages and status are equal for random texts, patterns and
//! options.
//!
//! Intended differences are not compared. In nigh, `-NUM` is a number of edits, and not context. Text with NUL bytes or
//! invalid UTF-8 is searched with `-a` here: grep treats it as binary and prints a message on standard output, while
//! nigh prints the lines before the first NUL and a message on standard error. With `-v` and only an empty pattern,
//! grep does not open the inputs, so it does not report missing files.

use std::fs;
use std::path::Path;
use std::process::Command;

use fastrand::Rng;

use crate::harness::{Nigh, Run, finish, once};
use crate::support::random::rounds;
use crate::tools::has_version;

const WORDS: [&str; 12] =
    ["error", "errors", "warn", "code", "42", "7", "naïve", "日本", "Error", "a", "connection refused", "x_y"];

/// Patterns with the same meaning in both programs.
const PATTERNS: [&str; 37] = [
    "error",
    "errors",
    "err",
    "rror",
    "e",
    "code",
    "[0-9]",
    "[0-9]{2}",
    "(error|errors) code",
    "err(or|ors)?",
    "r{1,2}",
    "^error",
    "warn$",
    "^warn$",
    "^",
    "$",
    "^$",
    "naïve",
    "日.",
    "a|ab|x_y",
    "[^a-z ]",
    "42|2 ",
    "\\bcode\\b",
    "zzz",
    "er+or",
    "[a-z]+ [0-9]*",
    "e.*r",
    "(err|or|s )+",
    "r*e",
    "[0-9]+$",
    "[^ ]+ 42|code.*",
    "(a|ab)(c|bcd)*|x_*y*",
    "err|ror.*|or",
    "[[:digit:]]{2,}",
    "c.*n.*d| [^7]*7",
    "(^| )[a-z]{4}( |$)",
    "o(r|$)|de\\b.",
];

/// Strings to search for with -F.
const STRINGS: [&str; 10] = ["error", "errors", "ror", "rs w", "e", "", "naïve", "日", "zzz", "co"];

const COLOURS: [&str; 7] =
    ["", "sl=32:cx=33", "sl=1:cx=2:rv", "ne:ms=01;32:mc=7", "mt=", "sl=32:mt=:rv", "fn=1:ln=2:bn=3:se=4"];

/// Options that make nigh run in different ways.
const WAYS: [&[&str]; 2] = [&["-j1"], &["-j3", "--batch-size", "64"]];

fn text(rng: &mut Rng) -> Vec<u8> {
    let (end, odd): (&[u8], &[u8]) = match rng.u8(..8) {
        0 => (b"\r\n", b""),
        1 => (b"\n", b"\xff"),
        2 => (b"\n", b"\0"),
        _ => (b"\n", b""),
    };
    let mut text = Vec::new();
    for _ in 0..rng.usize(..14) {
        for index in 0..rng.usize(..5) {
            text.extend_from_slice(if index > 0 { b" " } else { b"" });
            text.extend_from_slice(WORDS[rng.usize(..WORDS.len())].as_bytes());
            text.extend_from_slice(if rng.u8(..6) == 0 { odd } else { b"" });
        }
        text.extend_from_slice(end);
    }
    if rng.u8(..4) == 0 {
        text.pop();
    }
    text
}

fn options(rng: &mut Rng) -> Vec<String> {
    const SWITCHES: [&str; 16] =
        ["-v", "-c", "-l", "-L", "-q", "-o", "-b", "-n", "-H", "-h", "-T", "-Z", "-z", "-i", "-w", "-x"];
    const SEEN: [&str; 8] = ["-n", "-b", "-o", "-v", "-H", "-T", "-n", "-o"];
    let mut options = vec!["-a".to_owned()];
    for _ in 0..rng.usize(..4) {
        // Options that print more of the matches are chosen more often.
        let switches: &[&str] = if rng.bool() { &SEEN } else { &SWITCHES };
        options.push(switches[rng.usize(..switches.len())].to_owned());
    }
    for letter in ["-A", "-B", "-C", "-m"] {
        if rng.u8(..4) == 0 {
            options.push(format!("{letter}{}", rng.u8(..4)));
        }
    }
    match rng.u8(..10) {
        0 => options.push("--no-group-separator".to_owned()),
        1 => options.push("--group-separator=".to_owned()),
        2 => options.push("--group-separator=##".to_owned()),
        3 => options.push("--label=in".to_owned()),
        4 => options.push("-s".to_owned()),
        _ => {}
    }
    if rng.bool() {
        options.push("--color=always".to_owned());
    }
    options
}

fn patterns(rng: &mut Rng) -> Vec<String> {
    let fixed = rng.u8(..3) == 0;
    let pool: &[&str] = if fixed { &STRINGS } else { &PATTERNS };
    let count = if rng.u8(..3) == 0 { rng.usize(2..4) } else { 1 };
    let chosen = (0..count).flat_map(|_| ["-e".to_owned(), pool[rng.usize(..pool.len())].to_owned()]);
    let syntax = if fixed { "-F" } else { "-E" };
    std::iter::once(syntax.to_owned()).chain(chosen).collect()
}

/// Runs grep and, in each way, nigh with the same arguments, and compares the results.
fn compare(nigh: &Nigh, folder: &Path, arguments: &[String], colours: &str) {
    let run = |mut command: Command, extra: &[&str], arguments: &[String]| -> Run {
        command.args(extra).args(arguments).current_dir(folder);
        command.env("LC_ALL", "C.UTF-8").env("GREP_COLORS", colours).env_remove("GREP_COLOR");
        finish(command, b"error code 42\nno\n".to_vec())
    };
    let expected = run(Command::new("grep"), &[], arguments);
    // nigh has extended regular expressions by default, so it gets no -E.
    let own: Vec<String> = arguments.iter().filter(|argument| *argument != "-E").cloned().collect();
    for way in WAYS {
        let found = run(nigh.command("-k0"), way, &own);
        // grep ignores options silently.
        let said = |run: &Run| {
            let lines = run.stderr.lines().filter(|line| !line.contains(" has no effect "));
            lines.map(|line| line.replace("grep: ", "nigh: ") + "\n").collect::<String>()
        };
        let shown = |run: &Run| format!("{:?} {} {}", run.status, run.stdout.escape_ascii(), said(run));
        assert!(
            shown(&found) == shown(&expected),
            "GREP_COLORS={colours} grep {arguments:?}, nigh with {way:?}\ngrep: {}\nnigh: {}\n{:?}",
            shown(&expected),
            shown(&found),
            texts(folder, arguments)
        );
    }
}

/// Returns the first 400 characters of each file among the arguments, escaped.
fn texts(folder: &Path, arguments: &[String]) -> Vec<String> {
    let read = |name: &String| Some(fs::read(folder.join(name)).ok()?[..].escape_ascii().to_string());
    let short = |text: String| text.chars().take(400).collect();
    arguments.iter().filter_map(read).map(short).collect()
}

/// Searches small texts, or the folder of logs that NIGH_BESIDE_GREP names.
#[test]
fn without_edits_the_output_is_that_of_grep() {
    if has_version("grep", "grep (GNU grep) 3") {
        once(|nigh| {
            let mut rng = Rng::with_seed(5);
            let logs = std::env::var_os("NIGH_BESIDE_GREP");
            for _ in 0..rounds(400) {
                let (folder, names) = match &logs {
                    Some(folder) => (Path::new(folder), log_names(Path::new(folder))),
                    None => {
                        for name in ["a", "b", "c"] {
                            nigh.write(name, text(&mut rng));
                        }
                        (nigh.path(), ["a", "b", "c", "missing", "-"].map(str::to_owned).to_vec())
                    }
                };
                let mut arguments = options(&mut rng);
                arguments.extend(patterns(&mut rng));
                arguments.push("--".to_owned());
                arguments.extend((0..rng.usize(1..4)).map(|_| names[rng.usize(..names.len())].clone()));
                let looks = !arguments.contains(&"-v".to_owned()) || !arguments.contains(&String::new());
                let missing = |argument: &String| !looks && argument == "missing";
                arguments.retain(|argument| !missing(argument));
                compare(nigh, folder, &arguments, COLOURS[rng.usize(..COLOURS.len())]);
            }
        });
    }
}

fn log_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
