//! Each example prints what its first comment shows.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::support::root::root;
use crate::support::standin;

/// Returns the output that the comment of an example shows.
fn shown(name: &str) -> String {
    let source = fs::read_to_string(root().join(format!("examples/{name}.rs"))).unwrap();
    let (_, from) = source.split_once("//! ```text\n").expect("the comment shows the output");
    let (output, _) = from.split_once("//! ```\n").unwrap();
    output.lines().map(|line| format!("{}\n", line.strip_prefix("//! ").unwrap())).collect()
}

/// Builds all examples, with the features of a test of the whole workspace. Returns the path of one of them.
fn built(name: &str) -> PathBuf {
    static EXAMPLES: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().unwrap();
        let folder = test.ancestors().nth(2).expect("tests are in a folder of their profile").to_owned();
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--locked", "--workspace", "--examples"]).current_dir(root());
        if folder.ends_with("release") {
            cargo.arg("--release");
        }
        let build = cargo.output().unwrap();
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        folder.join("examples")
    });
    EXAMPLES.join(name)
}

/// Runs a command of an example, and checks that it prints the output in the example's comment. Returns the messages.
fn run(name: &str, mut example: Command) -> String {
    let run = example.current_dir(root()).output().unwrap();
    let messages = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success(), "{name}: {messages}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), shown(name), "{name}");
    messages
}

/// Returns a command that runs an example without devices.
fn without_devices(name: &str) -> Command {
    let mut example = Command::new(built(name));
    example.env("CUDA_VISIBLE_DEVICES", "");
    example
}

#[test]
fn examples_print_what_their_comments_show() {
    let files = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.retain(|name| name != "gpu");
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        assert_eq!(run(&name, without_devices(&name)), "", "{name}");
    }
}

#[test]
fn the_example_with_guides_stops_at_ctrl_c() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("genome.fa");
    let site = "TTGCGATCACCTGCCGATGCTAGGTT";
    fs::write(&file, format!(">c\n{site}\n{}", (site.to_owned() + "ACGTTGCA\n").repeat(1_000_000))).unwrap();
    let mut example = without_devices("guides");
    let mut child = example.arg(&file).stdout(Stdio::piped()).spawn().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(rows.next().unwrap().unwrap(), "2..24 + 0");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let rest: Vec<String> = rows.map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(rest.last().map(String::as_str), Some("0 matches"));
    assert!(rest.len() < 1_000_000, "{} rows", rest.len());
}

#[test]
fn the_gpu_example_says_that_there_is_none_and_finds_the_same_with_the_cpu() {
    let messages = run("gpu", without_devices("gpu"));
    assert!(messages.starts_with("CUDA is not available: "), "{messages}");
    assert!(messages.ends_with("; searching with the CPU\n") && messages.lines().count() == 1, "{messages}");
}

#[test]
fn the_gpu_example_searches_with_a_device() {
    let Some(example) = standin::command(built("gpu")) else { return };
    assert_eq!(run("gpu", example), "");
}
