//! Tables of hits in sequences.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{each_way, once, shipped};

#[test]
fn a_hit_is_a_row_of_eight_columns() {
    each_way(|nigh| {
        nigh.write("s.fa", ">one first\nTTTTACGTAC\nGTTT\n>two\nttacGtaccg\n");
        nigh.prints("-k0 --strand=forward ACGTACG s.fa", "one\t4\t11\tACGTACG\t0\t+\t7=\tACGTACG\n");
        nigh.prints(
            "-k1 --strand forward --header ACGTACCG s.fa",
            "record\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n\
             one\t4\t11\tACGTACCG\t1\t+\t5=1I2=\tACGTACG\n\
             two\t2\t9\tACGTACCG\t1\t+\t7=1I\tacGtacc\n\
             two\t2\t10\tACGTACCG\t0\t+\t8=\tacGtaccg\n",
        );
    });
}

#[test]
fn the_reverse_strand_has_forward_coordinates() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nAAAACCCGTAAAA\n");
        nigh.prints("-k0 ACGGG s.fa", "r\t4\t9\tACGGG\t0\t-\t5=\tCCCGT\n");
        nigh.prints("-k0 --strand=reverse CCCGT s.fa", "");
        nigh.write("p.fa", ">r\nTTACGTTT\n");
        nigh.prints("-k0 ACGT p.fa", "r\t2\t6\tACGT\t0\t+\t4=\tACGT\nr\t2\t6\tACGT\t0\t-\t4=\tACGT\n");
    });
}

#[test]
fn iupac_codes_are_sets_of_bases() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nACNGTRAUUA\n");
        let ends = |pattern: &str| {
            let run = nigh.run(&format!("-k0 --strand=forward {pattern} s.fa"));
            run.text().lines().map(|row| row.split('\t').nth(2).unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(ends("NNNG"), ["4"]);
        assert_eq!(ends("ACAG"), [""; 0]);
        assert_eq!(ends("TR"), ["6", "10"]);
        assert_eq!(ends("RR"), ["7"]);
        assert_eq!(ends("ATTA"), ["10"]);
        assert_eq!(ends("[AG]AW{2}"), ["9"]);
    });
}

#[test]
fn layout_of_the_file_does_not_matter() {
    each_way(|nigh| {
        let row = "r\t5\t12\tGATTACA\t0\t+\t7=\tGATTACA\n";
        let layouts = [
            ">r\nCCCCCGATTACAC\n",
            ">r some words\r\nCCCCCGAT\r\nTACAC\r\n",
            "\n>r\nCCCC\n\nCGATTACAC",
            ">e\n>r\nC\nC\nC\nC\nC\nG\nA\nT\nT\nA\nC\nA\nC\n>last",
        ];
        for layout in layouts {
            nigh.write("s.fna", layout);
            nigh.prints("-k0 GATTACA s.fna", row);
        }
        nigh.prints_with_input("-k0 --fasta GATTACA", ">\nGATTACA\n", "\t0\t7\tGATTACA\t0\t+\t7=\tGATTACA\n");
    });
}

#[test]
fn no_match_crosses_the_end_of_a_record() {
    each_way(|nigh| {
        nigh.write("s.fa", ">a\nGATT\n>b\nACA\n");
        nigh.prints("-k2 GATTACA s.fa", "");
    });
}

#[test]
fn compressed_files_of_several_members_are_read() {
    each_way(|nigh| {
        let member = |text: &str| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let whole = [member(">r\nCCCCCGAT"), member("TACAC\n")].concat();
        nigh.write("s.fa.gz", &whole).write("cut.fa.gz", &whole[..whole.len() - 9]);
        nigh.prints("-k0 GATTACA s.fa.gz", "r\t5\t12\tGATTACA\t0\t+\t7=\tGATTACA\n");
        let run = nigh.fails("-k0 GATTACA cut.fa.gz", "cut.fa.gz: corrupt or truncated gzip data");
        assert_eq!(run.text(), "r\t5\t12\tGATTACA\t0\t+\t7=\tGATTACA\n", "the text before the damage must be searched");
        nigh.write("padded.fa.gz", [&whole[..], &[0; 600]].concat());
        nigh.prints("-k0 -c GATTACA padded.fa.gz", "1\n");
        nigh.write("junk.fa.gz", [&whole[..], b"junk"].concat());
        assert_eq!(nigh.fails("-k0 -c GATTACA junk.fa.gz", "garbage after the gzip data").text(), "1\n");
        nigh.write("marked.fa.gz", member("\u{feff}>r\nGATTACA\n"));
        nigh.prints("-k0 -c GATTACA marked.fa.gz", "1\n");
        nigh.write("log.gz", member("deadlok\n"));
        nigh.prints("-k1 deadlock log.gz", "deadlok\n");
    });
}

