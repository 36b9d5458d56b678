//! `--overhang`: patterns that hang over the ends of lines and records.

use crate::harness::{each_way, once};

#[test]
fn an_adapter_is_found_in_reads_that_end_inside_it() {
    each_way(|nigh| {
        nigh.write("r.fa", ">whole\nTTTTGATTACATT\n>end\nTTTTTTGATTA\n>start\nTACATTTTTT\n>none\nTTTTTTTTTT\n");
        nigh.prints("-k1 -c --strand forward GATTACA r.fa", "1\n");
        nigh.prints(
            "-k1 --strand forward --overhang 0.5 --hits best GATTACA r.fa",
            "whole\t4\t11\tGATTACA\t0\t+\t7=\tGATTACA\nend\t6\t11\tGATTACA\t1\t+\t5=2S\tGATTA\n\
             start\t0\t4\tGATTACA\t1\t+\t3S4=\tTACA\n",
        );
        nigh.prints("-k1 --strand forward --overhang 0.25 --hits best -c GATTACA r.fa", "3\n");
        nigh.prints("-k0 --strand forward --overhang 0.25 -c GATTACA r.fa", "3\n");
        nigh.prints("-k0 --strand forward --overhang 1 -c GATTACA r.fa", "1\n");
        nigh.prints("-k1 --strand forward --overhang 0.5 -v -c GATTACA r.fa", "1\n");
    });
}

#[test]
fn an_overhang_on_the_reverse_strand_is_at_the_other_end_of_the_pattern() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nTAATCGGGGG\n");
        // The reverse complement of GATTACA is TGTAATC.
        let options = "-k1 --strand reverse --overhang 0.5 --hits best";
        nigh.prints(&format!("{options} GATTACA r.fa"), "a\t0\t5\tGATTACA\t1\t-\t2S5=\tTAATC\n");
        nigh.prints(
            &format!("{options} --format paf GATTACA r.fa"),
            "GATTACA\t7\t0\t5\t-\ta\t10\t0\t5\t5\t5\t255\tNM:i:0\tcg:Z:5=\n",
        );
    });
}

#[test]
fn formats_show_what_is_beyond_the_end() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nTTTTTTGATTA\n");
        let options = "-k1 --strand forward --overhang 0.5 --hits best";
        let sam = nigh.run(&format!("{options} --format sam GATTACA r.fa")).text();
        let row: Vec<&str> = sam.lines().last().unwrap().split('\t').collect();
        assert_eq!((row[3], row[5], row[9]), ("7", "5=2S", "GATTACA"));
        assert!(row.contains(&"NM:i:0"), "{row:?}");
        nigh.prints(
            &format!("{options} --format paf GATTACA r.fa"),
            "GATTACA\t7\t0\t5\t+\ta\t11\t6\t11\t5\t5\t255\tNM:i:0\tcg:Z:5=\n",
        );
        nigh.prints(
            &format!("{options} --format sites GATTACA r.fa"),
            "a\t6\t11\tGATTACA\t+\tGATTACA\tGATTA--\t0\t0\t0\t.\n",
        );
    });
}

#[test]
fn lines_have_ends_too() {
    each_way(|nigh| {
        nigh.write("log", "lock found\nno dead\nnothing\n");
        nigh.prints("-k2 --overhang 0.5 -o deadlock log", "lock\ndead\n");
        nigh.prints("-k2 --overhang 0.5 --cost deadlock log", "2:lock found\n2:no dead\n");
        // The single symbol at the end of the first line costs 7 quarters.
        nigh.prints("-k1 --overhang 0.25 -o deadlock log", "lock\nd\ndead\n");
    });
}

#[test]
fn costs_and_combinations_are_checked() {
    once(|nigh| {
        nigh.write("log", "a\n");
        nigh.fails("--overhang 1.5 abc log", "expected a cost from 0 to 1");
        for other in ["-w", "-x", "--within 0..3", "--max-sub 0", "--transpositions", "--sub-cost 2"] {
            nigh.fails(&format!("-k1 --overhang 0.5 {other} abc log"), "--overhang cannot be used with");
        }
        nigh.fails("--overhang 0.5 ^abc log", "--overhang cannot be used with");
    });
}
