//! Output on a terminal: control characters in names are escaped.

use std::process::Command;

use crate::harness::{Nigh, once};
use crate::support::root::program_beside;
use crate::tools::has;

/// A name that would clear the screen, and its escaped form.
const NAME: &str = "a\x1b[2Jb\nc\u{9b}d";
const SHOWN: &str = r"a\x1b[2Jb\nc\xc2\x9bd";

/// Returns the output of nigh on a terminal, including standard error; `None` if `script` is not installed.
fn on_terminal(nigh: &Nigh, arguments: &str) -> Option<String> {
    run_on_terminal(nigh, nigh.command("").get_program().to_str().unwrap(), arguments)
}

/// Returns the output of a program on a terminal, including standard error; `None` if `script` is not installed.
fn run_on_terminal(nigh: &Nigh, program: &str, arguments: &str) -> Option<String> {
    if !has("script") {
        return None;
    }
    let line = format!("'{program}' --color=never {arguments}");
    let folder = nigh.path().join("typed");
    std::fs::create_dir_all(&folder).unwrap();
    let mut script = Command::new("script");
    // `script` runs the command with $SHELL, and the syntax of the user's shell may be different.
    script.env("SHELL", "/bin/sh");
    let run =
        script.args(["-qec", &line]).arg(folder.join("typed")).current_dir(nigh.path().join("in")).output().unwrap();
    Some(String::from_utf8(run.stdout).unwrap().replace('\r', ""))
}

fn write_files(nigh: &Nigh) {
    std::fs::create_dir_all(nigh.path().join("in")).unwrap();
    nigh.write(&format!("in/{NAME}"), "x\x1b[2J\n").write("in/p", format!("{}\n", NAME.replace('\n', "\t")));
    nigh.write("in/s.fa", ">r\u{9b}d\nACGT\n").write("in/names", "g\u{9b}\tACGT\n");
}

#[test]
fn names_are_escaped_on_a_terminal_and_lines_are_not() {
    once(|nigh| {
        write_files(nigh);
        let shows = |arguments: &str, expected: &str| {
            let Some(shown) = on_terminal(nigh, arguments) else { return };
            assert_eq!(shown, expected, "{arguments}");
        };
        let line = format!("{SHOWN}:x\x1b[2J\n");
        shows("-k0 -rn --exclude=p --exclude=s.fa x", &line.replace(":x", ":1:x"));
        shows("-k0 -rc --exclude=p --exclude='s.*' --exclude=names x", &line.replace("x\x1b[2J", "1"));
        shows("-k0 -rl x", &format!("{SHOWN}\n"));
        shows("-k0 -r --heading x", &format!("{SHOWN}\nx\x1b[2J\n"));
        shows("-k0 -r --format=ends --include='a*' x", &format!("{SHOWN}\t1\t0\tx\n"));
        shows("-k0 -F --format=ends -f p p", "p\t11\t0\ta\\x1b[2Jb\\tc\\xc2\\x9bd\n");
        shows("-k0 --strand forward ACGT s.fa", "r\\xc2\\x9bd\t0\t4\tACGT\t0\t+\t4=\tACGT\n");
        shows("-k0 --strand forward --format bed ACGT s.fa", "r\\xc2\\x9bd\t0\t4\tACGT\t1000\t+\n");
        shows("-k0 -v --strand forward CCCC s.fa", "r\\xc2\\x9bd\n");
        shows("-k0 x 'no\x1bone'", "nigh: no\\x1bone: No such file or directory\n");
    });
}

#[test]
fn names_of_pairs_are_escaped_on_a_terminal() {
    once(|nigh| {
        write_files(nigh);
        let program = program_beside("nigh-align");
        let shows = |arguments: &str, expected: &str| {
            let Some(shown) = run_on_terminal(nigh, program.to_str().unwrap(), arguments) else { return };
            assert_eq!(shown, expected, "{arguments}");
        };
        shows("s.fa s.fa", "r\\xc2\\x9bd\tr\\xc2\\x9bd\t0\n");
        shows("--format paf s.fa s.fa | cut -f 1,6", "r\u{9b}d\tr\u{9b}d\n");
        shows("--format=align s.fa s.fa | head -n 1", "r\u{fffd}d r\u{fffd}d distance 0\n");
    });
}

#[test]
fn names_are_as_they_are_where_there_is_no_terminal() {
    once(|nigh| {
        write_files(nigh);
        assert_eq!(nigh.run("-k0 -rl x in").text(), format!("in/{NAME}\n"));
        let run = nigh.run("-k0 x no\x1bone");
        assert_eq!(run.stderr, "nigh: no\x1bone: No such file or directory\n");
        nigh.prints("-k0 --strand forward ACGT in/s.fa", "r\u{9b}d\t0\t4\tACGT\t0\t+\t4=\tACGT\n");
        // A field of a table contains no tab and no line feed.
        nigh.prints(
            "-k0 -r --format=ends --include=a* x in",
            &format!("in/{}\t1\t0\tx\n", NAME.replace(['\n', '\x1b'], " ")),
        );
    });
}

#[test]
fn a_short_pattern_that_is_not_found_has_advice() {
    once(|nigh| {
        std::fs::create_dir(nigh.path().join("in")).unwrap();
        std::fs::write(nigh.path().join("in/t"), "no match\n").unwrap();
        let advice = "patterns of up to 4 symbols are searched exactly by default; use -k1 to allow an edit";
        for (arguments, is_given) in
            [("404 t", true), ("-k0 404 t", false), ("match t", false), ("no t", false), ("-q 404 t", false)]
        {
            let Some(shown) = on_terminal(nigh, arguments) else { return };
            assert_eq!(shown.contains(advice), is_given, "{arguments}: {shown}");
        }
        let advice = "'%{NAME}' stands for itself; write the expression that grok has for the name";
        for (arguments, is_given) in [("-k0 %{IP} t", true), ("-F -k0 %{IP} t", false), ("-k0 %{ip} t", false)] {
            let Some(shown) = on_terminal(nigh, arguments) else { return };
            assert_eq!(shown.contains(advice), is_given, "{arguments}: {shown}");
        }
    });
}
