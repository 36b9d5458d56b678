//! Sources of patterns: files in several formats, and smart case.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{each_way, once};

#[test]
fn patterns_of_fasta_and_fastq_have_names() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTACATT\n");
        let rows = "r\t2\t8\tother\t0\t-\t6=\tGATTAC\nr\t2\t9\tfirst\t0\t+\t7=\tGATTACA\n";
        let fasta = ">first one\nGAT\nTACA\n>other\nGTAATC\n";
        nigh.write("p.fna", fasta).write("p", fasta).write("crlf", fasta.replace('\n', "\r\n"));
        nigh.write("p.fq", "@first one\nGATTACA\n+\nIIIIIII\n@other\nGTAATC\n+\n@@@@@@\n");
        nigh.write("q", "@first\nGATTACA\n+\nIIIIIII\n@other\nGTAATC\n+\n@@@@@@\n");
        for file in ["p.fna", "p", "crlf", "p.fq", "q"] {
            nigh.prints(&format!("-k0 -f {file} s.fa"), rows);
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(fasta.as_bytes()).unwrap();
        nigh.write("p.fa.gz", packed.finish().unwrap());
        nigh.prints("-k0 -f p.fa.gz s.fa", rows);
    });
}

#[test]
fn patterns_in_columns_have_names_and_bounds() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTACATT\n>q\nCCGATTTCACC\n");
        nigh.write("p", "exact\tGATTACA\t0\nloose\tGATTACA\t1s\nGATTACA\n");
        nigh.prints(
            "-k0 --strand forward -f p s.fa",
            "r\t2\t9\texact\t0\t+\t7=\tGATTACA\nr\t2\t9\tloose\t0\t+\t7=\tGATTACA\nr\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n\
             q\t2\t9\tloose\t1\t+\t4=1X2=\tGATTTCA\n",
        );
        // In patterns for text, a tab is an ordinary symbol, unless the name of the file ends with .tsv.
        nigh.write("words.tsv", "lock\tdeadlock\t1\nlive\tlivelock\r\n").write("tabs", "a\tb\n");
        nigh.write("text", "deadlok\nlivelok\na\tb\n");
        nigh.prints("-k0 --format=ends -f words.tsv text", "text\t7\t1\tlock\n");
        nigh.prints("-k0 -f tabs text", "a\tb\n");
        nigh.prints("-k0 -F -f tabs text", "a\tb\n");
    });
}

#[test]
fn a_carriage_return_at_the_end_of_a_line_is_no_part_of_a_pattern() {
    each_way(|nigh| {
        nigh.write("text", "a deadlock\nlivelock\nlivelock\r\n");
        nigh.write("p", "deadlock\r\n").write("last", "deadlock\r").write("cr", "lock\\r\r\n").write("empty", "\r\n");
        nigh.prints("-k0 -f p text", "a deadlock\n");
        nigh.prints("-k0 -F -f p text", "a deadlock\n");
        nigh.prints("-k0 -f last text", "a deadlock\n");
        nigh.prints("-k0 -f cr text", "livelock\r\n");
        nigh.prints("-k0 -c -f empty text", "3\n");
    });
}

#[test]
fn lines_of_text_that_look_like_fasta_are_patterns() {
    each_way(|nigh| {
        nigh.write("p", ">a\n@b\n").write("text", "x >a\ny @b\nz\n");
        nigh.prints("-k0 -f p text", "x >a\ny @b\n");
        nigh.write("p.fa", ">a\n").prints("-k0 -a -f p.fa text", "x >a\n");
        nigh.write("words.fa", ">greeting\nhel\nlo\n").write("hello", "say helo\n");
        nigh.prints("-k1 -f words.fa hello", "say helo\n");
    });
}

#[test]
fn short_patterns_of_several_in_a_file_have_fewer_edits() {
    each_way(|nigh| {
        nigh.write("names", "ab\nabcdef\nc\nwxyz\n").write("t", "abcdxf\nax\nxx\nwx\nC\n");
        let warning = "nigh: warning: 2 patterns, such as 'ab', would match everywhere, so they have fewer edits: 1 with k = 1, 1 with k = 0\n";
        let run = nigh.run("-x -F -k2 -f names t");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("abcdxf\nax\nwx\n", warning));
        nigh.write("s.fa", ">r\nTTGATTACATT\n").write("p", "b1\tC\nb2\tGATTACC\n");
        let run = nigh.run("-k1 --strand forward --hits best --columns name,start,distance -f p s.fa");
        assert_eq!(run.text(), "b1\t7\t0\nb2\t2\t1\n");
        assert!(run.stderr.ends_with("pattern 'b1' would match everywhere, so it has fewer edits: 1 with k = 0\n"));
        // A pattern alone, one that is an argument, and one with its own k are errors.
        nigh.write("one", "ab\n").fails("-x -F -k2 -f one t", "one:1: pattern 'ab': -k 2 would match everywhere");
        nigh.fails("-x -F -k2 -f names -e ab t", "pattern 'ab': -k 2 would match everywhere");
    });
}

