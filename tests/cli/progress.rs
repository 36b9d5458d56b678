//! Progress on standard error.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::harness::{Nigh, once};
use crate::tools::has;

/// Runs a search of input that arrives for longer than a second. Returns the output and standard error.
fn run_slowly(nigh: &Nigh, arguments: &str) -> (String, String) {
    let mut command = nigh.command(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for line in ["abc\n", "abd\n"] {
        input.write_all(line.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(1100));
    }
    input.write_all(b"x\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn progress_is_a_line_each_second_where_there_is_no_terminal() {
    once(|nigh| {
        let (printed, said) = run_slowly(nigh, "--progress -k0 ab");
        assert_eq!(printed, "abc\nabd\n");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.starts_with("nigh: 8 B, ") && first.contains("/s, 2 hits, "), "{said}");
        for silent in ["-k0 ab", "--progress --progress=never -k0 ab"] {
            assert_eq!(run_slowly(nigh, silent), ("abc\nabd\n".to_owned(), String::new()), "{silent}");
        }
    });
}

#[test]
fn progress_is_gone_at_the_end_on_a_terminal() {
    if !has("script") {
        return;
    }
    once(|nigh| {
        nigh.write("t", "abc\n");
        let on_terminal = |arguments: &str| {
            let program = nigh.command("").get_program().to_str().unwrap().to_owned();
            let line = format!("{program} --color=never {arguments} -k0 abc t");
            let run = Command::new("script")
                .env("TERM", "xterm")
                .args(["-qec", &line, "typed"])
                .current_dir(nigh.path())
                .output()
                .unwrap();
            String::from_utf8(run.stdout).unwrap()
        };
        let shown = on_terminal("--progress");
        assert!(shown.contains("4 B of 4 B, ") && shown.contains("1 hits, "), "{shown:?}");
        let last = shown.rsplit("left").next().unwrap();
        assert!(last.contains("\x1b[2K"), "the progress line is not cleared: {shown:?}");
        assert_eq!(on_terminal("--progress=never"), "abc\r\n");
        assert_eq!(on_terminal(""), "abc\r\n", "a search that ends at once must not show progress");
    });
}

#[test]
fn a_search_that_takes_hours_says_so_before_it_starts() {
    once(|nigh| {
        let mut random = fastrand::Rng::with_seed(5);
        let mut letters = || (0..60).map(|_| random.lowercase()).collect::<String>() + "\n";
        nigh.write("patterns", (0..300).map(|_| letters()).collect::<String>()).write("small", "abc\n");
        std::fs::File::create(nigh.path().join("large")).unwrap().set_len(1 << 40).unwrap();
        let mut command = nigh.command("--engine cpu -j1 -k20 -c -F -f patterns large");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let hours = line.strip_prefix("nigh: large: the search will take about ").and_then(|rest| {
            rest.strip_suffix(" hours or more; allow fewer edits, or follow the search with --progress\n")
        });
        assert!(hours.is_some_and(|hours| hours.parse::<u64>().is_ok_and(|hours| hours > 1)), "{line}");
        let run = nigh.run("--engine cpu -j1 -k20 -c -F -f patterns small");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("0\n", ""));
    });
}
