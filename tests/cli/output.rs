//! Output options of ripgrep: columns, headings, limits on long lines, all lines, counts of matches.

use crate::harness::each_way;

#[test]
fn columns_are_between_line_numbers_and_offsets() {
    each_way(|nigh| {
        nigh.write("t", "é x x\nno\nx\n");
        nigh.prints("-k0 --column x t", "4:é x x\n1:x\n");
        nigh.prints("-k0 -Hnb --column --cost x t", "t:1:4:0:0:é x x\nt:3:1:10:0:x\n");
        nigh.prints("-k0 -no --column x t", "1:4:x\n1:6:x\n3:1:x\n");
        nigh.prints("-k0 -n --column -A1 x t", "1:4:é x x\n2-no\n3:1:x\n");
        let run = nigh.run("-k0 -n --column -v x t");
        let message = "nigh: warning: --column has no effect with --invert-match\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("2:no\n", message));
        nigh.prints_with_input("-k1 --column deadlock", "a deadlok\n", "3:a deadlok\n");
    });
}

#[test]
fn vimgrep_prints_a_line_for_each_match() {
    each_way(|nigh| {
        nigh.write("t", "a x x\nno\nx\n");
        nigh.prints("-k0 --vimgrep x t", "t:1:3:a x x\nt:1:5:a x x\nt:3:1:x\n");
        nigh.prints("-k0 --vimgrep -o x t", "t:1:3:x\nt:1:5:x\nt:3:1:x\n");
        nigh.prints("-k0 --vimgrep -v x t", "t:2:no\n");
        nigh.prints("-k0 --vimgrep -hA1 x t", "1:3:a x x\n1:5:a x x\n2-no\n3:1:x\n");
    });
}

