//! `--within`: matches inside a range of positions of each line or record.

use fastrand::Rng;

use crate::harness::{each_way, each_way_without_devices, once};

#[test]
fn a_match_is_inside_a_range_of_its_line() {
    each_way(|nigh| {
        nigh.write("log", "warn: disk\nthe warning\nwarn, warn\nnothing\n");
        nigh.prints("-k0 --within 0..4 warn log", "warn: disk\nwarn, warn\n");
        nigh.finds_nothing("-k0 --within 0..3 -c warn log", "0\n");
        nigh.prints("-k0 --within 4.. -n warn log", "2:the warning\n3:warn, warn\n");
        nigh.prints("-k0 --within -4.. warn log", "warn, warn\n");
        nigh.prints("-k0 --within=-7..-3 -o warn log", "warn\n");
        nigh.prints("-k0 --within ..-1 -v warn log", "nothing\n");
        nigh.prints("-k0 --within 4.. -o --column warn log", "5:warn\n7:warn\n");
        nigh.prints("-k1 --within 0..3 --cost warn log", "1:warn: disk\n1:warn, warn\n");
    });
}

#[test]
fn the_abbreviation_with_is_the_option_of_grep() {
    once(|nigh| {
        nigh.write("log", "warn\n");
        nigh.prints("--with -k0 warn log", "log:warn\n");
        nigh.prints("--withi 0..4 -k0 warn log", "warn\n");
    });
}

#[test]
fn positions_in_lines_are_bytes() {
    each_way(|nigh| {
        nigh.write("words", "日本語 x\nab x\n");
        nigh.prints("-k0 --within 10.. x words", "日本語 x\n");
        nigh.prints("-k0 --within ..4 x words", "ab x\n");
    });
}

#[test]
fn a_line_longer_than_a_batch_has_positions() {
    each_way(|nigh| {
        let line = format!("{}needle{}\n", "x".repeat(300), "y".repeat(200));
        nigh.write("long", &line);
        nigh.prints("-k0 --within 300..306 -c needle long", "1\n");
        nigh.prints("-k0 --within -206..-200 -c needle long", "1\n");
        nigh.finds_nothing("-k0 --within 301.. -c needle long", "0\n");
        nigh.finds_nothing("-k0 --within -205.. -c needle long", "0\n");
    });
}

#[test]
fn a_range_selects_ends_of_records_on_both_strands() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nGATTACAC\nCCCCCCCC\nTGTAATC\n>b\nCCGATTACA\n");
        let row = |line: &str| line.replace(' ', "\t") + "\n";
        let first = row("a 0 7 GATTACA 0 + 7= GATTACA");
        let reverse = row("a 16 23 GATTACA 0 - 7= TGTAATC");
        let second = row("b 2 9 GATTACA 0 + 7= GATTACA");
        nigh.prints("-k0 --within 0..7 GATTACA r.fa", &first);
        nigh.prints("-k0 --within -7.. GATTACA r.fa", &(reverse.clone() + &second));
        nigh.prints("-k0 --within 1.. GATTACA r.fa", &(reverse.clone() + &second));
        nigh.prints("-k0 --within ..-1 GATTACA r.fa", &first);
        nigh.prints("-k0 --within 10..23 --strand reverse GATTACA r.fa", &reverse);
    });
}

#[test]
fn a_match_outside_the_range_hides_none_inside() {
    each_way(|nigh| {
        nigh.write("r.fa", ">a\nGATTACAGATTAC\n");
        // Without the range, the exact match at 0 is better than the matches that overlap it.
        nigh.prints(
            "-k1 --strand forward --hits best --within 1.. --format bed ATTACAG r.fa",
            "a\t1\t8\tATTACAG\t1000\t+\n",
        );
        nigh.prints(
            "-k1 --strand forward --hits best --within 2.. --format tsv ATTACAG r.fa",
            "a\t2\t8\tATTACAG\t1\t+\t1I6=\tTTACAG\n",
        );
    });
}

/// Returns the rows whose columns 2 and 3 are in the range.
fn inside(rows: &str, from: i64, to: i64, length: i64) -> String {
    let place = |bound: i64| if bound < 0 { (length + bound).max(0) } else { bound };
    let is_inside = |row: &&str| {
        let columns: Vec<&str> = row.split('\t').collect();
        let at = |index: usize| columns[index].parse::<i64>().unwrap();
        place(from) <= at(1) && at(2) <= place(to)
    };
    rows.lines().filter(is_inside).map(|row| format!("{row}\n")).collect()
}

#[test]
fn exact_matches_are_those_of_the_whole_record_in_the_range() {
    each_way_without_devices(|nigh| {
        let mut rng = Rng::with_seed(11);
        let bases: String = (0..700).map(|_| *rng.choice(&['A', 'C']).unwrap()).collect();
        let wrapped: Vec<&str> = (0..70).map(|row| &bases[10 * row..10 * row + 10]).collect();
        nigh.write("r.fa", format!(">r\n{}\n", wrapped.join("\n")));
        let all = nigh.run("-k0 ACCA r.fa").text();
        for (from, to) in [(0, 30), (100, 300), (-50, 700), (20, -20), (-300, -100), (5, 650)] {
            let end = if to == 700 { String::new() } else { to.to_string() };
            nigh.prints(&format!("-k0 --within {from}..{end} ACCA r.fa"), &inside(&all, from, to, 700));
        }
    });
}

#[test]
fn wrong_ranges_and_empty_patterns_are_refused() {
    once(|nigh| {
        nigh.write("log", "a\n");
        nigh.fails("--within 5 a log", "invalid value '5' for --within: expected START..END, START.. or ..END");
        nigh.fails("--within 9..3 a log", "the range is empty");
        nigh.fails("-k0 --within 0..3 -e a -e ^$ log", "--within cannot be used with a pattern without symbols");
    });
}

#[test]
fn a_range_from_the_end_of_a_record_holds_matches_of_expressions() {
    each_way(|nigh| {
        nigh.write("tail.fa", ">r\nCCGTACCC\nAAAAAAAG\n>s\nAT\n");
        let row = |line: &str| line.replace(' ', "\t") + "\n";
        let tail = row("r 8 15 A{6,10} 0 + 7= AAAAAAA");
        nigh.prints("-k0 --strand forward --hits best --within=-10.. A{6,10} tail.fa", &tail);
        nigh.prints("-k0 --strand forward --hits best --within=6.. A{6,10} tail.fa", &tail);
        let short = row("s 0 1 A{1,2}T? 0 + 1= A") + &row("s 0 2 A{1,2}T? 0 + 2= AT");
        nigh.prints("-k0 --strand forward --within=-4..2 A{1,2}T? tail.fa", &short);
    });
}
