//! Printed lines and their prefixes, such as names and numbers.

use crate::harness::each_way;

#[test]
fn fields_before_a_line_have_the_order_of_grep() {
    each_way(|nigh| {
        nigh.write("a", "one\ntwo\n").write("b", "three\ntwo two\n");
        nigh.prints("-k0 two a", "two\n");
        nigh.prints("-k0 two a b", "a:two\nb:two two\n");
        nigh.prints("-k0 -h two a b", "two\ntwo two\n");
        nigh.prints("-k0 -Hnb --cost two a", "a:2:4:0:two\n");
        nigh.prints("-k0 -nbo two a b", "a:2:4:two\nb:2:6:two\nb:2:10:two\n");
        nigh.prints("-k0 -Z two a b", "a\0two\nb\0two two\n");
    });
}

#[test]
fn cost_is_the_least_distance_of_the_line() {
    each_way(|nigh| {
        nigh.prints_with_input(
            "-k2 --cost deadlock",
            "deadlok\ndeadlck deadlock\nno\n",
            "1:deadlok\n0:deadlck deadlock\n",
        );
        nigh.prints_with_input("-k2 -o --cost deadlock", "deadlok x deadlock\n", "1:deadlok\n0:deadlock\n");
    });
}

#[test]
fn counts_name_their_files_and_show_zeros() {
    each_way(|nigh| {
        nigh.write("a", "x1\nx2\ny\n").write("b", "y\n");
        nigh.prints("-k0 -c x a b", "a:2\nb:0\n");
        nigh.prints("-k0 -cv x a b", "a:1\nb:1\n");
        nigh.prints("-k0 -c -m1 x a b", "a:1\nb:0\n");
        nigh.prints("-k0 -ch x a b", "2\n0\n");
        nigh.finds_nothing("-k0 -c z a b", "a:0\nb:0\n");
    });
}

#[test]
fn files_are_listed_with_and_without() {
    each_way(|nigh| {
        nigh.write("a", "x\n").write("b", "y\n").write("c", "");
        nigh.prints("-k0 -l x a b c", "a\n");
        nigh.prints("-k0 -L x a b c", "b\nc\n");
        nigh.prints("-k0 -lv x a b c", "b\n");
        nigh.prints("-k0 -lZ x a b c", "a\0");
        nigh.finds_nothing("-k0 -L x b c", "b\nc\n");
        nigh.finds_nothing("-k0 -l x b c", "");
        nigh.write("xx", "x\nx\nx\n");
        nigh.finds_nothing("-k0 -lv x xx", "");
        nigh.finds_nothing("-k0 -Lv x xx", "xx\n");
        nigh.finds_nothing("-k0 -qv x xx", "");
    });
}

#[test]
fn quiet_prints_nothing_and_sets_the_exit_status() {
    each_way(|nigh| {
        nigh.write("a", "x\n").write("b", "y\n");
        let run = nigh.run("-k0 -q x b a missing");
        assert_eq!((run.stdout.len(), run.status), (0, Some(0)));
        nigh.finds_nothing("-k0 -q z a b", "");
    });
}

#[test]
fn inverted_lines_are_those_without_a_match() {
    each_way(|nigh| {
        nigh.write("a", "x\ny\nx\nz");
        nigh.prints("-k0 -vn x a", "2:y\n4:z\n");
        nigh.prints("-k0 -v -m1 x a", "y\n");
        let run = nigh.run("-k0 -vo x a");
        assert_eq!((run.text().as_str(), run.status), ("", Some(0)));
    });
}

#[test]
fn matches_alone_do_not_overlap_and_are_leftmost() {
    each_way(|nigh| {
        nigh.prints_with_input("-k0 -o aa", "aaaaa\n", "aa\naa\n");
        nigh.prints_with_input("-k1 -o abc", "abcabcab\n", "abc\nabc\nab\n");
        nigh.prints_with_input("-k1 -on deadlock", "no\ndeadlok deadlock\n", "2:deadlok\n2:deadlock\n");
        nigh.prints_with_input("-k0 -ob é", "xéé\n", "1:é\n3:é\n");
        // The first match with at most two edits is `abcd`, but the best match ends three symbols later.
        nigh.prints_with_input("-k2 -o --cost abcdef", "abcdXef\n", "1:abcdXef\n");
    });
}

