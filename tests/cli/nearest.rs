//! `--best=record`: the hits with the smallest distance in each record.

use std::collections::BTreeMap;

use crate::harness::{each_way, once};

/// Two barcodes; a read has one, both, or neither.
const BARCODES: &str = "bc1\tACGTACGGT\nbc2\tACGTTCGGT\n";

fn reads() -> String {
    let reads = ["TTACGTACGGTCC", "TTACGTTCGGTCC", "ACGTGCGGTTTTT", "ACCGAACGTCCCC", "GGGGGGGGG", "ACGTACGGTACGTTCGGT"];
    let read = |(number, bases): (usize, &&str)| format!("@read{number}\n{bases}\n+\n{}\n", "I".repeat(bases.len()));
    reads.iter().enumerate().map(read).collect()
}

#[test]
fn a_read_has_its_nearest_barcodes() {
    each_way(|nigh| {
        nigh.write("bc.tsv", BARCODES).write("r.fq", reads());
        let arguments = "-k2s --hits best --best=record -f bc.tsv r.fq";
        let rows = nigh.run(arguments).text();
        let names: Vec<String> =
            rows.lines().map(|row| [0, 3, 4].map(|at| row.split('\t').nth(at).unwrap()).join(" ")).collect();
        // The third read has both barcodes at the same distance, so both are printed. The fourth read has a barcode on
        // the reverse strand.
        assert_eq!(names[..4], ["read0 bc1 0", "read1 bc2 0", "read2 bc1 1", "read2 bc2 1"]);
        assert!(names.ends_with(&["read5 bc1 0".to_owned(), "read5 bc2 0".to_owned()]), "{rows}");
        nigh.prints("-k2s -f bc.tsv r.fq -c", "5\n");
        nigh.prints(&format!("{arguments} --count-matches"), &format!("{}\n", names.len()));
        nigh.prints(
            &format!("{arguments} -m2 --header"),
            &format!(
                "record\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n{}",
                rows.split_inclusive('\n').take(2).collect::<String>()
            ),
        );
        let histogram = nigh.run(&format!("{arguments} --format=histogram")).text();
        assert_eq!(histogram, "0\t5\n1\t2\n2\t0\n");
    });
}

/// Returns the rows of a table of eight columns that have the smallest distance in their record.
fn nearest(table: &str) -> String {
    let record_and_distance = |row: &str| {
        let columns: Vec<&str> = row.split('\t').collect();
        (columns[0].to_owned(), columns[4].parse::<u32>().unwrap())
    };
    let mut least = BTreeMap::new();
    for (record, distance) in table.lines().map(record_and_distance) {
        least.entry(record).and_modify(|least: &mut u32| *least = distance.min(*least)).or_insert(distance);
    }
    let is_nearest = |row: &&str| {
        let (record, distance) = record_and_distance(row);
        least[&record] == distance
    };
    table.split_inclusive('\n').filter(is_nearest).collect()
}

/// Returns records, some larger than a batch, with matches at many distances.
fn genome() -> String {
    let mut random = fastrand::Rng::with_seed(11);
    let record = |number: usize| {
        let length = [40, 900, 7, 3000, 0, 250][number % 6];
        let bases: Vec<u8> = (0..length).map(|_| random.choice(b"ACGT".iter().copied()).unwrap()).collect();
        let lines: Vec<&str> = bases.chunks(61).map(|line| std::str::from_utf8(line).unwrap()).collect();
        format!(">r{number} x\n{}\n", lines.join("\n"))
    };
    (0..18).map(record).collect()
}

#[test]
fn the_nearest_rows_do_not_depend_on_where_batches_are_cut() {
    once(|nigh| {
        nigh.write("s.fa", genome());
        for hits in ["all", "best"] {
            let arguments = format!("-k4 --hits {hits} -e ACGTACGTA -e GGATTACA s.fa");
            let expected = nearest(&nigh.run(&format!("-j1 {arguments}")).text());
            assert!(expected.len() > 1000);
            for size in [1, 2, 7, 64, 500, 1 << 20] {
                let run = nigh.run(&format!("-j3 --batch-size {size} --best=record {arguments}"));
                assert!(run.text() == expected && run.stderr.is_empty(), "--hits {hits} in batches of {size}");
            }
        }
        for format in ["bed", "paf", "json", "sites", "sam"] {
            let arguments = format!("-k4 --format {format} --best=record -e ACGTACGTA -e GGATTACA s.fa");
            let rows = |options: &str| {
                let text = nigh.run(&format!("{options} {arguments}")).text();
                text.lines().filter(|line| !line.starts_with("@PG")).map(str::to_owned).collect::<Vec<_>>()
            };
            let whole = rows("-j1");
            assert!(whole.len() > 20);
            for size in [1, 50, 500] {
                assert!(rows(&format!("-j2 --batch-size {size}")) == whole, "{format} in batches of {size}");
            }
        }
    });
}

#[test]
fn paf_rows_have_the_lengths_of_their_records() {
    each_way(|nigh| {
        let filler = "CCCCCCCCC\n".repeat(40);
        nigh.write("s.fa", format!(">a\nGATTCCA\n{filler}GATTACA\n{filler}>b\nGATTAC\n>c\nGATTACA\n{filler}"));
        let row = |record: &str, length: u32, start: u32| {
            format!("GATTACA\t7\t0\t7\t+\t{record}\t{length}\t{start}\t{}\t7\t7\t255\tNM:i:0\tcg:Z:7=\n", start + 7)
        };
        nigh.prints("-k0 --best=record --format paf GATTACA s.fa", &(row("a", 734, 367) + &row("c", 367, 0)));
        let run = nigh.run("-k1 --hits best --best=record --format paf GATTACA s.fa").text();
        assert!(run.starts_with(&row("a", 734, 367)) && run.ends_with(&row("c", 367, 0)), "{run}");
        assert_eq!(run.lines().count(), 3, "{run}");
    });
}

#[test]
fn the_nearest_rows_of_lines_are_those_of_ends_and_alignments() {
    each_way(|nigh| {
        nigh.write("t", "deadlok deadlock\nno\ndedlok\n");
        nigh.prints(
            "-k2 --format=ends --hits best --best=record deadlock t",
            "t\t16\t0\tdeadlock\nt\t26\t2\tdeadlock\n",
        );
        let run = nigh.run("-k2 -c --best=record deadlock t");
        let message = "nigh: warning: --best=record has no effect with --count\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("2\n", message));
        nigh.fails("-k2 --best=record -v deadlock t", "cannot be used with");
    });
}

#[test]
fn nearest_rows_before_damage_are_printed() {
    once(|nigh| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        let text = format!(">r\nGATTCCA\nGATTACA\n{}", "CCCCCCC\n".repeat(2000));
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        let whole = encoder.finish().unwrap();
        nigh.write("s.fa.gz", &whole[..whole.len() / 2]);
        for (options, rows) in
            [("", 1), ("--format paf", 1), ("--format sam", 4), ("--count-matches", 1), ("--format=histogram", 2)]
        {
            let run =
                nigh.fails(&format!("-k1 --hits best --best=record {options} GATTACA s.fa.gz"), "corrupt or truncated");
            assert_eq!(run.text().lines().count(), rows, "{options}: {}", run.text());
        }
    });
}
