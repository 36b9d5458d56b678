//! Pipes: output without delay, no message if the reader closes the pipe, and a message if a write fails.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::harness::{Nigh, each_way, each_way_without_devices, finish, once};

fn start(nigh: &Nigh, arguments: &str) -> Child {
    let mut command = nigh.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Starts the program with the default action for SIGINT. If the tests run in the background or under nohup, they
/// ignore the signal, and a program that they start would ignore it too.
fn start_interruptible(nigh: &Nigh, arguments: &str) -> Child {
    let command = nigh.command(arguments);
    let mut env = Command::new("env");
    env.arg("--default-signal=INT").arg(command.get_program()).args(command.get_args());
    env.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    for (name, _) in command.get_envs().filter(|(_, value)| value.is_none()) {
        env.env_remove(name);
    }
    env.current_dir(command.get_current_dir().expect("the harness sets the folder"));
    env.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Forms of output that print a line before the end of the input.
const FORMS: [&str; 8] = [
    "",
    "-nb --column --cost -H",
    "-o",
    "--color=always",
    "--json",
    "--vimgrep",
    "--format=ends",
    "--passthru --heading -H --stats",
];

/// Forms of output that print only at the end of the input.
#[cfg(target_os = "linux")]
const LATE_FORMS: [&str; 4] = ["-c", "--count-matches", "--format=histogram", "-l"];

#[test]
fn matches_in_slow_input_are_printed_at_once() {
    each_way(|nigh| {
        for form in FORMS {
            let mut child = start(nigh, &format!("-k1 {form} deadlock"));
            let mut stdin = child.stdin.take().unwrap();
            let mut stdout = BufReader::new(child.stdout.take().unwrap());
            for (line, found) in [("a deadlok\n", "deadlok"), ("another deadlock\n", "deadlock")] {
                stdin.write_all(line.as_bytes()).unwrap();
                let since = Instant::now();
                let mut answer = String::new();
                // Some forms print other lines before the match, and --format=ends prints the pattern.
                let found = if form == "--format=ends" { "deadlock" } else { found };
                while !answer.contains(found) {
                    assert!(stdout.read_line(&mut answer).unwrap() > 0, "{form}");
                }
                assert!(since.elapsed() < nigh.patience(), "{form}: the answer took {:?}", since.elapsed());
            }
            drop(stdin);
            let mut rest = Vec::new();
            stdout.read_to_end(&mut rest).unwrap();
            assert!(child.wait().unwrap().success());
        }
    });
}

#[test]
fn an_endless_input_ends_with_the_first_match() {
    each_way(|nigh| {
        let mut child = start(nigh, "-k0 -q y");
        let mut stdin = child.stdin.take().unwrap();
        let endless = std::thread::spawn(move || while stdin.write_all(&b"y\n".repeat(1000)).is_ok() {});
        assert!(child.wait().unwrap().success());
        endless.join().unwrap();
    });
}

#[test]
fn a_decided_search_does_not_wait_for_more_input() {
    each_way(|nigh| {
        for (arguments, expected) in
            [("-q y", ""), ("-m1 y", "y\n"), ("-l y", "(standard input)\n"), ("-c -m1 y", "1\n"), ("-L y", "")]
        {
            let mut child = start(nigh, &format!("-k0 {arguments}"));
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"y\nno\n").unwrap();
            // The pipe stays open until the program has ended.
            assert!(child.wait().unwrap().success(), "{arguments}");
            let mut said = String::new();
            child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!(said, expected, "{arguments}");
            drop(stdin);
        }
    });
}

#[test]
fn a_closed_pipe_ends_the_program_by_its_signal_and_quietly() {
    use std::os::unix::process::ExitStatusExt;
    const SIGPIPE: i32 = 13;
    once(|nigh| {
        let text: String = (0..100_000).map(|number| format!("line {number} with a match\n")).collect();
        nigh.write("t", text);
        for form in FORMS {
            let mut child = start(nigh, &format!("-k0 {form} match t"));
            let mut first = [0; 10];
            child.stdout.take().unwrap().read_exact(&mut first).unwrap();
            let status = child.wait().unwrap();
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!((status.signal(), said.as_str()), (Some(SIGPIPE), ""), "{form}");
        }
    });
}

#[test]
fn a_closed_pipe_is_an_error_where_the_parent_ignores_the_signal() {
    once(|nigh| {
        nigh.write("t", "line with a match\n".repeat(100_000));
        let program = nigh.command("").get_program().to_str().unwrap().to_owned();
        for form in FORMS.into_iter().chain(["--help"]) {
            let mut shell = Command::new("bash");
            let line = format!("trap '' PIPE; {{ sleep 0.1; '{program}' -k0 {form} match t; echo $? >&2; }} | true");
            let run = finish(
                {
                    shell.args(["-c", &line]).current_dir(nigh.path());
                    shell
                },
                Vec::new(),
            );
            assert_eq!(run.stderr, "nigh: write error: Broken pipe\n2\n", "{form}");
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_is_lost_is_an_error() {
    each_way(|nigh| {
        nigh.write("t", "match\n");
        for form in FORMS.iter().chain(&LATE_FORMS) {
            let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut command = nigh.command(&format!("-k0 {form} match t"));
            let output = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{form}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(said, "nigh: write error: No space left on device\n", "{form}");
        }
    });
}

#[test]
fn an_interrupt_ends_the_program_by_its_signal_and_quietly() {
    use std::os::unix::process::ExitStatusExt;
    const SIGINT: i32 = 2;
    each_way_without_devices(|nigh| {
        let mut child = start_interruptible(nigh, "-k0 match");
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"a match\n").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(interrupt.success());
        assert_eq!((child.wait().unwrap().signal(), line.as_str()), (Some(SIGINT), "a match\n"));
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
    });
}

#[test]
fn many_files_are_searched_with_few_permits() {
    each_way(|nigh| {
        let names: Vec<String> = (0..300).map(|number| format!("f{number}")).collect();
        for name in &names {
            nigh.write(name, if name.ends_with('7') { "match\n" } else { "" });
        }
        let run = nigh.run(&format!("-k0 -l match {}", names.join(" ")));
        assert_eq!(run.text().lines().count(), 30);
    });
}

#[test]
fn unread_standard_input_is_left_to_other_programs() {
    each_way(|nigh| {
        nigh.write("t", "zero\none abc\ntwo\nthree abc\nfour\n");
        for (arguments, expected) in [
            ("-m1 abc", "two\nthree abc\nfour\n"),
            ("-m1 -A1 abc", "two\nthree abc\nfour\n"),
            ("-m2 abc", "four\n"),
            ("-m1 -v abc", "one abc\ntwo\nthree abc\nfour\n"),
            ("-m1 -c abc", "two\nthree abc\nfour\n"),
            ("-m2 --count-matches abc", "four\n"),
            ("-m1 -vc abc", "one abc\ntwo\nthree abc\nfour\n"),
            ("-m1 --ignore-ansi abc", "two\nthree abc\nfour\n"),
            ("-m1 --ignore-ansi -c abc", "two\nthree abc\nfour\n"),
            ("-m1 --format ends abc", "two\nthree abc\nfour\n"),
            ("-m1 --format align abc", "two\nthree abc\nfour\n"),
            ("-m1 --format count-patterns abc", "two\nthree abc\nfour\n"),
            ("-m1 --format histogram abc", "two\nthree abc\nfour\n"),
            ("-m1 -q abc", ""),
            ("-m1 -l abc", ""),
            ("-c abc", ""),
            ("-q abc", ""),
            ("-l abc", ""),
            ("abc", ""),
        ] {
            for from in [0, 5] {
                let mut file = std::fs::File::open(nigh.path().join("t")).unwrap();
                file.seek(SeekFrom::Start(from)).unwrap();
                let mut command = nigh.command(&format!("-k0 {arguments}"));
                assert!(command.stdin(file.try_clone().unwrap()).stdout(Stdio::null()).status().unwrap().success());
                let mut rest = String::new();
                file.read_to_string(&mut rest).unwrap();
                let expected = if from == 5 && arguments.contains("-v") { "three abc\nfour\n" } else { expected };
                assert_eq!(rest, expected, "{arguments} from {from}");
            }
        }
        // The second read finds the end of the stream.
        let file = std::fs::File::open(nigh.path().join("t")).unwrap();
        let output = nigh.command("-k0 -c abc - -").stdin(file).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "(standard input):2\n(standard input):0\n");
    });
}

#[test]
fn each_line_is_written_alone_on_request() {
    once(|nigh| {
        // Each write is one datagram.
        let writes = |arguments: &str| {
            let (output, reader) = UnixDatagram::pair().unwrap();
            let mut command = nigh.command(arguments);
            command.stdout(OwnedFd::from(output)).stdin(Stdio::null());
            assert!(command.status().unwrap().success());
            drop(command);
            reader.set_nonblocking(true).unwrap();
            let mut buffer = [0; 100];
            std::iter::from_fn(|| reader.recv(&mut buffer).ok()).take_while(|&length| length > 0).count()
        };
        nigh.write("t", "abc\nxyz\nabd\nabc\n");
        assert_eq!((writes("--line-buffered -k1 abc t"), writes("-k1 abc t")), (3, 1));
    });
}

#[test]
fn closed_streams_are_errors() {
    once(|nigh| {
        nigh.write("t", "abc\nxyz\n");
        let run = |arguments: &str| {
            let program = nigh.command("").get_program().to_str().unwrap().to_owned();
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("'{program}' {arguments}")]).current_dir(nigh.path());
            finish(shell, Vec::new())
        };
        for arguments in ["-k1 abc t >&-", "--help >&-", "--line-buffered -c abc t >&-"] {
            let run = run(arguments);
            assert_eq!(run.stderr, "nigh: write error: Bad file descriptor\n", "{arguments}");
            assert_eq!(run.status, Some(2), "{arguments}");
        }
        let none = run("-k0 absent t >&-");
        assert_eq!((none.stderr.as_str(), none.status), ("", Some(1)), "nothing is written");
        assert_eq!(run("-q -k1 abc t >&-").status, Some(0));
        let unread = run("-k1 abc - t <&-");
        assert_eq!(unread.stderr, "nigh: (standard input): Bad file descriptor\n");
        assert_eq!((unread.text().as_str(), unread.status), ("t:abc\n", Some(2)));
        assert_eq!(run("-k1 abc t </dev/null").status, Some(0));
        let patterns = run("-k1 -f - t <&-");
        assert_eq!(patterns.stderr, "nigh: -: Bad file descriptor\n");
        assert_eq!((patterns.text().as_str(), patterns.status), ("", Some(2)));
    });
}

#[test]
fn input_that_does_not_block_is_waited_for() {
    once(|nigh| {
        let (mut writer, reader) = std::os::unix::net::UnixStream::pair().unwrap();
        reader.set_nonblocking(true).unwrap();
        let mut command = nigh.command("-k0 match");
        let child = command.stdin(OwnedFd::from(reader)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        for line in ["a match\n", "another match\n"] {
            std::thread::sleep(std::time::Duration::from_millis(100));
            writer.write_all(line.as_bytes()).unwrap();
        }
        drop(writer);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.stdout, b"a match\nanother match\n", "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success());
    });
}

#[test]
fn output_that_does_not_block_is_waited_for() {
    once(|nigh| {
        let text: String = (0..100_000).map(|number| format!("line {number} with a match\n")).collect();
        nigh.write("t", &text);
        let (writer, mut reader) = std::os::unix::net::UnixStream::pair().unwrap();
        writer.set_nonblocking(true).unwrap();
        let mut command = nigh.command("-k0 match t");
        let child = command.stdin(Stdio::null()).stdout(OwnedFd::from(writer)).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        std::thread::sleep(std::time::Duration::from_millis(300));
        let mut printed = String::new();
        reader.read_to_string(&mut printed).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(printed == text && output.status.success());
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_seek_to_its_end_is_read() {
    each_way(|nigh| {
        let open = || std::fs::File::open("/proc/self/mounts").unwrap();
        let count = std::io::read_to_string(open()).unwrap().lines().count();
        for arguments in ["-k0 -c / -", "-k0 -c / /proc/self/mounts", "-k0 --best -c / -"] {
            let output = nigh.command(arguments).stdin(open()).output().unwrap();
            assert_eq!(output.stderr, b"");
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{count}\n"), "{arguments}");
        }
        let version = std::fs::File::open("/proc/version").unwrap();
        let output = nigh.command("-F -k0 -c -f - /proc/version").stdin(version).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"1\n"[..], &b""[..]));
    });
}
