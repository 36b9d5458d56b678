//! Errors: each prints one message, and the other inputs are still searched.

use crate::harness::{each_way, finish, once};

#[test]
fn a_missing_file_is_not_reported_as_text() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nGATTACA\n").write("t", "GATTACA\n");
        let problem = "nigh: none: No such file or directory\n";
        nigh.fails("-k0 --format bed GATTACA none", problem);
        assert_eq!(nigh.fails("-k0 --format bed GATTACA none s.fa", problem).text().lines().count(), 1);
        nigh.fails("-k0 --format bed GATTACA none t", "nigh: t: --format bed is for sequences");
        nigh.fails("-k0 -w GATTACA none.fa", "nigh: none.fa: No such file or directory\n");
        // An option that does not apply to text is no reason to leave out the message, or another input.
        assert_eq!(nigh.fails("-k0 --max-hits 9 GATTACA none", problem).stderr, problem);
        assert_eq!(nigh.fails("-k0 --max-hits 9 GATTACA none s.fa", problem).text().lines().count(), 1);
        let both = format!("{problem}nigh: second: No such file or directory\n");
        for options in ["--max-hits 9", "--format bed"] {
            let run = nigh.run(&format!("-k0 {options} GATTACA none second"));
            assert_eq!((run.stderr, run.status), (both.clone(), Some(2)), "{options}");
        }
        nigh.fails("-k0 --bytes --strand forward GATTACA none s.fa", "nigh: s.fa: --bytes is for lines");
        // Patterns are checked even if no input can be read.
        nigh.fails("-k0 GATT[ none", "unclosed character class");
    });
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    each_way(|nigh| {
        nigh.write("a", "x\n").write("b", "x\n");
        let run = nigh.run("-k0 x a missing b");
        assert_eq!((run.text().as_str(), run.status), ("a:x\nb:x\n", Some(2)));
        assert_eq!(run.stderr, "nigh: missing: No such file or directory\n");
        let run = nigh.run("-k0 -s x a missing b");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("a:x\nb:x\n", "", Some(2)));
        let run = nigh.run("-k0 -c x missing a");
        assert_eq!((run.text().as_str(), run.status), ("a:1\n", Some(2)));
        let run = nigh.run("-k0 -L y missing a");
        assert_eq!((run.text().as_str(), run.status), ("a\n", Some(2)));
        assert_eq!(nigh.run("-k0 -q x missing a").status, Some(0));
        assert_eq!(nigh.run("-k0 -q y missing a").status, Some(2));
    });
}

#[test]
fn a_directory_is_not_searched_as_a_file() {
    each_way(|nigh| {
        nigh.write("a", "x\n");
        let run = nigh.run("-k0 x . a");
        assert_eq!((run.text().as_str(), run.status), ("a:x\n", Some(2)));
        assert_eq!(run.stderr, "nigh: .: Is a directory; use -r to search it\n");
    });
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    each_way(|nigh| {
        std::os::unix::fs::symlink("circle", nigh.path().join("circle")).unwrap();
        nigh.fails("-k0 x circle", "circle: Too many levels of symbolic links");
    });
}

#[test]
fn a_file_that_is_no_fasta_is_named_with_its_line() {
    each_way(|nigh| {
        nigh.write("s.fa", "\n\n\nACGT\n").write("t.fa", ">t\nACGT\n");
        let run = nigh.run("-k0 ACGT --strand=forward s.fa t.fa");
        assert_eq!(run.stderr, "nigh: s.fa:4: FASTA must begin with '>'\n");
        assert_eq!((run.text().as_str(), run.status), ("t\t0\t4\tACGT\t0\t+\t4=\tACGT\n", Some(2)));
    });
}

