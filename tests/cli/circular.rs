//! `--circular`: records are circles.

use crate::harness::{Nigh, each_way, each_way_without_devices, once};
use crate::support::random::{rounds, seeded};

#[test]
fn a_match_crosses_the_end_of_a_circle() {
    each_way(|nigh| {
        nigh.write("p.fa", ">pl\nTTGAATTACGCGTA\nCCGGCCTAGG\n>q\nAGGTTG\n>r\n\n>s\nGAAAGGTT\n");
        let found = "pl\t21\t29\tAGGTTGAA\t0\t+\t8=\tAGGTTGAA\n";
        nigh.prints(
            "--circular -k0 --strand forward AGGTTGAA p.fa",
            &format!("{found}s\t3\t11\tAGGTTGAA\t0\t+\t8=\tAGGTTGAA\n"),
        );
        nigh.prints(
            "--circular -k0 --strand reverse --columns record,start,end TTCAACCT p.fa",
            "pl\t21\t29\ns\t3\t11\n",
        );
        nigh.finds_nothing("-k0 AGGTTGAA p.fa", "");
        nigh.prints("--circular -k0 --strand forward -c AGGTTGAA p.fa", "2\n");
        nigh.prints("--circular -k0 --strand forward -l AGGTTGAA p.fa", "p.fa\n");
        nigh.prints("--circular -k0 --strand forward --count-matches AGGTTGAA p.fa", "2\n");
        nigh.prints(
            "--circular -k1 --best --strand forward --columns record,start,end AGGTTGAA p.fa",
            "pl\t21\t29\ns\t3\t11\n",
        );
        nigh.prints("--circular -k0 --strand forward -o AGGTTGAA p.fa", "AGGTTGAA\nAGGTTGAA\n");
        nigh.prints("--circular -k0 --strand forward -v AGGTTGAA p.fa", "q\nr\n");
        nigh.prints(
            "--circular -k0 --strand forward --columns record,start,end,1 (?:AGG)(TT) p.fa",
            "pl\t21\t26\tTT\nq\t0\t5\tTT\ns\t3\t8\tTT\n",
        );
        nigh.prints("--circular -k0 --protein --columns record,start,end GGTTGAA p.fa", "pl\t22\t29\ns\t4\t11\n");
    });
}

#[test]
fn what_circles_cannot_have_is_refused() {
    once(|nigh| {
        nigh.write("p.fa", ">pl\nTTGAATTACGCGTACCGGCCTAGG\n").write("r.fq", "@r\nACGT\n+\nIIII\n").write("t", "text\n");
        for format in ["sam", "paf", "bed", "fasta", "cas-offinder"] {
            let words = format!("--circular cannot be used with --format {format}; omit --circular");
            nigh.fails(&format!("--circular --format {format} ACGT p.fa"), &words);
        }
        for option in ["--within=2..", "--overhang=0.5", "--shard=1/2", "-x", "--fastq", "--text"] {
            nigh.fails(&format!("--circular {option} ACGT p.fa"), "cannot be used with");
        }
        nigh.fails("--circular -e ACGT --near 5 -e ACGA p.fa", "cannot be used with");
        for pattern in ["^ACGT", "ACGT$"] {
            nigh.fails(&format!("--circular {pattern} p.fa"), "'^' or '$', because a circle has no ends");
        }
        nigh.fails("--circular -k0 ACGT r.fq", "r.fq: --circular needs FASTA");
        nigh.fails("--circular -k0 text t", "t: --circular is for sequences");
    });
}

/// A hit: start, end, pattern, distance, strand, CIGAR and match.
type Row = (u64, u64, Vec<String>);

/// Returns the rows of the hits of each record.
fn rows(nigh: &Nigh, arguments: &str, records: usize) -> Vec<Vec<Row>> {
    let run = nigh.run(arguments);
    assert_eq!(run.stderr, "", "{arguments}");
    let mut rows = vec![Vec::new(); records];
    for line in run.text().lines() {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut number = || fields.next().unwrap().parse::<u64>().unwrap();
        let (record, start, end) = (number() as usize, number(), number());
        rows[record].push((start, end, fields.collect()));
    }
    rows
}

/// Returns the hits of a circle, given those of as many turns as `turns`: each end once, in the middle turn.
fn by_definition(rows: &[Row], length: u64, turns: u64) -> Vec<Row> {
    let middle = turns / 2 * length;
    let on_circle = rows.iter().filter(|(_, end, _)| (middle + 1..=middle + length).contains(end));
    let turned = on_circle.map(|(start, end, fields)| (start % length, start % length + end - start, fields.clone()));
    let mut rows: Vec<Row> = turned.collect();
    rows.sort();
    rows
}

#[test]
fn hits_of_a_circle_are_those_of_the_middle_of_several_turns() {
    const TURNS: usize = 9;
    each_way_without_devices(|nigh| {
        let mut random = seeded(21);
        for round in 0..rounds(25) {
            let letters = if round % 3 == 0 { "AC" } else { "ACGT" };
            let mut bases = |length: usize| -> String {
                (0..length).map(|_| char::from(letters.as_bytes()[random.usize(0..letters.len())])).collect()
            };
            let records: Vec<String> = [1, 3, 7, 9, 14, 40, 90].iter().map(|&length| bases(length)).collect();
            let pattern = bases(6) + if round % 2 == 0 { "N" } else { "" };
            let k = round % 3;
            let fasta = |turns: usize| -> String {
                let record = |(index, record): (usize, &String)| {
                    format!(">{index}\n{}\n", record.repeat(turns).replace("AC", "A\nC"))
                };
                records.iter().enumerate().map(record).collect()
            };
            nigh.write("one.fa", fasta(1)).write("many.fa", fasta(TURNS));
            // The best of overlapping matches in a repeat depend on the first one, however far away it is.
            let hits = if letters == "ACGT" && k < 2 && round % 2 == 0 { "best" } else { "all" };
            let arguments = format!("-k{k} --hits {hits} {pattern}");
            let found = rows(nigh, &format!("--circular {arguments} one.fa"), records.len());
            let turned = rows(nigh, &format!("{arguments} many.fa"), records.len());
            for (index, record) in records.iter().enumerate() {
                // A match of more than one turn is found in no or in some turns.
                let turns = record.len() / (pattern.len() + k);
                if turns < if hits == "best" { 4 } else { 1 } {
                    continue;
                }
                let mut found = found[index].clone();
                found.sort();
                let expected = by_definition(&turned[index], record.len() as u64, TURNS as u64);
                assert_eq!(found, expected, "{arguments} {record}");
            }
            let count = found.iter().filter(|rows| !rows.is_empty()).count();
            if hits == "all" {
                assert_eq!(
                    nigh.run(&format!("--circular {arguments} -c one.fa")).text(),
                    format!("{count}\n"),
                    "{arguments}"
                );
            }
        }
    });
}
