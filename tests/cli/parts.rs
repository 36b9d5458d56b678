//! Files that the workers read in parts.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{Nigh, Run, each_way, finish};

/// Searches a file, which is read in parts, and a pipe with the same text, which is read in order. Returns both runs.
fn both(nigh: &Nigh, arguments: &str, name: &str, text: &[u8]) -> [Run; 2] {
    let file = nigh.write(name, text).run(&format!("{arguments} --label pipe {name}"));
    [file, finish(nigh.command(&format!("{arguments} --label {name}")), text.to_vec())]
}

fn check(nigh: &Nigh, arguments: &str, name: &str, text: &[u8]) {
    let [file, pipe] = both(nigh, arguments, name, text);
    assert_eq!(file.text(), pipe.text(), "nigh {arguments}");
    assert_eq!((file.stderr, file.status), (pipe.stderr, pipe.status), "nigh {arguments}");
}

#[test]
fn a_file_and_a_pipe_give_the_same_output() {
    each_way(|nigh| {
        let long = format!("{} abc {}", "x".repeat(500), "y".repeat(500));
        let text = format!("\u{feff}abc first\r\nno\n\n{long}\nab\nlast äbc, no newline\0abc").into_bytes();
        for arguments in [
            "",
            "-c",
            "-cv",
            "-n",
            "-b",
            "-o",
            "-v",
            "-m2",
            "-C1 -n",
            "-l",
            "-L",
            "-q",
            "--format=ends",
            "-x",
            "-w",
            "-a",
        ] {
            check(nigh, &format!("-k1 {arguments} abc"), "t", &text);
        }
        let fasta =
            format!("\n>one the first\nACGT\nAC\n>two\n>three\n\n{}\nGATTACA\r\n\r\n>four", "TTTTACGTAC".repeat(40));
        for arguments in ["", "-c", "-cv", "-v", "-m1", "-l", "-q", "--header", "-x", "-m2"] {
            check(nigh, &format!("-k1 --fasta {arguments} ACGTAC"), "s", fasta.as_bytes());
        }
        for pattern in ["^ACG", "ACA$", "^", "$", "^$"] {
            check(nigh, &format!("-k0 --fasta -c {pattern}"), "s", fasta.as_bytes());
        }
    });
}

#[test]
fn the_sequences_of_gff_follow_its_annotation() {
    each_way(|nigh| {
        let annotation = "c1\tx\tgene\t1\t9\t.\t+\t.\tNote=ACGTAC>a\n".repeat(30);
        let records = format!(">c1 the first\nACGT\nAC\n>c2\n{}\n", "TTTTACGTAC\n".repeat(40));
        for line in ["##FASTA\n", "##FASTA\r\n", ""] {
            let gff = format!("##gff-version 3\n{annotation}{line}{records}");
            let expected = nigh.write("s.fa", &records).run("-k1 ACGTAC s.fa").text();
            assert!(expected.starts_with("c1\t0\t5\t"));
            for name in ["s.gff", "s"] {
                check(nigh, "-k1 --fasta ACGTAC", name, gff.as_bytes());
                nigh.prints(&format!("-k1 --fasta ACGTAC {name}"), &expected);
            }
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(gff.as_bytes()).unwrap();
            nigh.write("s.gff3.gz", packed.finish().unwrap());
            nigh.prints("-k1 --fasta ACGTAC s.gff3.gz", &expected);
        }
        let none = format!("##gff-version 3\n{annotation}##FASTA\n");
        let words = "GFF without sequences after a line '##FASTA'; search the FASTA file that it annotates";
        nigh.write("n.gff", &none).fails("-k0 --fasta ACGTAC n.gff", &format!("nigh: n.gff: {words}"));
        let run = nigh.run_with_input("-k0 --fasta ACGTAC", &none);
        assert!(run.stderr.contains(words) && run.status == Some(2), "{}", run.stderr);
    });
}

#[test]
fn invalid_fasta_fails_once_and_at_the_same_line_as_in_a_pipe() {
    each_way(|nigh| check(nigh, "-k0 --fasta ACGT", "s", &b"\n\nACGT\n>r\nACGT\n".repeat(20)));
}

#[test]
fn compressed_files_are_searched_as_a_stream() {
    each_way(|nigh| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&b">r\nACGT\n".repeat(50)).unwrap();
        nigh.write("s.fa.gz", encoder.finish().unwrap());
        nigh.prints("-k0 -c ACGT s.fa.gz", "50\n");
    });
}

#[test]
fn a_limit_in_one_file_does_not_end_the_next() {
    each_way(|nigh| {
        let text = "abc\n".repeat(3000);
        nigh.write("a", &text).write("b", &text).write("c", "abc\nno\n");
        nigh.prints("-k0 -m2 abc a b c", "a:abc\na:abc\nb:abc\nb:abc\nc:abc\n");
        nigh.prints("-k0 -l abc a b c", "a\nb\nc\n");
        nigh.prints("-k0 -c abc a b c", "a:3000\nb:3000\nc:1\n");
    });
}
