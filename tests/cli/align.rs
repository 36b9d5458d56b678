//! `--format=align`: readable alignments.

use crate::harness::{each_way, once};

#[test]
fn a_hit_is_a_pattern_over_bars_over_text() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r one\nTTGATT\nAGATT\n>q\nGGTGAATC\n");
        nigh.prints(
            "-k1 --format=align GATTCA s.fa",
            "r 2-7 + GATTCA distance 1\n\
             pattern 0 GATTCA 6\n\x20         |||| |\n\
             text    2 GATT-A 7\n\n\
             q 2-8 - GATTCA distance 0\n\
             pattern 6 TGAATC 0\n\x20         ||||||\n\
             text    2 TGAATC 8\n\n",
        );
        let run = nigh.run("-k1 --format=align -H --color=always --strand forward GATTCA s.fa");
        let coloured = "\x1b[35m\x1b[Ks.fa\x1b[m\x1b[K \x1b[35m\x1b[Kr\x1b[m\x1b[K 2-7 + GATTCA distance 1\n\
                        pattern 0 GATTCA 6\n\x20         |||| |\n\
                        text    2 GATT\x1b[01;31m\x1b[K-\x1b[m\x1b[KA 7\n\n";
        assert_eq!(run.text(), coloured);
        assert!(nigh.run("-k1 --format=align --hits all GATTCA s.fa").text().lines().count() > 10);
        assert_eq!(nigh.run("-k1 --format=align -m1 GATTCA s.fa").text().lines().count(), 5);
    });
}

#[test]
fn wide_and_zero_width_characters_are_aligned() {
    each_way(|nigh| {
        nigh.write("t", "x日木語\na\tb\nne\u{301}e\n");
        nigh.prints(
            "-k1 --format=align 日本語 t",
            "1-10 + 日本語 distance 1\npattern  0 日本語 3\n           |   |\ntext     1 日木語 10\n\n",
        );
        nigh.prints(
            "-k1 --format=align a_b t",
            "11-14 + a b distance 1\npattern  0 a b 3\n           | |\ntext    11 a\u{2409}b 14\n\n",
        );
        nigh.prints(
            "-k1 --format=align nexe t",
            "15-20 + nexe distance 1\npattern  0 nexe 4\n           || |\ntext    15 ne\u{25cc}\u{301}e 20\n\n",
        );
        nigh.prints_with_input(
            "-k1 --format=align -i DEA[DX]",
            b"dea\xff\n",
            "0-4 + DEA[DX] distance 1\npattern 0 dea? 4\n          |||\ntext    0 dea\u{fffd} 4\n\n",
        );
    });
}

#[test]
fn long_alignments_are_wrapped() {
    each_way(|nigh| {
        let pattern = "GATTACACCGT".repeat(28);
        let mut text = pattern.clone();
        text.insert(200, 'A');
        nigh.write("s.fa", format!(">r\n{text}\n"));
        let run = nigh.run(&format!("-k3 --format=align --strand forward {pattern} s.fa"));
        let text = run.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "r 0-309 + pattern 1 distance 1");
        assert_eq!(lines.len(), 1 + 3 * 5 + 1);
        assert!(lines.iter().all(|line| line.len() <= 80) && lines[4].len() == 80, "{text}");
        let ends = |row: usize| lines[row].rsplit(' ').next().unwrap();
        assert_eq!((ends(1), ends(3), ends(13), ends(15)), ("64", "64", "308", "309"));
    });
}

#[test]
fn options_that_do_not_fit_alignments_are_refused() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nACGT\n").write("t", "x\n");
        for option in ["-v", "--header", "--columns=end"] {
            nigh.fails(&format!("-k0 --format=align {option} ACGT s.fa"), "cannot be used with");
        }
        for option in
            ["-n", "-b", "-C1", "--cost", "--column", "--vimgrep", "--passthru", "-T", "-M9", "--trim", "--heading"]
        {
            let run = nigh.run(&format!("-k0 --format=align {option} x t"));
            assert!(run.stderr.contains(" has no effect with --format align\n"), "{}", run.stderr);
            assert_eq!(run.text(), nigh.run("-k0 --format=align x t").text(), "{option}");
        }
    });
}