#[test]
fn patterns_that_cannot_be_searched_are_named() {
    once(|nigh| {
        nigh.write("p", "ab\n").write("t", "x\n");
        nigh.fails("-k2 -f p t", "p:1: pattern 'ab': -k 2 would match everywhere: the pattern has only 2 symbols;");
        nigh.fails(
            "-k1 x t",
            "pattern 'x': -k 1 would match everywhere: the pattern has only 1 symbol; lower -k, or use '-k auto'",
        );
        nigh.fails("-k0 (a t", "unclosed group");
        assert_eq!(nigh.fails("-k0 -f missing t", "").stderr, "nigh: missing: No such file or directory\n");
        nigh.write("s.fa", ">s\nACGT\n")
            .fails(r"-k0 \bACGT s.fa", "are not supported in sequences, which have no words");
        nigh.fails(
            "-k0 G{3,}N s.fa",
            "'{3,}' repeats without bound, which is not supported in sequences; use a range such as {3,1000}",
        );
        nigh.fails(
            "-k0 a{60000}{60000} t",
            "its automaton has 3600000000 states, but at most 4096 are supported; use smaller ranges of repeats",
        );
        nigh.fails("-k0 ((a?b?){1000})+ t", "its automaton has more than 1048576 transitions");
        nigh.fails("-k2 x[ab]+ t", "-k 2 would match everywhere: the pattern matches the short string 'x?'; lower -k");
        nigh.fails("-k0 (?=a)b t", "or pipe one search into another");
        nigh.fails("-k0 (a t", "unclosed group; use -F to search for plain text");
        for (pattern, message) in [
            (r"a\h", r"'\h' is not supported; write '[ \t]'"),
            (r"\R", r"'\R' is not supported; a match lies within one line, whose end is '$'"),
            (r"\X", "write '.', which is one character"),
            (r"a\Kb", "put what follows it in parentheses, and use that group"),
            ("(?>a)", "'(?>' is not supported; write '(?:'"),
        ] {
            let run = nigh.fails(&format!("-k0 {pattern} t"), message);
            assert!(!run.stderr.contains("-F"), "{}", run.stderr);
        }
        nigh.fails("-k0 (?>AC)GT s.fa", "'(?>' is not supported; write '(?:'");
        // Edits are set by options, and not in a pattern.
        let expected =
            r"'{e<=1}' does not set edits, which are set for whole patterns; use -k or --edits, as in --edits 'e<=1'";
        nigh.fails("-k0 (timeout){e<=1} t", expected);
        nigh.fails("-k0 (ACG){e<=1}<GG> s.fa", expected);
        nigh.fails("-k0 [:space:] t", "a character class needs two pairs of brackets; write '[[:space:]]'");
        nigh.fails(
            "-k0 --fasta ACGE t",
            "pattern 'ACGE': 'E' is not an IUPAC nucleotide code; use --text to search lines, or --protein to search amino acids",
        );
    });
}

#[test]
fn options_for_another_kind_of_input_are_refused() {
    once(|nigh| {
        nigh.write("s.fa", ">s\nACGT\n").write("t", "x\n");
        for option in ["--format=ends", "--format=lines", "-w", "--bytes", "-z"] {
            nigh.fails(&format!("-k0 {option} ACGT s.fa"), "is for lines of text");
        }
        for option in ["-n", "-b", "-A1", "-B1", "-C1", "--cost", "--heading", "--trim"] {
            let run = nigh.run(&format!("-k0 {option} ACGT s.fa"));
            assert!(
                run.stderr.ends_with(" has no effect on sequences; use --text to search their lines\n"),
                "{}",
                run.stderr
            );
            assert_eq!(run.text(), nigh.run("-k0 ACGT s.fa").text(), "{option}");
        }
        for option in ["--strand=forward", "--protein"] {
            nigh.fails(&format!("-k0 {option} xyz t"), "is for sequences");
        }
        nigh.write("p.faa", ">p\nMKVLAT\n");
        nigh.fails("-k0 --strand reverse MKV p.faa", "--strand reverse is for nucleotides");
        nigh.fails("-k2x abc t", "invalid value '2x'");
        nigh.fails("-k0 --engine tpu abc t", "invalid value 'tpu'");
        nigh.fails("-j 20000 abc t", "invalid value '20000'");
    });
}

#[test]
fn an_instruction_set_that_is_not_there_is_refused() {
    once(|nigh| {
        let mut command = nigh.command("-k0 abc");
        command.env("NIGH_ISA", "abacus");
        let run = finish(command, Vec::new());
        assert!(
            run.stderr.starts_with("nigh: NIGH_ISA: 'abacus' is not supported by this processor; use one of "),
            "{}",
            run.stderr
        );
        assert_eq!(run.status, Some(2));
        let mut command = nigh.command("-k0 abc");
        command.env("NIGH_ISA", "portable");
        assert_eq!(finish(command, b"abc\n".to_vec()).text(), "abc\n");
    });
}

