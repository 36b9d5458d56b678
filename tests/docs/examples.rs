//! Each example prints what its first comment shows.

use std::fs;
use std::process::Command;

use crate::support::root::root;
use crate::support::standin;

/// Returns the output that the comment of an example shows.
fn shown(name: &str) -> String {
    let source = fs::read_to_string(root().join(format!("examples/{name}.rs"))).unwrap();
    let (_, from) = source.split_once("//! ```text\n").expect("the comment shows the output");
    let (output, _) = from.split_once("//! ```\n").unwrap();
    output.lines().map(|line| format!("{}\n", line.strip_prefix("//! ").unwrap())).collect()
}

/// Runs an example, which cargo builds unless it is up to date, and expects the output that its comment shows. Returns the
/// messages.
fn run(name: &str, mut cargo: Command) -> String {
    cargo.args(["run", "--quiet", "--locked", "--example", name]).current_dir(root());
    let run = cargo.output().unwrap();
    let messages = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{name}: {messages}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), shown(name), "{name}");
    messages
}

/// Returns a command for cargo whose programs find no device.
fn cargo_without_devices() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.env("CUDA_VISIBLE_DEVICES", "");
    cargo
}

#[test]
fn examples_print_what_their_comments_show() {
    let files = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.retain(|name| name != "gpu");
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        assert_eq!(run(&name, cargo_without_devices()), "", "{name}");
    }
}

#[test]
fn the_gpu_example_says_that_there_is_none_and_finds_the_same_with_the_cpu() {
    let messages = run("gpu", cargo_without_devices());
    assert!(messages.starts_with("CUDA is not available: "), "{messages}");
    assert!(messages.ends_with("; searching with the CPU\n") && messages.lines().count() == 1, "{messages}");
}

#[test]
fn the_gpu_example_searches_with_a_device() {
    let Some(cargo) = standin::command("cargo") else { return };
    assert_eq!(run("gpu", cargo), "");
}
