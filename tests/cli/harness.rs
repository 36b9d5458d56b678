//! Runs nigh in a folder of its own for each test.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::root::{program, program_beside, root};
use crate::support::standin::{self, is_on_devices};

/// Ways of running the program: engine, threads and batch size.
const WAYS: [&[&str]; 5] = [
    &["--engine", "cpu", "-j1"],
    &["--engine", "cpu", "-j4", "--batch-size", "5"],
    &["--engine", "cpu", "-j3", "--batch-size", "64"],
    &["--engine", "reference", "-j2"],
    &["--engine", "cuda", "-j2"],
];

/// The program with one way of running it, and the folder in which it runs.
pub(crate) struct Nigh {
    pub(crate) way: &'static [&'static str],
    folder: TempDir,
}

pub(crate) struct Run {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    pub(crate) status: Option<i32>,
}

/// Runs a test in every way except on a device, for tests that are slow on the stand-in.
pub(crate) fn each_way_without_devices(test: impl Fn(&Nigh)) {
    each_way(|nigh| {
        if !nigh.way.contains(&"cuda") {
            test(nigh);
        }
    });
}

/// Runs a test in every way. The CUDA engine is left out if NIGH_NO_CXX=1 says that the stand-in cannot be built.
pub(crate) fn each_way(test: impl Fn(&Nigh)) {
    for way in WAYS {
        if way.contains(&"cuda") && !has_driver() {
            continue;
        }
        let nigh = Nigh { way, folder: TempDir::new().unwrap() };
        println!("with {}", way.join(" "));
        test(&nigh);
    }
}

/// Runs a test once, for behaviour that does not depend on the engine.
pub(crate) fn once(test: impl Fn(&Nigh)) {
    test(&Nigh { way: &[], folder: TempDir::new().unwrap() });
}

/// Returns whether there is a driver, or the stand-in for it.
pub(crate) fn has_driver() -> bool {
    is_on_devices() || standin::library().is_some()
}

/// Returns a command for a program, which finds the driver or its stand-in if there is one.
pub(crate) fn with_driver(program: impl AsRef<OsStr>) -> Command {
    match is_on_devices() {
        true => Command::new(program),
        false => standin::command(&program).unwrap_or_else(|| Command::new(&program)),
    }
}

/// Runs a test once with the stand-in for the driver, if it can be built; the test chooses the engine.
pub(crate) fn with_standin(test: impl Fn(&Nigh)) {
    if standin::library().is_some() {
        once(test);
    }
}

/// Returns the path of a file of test data.
pub(crate) fn shipped(name: &str) -> PathBuf {
    root().join("tests/data").join(name)
}

impl Nigh {
    /// Returns the time limit within which the program must respond. On a device, this includes opening the device.
    pub(crate) fn patience(&self) -> Duration {
        let opens_device = self.way.contains(&"cuda") && is_on_devices();
        Duration::from_millis(if opens_device { 5000 } else { 500 })
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.folder.path().join(name), content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the command with arguments that are given in one string. The string is split at blanks, then `_` becomes
    /// a blank, and `\_` an underscore. If the first word is `nigh-align` or `nigh-pcr`, this program runs in place of nigh.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let (program, arguments) = program_and_arguments(arguments);
        let mut command = if self.way.contains(&"cuda") { with_driver(program) } else { Command::new(program) };
        command
            .args(self.way)
            .args(arguments.split_whitespace().map(|word| word.replace('_', " ").replace("\\ ", "_")));
        // A device's failure must not fall back silently to the CPU.
        command
            .current_dir(self.path())
            .env_remove("NO_COLOR")
            .env_remove("NIGH_CONFIG_PATH")
            .env("NIGH_REQUIRE_CUDA", "1");
        command
    }

    /// Runs the program on the stand-in for the driver with these settings. The CPU may take over after a failure.
    pub(crate) fn run_on_standin(&self, settings: &[(&str, &str)], arguments: &str) -> Run {
        self.run_on_standin_with_input(settings, arguments, "")
    }

    pub(crate) fn run_on_standin_with_input(
        &self,
        settings: &[(&str, &str)],
        arguments: &str,
        input: impl AsRef<[u8]>,
    ) -> Run {
        let (program, arguments) = program_and_arguments(arguments);
        let mut command = standin::command(program).expect("the stand-in can be built");
        command
            .args(arguments.split_whitespace())
            .current_dir(self.path())
            .env_remove("NIGH_REQUIRE_CUDA")
            .env_remove("NIGH_CONFIG_PATH");
        command.envs(settings.iter().copied());
        finish(command, input.as_ref().to_vec())
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &str, input: impl AsRef<[u8]>) -> Run {
        finish(self.command(arguments), input.as_ref().to_vec())
    }

    /// Runs the program, and checks that it prints this output, no message, and ends with the status for this output.
    pub(crate) fn prints(&self, arguments: &str, expected: &str) {
        self.prints_with_input(arguments, "", expected);
    }

    pub(crate) fn prints_with_input(&self, arguments: &str, input: impl AsRef<[u8]>, expected: &str) {
        let run = self.run_with_input(arguments, input);
        assert_eq!(run.text(), expected, "nigh {arguments}");
        assert_eq!(run.stderr, "", "nigh {arguments}");
        assert_eq!(run.status, Some(i32::from(expected.is_empty())), "nigh {arguments}");
    }

    /// Runs the program, and checks that it selects nothing: it prints this output, such as counts of 0, and ends with
    /// status 1.
    pub(crate) fn finds_nothing(&self, arguments: &str, expected: &str) {
        let run = self.run(arguments);
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), (expected, "", Some(1)), "nigh {arguments}");
    }

    /// Runs the program, and checks that it prints one message that contains these words, and ends with status 2.
    pub(crate) fn fails(&self, arguments: &str, words: &str) -> Run {
        let run = self.run(arguments);
        assert!(run.stderr.contains(words), "nigh {arguments}: {}", run.stderr);
        let program = if arguments.starts_with("nigh-pcr ") { "nigh-pcr: " } else { "nigh: " };
        assert!(run.stderr.starts_with(program), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "one line: {}", run.stderr);
        assert_eq!(run.status, Some(2), "nigh {arguments}");
        run
    }
}

/// Returns the program that runs with `arguments`, and the arguments without its name.
fn program_and_arguments(arguments: &str) -> (OsString, &str) {
    match arguments.split_once(' ') {
        Some((name @ ("nigh-align" | "nigh-pcr"), arguments)) => (program_beside(name).into_os_string(), arguments),
        _ => (program(), arguments),
    }
}

pub(crate) fn finish(mut command: Command, input: Vec<u8>) -> Run {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may end before it has read all input.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Run {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status.code(),
    }
}

impl Run {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }
}