#[test]
fn errors_in_a_pattern_file_name_its_line() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTACATT\n");
        nigh.write("bad", "a\tACGT\t1\nb\tACGT\tx\n");
        nigh.fails("-f bad s.fa", "bad:2: invalid k 'x': expected");
        nigh.write("short", "a\tACGT\t1\nb\tACGT\t4\n");
        nigh.fails("-f short s.fa", "short:2: pattern 'b': k = 4 would match everywhere");
        nigh.write("wide", "a\tACGT\t1\tmore\n");
        nigh.fails("-f wide s.fa", "wide:1: 4 columns");
        nigh.write("empty", "\n>a\nACGT\n>b\n>c\nAC\n");
        nigh.fails("-f empty s.fa", "empty:4: pattern 'b' has no residues");
        nigh.write("letters", ">a\nACGT\nACGT\n>b\nACXT\n");
        nigh.fails("-f letters s.fa", "letters:4: pattern 'b': 'X' is not an IUPAC nucleotide code");
        nigh.write("half.fq", "@a\nACGT\n+\nII\n");
        nigh.fails("-f half.fq s.fa", "nigh: half.fq:1: record 'a': quality has 2 characters but the sequence has 4\n");
        nigh.fails("-f missing s.fa", "nigh: missing: No such file or directory");
    });
}

#[test]
fn empty_lines_are_no_patterns_in_tables_and_for_sequences() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTACATT\n").write("text", "deadlock\nother\n");
        nigh.write("p", "GATTACA\n\n").write("p.tsv", "\none\tGATTACA\n\r\n");
        nigh.prints("-k0 --strand forward -f p s.fa", "r\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\n");
        nigh.prints("-k0 --strand forward -f p.tsv s.fa", "r\t2\t9\tone\t0\t+\t7=\tGATTACA\n");
        nigh.write("words.tsv", "lock\tdeadlock\n\n").prints("-k0 -f words.tsv text", "deadlock\n");
        nigh.write("blank", "\n\n").finds_nothing("-k0 -f blank s.fa", "");
        // An empty line of a list is a pattern for text, as in grep, but not for sequences.
        nigh.write("lines", "deadlock\n\n").prints("-k0 -c -f lines text", "2\n");
        nigh.fails("-k0 -e GATTACA -f blank --text --fasta s.fa", "cannot be used with");
        let both = "r\t2\t9\tGATTACA\t0\t+\t7=\tGATTACA\ntext:deadlock\ntext:other\n";
        nigh.prints("-k0 -f p s.fa text", both);
    });
}

#[test]
fn edges_hold_in_records_too() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nGATTACATT\n>s\nTTGATTACA\n");
        nigh.write("p.fa", ">start\n^GAT\nTACA\n>end\nGATTACA$\n>both\n^GATTACATT$\n>not\n^ATTACA\n");
        nigh.prints(
            "-k0 --strand forward -f p.fa s.fa",
            "r\t0\t7\tstart\t0\t+\t7=\tGATTACA\nr\t0\t9\tboth\t0\t+\t9=\tGATTACATT\ns\t2\t9\tend\t0\t+\t7=\tGATTACA\n",
        );
        nigh.write("q.fa", ">\n^GATTACA\n");
        nigh.prints("-k0 --strand forward -f q.fa s.fa", "r\t0\t7\t^GATTACA\t0\t+\t7=\tGATTACA\n");
        nigh.write("pam.fa", ">g\n^GATT<ACA>\n");
        nigh.prints("-k0 --exact-group --strand forward -f pam.fa s.fa", "r\t0\t7\tg\t0\t+\t7=\tGATTACA\n");
    });
}