#[test]
fn an_input_that_is_also_the_output_is_not_read() {
    once(|nigh| {
        nigh.write("a", "x\n").write("b", "x again\n");
        for line in ["-k0 x a b", "-k0 -r x"] {
            nigh.write("b", "x again\n");
            let mut command = nigh.command(line);
            let output = std::fs::OpenOptions::new().append(true).open(nigh.path().join("b")).unwrap();
            let result = command.stdout(output).stderr(std::process::Stdio::piped()).spawn().unwrap();
            let result = result.wait_with_output().unwrap();
            assert_eq!(String::from_utf8(result.stderr).unwrap(), "nigh: b: input file is also the output\n");
            assert_eq!(result.status.code(), Some(2));
            assert_eq!(std::fs::read_to_string(nigh.path().join("b")).unwrap(), "x again\na:x\n");
        }
        let open = |append| std::fs::OpenOptions::new().read(true).append(append).open(nigh.path().join("b")).unwrap();
        let status =
            nigh.command("-k0 x").stdin(open(false)).stdout(open(true)).stderr(std::process::Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(2));
    });
}

#[test]
fn an_input_that_is_also_the_output_is_read_if_nothing_is_written() {
    once(|nigh| {
        let cases =
            [("-q", ""), ("-c", "1\n"), ("-l", "log\n"), ("-L", ""), ("-m1", "deadlock\n"), ("-o -m1", "deadlock\n")];
        for (options, added) in cases {
            nigh.write("log", "deadlock\nother\n");
            let output = std::fs::OpenOptions::new().append(true).open(nigh.path().join("log")).unwrap();
            let mut command = nigh.command(&format!("-k0 {options} deadlock log"));
            let result = command.stdout(output).stderr(std::process::Stdio::piped()).output().unwrap();
            assert_eq!(String::from_utf8(result.stderr).unwrap(), "", "{options}");
            assert_eq!(result.status.code(), Some(0), "{options}");
            let log = std::fs::read_to_string(nigh.path().join("log")).unwrap();
            assert_eq!(log, format!("deadlock\nother\n{added}"), "{options}");
        }
        for options in ["-m2", "-o", "-m1 -A1", "-m1 --passthru"] {
            let output = std::fs::OpenOptions::new().append(true).open(nigh.path().join("log")).unwrap();
            let status = nigh
                .command(&format!("-k0 {options} deadlock log"))
                .stdout(output)
                .stderr(std::process::Stdio::null())
                .status();
            assert_eq!(status.unwrap().code(), Some(2), "{options}");
        }
    });
}

#[test]
fn invalid_numbers_are_named() {
    once(|nigh| {
        for option in ["-m", "-A", "-B", "-C", "-M"] {
            let run = nigh.fails(&format!("{option} x abc t"), "expected a number, 0 or more");
            assert!(run.stderr.starts_with("nigh: invalid value 'x' for --"), "{}", run.stderr);
        }
        for option in ["-A", "-B", "-C", "-M", "-k"] {
            nigh.fails(&format!("{option} -1 abc t"), "invalid value '-1' for --");
        }
        nigh.fails("-j x abc t", "expected a number from 0 to 1024");
        nigh.fails("--edits i+d+0s<=1 abc t", "expected conditions such as s<=2, e<=3 or 2i+2d+s<=4");
        nigh.fails("--edits s abc t", "there is no bound on all edits; add one such as e<=2");
    });
}

#[test]
fn options_with_wrong_values_or_conflicts_are_named() {
    once(|nigh| {
        nigh.fails("--engine", "nigh: --engine requires a value; possible values: auto, cpu, cuda\n");
        nigh.fails("--binary-files x abc t", "nigh: invalid value 'x' for --binary-files; possible values: binary, ");
        nigh.fails("--count=5 abc t", "nigh: --count takes no value\n");
        let words = "nigh: --columns cannot be used with --format bed; use --format tsv, or omit --columns\n";
        nigh.fails("--format=bed --columns end ACGT t.fa", words);
        nigh.fails("--shard 1/2 --best abc t", "nigh: --shard cannot be used with --best; omit one of them\n");
        nigh.fails("--ends abc t", "nigh: unrecognized option '--ends'; use --format ends\n");
    });
}

#[test]
fn without_a_pattern_the_usage_is_printed() {
    once(|nigh| {
        let run = nigh.fails("", "no pattern given; usage: nigh [OPTIONS] PATTERN [FILE...]");
        assert_eq!(run.text(), "");
        nigh.fails("-h", "no pattern given");
    });
}