#[test]
fn records_are_counted_listed_and_limited_as_lines_are() {
    each_way(|nigh| {
        nigh.write("s.fa", ">a\nGATTACAGATTACA\n>b\nCCCC\n>c\nGATTACACC\nCCCC\n>d\nGATT\n").write("n.fa", ">x\nCCCC\n");
        nigh.prints("-k0 -c GATTACA s.fa", "2\n");
        nigh.prints("-k0 -c GATTACA s.fa n.fa", "s.fa:2\nn.fa:0\n");
        nigh.prints("-k0 -cv GATTACA s.fa", "2\n");
        nigh.prints("-k0 -v GATTACA s.fa", "b\nd\n");
        nigh.prints("-k0 -l GATTACA s.fa n.fa", "s.fa\n");
        nigh.prints("-k0 -L GATTACA s.fa n.fa", "n.fa\n");
        let run = nigh.run("-k0 -m1 GATTACA s.fa");
        assert_eq!(run.text().lines().count(), 2, "both rows of the first record");
        let mut command = nigh.command("-c");
        command.args(["", "s.fa"]);
        assert_eq!(crate::harness::finish(command, Vec::new()).text(), "4\n");
        nigh.prints("-k0 -x GATTACACCCCCC s.fa", "c\t0\t13\tGATTACACCCCCC\t0\t+\t13=\tGATTACACCCCCC\n");
        nigh.prints("-k0 -H CCCCCC s.fa", "s.fa\tc\t7\t13\tCCCCCC\t0\t+\t6=\tCCCCCC\n");
    });
}

#[test]
fn amino_acids_have_one_strand_and_classes() {
    each_way(|nigh| {
        nigh.write("p.faa", ">p\nMKVLBWXQ*\n");
        nigh.prints("-k0 JBW p.faa", "p\t3\t6\tJBW\t0\t+\t3=\tLBW\n");
        nigh.prints("-k0 LDW p.faa", "");
        nigh.write("p.fa", ">p\nMKVLBWXQ*\n");
        nigh.prints("-k1 --protein KVIB p.fa", "p\t1\t5\tKVIB\t1\t+\t2=1X1=\tKVLB\n");
    });
}

#[test]
fn the_start_of_the_lambda_genome_is_found() {
    each_way(|nigh| {
        let run = nigh.run(&format!("-k3 GGGCGGCGACCTCGCGGGTT {}", shipped("lambda.fa").display()));
        let text = run.text();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 7);
        assert!(rows[3].ends_with("\t0\t20\tGGGCGGCGACCTCGCGGGTT\t0\t+\t20=\tGGGCGGCGACCTCGCGGGTT"));
    });
}

#[test]
fn more_rows_than_a_worker_keeps_are_printed_in_order() {
    each_way(|nigh| {
        let text = |bases: usize| format!(">a\n{}\n>b\nACGTAAAAAAAAAAAAAAAAAAAAAAAA\n", "A".repeat(bases));
        nigh.write("s.fa", text(200_000));
        let run = nigh.run("-k0 --strand forward --header AAAAAAAAAAAAAAAAAAAA s.fa");
        assert!(run.stdout.len() > 9 << 20, "the output must be larger than a worker keeps");
        let output = run.text();
        let mut rows = output.lines().skip(1);
        let mut ends = rows.by_ref().map(|row| row.split('\t').nth(2).unwrap().parse::<usize>().unwrap());
        assert!((20..=200_000).all(|end| ends.next() == Some(end)));
        assert_eq!(ends.collect::<Vec<_>>(), [24, 25, 26, 27, 28]);
    });
}