#[test]
fn words_have_a_start_and_an_end() {
    each_way(|nigh| {
        nigh.write("text", "lock\ndeadlock\nlocker\na lock, b\n");
        nigh.prints(r"-k0 \<lock text", "lock\nlocker\na lock, b\n");
        nigh.prints(r"-k0 lock\> text", "lock\ndeadlock\na lock, b\n");
        nigh.prints(r"-k0 \<lock\> text", "lock\na lock, b\n");
        nigh.prints(r"-k1 -o \<lovk\> text", "lock\nlock\n");
        nigh.prints(r"-k0 --bytes -c \<lock\> text", "2\n");
        nigh.write("s.fa", ">s\nACGT\n")
            .fails(r"-k0 \<ACGT s.fa", "are not supported in sequences, which have no words");
    });
}

#[test]
fn case_is_ignored_unless_a_pattern_has_upper_case() {
    each_way(|nigh| {
        nigh.write("text", "Deadlock\ndeadlock\nDEADLOCK\n");
        nigh.prints("-0 -S deadlock text", "Deadlock\ndeadlock\nDEADLOCK\n");
        nigh.prints("-0 -S Deadlock text", "Deadlock\n");
        nigh.prints("-0 -S -e deadlock -e X text", "deadlock\n");
        nigh.prints(r"-0 -S deadl\Sck text", "Deadlock\ndeadlock\nDEADLOCK\n");
        nigh.prints("-0 -S deadl[O]ck text", "");
        nigh.prints("-0 -i -S Deadlock text", "Deadlock\n");
        nigh.prints("-0 -S -i Deadlock text", "Deadlock\ndeadlock\nDEADLOCK\n");
        nigh.prints("-0 -i --no-ignore-case deadlock text", "deadlock\n");
        nigh.prints("-1 -S deadlocx text", "Deadlock\ndeadlock\nDEADLOCK\n");
    });
}

#[test]
fn twenty_thousand_patterns_are_searched() {
    once(|nigh| {
        let mut rng = 1_u64;
        let mut base = || {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b"ACGT"[(rng >> 60) as usize & 3])
        };
        let text: String = (0..20_000).map(|_| base()).collect();
        let mut patterns = String::new();
        for number in 0..20_000 {
            let planted = &text[number % 19_000..][..15 + number % 46];
            let other: String = (0..planted.len()).map(|_| base()).collect();
            patterns += &format!("p{number}\t{}\t0\n", if number % 1000 == 0 { planted } else { &other });
        }
        nigh.write("s.fa", format!(">r\n{text}\n")).write("p", patterns);
        let run = nigh.run("--engine cpu --strand forward -f p s.fa");
        assert_eq!((run.text().lines().count(), run.status), (20, Some(0)), "{}", run.stderr);
    });
}

#[test]
fn tables_from_spreadsheets_have_headers_comments_and_empty_columns() {
    once(|nigh| {
        nigh.write("g.fa", ">s\nGGTTACGATCGATTAGGCC\n");
        let row = "s\t4\t14\tg1\t0\t+\t10=\tACGATCGATT\n";
        for table in [
            "name\tguide\tk\ng1\tACGATCGATT\t0\n",
            "# ordered in May\ng1\tACGATCGATT\t0\t\t\r\n",
            "\n#\nID\tSequence\r\n# more\ng1\tACGATCGATT\t\r\n",
        ] {
            nigh.write("p.tsv", table).write("p", table);
            nigh.prints("-k0 --strand forward -f p.tsv g.fa", row);
            nigh.prints("-k0 --strand forward -f p g.fa", row);
        }
        nigh.write("p", "ACGATCGATT\nname\tguide\tk\n").fails("-f p g.fa", "p:2: invalid k 'k'");
        nigh.write("t", "# x\nname\n").write("p.tsv", "name\tpattern\tk\n#\t# x\t0\n").prints("-f p.tsv t", "# x\n");
    });
}

#[test]
fn inosine_stands_for_any_base() {
    once(|nigh| {
        nigh.write("g.fa", ">s\nGGTTACGATCGATTAGGCC\n");
        for pattern in ["ACGATIGATT", "acgatigatt", "ACGAT[I]GATT", "ACGA(TI|GGI)GATT"] {
            let run = nigh.run(&format!("-k0 --strand forward --columns start,end {pattern} g.fa"));
            assert_eq!((run.text().as_str(), run.stderr.as_str()), ("4\t14\n", ""), "{pattern}");
        }
        nigh.write("p.faa", ">p\nMIV\n").write("pairs", "a\tACGIT\tGICCT\n");
        nigh.finds_nothing("-k0 MNV p.faa", "");
        let run = nigh.run("nigh-pcr -k0 --lengths 5..20 --format bed pairs g.fa");
        assert_eq!((run.text().as_str(), run.stderr.as_str()), ("s\t4\t19\ta\t1000\t+\n", ""));
    });
}
