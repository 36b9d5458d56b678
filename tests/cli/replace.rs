//! `--replace`: text in place of matches, with their groups.

use fastrand::Rng;
use nigh::{Alphabet, Notation, Searcher};

use crate::harness::each_way;

#[test]
fn groups_of_a_match_with_edits_follow_its_alignment() {
    each_way(|nigh| {
        nigh.write("t", "user=alice id=42 ok\nusr=bob id=7\nuser=carol xid=99\nuser=dave id=\n");
        let pattern = r"user=(?<who>\w+)\sid=(\d+)";
        nigh.prints("-k1 -F --replace $$0 alice t", "user=$0 id=42 ok\n");
        nigh.prints(&format!("-k1 --replace $who/$2 {pattern} t"), "alice/42 ok\nbob/7\ncarol/99\ndave/\n");
        nigh.prints(&format!("-k1 -on --replace ${{who}}. {pattern} t"), "1:alice.\n2:bob.\n3:carol.\n4:dave.\n");
        // A group that took no part is empty, and a letter that is missing at a border leaves its group shorter.
        nigh.prints("-k0 --replace [$1][$2] (alice)|(bob) t", "user=[alice][] id=42 ok\nusr=[][bob] id=7\n");
        nigh.prints("-k1 -o --replace [$1][$2] (user)(=bob) t", "[usr][=bob]\n");
        nigh.prints("-k1 -o --replace [$1][$2] (carol.)(id) t", "[carol x][id]\n");
    });
}

#[test]
fn replaced_lines_have_the_fields_and_colours_of_others() {
    each_way(|nigh| {
        nigh.write("t", "a x b x\nc\n  x\n");
        nigh.prints("-k0 -n -b --column --replace yy x t", "1:3:0:a yy b yy\n3:3:10:  yy\n");
        nigh.prints("-k0 --trim --replace yy x t", "a yy b yy\nyy\n");
        nigh.prints("-k0 -M5 --replace yy x t", "…yy …\n  yy\n");
        let red = "\x1b[01;31m\x1b[Kyy\x1b[m\x1b[K";
        nigh.prints("-k0 --color=always --replace yy x t", &format!("a {red} b {red}\n  {red}\n"));
        nigh.write("u", "\x1b[1ma\x1b[m x\x1b[m b\n");
        nigh.prints("-k0 --ignore-ansi --replace yy x t", "a yy b yy\n  yy\n");
        nigh.prints("-k0 --ignore-ansi --replace yy x u", "\x1b[1ma\x1b[m yy\x1b[m b\n");
        let events = nigh.run("-k1 --json --replace <$1> (b).x t").text();
        let expected = r#""replacement":{"text":"<b>"},"groups":[{"number":1,"start":4,"end":5}]"#;
        assert!(events.contains(expected), "{events}");
    });
}

#[test]
fn a_group_that_no_pattern_has_is_reported() {
    each_way(|nigh| {
        nigh.write("t", "abc\n");
        for (text, message) in [
            ("$z", "no pattern has a group 'z', so '$z' stands for nothing; write '$$' for a dollar sign"),
            ("$3", "no pattern has a group '3', so '$3' stands for nothing; write '$$' for a dollar sign"),
            ("$1x$1x", "no pattern has a group '1x', so '$1x' stands for nothing; write '${1}x' for group 1"),
        ] {
            let run = nigh.run(&format!("-k0 --replace {text} -e (a) -e (b)(c) t"));
            assert_eq!((&*run.text(), run.stderr), ("\n", format!("nigh: warning: --replace: {message}\n")), "{text}");
        }
        nigh.prints("-k0 --replace [$2] -e (a) -e (b)(c) t", "[][c]\n");
        // An empty match is not replaced.
        nigh.prints("-k0 --replace - x* t", "abc\n");
    });
}

#[test]
fn the_library_replaces_what_the_program_replaces() {
    each_way(|nigh| {
        let mut rng = Rng::with_seed(45);
        let mut line = || (0..rng.usize(..50)).map(|_| ["a", "b", "c", " ", "ä"][rng.usize(..5)]).collect::<String>();
        let text: String = (0..200).map(|_| line() + "\n").collect();
        nigh.write("t", &text);
        let patterns = ["(?<x>ab?)(c+) ?(b)?", "bä(a|c)", "cab"];
        let builder = Searcher::builder(Alphabet::Text).patterns(patterns).notation(Notation::Regex);
        let searcher = builder.captures(true).max_edits(1).build().unwrap();
        let replaced = searcher.replace_all(text.as_bytes(), b"<$2$x|$0>").unwrap();
        let [first, second, third] = patterns.map(|pattern| pattern.replace(' ', r"\x20"));
        let options = format!("-e {first} -e {second} -e {third}");
        nigh.prints(
            &format!("-k1 --passthru --replace <$2$x|$0> {options} t"),
            std::str::from_utf8(&replaced).unwrap(),
        );
        assert!(replaced.iter().filter(|byte| **byte == b'<').count() > 200);
    });
}