#[test]
fn an_edge_alone_selects_a_record_wherever_it_is_cut() {
    each_way(|nigh| {
        for header in 1..9 {
            let text = format!(">{}\nACGT\n>s\n\n>t\nA", "r".repeat(header));
            nigh.prints_with_input("-k0 --fasta -c ^", &text, "3\n");
            nigh.prints_with_input("-k0 --fasta -c $", &text, "3\n");
            nigh.prints_with_input("-k0 --fasta -c ^$", &text, "1\n");
        }
        nigh.write("s.fa", ">r\nACGT\n>s\n").prints("-k0 --format fasta ^$ s.fa", ">s\n");
        nigh.fails("-k0 ^ s.fa", "has no hits to print");
    });
}

#[test]
fn text_can_be_forced() {
    each_way(|nigh| {
        nigh.write("s.fa", ">one\nACGT\n");
        nigh.prints("-k0 --text one s.fa", ">one\n");
        nigh.fails("-k0 one s.fa", "'o' is not an IUPAC nucleotide code");
    });
}

#[test]
fn records_have_the_format_of_their_first_byte() {
    each_way(|nigh| {
        let row = "r\t0\t8\tACGTGGCA\t0\t+\t8=\tACGTGGCA\n";
        nigh.write("q.fa", "@r\nACGTGGCA\n+\nIIIIIIII\n").write("f.fq", "\n>r\nACGTGG\nCA\n");
        nigh.prints("-k0 ACGTGGCA q.fa f.fq", &row.repeat(2));
        nigh.prints_with_input("-k0 --fasta ACGTGGCA", "@r\nACGTGGCA\n+\nIIIIIIII\n", row);
        for name in ["s.seq", "s.fas", "s.fsa", "s.frn", "s.MFA"] {
            nigh.write(name, ">r\nACGTGG\nCA\n").prints(&format!("-k0 ACGTGGCA {name}"), row);
            nigh.write(name, "r ACGTGGCA\n").prints(&format!("-k0 ACGTGGCA {name}"), "r ACGTGGCA\n");
        }
    });
}

#[test]
fn unsupported_formats_are_named_with_a_remedy() {
    each_way(|nigh| {
        let mut bam = GzEncoder::new(Vec::new(), Compression::fast());
        bam.write_all(b"BAM\x01 and more").unwrap();
        let bam = bam.finish().unwrap();
        nigh.write("x.bam", &bam).write("x.cram", "CRAM\x03\0").write("x.2bit", "\x43\x27\x41\x1a");
        nigh.write("a.fa", ">r\nACGT\n").write("text.bam", "text ACGT\n");
        let row = "r\t0\t4\tACGT\t0\t+\t4=\tACGT\n";
        for (file, words) in [
            ("x.bam", "BAM is not supported; use 'samtools fasta x.bam | nigh --fasta ...'"),
            ("x.cram", "CRAM is not supported; use 'samtools fasta x.cram | nigh --fasta ...'"),
            ("x.2bit", "2bit is not supported; use 'twoBitToFa x.2bit stdout | nigh --fasta ...'"),
        ] {
            let run = nigh.fails(&format!("-k0 --strand=forward ACGT {file} a.fa"), &format!("nigh: {file}: {words}"));
            assert_eq!(run.text(), row);
        }
        nigh.prints("-k0 ACGT text.bam", "text ACGT\n");
        let run = nigh.run_with_input("-k0 --fasta ACGT", &bam);
        assert!(run.stderr.contains("BAM is not supported") && run.status == Some(2), "{}", run.stderr);
    });
}

#[test]
fn a_file_that_cannot_be_searched_does_not_stop_the_others() {
    each_way(|nigh| {
        nigh.write("app.log", "a deadlock\n").write("z.fa", ">r\nACGT\n");
        let run = nigh
            .fails("-k0 deadlock app.log z.fa", "nigh: z.fa: pattern 'deadlock': 'e' is not an IUPAC nucleotide code");
        assert_eq!(run.text(), "app.log:a deadlock\n");
        assert!(
            run.stderr.ends_with("; use --text to search lines, or --protein to search amino acids\n"),
            "{}",
            run.stderr
        );
        let run = nigh.fails("-k0 -w ACGT z.fa app.log", "nigh: z.fa: --word-regexp is for lines of text");
        assert_eq!(run.text(), "");
        nigh.fails("-k0 -w ACGT z.fa", "nigh: z.fa: --word-regexp is for lines of text");
        let run = nigh.fails("-k0 --format bed ACGT z.fa app.log", "nigh: app.log: --format bed is for sequences");
        assert_eq!(run.text().lines().count(), 2);
        nigh.prints("-k0 -a deadlock app.log z.fa", "app.log:a deadlock\n");
    });
}

