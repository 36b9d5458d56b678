//! Basic cases of what the program is for.

use std::io::Read;

use crate::harness::{each_way, each_way_without_devices};
use crate::support::random::is_thorough;

#[test]
fn words_within_one_edit_are_selected() {
    each_way(|nigh| {
        nigh.write("words", "cat\nbat\nat\nca\nxcatx\nc-at\ndog\n");
        nigh.prints("-k1 cat words", "cat\nbat\nat\nca\nxcatx\nc-at\n");
        nigh.prints("-0 cat words", "cat\nxcatx\n");
    });
}

#[test]
fn an_edit_is_a_character_or_a_byte() {
    each_way(|nigh| {
        nigh.write("words", "naive\nnaïve\nnaïv\n");
        nigh.prints("-k1 naïve words", "naive\nnaïve\nnaïv\n");
        nigh.prints("--bytes -k1 naïve words", "naïve\nnaïv\n");
        nigh.prints("--bytes -k2 naïve words", "naive\nnaïve\nnaïv\n");
    });
}

#[test]
fn characters_of_any_length_are_one_symbol() {
    each_way(|nigh| {
        nigh.write("words", "日本語\n日木語\n日語\n日本国語\n中国語\n");
        nigh.prints("-k1 日本語 words", "日本語\n日木語\n日語\n日本国語\n");
        nigh.prints("-k2 日本語 words", "日本語\n日木語\n日語\n日本国語\n中国語\n");
        nigh.write("faces", "ok😀go\nok😡go\nokgo\nok👍🏽go\n");
        nigh.prints("-k1 ok😀go faces", "ok😀go\nok😡go\nokgo\n");
        nigh.prints("-k2 ok😀go faces", "ok😀go\nok😡go\nokgo\nok👍🏽go\n");
    });
}

#[test]
fn the_match_shown_is_the_best_that_overlaps_it() {
    each_way(|nigh| {
        nigh.prints_with_input("-k3 -o deadlock", "deadlok here\n", "deadlok\n");
        nigh.prints_with_input("-k3 -o --cost deadlock", "deadlok here\n", "1:deadlok\n");
    });
}

#[test]
fn every_end_is_reported_with_its_distance() {
    each_way(|nigh| {
        let run = nigh.run_with_input("-k1 --format=ends abc", "abcabcab xabxbc\n");
        let rows: Vec<String> = run.text().lines().map(str::to_owned).collect();
        assert_eq!(rows.len(), 11);
        assert_eq!(rows[0], "(standard input)\t2\t1\tabc");
        assert_eq!(rows[1], "(standard input)\t3\t0\tabc");
    });
}

#[test]
fn a_match_never_crosses_a_line_end() {
    each_way(|nigh| {
        nigh.prints_with_input("-k1 deadlock", "dead\nlock\n", "");
        nigh.prints_with_input("-k1 deadlock", "deadlcok\n", "");
    });
}

#[test]
fn patterns_may_be_longer_than_a_machine_word() {
    each_way_without_devices(|nigh| {
        for length in [64, 65, 100, 300, 1000, 10_000] {
            for k in [8, 9, 20, 255].into_iter().filter(|&k| k < length) {
                if length == 10_000 && k != 20 && !is_thorough() {
                    continue;
                }
                let unit = "the quick brown fox jumps over 13 lazy dogs; ";
                let pattern: String = unit.chars().cycle().take(length).collect();
                let mut damaged = pattern.clone();
                damaged.replace_range((length - k) / 2..(length + k) / 2, "");
                nigh.write("pattern", &pattern).write("text", format!("{pattern}\n{damaged}\n"));
                nigh.prints(&format!("-F -c -k{k} -f pattern text"), "2\n");
                nigh.prints(&format!("-F -c -k{} -f pattern text", k - 1), "1\n");
            }
        }
    });
}

#[test]
fn whole_words_and_lines_may_have_edits() {
    each_way(|nigh| {
        nigh.write("text", "deadlok\ndeadlocks\ndeadlock now\nundeadlocked\n");
        nigh.prints("-w -k1 deadlock text", "deadlok\ndeadlocks\ndeadlock now\n");
        nigh.prints("-x -k1 deadlock text", "deadlok\ndeadlocks\n");
        nigh.prints("-k1 ^deadlock text", "deadlok\ndeadlocks\ndeadlock now\n");
        nigh.prints("-k1 deadlock$ text", "deadlok\ndeadlocks\n");
        nigh.prints(r"-k0 \bdeadlock\b text", "deadlock now\n");
    });
}

