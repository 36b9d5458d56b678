//! `--overhang`: patterns that hang over the ends of lines and records.

use crate::harness::{each_way, once};

#[test]
fn an_adapter_is_found_in_reads_that_end_inside_it() {
    each_way(|nigh| {
        nigh.write("r.fa", ">whole\nTTTTGATTACATT\n>end\nTTTTTTGATTA\n>start\nTACATTTTTT\n>none\nTTTTTTTTTT\n");
        nigh.prints("-k1 -c --strand forward GATTACA r.fa", "1\n");
        nigh.prints(
            "-k1 --strand forward --overhang 0.3 --hits best GATTACA r.fa",
            "whole\t4\t11\tGATTACA\t0\t+\t7=\tGATTACA\nend\t6\t11\tGATTACA\t0\t+\t5=2S\tGATTA\n\
             start\t0\t4\tGATTACA\t0\t+\t3S4=\tTACA\n",
        );
        nigh.prints("-k1 --strand forward --overhang 30% -c GATTACA r.fa", "3\n");
        nigh.prints("-k1 --strand forward --overhang 0.3 -v -c GATTACA r.fa", "1\n");
        nigh.prints("-k0 --strand forward --overhang 0 -c GATTACA r.fa", "3\n");
        nigh.prints("-k0 --strand forward --overhang 0.000001 -c GATTACA r.fa", "1\n");
    });
}

#[test]
fn an_overhang_may_be_at_one_end_only() {
    each_way(|nigh| {
        nigh.write("r.fa", ">end\nTTTTTTGATTA\n>start\nTACATTTTTT\n>both\nATTAC\n>cut\nTTACAAGG\n");
        let found = |options: &str| format!("--strand forward --columns record,cigar {options} r.fa");
        nigh.prints(&found("-k2 --hits best --overhang right:0.5 GATTACA"), "end\t5=2S\nboth\t1I5=1S\ncut\t2I5=\n");
        nigh.prints(
            &found("-k2 --hits best --overhang left:50% GATTACA"),
            "end\t4=2I1=\nstart\t3S4=\nboth\t1S5=1I\ncut\t2S5=\n",
        );
        nigh.fails("--overhang middle:0.1 GATTACA r.fa", "for one end only, such as right:10%");
    });
}

#[test]
fn edits_and_overhangs_are_summed_before_they_are_compared_with_the_bound() {
    each_way(|nigh| {
        nigh.write("r.fa", ">two\nTTTTTTGATTA\n>three\nTACATTTTTT\n>edit\nTTTTTTGCTTA\n>both\nATTAC\n");
        let found = |options: &str| {
            format!("--strand forward --hits best --columns record,distance,cigar {options} GATTACA r.fa")
        };
        // Three symbols beyond an end cost 1.5. An edit and two symbols cost 2.
        nigh.prints(&found("-k1 --overhang 0.5"), "two\t1\t5=2S\nboth\t1\t1S5=1S\n");
        nigh.prints(&found("-k2 --overhang 0.5"), "two\t1\t5=2S\nthree\t1\t3S4=\nedit\t2\t1=1X3=2S\nboth\t1\t1S5=1S\n");
        // Three symbols beyond an end cost 1.35, which is too much with -k1. With -k20%, the bound is 1.4, because a
        // percentage is not rounded.
        nigh.prints(&found("-k1 --overhang 0.45"), "two\t0\t5=2S\nboth\t0\t1S5=1S\n");
        nigh.prints(&found("-k20% --overhang 0.45"), "two\t0\t5=2S\nthree\t1\t3S4=\nboth\t0\t1S5=1S\n");
    });
}

#[test]
fn some_symbols_are_not_beyond_an_end() {
    each_way(|nigh| {
        nigh.write("r.fa", ">two\nTTTTTTTTGA\n>three\nTTTTTTTGAT\n>four\nTTTTTTGATT\n");
        let count = |options: &str| format!("-c -k0 --strand forward --overhang 0 {options} GATTACA r.fa");
        nigh.prints(&count(""), "2\n");
        nigh.prints(&count("--min-overlap 2"), "3\n");
        nigh.prints(&count("--min-overlap 4"), "1\n");
        nigh.finds_nothing(&count("--min-overlap 7"), "0\n");
        nigh.finds_nothing(&count("--min-overlap 99999999999999999999"), "0\n");
    });
}

#[test]
fn a_range_and_a_limit_of_ambiguous_letters_hold_for_overhangs() {
    each_way(|nigh| {
        nigh.write("r.fa", ">start\nTACATTTTTT\n>end\nTTTTTTGATT\n>n\nTTTTTTGANT\n");
        let found =
            |options: &str| format!("--strand forward -k1 --overhang 0 --columns record {options} GATTACA r.fa");
        nigh.prints(&found("--hits best"), "start\nend\nn\n");
        nigh.prints(&found("--hits best --within ..4"), "start\n");
        nigh.prints(&found("--hits best --within -4.."), "end\nn\n");
        nigh.prints(&found("--hits best --within 6.. --ambiguous none:0 -k0"), "end\n");
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
        nigh.prints("-k1 --overhang 0.25 -o deadlock log", "lock\ndead\n");
    });
}

