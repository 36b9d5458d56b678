//! Habits of users of grep and ripgrep: their options, abbreviations and typing errors.

use crate::harness::{Nigh, once};

fn with_texts(test: impl Fn(&Nigh)) {
    once(|nigh| {
        nigh.write("t", "foo\nbar\nFOO\n");
        test(nigh);
    });
}

#[test]
fn options_for_regular_expressions_are_accepted_if_equivalent() {
    with_texts(|nigh| {
        nigh.prints("-k0 -nE foo|bar t", "1:foo\n2:bar\n");
        nigh.prints("-k0 --extended-regexp foo|bar t", "foo\nbar\n");
        nigh.prints(r"-k0 -P \bfoo\b t", "foo\n");
        nigh.prints(r"-k0 --perl-regexp -c \w{3} t", "3\n");
        nigh.fails("-k0 -P (?=foo) t", "look-ahead");
        nigh.prints("-k0 -G f.o t", "foo\n");
        nigh.fails(
            r"-k0 -G foo\|bar t",
            r"pattern 'foo\|bar': '|' has another meaning in a basic regular expression; omit -G and write the pattern as for grep -E",
        );
        nigh.write("p", "foo\nba+r\n")
            .fails("-k0 --basic-regexp -f p t", "p:2: pattern 'ba+r': '+' has another meaning");
        // The last of several notations applies.
        nigh.finds_nothing("-k0 -E -F f.o t", "");
        nigh.prints("-k0 -F -E f.o t", "foo\n");
        nigh.prints("-k0 -G -E foo|bar t", "foo\nbar\n");
        nigh.finds_nothing("-k0 -G -F foo|bar t", "");
    });
}

#[test]
fn options_that_are_the_default_change_nothing() {
    with_texts(|nigh| {
        nigh.prints("-k0 -U foo t", "foo\n");
        nigh.prints("-k0 --binary foo t", "foo\n");
        nigh.prints("-k0 -y foo t", "foo\nFOO\n");
        nigh.prints("-k0 -n -N foo t", "foo\n");
        nigh.prints("-k0 --no-line-number -n foo t", "1:foo\n");
        nigh.prints("-k0 --color=always --no-color foo t", "foo\n");
        assert!(nigh.run("-k0 --no-color --color=always foo t").text().contains("\x1b["));
        std::fs::create_dir(nigh.path().join("d")).unwrap();
        nigh.write("d/.hidden", "foo\n").write("d/.ignore", "named\n").write("d/named", "foo\n");
        nigh.prints("-k0 --no-decompress --decompress foo t", "foo\n");
        nigh.prints("-k0 -r --hidden foo d", "d/.hidden:foo\nd/named:foo\n");
        nigh.prints("-k0 -r --ignore-vcs foo d", "d/.hidden:foo\n");
        nigh.prints("-k0 -r --ignore-vcs --unrestricted foo d", "d/.hidden:foo\nd/named:foo\n");
        nigh.prints("-k0 -r --ignore-vcs -uuu foo d", "d/.hidden:foo\nd/named:foo\n");
        nigh.prints("-k0 -r --ignore-vcs --no-ignore foo d", "d/.hidden:foo\nd/named:foo\n");
    });
}

#[test]
fn options_of_ripgrep_that_do_not_exist_name_the_remedy() {
    with_texts(|nigh| {
        for (options, words) in [
            ("-tpy", "unrecognized option '-t'; choose files by their names, as in -g '*.py'"),
            ("--type-not=py", "'--type-not'; choose files by their names, as in -g '*.py'"),
            ("--sort path", "'--sort'; files are always searched in the order of their names"),
            ("-p", "'-p'; use --color=always --heading -n"),
            ("--multiline", "'--multiline'; use -z to search a file as one line"),
            ("--max-depth=2", "'--max-depth'; use --exclude-dir, or name the files with find"),
            ("--no-mmap", "'--no-mmap'; it is the default; omit it"),
            ("--cuont", "'--cuont'; did you mean '--count'?"),
        ] {
            nigh.fails(&format!("-k0 {options} foo t"), words);
        }
    });
}

#[test]
fn a_pattern_with_a_line_feed_is_refused() {
    with_texts(|nigh| {
        let words = "it has a line feed, but a match lies within one line; \
                     search for each line as a pattern of its own; or use -z to search a file as one line";
        for pattern in [r"foo\nbar", r"o[\n]b", r"(\n|o\nb+)", r"fo+.*\n", r"foo\x0abar"] {
            nigh.fails(&format!("-k0 {pattern} t"), words);
        }
        nigh.fails(r"-k1 -U -c foo\nbar t", words);
        for pattern in [r"foo\n?", r"(\n|foo)", r"(^|\n)foo", r"foo(\n|$)", r"(^$|fo\no)", r"foo[^\n]*"] {
            let run = nigh.run(&format!("-k0 -c {pattern} t"));
            assert_eq!(run.stderr, "", "{pattern}");
        }
        nigh.prints(r"-k0 -z -c foo\nbar t", "1\n");
        nigh.finds_nothing(r"-k0 -F -c foo\nbar t", "0\n");
    });
}

