//! FASTQ records.

use crate::harness::each_way;

const READS: &str = "@one first\nTTGATTACA\n+\n@@@@@@@@@\n\
                     @two\r\nCCGAT\r\nTACAC\r\n+two\r\n+@III\r\nIIIII\r\n\
                     @empty\n\n+\n\n\
                     @\nGATTACA\n+\nGATTACA\n\
                     @last\nGATTACAT\n+\n@GATTACA";

const ROWS: &str = "one\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n\
                    two\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n\
                    \t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\n\
                    last\t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\n";

#[test]
fn records_of_fastq_have_coordinates_of_residues() {
    each_way(|nigh| {
        nigh.write("r.fq", READS).write("r.fastq", READS).write("r.txt", READS).write("s.fa", ">f\nGATTACA\n");
        nigh.prints("-k0 GATTACA r.fq", ROWS);
        nigh.prints("-k0 GATTACA r.fastq", ROWS);
        nigh.prints_with_input("-k0 --fastq GATTACA", READS, ROWS);
        nigh.prints("-k0 --fasta --fastq GATTACA r.txt", ROWS);
        nigh.prints("-k0 -c GATTACA r.fq s.fa", "r.fq:4\ns.fa:1\n");
        nigh.prints("-k0 -cv GATTACA r.fq", "1\n");
        nigh.prints("-k0 -v GATTACA r.fq", "empty\n");
        nigh.prints("-k0 -x GATTACA r.fq", "\t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\n");
        nigh.prints("-k0 -l TGTAATC r.fq s.fa", "r.fq\ns.fa\n");
        nigh.prints("-k0 --text -c GATTACA r.fq", "5\n");
        nigh.prints_with_input("-k0 --fastq -c GATTACA", format!("\u{feff}\n{READS}\n\n"), "4\n");
        nigh.finds_nothing("-k0 -c --fastq GATTACA /dev/null", "0\n");
    });
}

#[test]
fn a_read_longer_than_a_batch_is_whole() {
    each_way(|nigh| {
        let residues = format!("{}GATTACA{}", "C".repeat(30_000), "C".repeat(3000));
        let quality = "@".repeat(residues.len());
        nigh.write("long.fq", format!("@a\n{residues}\n+\n{quality}\n@b\nGATTACA\n+\n@IIIIII\n"));
        nigh.prints(
            "-k0 GATTACA long.fq",
            "a\t30000\t30007\tGATTACA\t0\t+\t7=\tGATTACA\nb\t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\n",
        );
    });
}

#[test]
fn records_before_a_malformed_one_are_searched() {
    each_way(|nigh| {
        nigh.write("good.fq", "@g\nGATTACA\n+\nIIIIIII\n");
        for (bad, words) in [
            (
                "@b\nGATTACA\n+\nIIIIII\n@c\nGATTACA\n+\nIIIIIII\n",
                "record 'b': quality has 6 characters but the sequence has 7",
            ),
            ("@b\nGATTACA\n+\nIIII", "record 'b': quality has 4 characters but the sequence has 7"),
            ("@b\nGATT", "record 'b': the input ends before the quality"),
            ("@b\nGATTACA\n@c\nGATTACA\n+\nIIIIIII\n", "record 'b': the quality is missing"),
            (">b\nGATTACA\n", "a FASTQ record must begin with '@'"),
        ] {
            nigh.write("bad.fq", format!("@a\nGATTACA\n+\nIIIIIII\n{bad}"));
            let run = nigh.fails("-k0 -H -c GATTACA bad.fq good.fq", &format!("nigh: bad.fq:5: {words}\n"));
            assert_eq!(run.text(), "bad.fq:1\ngood.fq:1\n", "{bad:?}");
        }
    });
}
