//! The output shown in the README and the guide equals the output of the program.
//!
//! NIGH_UPDATE_DOCUMENTS=1 updates the pages; review the changes before you commit them.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::programs::has;
use crate::support::root::{program, root};

const BEGIN: &str = "```console\n";
const END: &str = "```";
/// External programs in the commands of the pages. If one is not installed, the page's output of its commands is kept.
const TOOLS: [&str; 3] = ["samtools", "bedtools", "jq"];

/// Runs a command in the folder of the project, with the program under test on the path. Returns its output and
/// messages.
fn run(command: &str) -> String {
    let program = PathBuf::from(program());
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(root()).env("PATH", &path);
    shell.env_remove("NIGH_CONFIG_PATH").env_remove("GREP_COLORS").env("LC_ALL", "C");
    String::from_utf8(shell.stdin(Stdio::null()).output().unwrap().stdout).unwrap()
}

/// Appends a block of commands to `page`, with the output that they print now. Returns the number of commands.
fn block(shown: &str, page: &mut String) -> usize {
    let mut commands = 0;
    let mut is_kept = false;
    for line in shown.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            is_kept = TOOLS.iter().any(|tool| command.contains(tool) && !has(tool));
            page.push_str(&format!("{line}\n{}", if is_kept { String::new() } else { run(command) }));
            commands += 1;
        } else if is_kept {
            page.push_str(&format!("{line}\n"));
        }
    }
    commands
}

/// Checks that a page with at least `least` commands shows the output that they print now, or updates the page.
fn check(name: &str, least: usize) {
    let path = root().join(name);
    let page = fs::read_to_string(&path).unwrap();
    let mut pieces = page.split(BEGIN);
    let mut expected = pieces.next().unwrap().to_owned();
    let mut commands = 0;
    for piece in pieces {
        let (shown, rest) = piece.split_once(END).unwrap();
        assert!(shown.starts_with("$ "), "{name}: output before any command: {shown}");
        expected.push_str(BEGIN);
        commands += block(shown, &mut expected);
        expected.push_str(END);
        expected.push_str(rest);
    }
    assert!(commands >= least, "{name}: only {commands} commands are found");
    if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let differs = page.lines().zip(expected.lines()).find(|(shown, printed)| shown != printed);
    assert!(
        page == expected || std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_some(),
        "{name} is out of date at {differs:?}"
    );
}

#[test]
fn commands_of_the_readme_print_what_it_shows() {
    check("README.md", 4);
}

#[test]
fn commands_of_the_guide_print_what_it_shows() {
    check("GUIDE.md", 60);
}

/// Draws a picture again if the documents are updated; otherwise checks that its file is up to date.
fn check_picture(script: &str, arguments: &[OsString]) {
    if !has("python3") {
        return;
    }
    let mut python = Command::new("python3");
    python.arg(root().join(script)).args(arguments);
    if std::env::var_os("NIGH_UPDATE_DOCUMENTS").is_none() {
        python.arg("--check");
    }
    let run = python.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    assert!(run.status.success(), "{script}: {}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn the_picture_of_a_terminal_shows_what_the_program_prints() {
    check_picture("docs/terminal.py", &["--nigh".into(), program()]);
}

#[test]
fn the_chart_of_speeds_shows_recorded_figures() {
    check_picture("docs/speed.py", &[]);
}