#[test]
fn text_that_looks_like_sequences_is_reported_once() {
    once(|nigh| {
        let fasta = ">r\nCCCCACGTGG\nCATTTTTTTT\n";
        nigh.write("a.txt", fasta).write("b.txt", fasta);
        let run = nigh.run("-k0 ACGTGGCA a.txt b.txt");
        let words = "looks like FASTA, but is searched as text; use --fasta to search its sequences\n";
        assert_eq!((run.stderr, run.status), (format!("nigh: a.txt: {words}"), Some(1)));
        let run = nigh.run_with_input("-k0 -c ACGTGG", fasta);
        assert_eq!((run.text(), run.stderr), ("1\n".to_owned(), format!("nigh: (standard input): {words}")));
        let fastq = "@r\nCCCCACGTGGCA\n+\nIIIIIIIIIIII\n";
        assert!(nigh.run_with_input("-k0 -c ACGTGG", fastq).stderr.contains("; use --fastq to search its sequences"));
        let sam = "r\t16\tc\t1\t60\t12M\t*\t0\t0\tCCCCACGTGGCA\tIIIIIIIIIIII\n";
        for sam in [sam.to_owned(), format!("@HD\tVN:1.6\tSO:coordinate\n{sam}")] {
            let run = nigh.run_with_input("-k0 -c ACGTGG", &sam);
            let words = "looks like SAM, but is searched as text; \
                         use 'samtools fasta FILE | nigh --fasta ...' to search its sequences\n";
            assert_eq!((run.text(), run.stderr), ("1\n".to_owned(), format!("nigh: (standard input): {words}")));
        }
        let gff = format!("##gff-version 3\nc\tx\tgene\t1\t9\n##FASTA\n{fasta}");
        let run = nigh.write("a.gff", &gff).run("-k0 -c ACGTGG a.gff");
        let gff_words = "looks like GFF with FASTA, but is searched as text; use --fasta to search its sequences\n";
        assert_eq!((run.text(), run.stderr), ("1\n".to_owned(), format!("nigh: a.gff: {gff_words}")));
        nigh.prints("-k0 -c gene a.gff", "1\n");
        for (text, name) in [(fasta, "FASTA"), (fastq, "FASTQ"), (sam, "SAM")] {
            let run = nigh.run_with_input("-k0 -c ACGTGG", format!("\u{feff}{text}"));
            let start = format!("nigh: (standard input): looks like {name}, but");
            assert!(run.stderr.starts_with(&start), "{name} after a mark: {}", run.stderr);
        }
        let run = nigh.write("marked.txt", format!("\u{feff}{fasta}")).run("-k0 ACGTGGCA marked.txt");
        assert_eq!(run.stderr, format!("nigh: marked.txt: {words}"));
        for quiet in ["-k0 -c -a ACGTGG", "-k0 -c -s ACGTGG", "-k0 -c ACGTGG.?"] {
            assert_eq!(nigh.run_with_input(quiet, fasta).stderr, "", "{quiet}");
        }
        assert_eq!(nigh.run_with_input("-k0 -c ACGTGG", "> ACGTGG\nis a word\n").stderr, "");
        nigh.fails("-k0 --max-hits 9 ACGTGG a.txt", "--fasta if the input holds sequences");
    });
}

#[test]
fn a_header_that_contains_all_lines_is_reported() {
    once(|nigh| {
        nigh.write("mac.fa", ">chr1\rACGTACGT\r>chr2\rACGT\r").write("dos.fa", ">chr1\r\nACGTACGT\r\n");
        let run = nigh.run("-k0 -c ACGT mac.fa dos.fa");
        let message = "nigh: mac.fa: lines end with carriage returns only, so the first header includes the sequence; \
                       convert the line ends with tr '\\r' '\\n'\n";
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("mac.fa:0\ndos.fa:1\n", message));
        assert_eq!(run.status, Some(2));
        assert_eq!(nigh.run("-s -k0 -c ACGT mac.fa dos.fa").stderr, "");
    });
}
