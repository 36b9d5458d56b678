//! `--ignore-gaps`: gaps of aligned sequences are printed but not searched.

use fastrand::Rng;

use crate::harness::{each_way, each_way_without_devices, once};
use crate::support::random::{rounds, seeded};

const ALIGNED: &str = ">a first\n--GAT-T\n.AC--A--\n>b\nGATTACA\n>c-.x\n-TGT-.A\r\n--\r\nATC-\r\n>d\n----\n";

#[test]
fn a_primer_is_found_in_an_aligned_sequence() {
    each_way(|nigh| {
        nigh.write("a.fa", ALIGNED);
        let rows = |columns: &str| format!("--ignore-gaps -k0 --columns {columns} GATTACA a.fa");
        nigh.prints(
            &rows(r"record,start,end,column\_start,column\_end,strand,match"),
            "a\t0\t7\t2\t13\t+\tGATTACA\nb\t0\t7\t0\t7\t+\tGATTACA\nc-.x\t0\t7\t1\t12\t-\tTGTAATC\n",
        );
        nigh.prints(&rows(r"column\_end,record"), "13\ta\n7\tb\n12\tc-.x\n");
        nigh.finds_nothing("-k0 --strand reverse GATTACA a.fa", "");
        nigh.prints("--ignore-gaps -k0 -o GATTACA a.fa", "GATTACA\nGATTACA\nTGTAATC\n");
        nigh.prints("--ignore-gaps -k0 -c GATTACA a.fa", "3\n");
        nigh.prints("--ignore-gaps -k0 -v GATTACA a.fa", "d\n");
        nigh.prints("--ignore-gaps -k0 -x --columns record GATTACA a.fa", "a\nb\nc-.x\n");
        let whole = ALIGNED.replace(">b\nGATTACA\n", "").replace(">d\n----\n", "");
        nigh.prints(
            "--ignore-gaps -k0 --format fasta GATTACA --within ..7 a.fa",
            ALIGNED.trim_end_matches(">d\n----\n"),
        );
        nigh.prints_with_input("--fasta --ignore-gaps -k0 --format fasta GATTACA -", &whole, &whole);
    });
}

#[test]
fn what_gaps_cannot_be_combined_with_is_refused() {
    once(|nigh| {
        nigh.write("a.fa", ALIGNED).write("r.fq", "@r\nACGT\n+\nIIII\n").write("t", "text\n");
        for option in ["--circular", "--fastq", "--text"] {
            nigh.fails(&format!("--ignore-gaps {option} ACGT a.fa"), "cannot be used with");
        }
        for (column, other) in [(r"column\_start", "start"), (r"column\_end", "end")] {
            let words =
                format!("--columns: column_{other} is for aligned sequences; add --ignore-gaps, or use {other}");
            nigh.fails(&format!("--columns record,{column} ACGT a.fa"), &words);
        }
        nigh.fails("--ignore-gaps -k0 ACGT r.fq", "r.fq: --ignore-gaps needs FASTA");
        nigh.fails("--ignore-gaps -k0 text t", "t: --ignore-gaps is for sequences");
    });
}

/// An aligned sequence.
struct Aligned {
    text: String,
    /// The residues.
    residues: String,
    /// The column of each residue.
    columns: Vec<usize>,
}

impl Aligned {
    /// Makes a record with random gaps and line ends.
    fn random(random: &mut Rng, residues: String) -> Self {
        let (mut text, mut columns, mut width) = (String::new(), Vec::new(), 0);
        let line_end = ["\n", "\r\n"][random.usize(0..2)];
        for residue in residues.chars() {
            while random.u8(0..3) == 0 {
                let piece = ["-", "-", ".", "-----------", line_end, " "][random.usize(0..6)];
                width += if piece.starts_with(['-', '.']) { piece.len() } else { 0 };
                text += piece;
            }
            columns.push(width);
            text.push(residue);
            width += 1;
        }
        Aligned { text: text + "-" + line_end, residues, columns }
    }

    /// Returns a row of the sequence without gaps, which begins with the record, the start and the end, with the columns
    /// of its match at the end.
    fn with_columns(&self, row: &str) -> String {
        let mut numbers = row.split('\t').skip(1).map(|field| field.parse::<usize>());
        let (start, end) = (numbers.next().unwrap().unwrap(), numbers.next().unwrap().unwrap());
        format!("{row}\t{}\t{}\n", self.columns[start], self.columns[end - 1] + 1)
    }
}

#[test]
fn matches_are_those_of_the_sequence_without_gaps() {
    const COLUMNS: &str = r"record,start,end,distance,strand,cigar,match,site,aligned\_match,1";
    each_way_without_devices(|nigh| {
        let mut random = seeded(34);
        let mut found = 0;
        for round in 0..rounds(25) {
            let letters = [&b"ACGT"[..], b"AC", b"ACGTNR"][round % 3];
            let bases = |random: &mut Rng, length: usize| -> String {
                (0..length).map(|_| char::from(*random.choice(letters).unwrap())).collect()
            };
            let lengths = [0, 1, 6, 60, 900, 5, 70];
            let records = lengths.map(|length| {
                let residues = bases(&mut random, length);
                Aligned::random(&mut random, residues)
            });
            let fasta = |text: fn(&Aligned) -> &str| -> String {
                let record = |(index, one): (usize, &Aligned)| format!(">{index}.- -\n{}\n", text(one));
                records.iter().enumerate().map(record).collect()
            };
            nigh.write("gaps.fa", fasta(|one| &one.text)).write("plain.fa", fasta(|one| &one.residues));
            let pattern = format!("({}){}", bases(&mut random, 4), bases(&mut random, 3));
            let option =
                ["", "--hits best", "--protein", "--within=2..", "--ambiguous any:2", "--best"][random.usize(0..6)];
            let arguments = format!("-k{} {option} {pattern}", round % 3);
            let rows = nigh.run(&format!("{arguments} --columns {COLUMNS} plain.fa")).text();
            let record_of = |row: &str| &records[row[..1].parse::<usize>().unwrap()];
            let expected: String = rows.lines().map(|row| record_of(row).with_columns(row)).collect();
            found += rows.lines().count();
            let gapped = format!("{arguments} --ignore-gaps --columns {COLUMNS},column\\_start,column\\_end");
            assert_eq!(nigh.run(&format!("{gapped} gaps.fa")).text(), expected, "{gapped}");
            let piped = nigh.run_with_input(&format!("--fasta {gapped} -"), fasta(|one| &one.text)).text();
            assert_eq!(piped, expected, "{gapped}");
            let form = ["json", "paf", "bed", "align", "count-matches", "ends", "histogram"][random.usize(0..7)];
            let of_form = |options: &str| nigh.run(&format!("{arguments} --format {form} {options}")).text();
            assert_eq!(
                of_form("--ignore-gaps gaps.fa"),
                of_form("plain.fa").replace("plain.fa", "gaps.fa"),
                "{form} {arguments}"
            );
        }
        assert!(found > 100, "only {found} rows");
    });
}