#[test]
fn matches_are_coloured_in_their_lines() {
    each_way(|nigh| {
        let red = |text: &str| format!("\x1b[01;31m\x1b[K{text}\x1b[m\x1b[K");
        let expected = format!("a {} and {}\n", red("deadlok"), red("deadlock"));
        nigh.prints_with_input("-k1 --color=always deadlock", "a deadlok and deadlock\n", &expected);
        let prefix = "\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K";
        nigh.prints_with_input("-k0 -on --color=always x", "x\n", &format!("{prefix}{}\n", red("x")));
        nigh.prints_with_input("-k0 --color=auto x", "x\n", "x\n");
        nigh.prints_with_input("-k0 -v --color=always x", "y\n", "y\n");
    });
}

#[test]
fn case_is_ignored_on_request() {
    each_way(|nigh| {
        nigh.prints_with_input("-k1 -i DEADLOCK", "deadlOk\nÜber\n", "deadlOk\n");
        nigh.prints_with_input("-k0 -i über", "ÜBER\n", "ÜBER\n");
        nigh.prints_with_input("-k0 ÜBER", "über\n", "");
    });
}

#[test]
fn literal_patterns_have_no_special_symbols() {
    each_way(|nigh| {
        nigh.prints_with_input("-k0 -F a.b*", "a.b*\naxb\n", "a.b*\n");
        nigh.prints_with_input("-k0 a.b", "a.b\naxb\n", "a.b\naxb\n");
    });
}

#[test]
fn errors_may_be_a_share_of_the_length() {
    each_way(|nigh| {
        nigh.prints_with_input("-k20% abcde", "abXde\nabXXe\n", "abXde\n");
        nigh.prints_with_input("-kauto abcdefghij", "abXXefghij\naXXXefghij\n", "abXXefghij\n");
        nigh.prints_with_input("-kauto abcde", "abXde\nabXXe\n", "abXde\n");
        nigh.prints_with_input("-kauto ab", "ab\naX\n", "ab\n");
    });
}

#[test]
fn short_patterns_are_exact_by_default() {
    each_way(|nigh| {
        nigh.prints_with_input("-c 404", "404\n403\n", "1\n");
        nigh.prints_with_input("-c 50[0-9]x", "500x\n50x\n", "1\n");
        nigh.prints_with_input("-c -e ok -e failed", "ok\nok1\nof\nfaild\n", "3\n");
        nigh.prints_with_input("-c -k1 404", "404\n403\n", "2\n");
        nigh.prints_with_input("-c --edits i,d,s<=1,e<=1 404", "404\n403\n", "2\n");
        nigh.write("s.fa", ">s\nACGT\n").prints("-c --strand forward AAGT s.fa", "1\n");
    });
}

#[test]
fn lines_may_end_with_nul() {
    each_way(|nigh| {
        nigh.prints_with_input("-k1 -z deadlock", "dead\nlock\0deadlok\0no\0", "dead\nlock\0deadlok\0");
        nigh.prints_with_input("-k0 -cz x", "x\0x\0y", "2\n");
    });
}

#[test]
fn with_nul_at_line_ends_a_dot_is_also_a_newline() {
    each_way(|nigh| nigh.prints_with_input("-k0 -z a.b", "a\nb\0acb\0", "a\nb\0acb\0"));
}

#[test]
fn patterns_of_edges_alone_select_lines() {
    each_way(|nigh| {
        nigh.write("t", "x y\n\n z\n");
        nigh.prints("-n ^$ t", "2:\n");
        nigh.prints("-n -v ^$ t", "1:x y\n3: z\n");
        nigh.prints("-c ^ t", "3\n");
        nigh.prints("-c $ t", "3\n");
        nigh.prints("-n -k0 -e ^$ -e z t", "2:\n3: z\n");
        nigh.prints("-c \\b t", "2\n");
        let mut command = nigh.command("-nx");
        command.args(["", "t"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "2:\n");
        let mut command = nigh.command("-nw");
        command.args(["", "t"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "2:\n3: z\n");
    });
}

#[test]
fn a_byte_order_mark_is_printed_and_counts_in_offsets() {
    each_way(|nigh| {
        nigh.prints_with_input("-k0 -b abc", "\u{feff}abc\nabc\n", "0:\u{feff}abc\n7:abc\n");
        nigh.prints_with_input("-k0 --format=ends abc", "\u{feff}abc\n", "(standard input)\t6\t0\tabc\n");
    });
}

#[test]
fn an_empty_pattern_selects_every_line() {
    each_way(|nigh| {
        nigh.write("a", "x\n\ny\n");
        let run = nigh.run_with_input("-k0 -n -e _ -e x a", "");
        assert_eq!(run.text(), "1:x\n");
        let mut command = nigh.command("-n");
        command.args(["", "a"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "1:x\n2:\n3:y\n");
        let mut command = nigh.command("-c -v");
        command.args(["", "a"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "0\n");
    });
}
