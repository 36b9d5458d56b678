//! `--ambiguous`: letters of the text that stand for several residues.

use crate::harness::{each_way, once};

#[test]
fn a_letter_of_the_text_matches_what_it_can_stand_for() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nGATRACA\n>b\nGATYACA\n>c\nGANNACA\n>d\nGAT-ACA\n");
        nigh.finds_nothing("-k0 GATTACA r.fa", "");
        nigh.prints("-k0 -c --ambiguous any GATTACA r.fa", "2\n");
        nigh.prints(
            "-k0 --ambiguous any GATTACA r.fa",
            "b\t0\t7\tGATTACA\t0\t+\t7=\tGATYACA\nc\t0\t7\tGATTACA\t0\t+\t7=\tGANNACA\n",
        );
        nigh.prints("-k0 --ambiguous any:1 -l GATTACA r.fa", "r.fa\n");
        nigh.prints("-k0 --ambiguous any:1 -c GATTACA r.fa", "1\n");
        nigh.finds_nothing("-k0 --ambiguous any:0 -c GATTACA r.fa", "0\n");
        nigh.prints("-k0 --ambiguous any --strand reverse -c TGTAATC r.fa", "2\n");
        nigh.prints("-k0 --ambiguous any -c GATWACA r.fa", "3\n");
        nigh.prints("-k1 --ambiguous any:1 -c GATTACA r.fa", "3\n");
    });
}

#[test]
fn the_letters_of_a_match_of_an_expression_have_a_limit() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nGATRACA\n>b\nGATYACA\n>c\nGANNACA\n>d\nGAT-ACA\n");
        let row = |row: &str| row.replace(" ", "\t") + "\n";
        let (b, c) = (row("b 0 7 GA[CT]{1,70}ACA 0 + 7= GATYACA"), row("c 0 7 GA[CT]{1,70}ACA 0 + 7= GANNACA"));
        let options = "--strand forward --hits best GA[CT]{1,70}ACA r.fa";
        nigh.prints(&format!("-k0 --ambiguous any {options}"), &(b.clone() + &c));
        nigh.prints(&format!("-k0 --ambiguous any:1 {options}"), &b);
        nigh.finds_nothing(&format!("-k0 --ambiguous any:0 {options}"), "");
        let (a, d) = (row("a 0 7 GA[CT]{1,70}ACA 1 + 3=1X3= GATRACA"), row("d 0 7 GA[CT]{1,70}ACA 1 + 3=1X3= GAT-ACA"));
        nigh.prints(&format!("-k1 --ambiguous none:1 {options}"), &(a + &b + &d));
        nigh.prints(&format!("-k1 --ambiguous any:0 {options}"), &d);
    });
}

#[test]
fn case_and_uracil_make_no_difference() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\ngaurAca\n");
        nigh.prints("-k0 --ambiguous any --strand forward GATGACA r.fa", "a\t0\t7\tGATGACA\t0\t+\t7=\tgaurAca\n");
        nigh.prints("-k0 --ambiguous none --strand forward GATRACA r.fa", "a\t0\t7\tGATRACA\t0\t+\t7=\tgaurAca\n");
    });
}

#[test]
fn a_range_from_the_end_of_a_record_holds_for_matches_of_ambiguous_letters() {
    each_way(|nigh| {
        // So few ambiguous letters that only the text around them is searched for matches of them.
        let before = "T".repeat(400);
        nigh.write("r.fa", format!(">a\n{before}NCGTTTTTTT\n>b\n{before}NCGTTTTTTTTTT\n"));
        let options = "-k0 --strand forward --ambiguous any --within ..-9";
        nigh.prints(&format!("{options} ACGT r.fa"), "b\t400\t404\tACGT\t0\t+\t4=\tNCGT\n");
    });
}

#[test]
fn classes_of_amino_acids_match_their_members() {
    each_way(|nigh| {
        nigh.write("p.faa", ">a\nMKBL\n>b\nMKXL\n>c\nMKZL\n>d\nMK*L\n");
        nigh.finds_nothing("-k0 -c MKDL p.faa", "0\n");
        nigh.prints("-k0 -c --ambiguous any MKDL p.faa", "2\n");
        nigh.prints("-k0 -c --ambiguous any MKEL p.faa", "2\n");
        nigh.prints("-k0 -c --ambiguous any MKZL p.faa", "2\n");
    });
}

#[test]
fn the_distance_is_that_of_the_best_match_with_few_ambiguous_letters() {
    each_way(|nigh| {
        // The match of all seven bases has two ambiguous letters. A match without the first of these letters has one
        // edit.
        nigh.write("r.fa", ">a\nCCNATTNCACC\n");
        let all = "--strand forward --hits best --ambiguous any";
        nigh.prints(&format!("-k1 {all} GATTACA r.fa"), "a\t2\t9\tGATTACA\t0\t+\t7=\tNATTNCA\n");
        nigh.prints(&format!("-k1 {all}:1 GATTACA r.fa"), "a\t3\t9\tGATTACA\t1\t+\t1I6=\tATTNCA\n");
        nigh.finds_nothing(&format!("-k1 {all}:0 GATTACA r.fa"), "");
    });
}

#[test]
fn a_limit_keeps_runs_of_n_from_matching() {
    each_way(|nigh| {
        nigh.write("r.fa", format!(">a\n{}GATTNCA{}\n", "N".repeat(60), "N".repeat(60)));
        nigh.prints("-k1 --count-matches --hits best --ambiguous any:1 --strand forward GATTACA r.fa", "1\n");
        let run = nigh.run("-k1 --ambiguous any --strand forward GATTACA r.fa");
        assert!(run.text().lines().count() > 100, "without a limit, N matches everything");
        // Without --ambiguous, an N in the pattern matches an N in the text. The limit applies to it as well.
        nigh.prints("-k0 --ambiguous none:1 --strand forward -c GATTNCA r.fa", "1\n");
        nigh.finds_nothing("-k0 --ambiguous none:0 --strand forward -c GATTNCA r.fa", "0\n");
    });
}

#[test]
fn only_sequences_have_ambiguous_letters() {
    once(|nigh| {
        nigh.write("log", "a\n");
        nigh.fails("-k0 --ambiguous any a log", "--ambiguous is for sequences");
        nigh.fails("-k0 --ambiguous none:1 a log", "--ambiguous is for sequences");
        nigh.fails("-k0 --ambiguous some a log", "invalid value 'some' for --ambiguous");
    });
}
