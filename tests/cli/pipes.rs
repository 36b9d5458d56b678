//! Manners in a pipe: prompt, quiet when the reader goes, loud when a write is lost.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::Instant;

use crate::harness::{Nigh, each_way};

fn start(nigh: &Nigh, arguments: &str) -> Child {
    let mut command = nigh.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_slow_writer_gets_its_answer_at_once() {
    each_way(|nigh| {
        let mut child = start(nigh, "-k1 deadlock");
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        for line in ["a deadlok\n", "another deadlock\n"] {
            stdin.write_all(line.as_bytes()).unwrap();
            let since = Instant::now();
            let mut answer = String::new();
            stdout.read_line(&mut answer).unwrap();
            assert_eq!(answer, line);
            assert!(since.elapsed() < nigh.patience(), "the answer took {:?}", since.elapsed());
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
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
fn who_has_enough_does_not_wait_for_more_input() {
    each_way(|nigh| {
        for (arguments, expected) in
            [("-q y", ""), ("-m1 y", "y\n"), ("-l y", "(standard input)\n"), ("-c -m1 y", "1\n"), ("-L y", "")]
        {
            let mut child = start(nigh, &format!("-k0 {arguments}"));
            let mut stdin = child.stdin.take().unwrap();
            stdin.write_all(b"y\nno\n").unwrap();
            // The pipe stays open while the program is waited for.
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
    each_way(|nigh| {
        let text: String = (0..200_000).map(|number| format!("line {number} with a match\n")).collect();
        nigh.write("t", text);
        let mut child = start(nigh, "-k0 match t");
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.signal(), said.as_str()), (Some(SIGPIPE), ""));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_is_lost_is_an_error() {
    each_way(|nigh| {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        nigh.write("t", "match\n");
        let child = nigh.command("-k0 match t").stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "nigh: write error: No space left on device\n");
    });
}

#[test]
fn many_files_go_through_few_buffers() {
    each_way(|nigh| {
        let names: Vec<String> = (0..300).map(|number| format!("f{number}")).collect();
        for name in &names {
            nigh.write(name, if name.ends_with('7') { "match\n" } else { "" });
        }
        let run = nigh.run(&format!("-k0 -l match {}", names.join(" ")));
        assert_eq!(run.text().lines().count(), 30);
    });
}
