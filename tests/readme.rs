//! What the README shows is what the program prints.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// The commands of all `console` blocks, each with the output that is shown.
fn shown(page: &str) -> Vec<(String, String)> {
    let blocks = page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => *output += &format!("{line}\n"),
            (None, None) => panic!("output before any command: {line}"),
        }
    }
    commands
}

#[test]
fn commands_of_the_readme_print_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_nigh"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let commands = shown(&fs::read_to_string(root.join("README.md")).unwrap());
    assert!(commands.len() >= 5, "the commands are found");
    for (command, expected) in commands {
        let output = Command::new("sh").args(["-c", &command]).current_dir(root).env("PATH", &path).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "$ {command}");
    }
}