#[test]
fn excerpts_of_long_lines_show_matches_and_the_text_around_them() {
    each_way(|nigh| {
        nigh.write("t", "123456 x x\nlong line\nx");
        nigh.prints("-k0 -M9 x t", "…3456 x x\nx\n");
        nigh.prints("-k0 -M10 x t", "123456 x x\nx\n");
        nigh.prints("-k0 -M1 x t", "…\nx\n");
        nigh.prints("-k0 -M0 x t", "123456 x x\nx\n");
        nigh.prints("-k0 -M5 -n -b --column x t", "1:8:0:… x x\n3:1:21:x\n");
        nigh.prints("-k0 --max-columns=8 -A1 x t", "…456 x x\nlong li…\nx\n");
        nigh.prints("-k0 -M8 -v x t", "long li…\n");
        nigh.prints("-k0 -M4 --vimgrep x t", "t:1:8:…x x\nt:1:10:…x x\nt:3:1:x\n");
        nigh.prints("-k0 -M2 -o 1.*6 t", "1…\n");
        nigh.write("u", "    ab x cdefgh\nääöü\x1b[31mäxöüß\x1b[0mab x\n");
        nigh.prints("-k0 -M8 --trim x u", "ab x cd…\n…\x1b[31mäxöü… x\n");
        let red = "\x1b[01;31m\x1b[Kx\x1b[m\x1b[K";
        nigh.prints("-k0 -M7 --color=always x t", &format!("…56 {red} {red}\n{red}\n"));
        let events = nigh.run("-k0 -M7 --json x t").text();
        let is_given = events.contains(r#""excerpt":{"text":"…56 x x"}"#);
        assert!(is_given && events.matches("excerpt").count() == 1, "{events}");
    });
}

#[test]
fn white_space_at_the_start_of_lines_is_left_out() {
    each_way(|nigh| {
        nigh.write("t", " \t x y\n\n  no\n");
        nigh.prints("-k0 --trim --column x t", "4:x y\n");
        nigh.prints("-k0 --trim -A2 x t", "x y\n\nno\n");
        nigh.prints("-k0 --trim -o .x t", "x\n");
        nigh.prints("-k0 --trim --color=always x t", "\x1b[01;31m\x1b[Kx\x1b[m\x1b[K y\n");
        nigh.prints("-k0 --trim -M2 x t", "x…\n");
    });
}

#[test]
fn headings_are_above_the_lines_of_a_file() {
    each_way(|nigh| {
        nigh.write("a", "x\ny\n\nx\n").write("b", "no\n").write("c", "x\n");
        nigh.prints("-k0 --heading -n x a b c", "a\n1:x\n4:x\n\nc\n1:x\n");
        nigh.prints("-k0 --heading -A1 x a c", "a\nx\ny\n--\nx\n\nc\nx\n");
        nigh.prints("-k0 --heading x a", "x\nx\n");
        nigh.prints("-k0 --heading -H -o x c", "c\nx\n");
        nigh.prints("-k0 --heading -Z x c a", "c\0x\n\na\0x\nx\n");
        let run = nigh.run("-k0 --heading -h x a c");
        let message = "nigh: warning: --heading has no effect with --no-filename\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("x\nx\nx\n", message));
        nigh.prints("-k0 --heading --no-heading x a c", "a:x\na:x\nc:x\n");
    });
}

#[test]
fn all_lines_are_printed_on_request() {
    each_way(|nigh| {
        nigh.write("t", "1\nx\n2\n3\nx x\n4\n");
        nigh.prints("-k0 -n --passthru x t", "1-1\n2:x\n3-2\n4-3\n5:x x\n6-4\n");
        nigh.prints("-k0 --passthru -v x t", "1\nx\n2\n3\nx x\n4\n");
        nigh.prints("-k0 -o --passthru x t", "1\nx\n2\n3\nx\nx\n4\n");
        nigh.prints("-k0 --passthru -m1 x t", "1\nx\n");
        nigh.prints("-k0 --passthru -A1 x t", "x\n2\n--\nx x\n4\n");
        nigh.write("u", "x\n4\n");
        nigh.prints("-k0 --passthru x u u", "u:x\nu-4\nu:x\nu-4\n");
        nigh.prints("-k0 --passthru --heading -H x u u", "u\nx\n4\n\nu\nx\n4\n");
        let run = nigh.run("-k0 --passthru zz t");
        assert_eq!((run.text().as_str(), run.status), ("1\nx\n2\n3\nx x\n4\n", Some(1)));
    });
}

#[test]
fn matches_are_counted_as_they_would_be_shown() {
    each_way(|nigh| {
        nigh.write("a", "x xx\nno\nx\n").write("b", "no\n");
        nigh.prints("-k0 --count-matches x a b", "a:4\nb:0\n");
        nigh.prints("-k0 --count-matches -v x a b", "a:1\nb:1\n");
        nigh.prints("-k0 --count-matches -o x a", "4\n");
        nigh.prints("-k0 --count-matches -m1 x a", "3\n");
        nigh.prints("-k0 --count-matches -c x a", "2\n");
        nigh.finds_nothing("-k1 --count-matches abc a b", "a:0\nb:0\n");
        nigh.prints_with_input("-k1 --count-matches abc", "abcabcab\n", "3\n");
    });
}

#[test]
fn the_leftmost_and_longest_match_of_several_patterns_is_shown() {
    each_way(|nigh| {
        nigh.prints_with_input("-k0 -o -e err -e error -e rors", "errors\n", "error\n");
        nigh.prints_with_input("-k0 -o b|ab|abc", "abc ab b\n", "abc\nab\nb\n");
        nigh.prints_with_input("-k0 -o -e bc -e abcd -e d", "abcd abc d\n", "abcd\nbc\nd\n");
        nigh.prints_with_input("-k0 -o x{2,4}", "xxxxxxx\n", "xxxx\nxxx\n");
        // A match inside a longer match is better only if it has fewer edits.
        nigh.prints_with_input(
            "-k1 -o --cost -e error -e errors",
            "error errors errorz\n",
            "0:error\n0:errors\n0:error\n",
        );
    });
}

#[test]
fn colours_follow_grep_colors() {
    each_way(|nigh| {
        nigh.write("t", "a x\nno\n");
        let run = |colours: &str, arguments: &str| {
            let mut command = nigh.command(arguments);
            command.env("GREP_COLORS", colours);
            crate::harness::finish(command, Vec::new()).text()
        };
        let colours = "ne:fn=1:ln=2:cn=3:bn=4:co=5:se=6:ms=7:sl=8:cx=9";
        let expected = "\x1b[1mt\x1b[m\x1b[6m:\x1b[m\x1b[2m1\x1b[m\x1b[6m:\x1b[m\x1b[3m3\x1b[m\x1b[6m:\x1b[m\
            \x1b[4m0\x1b[m\x1b[6m:\x1b[m\x1b[5m0\x1b[m\x1b[6m:\x1b[m\x1b[8ma \x1b[7mx\x1b[m\n\
            \x1b[1mt\x1b[m\x1b[6m-\x1b[m\x1b[2m2\x1b[m\x1b[6m-\x1b[m\x1b[4m4\x1b[m\x1b[6m-\x1b[m\x1b[9mno\x1b[m\n";
        assert_eq!(run(colours, "-k0 -Hnb --column --cost -A1 --colour=always x t"), expected);
        assert_eq!(run("mt=:unknown=1", "-k0 --color=always x t"), "a x\n");
        assert_eq!(run("ne:mc=7", "-k0 -v -B1 --color=always x t"), "a \x1b[7mx\x1b[m\nno\n");
    });
}

#[test]
fn tabs_are_aligned() {
    each_way(|nigh| {
        nigh.write("t", "x\n\nx y\n").write("u", "no no no\nx\n");
        nigh.prints("-k0 -T x t", "x\nx y\n");
        nigh.prints("-k0 -nT x u", " 2:\tx\n");
        nigh.prints("-k0 -nTA2 x t", "1:\tx\n2-\n3:\tx y\n");
        nigh.prints("-k0 -HT x t", "t:\tx\nt:\tx y\n");
    });
}