#[test]
fn an_alternation_may_be_as_long_as_a_list_of_patterns() {
    with_texts(|nigh| {
        let words: Vec<String> = (0..5000).map(|number| format!("word{number:04}x")).collect();
        nigh.write("lines", words.join("\n")).write("one", words.join("|"));
        nigh.write("t", "word1234x\nwrd4999x\nword99999\n");
        for options in ["-k1 -n", "-k0 -c", "-k1 -ci", "-k1 -cx"] {
            let listed = nigh.run(&format!("{options} -f lines t"));
            assert_eq!(nigh.run(&format!("{options} -f one t")).text(), listed.text(), "{options}");
            assert!(listed.text().len() > 1);
        }
        nigh.write("one", format!("({})?b", words.join("|")));
        nigh.fails("-k0 -f one t", "use smaller ranges of repeats, or several patterns");
    });
}

#[test]
fn folders_and_devices_are_read_searched_or_skipped() {
    with_texts(|nigh| {
        std::fs::create_dir(nigh.path().join("d")).unwrap();
        nigh.write("d/f", "foo\n");
        nigh.prints("-k0 -d skip foo d t", "t:foo\n");
        nigh.prints("-k0 --directories=recurse foo d", "d/f:foo\n");
        nigh.prints("-k0 -d skip -r foo d", "d/f:foo\n");
        nigh.prints("-k0 -r -d skip foo d t", "t:foo\n");
        nigh.fails("-k0 -d read foo d", "d: Is a directory");
        nigh.fails("-k0 -d walk foo d", "invalid value 'walk'");
        nigh.prints("-k0 -D skip foo /dev/zero t", "t:foo\n");
        nigh.prints("-k0 -D read foo /dev/null t", "t:foo\n");
        nigh.prints_with_input("-k0 --devices=skip foo -", "foo\n", "foo\n");
        nigh.fails("-k0 -r -D read foo d", "devices in directories are never searched");
    });
}

#[test]
fn long_options_are_abbreviated_as_in_gnu_grep() {
    with_texts(|nigh| {
        nigh.prints("-k0 --cou foo t", "1\n");
        nigh.prints("-k0 --ignore foo t", "foo\nFOO\n");
        nigh.prints("-k0 --ignore-c foo t", "foo\nFOO\n");
        nigh.prints("-k0 --max-c=1 --reg foo t", "foo\n");
        nigh.prints("--max-err 0 foo t", "foo\n");
        nigh.prints("-k0 --colo=never foo t", "foo\n");
        nigh.prints("--vers", concat!("nigh ", env!("CARGO_PKG_VERSION"), "\n"));
        assert!(nigh.run("--h").text().contains("--max-errors"));
        // A prefix of an option that is ambiguous in nigh, but not in grep, stands for grep's option.
        nigh.prints("-k0 --coun foo t", "1\n");
        nigh.fails(
            "-k0 --co foo t",
            "option '--co' is ambiguous; possibilities: '--cost', '--columns', '--count', '--count-matches', ",
        );
    });
}

#[test]
fn a_slip_in_an_option_has_a_hint() {
    with_texts(|nigh| {
        nigh.fails(
            "--files-without-matches foo t",
            "unrecognized option '--files-without-matches'; did you mean '--files-without-match'?",
        );
        nigh.fails("--max-erors 1 foo t", "did you mean '--max-errors'?");
        nigh.fails("--hits bset foo t", "did you mean 'best'?");
        nigh.fails("--zzz foo t", "for help: nigh '-?'");
    });
}

#[test]
fn a_negative_count_is_no_limit() {
    with_texts(|nigh| {
        nigh.prints("-k0 -i -m -1 foo t", "foo\nFOO\n");
        nigh.prints("-k0 -i --max-count=-5 foo t", "foo\nFOO\n");
        nigh.prints("-k0 -i -m1 foo t", "foo\n");
    });
}

#[test]
fn distant_option_names_are_not_suggested() {
    with_texts(|nigh| {
        for option in ["--foo", "--generate"] {
            assert!(!nigh.fails(&format!("{option} foo t"), "for help: nigh '-?'").stderr.contains("did you mean"));
        }
    });
}

#[test]
fn advice_for_short_patterns_is_for_terminals() {
    with_texts(|nigh| {
        assert_eq!(nigh.run("zz t").stderr, "");
        assert_eq!(nigh.run("--debug -e zz -e timeout t").stderr.matches("debug: k = ").count(), 2);
    });
}

#[test]
fn a_brace_that_is_no_quantifier_is_literal() {
    once(|nigh| {
        let line = r#"{"level":"error","user":{"id":5},"msg":"eror {code}"}"#;
        nigh.write("t", format!("{line}\na{{b}}\naa\n%{{IP:client}}\n"));
        nigh.prints(r#"-k0 {"level":"error" t"#, &format!("{line}\n"));
        nigh.prints(r#"-k0 "user":{"id" t"#, &format!("{line}\n"));
        nigh.prints(r#"-k1 error_{code} t"#, &format!("{line}\n"));
        nigh.prints("-k0 a{b} t", "a{b}\n");
        nigh.prints("-k0 -x a{2} t", "aa\n");
        nigh.prints("-k0 -x .{,3} t", "aa\n");
        nigh.prints("-k0 %{IP:client} t", "%{IP:client}\n");
        nigh.prints("-k0 --exact-group <a{>b t", "a{b}\n");
    });
}

#[test]
fn a_short_word_has_no_edits_with_spaces_and_classes_around_it() {
    once(|nigh| {
        nigh.write("t", "GET / 404 12\nGET / 304 12\nGET / 502 12\n");
        nigh.prints("_404_ t", "GET / 404 12\n");
        nigh.prints("_50[0-9]_ t", "GET / 502 12\n");
    });
}
