//! The configuration file, which an environment variable names.

use crate::harness::{Nigh, Run, finish, once};

/// Runs the program with a configuration file, whose path is relative to the folder of the test.
fn run_with(nigh: &Nigh, file: &str, arguments: &str) -> Run {
    let mut command = nigh.command(arguments);
    command.env("NIGH_CONFIG_PATH", file);
    finish(command, Vec::new())
}

#[test]
fn arguments_of_the_file_come_before_all_others() {
    once(|nigh| {
        nigh.write("t", "abc\nabd\nABX\n").write("config", "# what I always want\n\n  --line-number \r\n-k0\n-i\n");
        assert_eq!(run_with(nigh, "config", "ABC t").text(), "1:abc\n");
        assert_eq!(run_with(nigh, "config", "-k1 ABC t").text(), "1:abc\n2:abd\n3:ABX\n", "the later option applies");
        assert_eq!(run_with(nigh, "config", "--no-config -k1 abc t").text(), "abc\nabd\n");
        assert_eq!(run_with(nigh, "", "-k1 abc t").text(), "abc\nabd\n");
        assert_eq!(run_with(nigh, "config", "-e --no-config t").status, Some(1), "a pattern is not an option");
        nigh.write("pattern", "-e\nab d\n");
        assert_eq!(run_with(nigh, "pattern", "-k1 t").text(), "abd\n");
    });
}

#[test]
fn errors_in_the_file_are_reported() {
    once(|nigh| {
        nigh.write("t", "abc\n").write("config", "--no-such\n");
        let run = run_with(nigh, "missing", "abc t");
        assert_eq!(
            run.stderr,
            "nigh: missing: No such file or directory; correct NIGH_CONFIG_PATH, or use --no-config\n"
        );
        assert_eq!((run.text().as_str(), run.status), ("", Some(2)));
        let run = run_with(nigh, "config", "abc t");
        let problem = "nigh: config: unrecognized option '--no-such'; correct this file, which NIGH_CONFIG_PATH names, or use --no-config\n";
        assert_eq!((run.stderr.as_str(), run.status), (problem, Some(2)));
        let run = run_with(nigh, "config", "--help");
        assert!(run.text().contains("--max-errors") && run.status == Some(0), "{}", run.stderr);
        let run = run_with(nigh, "config", "--not-this abc t");
        assert!(run.stderr.contains("config: unrecognized option '--no-such'"), "{}", run.stderr);
        nigh.write("good", "-k0\n");
        let run = run_with(nigh, "good", "--not-this abc t");
        assert!(run.stderr.starts_with("nigh: unrecognized option '--not-this'; "), "{}", run.stderr);
        assert_eq!(run_with(nigh, "missing", "--no-config abc t").text(), "abc\n");
    });
}

#[test]
fn files_without_an_end_are_refused() {
    once(|nigh| {
        nigh.write("t", "abc\n");
        let problem = "nigh: /dev/zero: larger than 16 MiB; correct NIGH_CONFIG_PATH, or use --no-config\n";
        let run = run_with(nigh, "/dev/zero", "abc t");
        assert_eq!((run.stderr.as_str(), run.status), (problem, Some(2)));
        nigh.fails("--exclude-from /dev/zero -r abc .", "/dev/zero: larger than 16 MiB");
    });
}

#[test]
fn an_option_of_the_file_gives_one_of_the_command_line_its_effect() {
    once(|nigh| {
        nigh.write("t", "x\n1\n2\n3\nx\n").write("config", "-A1\n");
        let run = run_with(nigh, "config", "-k0 --group-separator=## x t");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("x\n1\n##\nx\n", ""));
        // A default that has no effect is not reported.
        nigh.write("best", "--best=record\n");
        let run = run_with(nigh, "best", "-k0 -c x t");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("2\n", ""));
        let run = nigh.run("-k0 --group-separator=## x t");
        let warning =
            "nigh: warning: --group-separator has no effect without --after-context or --before-context or --context\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("x\nx\n", warning));
    });
}