#[test]
fn an_edge_holds_where_the_text_of_a_match_starts_or_ends() {
    each_way(|nigh| {
        nigh.write(
            "r.fa",
            ">whole\nGATTACATTT\n>over\nTACATTTTTT\n>later\nTTTTGATTACATT\n>end\nTTTTTTGATTA\n>part\nATTA\n",
        );
        let found =
            |edge: &str| format!("-k1 --strand forward --overhang 0.25 --hits best --columns record,cigar {edge} r.fa");
        nigh.prints(&found("^GATTACA"), "whole\t7=\nover\t3S4=\npart\t1S4=2S\n");
        nigh.prints(&found("GATTACA$"), "end\t5=2S\npart\t1S4=2S\n");
        nigh.prints(&found("-x GATTACA"), "part\t1S4=2S\n");
        nigh.write("log", "lock found\nlocked\nno dead\nundead\n");
        nigh.prints("-k1 --overhang 0.25 -w deadlock log", "lock found\nno dead\n");
        nigh.prints("-k1 --overhang 0.25 deadlock\\b log", "lock found\nno dead\nundead\n");
    });
}

#[test]
fn limits_and_costs_of_edits_hold_for_the_part_in_the_text() {
    each_way(|nigh| {
        nigh.write(
            "r.fa",
            ">substitution\nTTTTTTGACTA\n>deletion\nTTTTTTGATA\n>insertion\nTTTTTTGATCTA\n>swap\nTTTTTTGTATA\n",
        );
        let found = |options: &str| {
            format!(
                "--strand forward --hits best --overhang 0.5 --columns record,distance,cigar {options} GATTACA r.fa"
            )
        };
        nigh.prints(&found("-k2"), "substitution\t2\t2=1X2=2S\ndeletion\t2\t2=1I2=2S\ninsertion\t2\t3=1D2=2S\n");
        nigh.prints(&found("-k2s"), "substitution\t2\t2=1X2=2S\n");
        nigh.prints(&found("--edits d,e<=2"), "deletion\t2\t2=1I2=2S\n");
        nigh.prints(&found("--edits 2s<=3"), "substitution\t3\t2=1X2=2S\n");
        nigh.prints(&found("-k2s --transpositions"), "substitution\t2\t2=1X2=2S\nswap\t2\t1=2X2=2S\n");
    });
}

#[test]
fn symbols_of_an_exact_group_are_in_the_text() {
    each_way(|nigh| {
        nigh.write("r.fa", ">end\nTTTTTTGATTA\n>start\nTTACATTTTT\n>edit\nTTTTTTGATGA\n");
        let found = |pattern: &str| {
            format!("-k2 --strand forward --hits best --overhang 0.5 --columns record,cigar {pattern} r.fa")
        };
        nigh.prints(&found("GATTACA"), "end\t5=2S\nstart\t2S5=\nedit\t3=1X1=2S\n");
        nigh.prints(&found("GATTA<CA>"), "start\t2S5=\n");
        nigh.prints(&found("GAT<TA>CA"), "end\t5=2S\nstart\t2S5=\n");
        // The group allows no edit, but the rest of the pattern does.
        nigh.prints(&found("<GA>TTACA"), "end\t5=2S\nedit\t3=1X1=2S\n");
        nigh.finds_nothing("-k0 --strand forward --overhang 0 -c <GATTAC>A r.fa", "0\n");
    });
}

#[test]
fn hits_of_conditions_are_shown_in_every_mode() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nTTTTTTGATTA\n>b\nTTACATTTTT\n");
        let common = "-k2 --strand forward --overhang 0.5 --columns record,end,distance";
        let all = nigh.run(&format!("{common} --hits all <GA>TTACA r.fa")).text();
        assert!(all.lines().count() >= 1, "{all}");
        nigh.prints(&format!("{common} --hits best --best <GA>TTACA r.fa"), "a\t11\t1\n");
        nigh.prints(&format!("{common} --hits sites <GA>TTACA r.fa"), "a\t11\t1\n");
        nigh.prints(
            "-k2 --strand reverse --overhang 0.5 --hits sites TGTAA<TC> r.fa",
            "a\t6\t11\tTGTAA<TC>\t1\t-\t5=2S\tGATTA\n",
        );
    });
}

#[test]
fn costs_and_combinations_are_checked() {
    once(|nigh| {
        nigh.write("log", "a\n");
        nigh.fails("--overhang 1.5 abc log", "expected a cost from 0 to 1");
        nigh.fails("--overhang 0.5 --min-overlap 0 abc log", "expected a number, 1 or more");
        nigh.fails(
            "-k1 --overhang 0.5 ab+c log",
            "pattern 'ab+c': --overhang cannot be used with a regular expression",
        );
        nigh.write("s.fa", ">r\nACGT\n");
        nigh.fails(
            "-k1 --overhang 0.5 --format cas-offinder ACGT<NGG> s.fa",
            "--overhang cannot be used with --format cas-offinder",
        );
    });
}