#[test]
fn short_help_is_a_screenful() {
    once(|nigh| {
        let run = nigh.run("-?");
        let text = run.text();
        assert_eq!((run.stderr.as_str(), run.status), ("", Some(0)));
        assert!(text.lines().count() <= 42, "{text}");
        for word in ["Usage: nigh [OPTIONS] PATTERN", "--max-errors", "--recursive", "nigh --help"] {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert!(!text.contains("--batch-size"));
    });
}

#[test]
fn help_and_version_are_output() {
    once(|nigh| {
        let run = nigh.run("--help");
        assert!(run.text().contains("--max-errors") && run.status == Some(0));
        let run = nigh.run("-V");
        assert_eq!(run.text(), format!("nigh {}\n", env!("CARGO_PKG_VERSION")));
        assert!(finish(nigh.command("--zzz"), Vec::new()).stderr.contains("for help: nigh '-?'"));
    });
}

#[test]
fn a_bound_is_named_by_the_options_that_set_it() {
    once(|nigh| {
        nigh.write("t", "abc\n").write("p.tsv", "p\tACG\t3\n").write("s.fa", ">s\nACGT\n");
        let only = "would match everywhere: the pattern has only 3 symbols";
        let limits = format!("pattern 'abc': --edits 'd<=3' {only}; lower its bound");
        nigh.fails("--edits d<=3 abc t", &limits);
        nigh.fails("--edits i<=2,3i+d+s<=6 abc t", &format!("'abc': --edits 'i<=2,3i+d+s<=6' {only}"));
        nigh.fails("--edits e<=4294967296 abc t", "expected conditions such as s<=2");
        nigh.fails("--edits s<=2 -k3 abc t", &format!("-k 3 {only}; lower -k, or use '-k auto'"));
        nigh.fails("-f p.tsv s.fa", &format!("p.tsv:1: pattern 'p': k = 3 {only}; lower its k"));
    });
}

#[test]
fn options_that_have_no_effect_are_refused_or_reported() {
    once(|nigh| {
        nigh.write("t", "abc\n")
            .write("config", "-n\n--heading\n--max-columns=9\n--columns=end\n")
            .write("s.fa", ">s\nACGT\n");
        for (options, output, message) in [
            ("-c -n", "1\n", "--line-number has no effect with --count"),
            ("-l -A1", "t\n", "--after-context has no effect with --files-with-matches"),
            ("-l --group-separator=q", "t\n", "--group-separator has no effect with --files-with-matches"),
            ("--format count-matches --cost", "1\n", "--cost has no effect with --count-matches"),
            ("--vimgrep --heading", "t:1:1:abc\n", "--heading has no effect with --vimgrep"),
        ] {
            let run = nigh.run(&format!("-k0 {options} abc t"));
            assert_eq!((run.text().as_str(), run.stderr), (output, format!("nigh: warning: {message}\n")), "{options}");
        }
        let run = nigh.run("-k0 -q -n --heading abc t");
        assert_eq!((run.text().as_str(), run.stderr.as_str(), run.status), ("", "", Some(0)));
        // Defaults that have no effect are ignored.
        for (arguments, output) in [
            ("-k0 -c abc t", "1\n"),
            ("-k0 --format ends abc t", "t\t3\t0\tabc\n"),
            ("-k0 abc t", "1:abc\n"),
            ("-k0 --strand forward --format bed ACGT s.fa", "s\t0\t4\tACGT\t1000\t+\n"),
        ] {
            let mut command = nigh.command(arguments);
            command.env("NIGH_CONFIG_PATH", nigh.path().join("config"));
            let run = finish(command, Vec::new());
            assert_eq!((run.text().as_str(), run.stderr.as_str()), (output, ""), "{arguments}");
        }
    });
}

#[test]
fn the_last_form_applies_and_letters_precede_each_other_as_in_grep() {
    once(|nigh| {
        nigh.write("t", "abc\nabc abc\n");
        let count = "2\n";
        for options in
            ["-c -o", "-o -c", "--format ends -c", "--json -c", "--count-matches -c", "--format tsv --format count"]
        {
            nigh.prints(&format!("-k0 {options} abc t"), count);
        }
        for options in ["-c --count-matches", "-o --count-matches", "--count-matches -o", "-c --format count-matches"] {
            nigh.prints(&format!("-k0 {options} abc t"), "3\n");
        }
        for options in ["-l -c", "-c -l", "-L -l", "-o -l --json"] {
            nigh.prints(&format!("-k0 {options} abc t"), "t\n");
        }
        nigh.prints("-k0 -c --format histogram abc t", "0\t2\n");
        let run = nigh.run("-k0 -q -l abc t");
        assert_eq!((run.text().as_str(), run.status), ("", Some(0)));
    });
}

#[test]
fn a_message_shows_the_start_of_a_long_pattern() {
    once(|nigh| {
        let run = nigh.fails(&format!("-k0 ({} t", "abcde".repeat(1000)), "...': unclosed group");
        assert!(run.stderr.len() < 160, "{}", run.stderr);
    });
}