#[test]
fn alternatives_and_ranges_are_searched_with_errors() {
    each_way(|nigh| {
        nigh.write("log", "error code 404\nwarning code 5\neror cod 511\nwarn code 7\nerror code 611\n");
        nigh.prints("-k1 (error|warn)_code log", "error code 404\nwarn code 7\nerror code 611\n");
        nigh.prints("-k0 error_code_[45][0-9]{2} log", "error code 404\n");
        nigh.prints("-k2 error_code_[45][0-9]{2} log", "error code 404\neror cod 511\nerror code 611\n");
    });
}

#[test]
fn several_patterns_are_alternatives() {
    each_way(|nigh| {
        nigh.write("text", "alpha\nbeta\ngamma\n")
            .write("two", "alpha\ngamma\n")
            .write("empty", "")
            .write("blank", "\nbeta\n");
        nigh.prints("-k0 -e alpha -e beta text", "alpha\nbeta\n");
        nigh.prints("-k0 -f two text", "alpha\ngamma\n");
        nigh.prints("-k0 -f blank text", "alpha\nbeta\ngamma\n");
        nigh.finds_nothing("-k0 -f empty text", "");
        let mut command = nigh.command("-k0 -e");
        command.args(["beta\ngamma", "text"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "beta\ngamma\n");
    });
}

#[test]
fn lines_with_invalid_utf8_are_searched_and_printed_unchanged() {
    each_way(|nigh| {
        for text in [&b"\xffdeadlock here\n"[..], b"dead\xfflock here\n", b"deadlock\xff\n", b"\xe6\x97deadlok\xf0\n"] {
            let run = nigh.run_with_input("-k1 deadlock", text);
            assert_eq!(run.stdout, text);
        }
    });
}

#[test]
fn a_byte_beyond_ascii_is_no_part_of_a_word() {
    each_way(|nigh| {
        for text in [&b"\xffneedle\n"[..], b"needle\xe9\n", b"\xc3needle\xaa\n"] {
            for options in
                ["-k0 -w needle", "--bytes -k0 -w needle", "--bytes -k1 -w nedle", "--bytes -k0 \\bneedle\\b"]
            {
                let run = nigh.run_with_input(options, text);
                assert_eq!(run.stdout, text, "{options}");
            }
        }
    });
}

#[test]
fn a_binary_file_is_announced_and_printed_only_as_text() {
    each_way(|nigh| {
        nigh.write("bin", b"first match\nno\na \0 match\nlast match\n");
        let run = nigh.run("-k0 match bin");
        assert_eq!((run.text().as_str(), run.status), ("first match\n", Some(0)));
        assert_eq!(run.stderr, "nigh: bin: binary file matches\n");
        nigh.prints("-a -k0 match bin", "first match\na \0 match\nlast match\n");
        nigh.prints("-c -k0 match bin", "3\n");
    });
}

#[test]
fn a_long_line_of_a_binary_file_is_binary_however_it_is_cut() {
    let far = |before: &str, after: &str| {
        [&"x".repeat(700), before, "\0", &"y".repeat(300), after, &"z".repeat(600)].concat()
    };
    each_way_without_devices(|nigh| {
        for (options, text, printed, is_binary) in [
            ("", far("", " match "), "first match\n", true),
            ("", far(" match ", ""), "first match\n", true),
            ("", far("", ""), "first match\n", false),
            ("", far("", "\nno\n") + " match", "first match\n", true),
            ("", format!("\0{}{}", "w".repeat(500), far("", "\0\0no\n\0")), "first match\n", false),
            ("-n -C1", far("", " match "), "1:first match\n", true),
            ("-n -C1", "no\n".to_owned() + &far("", " match "), "1:first match\n2-no\n", true),
            ("-n -B1", "1\n2\n3\n".to_owned() + &far("", "\nmatch"), "1:first match\n", true),
            ("-n -B2", "1\n2\n3\n".to_owned() + &far("", "\nmatch"), "1:first match\n--\n4-3\n", true),
            ("-o", far("", " match "), "match\n", true),
            // With -o, the matches before the NUL byte are printed.
            ("-o", far(" match ", " match "), "match\nmatch\n", true),
            ("-o", far(" match ", ""), "match\nmatch\n", false),
            ("-o", far(" match ", "\nmatch"), "match\nmatch\n", true),
            ("-o -m1", far(" match ", " match "), "match\n", false),
            ("-o -n -C1", far(" match ", " match "), "1:match\n2:match\n", true),
            ("--count-matches", far(" match ", " match "), "3\n", false),
            ("-v", far("", ""), "", true),
            ("-v", far("", " match "), "", false),
            ("-v", far(" match ", ""), "", false),
            ("-v", far(" match ", "\nno\n"), "", true),
            ("-m1", far("", " match "), "first match\n", false),
            ("-m2", far("", " match "), "first match\n", true),
            ("--crlf", far("", " match\r\n"), "first match\n", true),
        ] {
            let text = format!("first match\n{text}");
            nigh.write("bin", &text);
            let arguments = format!("-k0 {options} --label bin match");
            for run in [nigh.run(&format!("{arguments} bin")), nigh.run_with_input(&arguments, &text)] {
                let message = if is_binary { "nigh: bin: binary file matches\n" } else { "" };
                assert_eq!((run.text().as_str(), run.stderr.as_str()), (printed, message), "{options:?}");
                assert_eq!(run.status, Some(i32::from(printed.is_empty() && !is_binary)));
            }
        }
    });
}

#[test]
fn the_last_line_is_terminated_and_a_byte_order_mark_is_no_symbol() {
    each_way(|nigh| {
        nigh.prints_with_input("-k0 end", "an end", "an end\n");
        nigh.prints_with_input("-k0 ^first", "\u{feff}first\n first\n", "\u{feff}first\n");
        nigh.write("marked", format!("\u{feff}one word\ntwo words\n{}", "no\n".repeat(99)));
        nigh.prints("-k0 -b ^one|^two marked", "0:\u{feff}one word\n12:two words\n");
        nigh.prints("-k1 -x one_word marked", "\u{feff}one word\n");
        nigh.prints("-k0 -b -o --column word marked", "8:7:word\n5:16:word\n");
        nigh.prints("-k0 -b -m1 -v words marked", "0:\u{feff}one word\n");
        nigh.prints("-k0 --passthru -o -m1 two marked", "\u{feff}one word\ntwo\n");
        nigh.prints("-k0 -n -B1 two marked", "1-\u{feff}one word\n2:two words\n");
        nigh.write("mark", "\u{feff}\nx\n");
        nigh.prints("-k0 -n ^$ mark", "1:\u{feff}\n");
        nigh.write("empty", "");
        nigh.finds_nothing("-k0 x empty", "");
        nigh.finds_nothing("-c -k0 x empty", "0\n");
    });
}

#[test]
fn a_long_line_is_printed_exactly() {
    each_way(|nigh| {
        let mut line = "abcdefghij ".repeat(20_000);
        line.insert_str(123_456, "needle in it");
        let text = format!("before\n{line}\nafter\n");
        nigh.prints_with_input("-k1 needle_in_it", &text, &format!("{line}\n"));
        nigh.prints_with_input("-k1 -c needle_in_it", &text, "1\n");
        nigh.prints_with_input("-k1 -c -v needle_in_it", &text, "2\n");
    });
}

#[test]
fn binary_files_are_skipped_on_request() {
    each_way(|nigh| {
        nigh.write("text", "one match\n").write("bin", b"\x7fELF\0\none match\n");
        nigh.prints("-k0 -I match text bin", "text:one match\n");
        nigh.prints("-k0 -c --binary-files=without-match match text bin", "text:1\nbin:0\n");
        nigh.prints("-k0 -I -L match text bin", "bin\n");
        nigh.prints("-k0 -I -a -h match text bin", "one match\none match\n");
        nigh.prints("-k0 -I --binary-files text -h match text bin", "one match\none match\n");
        let run = nigh.run("-k0 -a --binary-files=binary match bin");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("", "nigh: bin: binary file matches\n"));
        // In a file with a late NUL byte, no line from there on is selected.
        let late = [b"a match\n".repeat(9000), b"\0\na match\n".to_vec()].concat();
        nigh.write("late", late);
        let run = nigh.run("-k0 -I match late");
        assert_eq!((run.text().lines().count(), run.stderr.as_str(), run.status), (9000, "", Some(0)));
        // With -o, the matches before the NUL byte are printed, and a line with such a match is selected.
        for (line, count) in [("a match \0 a match\n", 9001), ("\0 a match\n", 9000)] {
            nigh.write("late", "a match\n".repeat(9000) + line + "a match\n");
            let run = nigh.run("-k0 -I -o match late");
            assert_eq!((run.text().lines().count(), run.stderr.as_str(), run.status), (count, "", Some(0)));
        }
        nigh.prints_with_input("-k0 -I -z match", "a match\0", "a match\0");
    });
}

#[test]
fn a_binary_file_is_announced_behind_its_lines() {
    each_way(|nigh| {
        nigh.write("bin", b"first match\n\0\nsecond match\n").write("next", "match\n");
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = nigh.command("-k0 match bin next");
        let mut child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
        drop(command);
        let mut both = String::new();
        reader.read_to_string(&mut both).unwrap();
        assert_eq!(both, "bin:first match\nnigh: bin: binary file matches\nnext:match\n");
        assert!(child.wait().unwrap().success());
    });
}
