//! Formats of hits in sequences, checked as programs that read them parse them.

use crate::harness::{Nigh, each_way, once};
use crate::support::random::is_thorough;
use crate::tools;

/// Returns records of some hundred bases in several lines, with lower case, ambiguous bases, an empty record and no
/// final line break. Both strands contain variants of [`PATTERN`].
fn genome() -> String {
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = String::new();
    for record in 0..4 {
        text += &format!(">chr{record} of four\n");
        let mut bases = String::new();
        for site in 0..9 {
            bases.extend(
                (0..random.usize(0..70)).map(|_| random.choice(b"ACGTacgtN".iter().copied()).map(char::from).unwrap()),
            );
            bases +=
                ["GATTACAGATTC", "GAATCTGTAATC", "GATTCAGATTC", "gaatctgtaaatc", "GATTACTGATTC"][(record + site) % 5];
        }
        let lines: Vec<&str> = bases.as_bytes().chunks(23).map(|line| std::str::from_utf8(line).unwrap()).collect();
        text += &lines.join(["\n", "\r\n"][record % 2]);
        text += "\n";
        if record == 1 {
            text += ">empty\n";
        }
    }
    text.trim_end().to_owned()
}

const PATTERN: &str = "GATTACAGATTC";

fn column(row: &str, index: usize) -> &str {
    row.split('\t').nth(index).unwrap()
}

#[test]
fn bed_has_six_columns_that_bedtools_finds_in_the_genome() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r some words\nAAAAGATTACAGATTC\n>q\nGAATCTGTATC\n");
        let bed = "r\t4\t16\tGATTACAGATTC\t1000\t+\nq\t0\t11\tGATTACAGATTC\t916\t-\n";
        let run = nigh.run("-k1 --format bed GATTACAGATTC s.fa");
        assert!(bed.lines().all(|row| run.text().lines().any(|printed| printed == row)), "{}", run.text());
    });
    once(|nigh| {
        if !tools::has("bedtools") {
            return;
        }
        nigh.write("s.fa", genome().replace('\r', ""));
        let table = nigh.run(&format!("-k2 {PATTERN} s.fa")).text();
        let bed = nigh.run(&format!("-k2 --format bed {PATTERN} s.fa")).stdout;
        let found = tools::output("bedtools", "getfasta -tab -fi s.fa -bed -", nigh.path(), &bed);
        let found: Vec<&str> = found.lines().map(|row| column(row, 1)).collect();
        let table = by_start(&table);
        let matches: Vec<&str> = table.iter().map(|row| column(row, 7)).collect();
        assert!(matches.len() > 100);
        assert_eq!(found, matches);
    });
}

/// Returns SAM output without the @PG line.
fn sam(nigh: &Nigh, arguments: &str) -> String {
    let run = nigh.run(arguments);
    assert_eq!(run.stderr, "");
    let text = run.text();
    let program: Vec<&str> = text.lines().filter(|line| line.starts_with("@PG\tID:nigh\tPN:nigh\tVN:")).collect();
    assert_eq!(program.len(), 1);
    assert!(program[0].contains("\tCL:") && program[0].ends_with(&arguments.replace('_', " ")), "{}", program[0]);
    text.lines().filter(|line| !line.starts_with("@PG")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn sam_names_all_records_before_the_first_row() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r one\nCCGAT\nTACA\n>e\n>q\nTGTAATG")
            .write("t.fa", ">t\nAAA\n>r\nCCGATTACA\n")
            .write("u.fa", ">r\nA\n");
        let header = "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:r\tLN:9\n@SQ\tSN:q\tLN:7\n";
        let rows = "GATTACAT\t0\tr\t3\t255\t7=1I\t*\t0\t0\tGATTACAT\t*\tNM:i:1\n\
                    GATTACAT\t272\tq\t1\t255\t1I6=1X\t*\t0\t0\tATGTAATC\t*\tNM:i:2\n";
        assert_eq!(
            sam(nigh, "-k1 --format sam -m1 GATTACAT s.fa"),
            format!("{header}{}\n", rows.lines().next().unwrap())
        );
        assert!(sam(nigh, "-k2 --format sam GATTACAT s.fa").starts_with(header));
        assert!(sam(nigh, "-k2 --format sam GATTACAT s.fa").contains(rows.lines().nth(1).unwrap()));
        let both = sam(nigh, "-k0 --format sam GATTACA s.fa t.fa");
        assert!(both.starts_with(&format!("{header}@SQ\tSN:t\tLN:3\nGATTACA\t")), "{both}");
        assert_eq!(both.lines().filter(|line| line.contains("\tr\t3\t")).count(), 2);
    });
}

#[test]
fn one_row_of_each_read_is_its_primary_line() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nCCGATTACCC\n>q\nGATTACACGTAATC\n").write("t.fa", ">t\nGATTACA\nCCCCCC\n");
        let flags = |arguments: &str| {
            let rows = sam(nigh, arguments);
            let rows = rows.lines().filter(|row| !row.starts_with('@'));
            rows.map(|row| [0, 1, 11].map(|index| column(row, index)).join(" ")).collect::<Vec<_>>()
        };
        let expected = ["GATTACA 256 NM:i:1", "GATTACA 0 NM:i:0", "GATTACA 272 NM:i:1", "GATTACA 256 NM:i:0"];
        assert_eq!(flags("-k1 --hits best --format sam GATTACA s.fa t.fa"), expected);
        // Patterns with the same name count as the same read.
        nigh.write("p.tsv", "a\tGATTACC\na\tGTAATCG\n");
        let rows = flags("-k1 --hits best --format sam -f p.tsv s.fa");
        let primary: Vec<_> = rows.iter().filter(|row| row.starts_with("a 0 ") || row.starts_with("a 16 ")).collect();
        assert!(rows.len() > 3 && primary == ["a 16 NM:i:0"], "{rows:?}");
    });
    once(|nigh| {
        if !tools::has("samtools") {
            return;
        }
        nigh.write("s.fa", genome());
        let written = nigh.run(&format!("-k3 --format sam -e {PATTERN} -e GATTCWGATTC s.fa")).stdout;
        let counted = tools::output("samtools", "view -c -F 0x900 -", nigh.path(), &written);
        assert_eq!(counted, "2\n");
    });
}

#[test]
fn a_record_that_sam_cannot_name_does_not_hide_others() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nCCGATTACA\n").write("u.fa", ">r\nGATTACA\n>q\nGATTACA\n>r\nA\n");
        let run = nigh.fails(
            "-k0 --format sam GATTACA s.fa u.fa",
            "u.fa: record 'r' and 1 other: records with this name differ in length; the header has the greatest length",
        );
        let text = run.text();
        assert!(text.starts_with("@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:r\tLN:9\n@SQ\tSN:q\tLN:7\n@PG"), "{text}");
        let places: Vec<_> = text.lines().filter(|row| !row.starts_with('@')).map(|row| column(row, 3)).collect();
        assert_eq!(places, ["3", "1", "1"]);
        nigh.write("n.fa", ">\nGATTACA\n>a,b\nCC\n>b\nGATTACAC\n>c\nGATTACA\n");
        let run = nigh.fails(
            "-k1 --hits best --format sam GATTACA n.fa",
            "n.fa: record '' and 1 other: SAM does not allow the name",
        );
        let rows: Vec<_> = run.text().lines().filter(|row| !row.starts_with("@PG")).map(str::to_owned).collect();
        let row =
            |record: &str, flag: u32| format!("GATTACA\t{flag}\t{record}\t1\t255\t7=\t*\t0\t0\tGATTACA\t*\tNM:i:0");
        assert_eq!(rows[1..], ["@SQ\tSN:b\tLN:8", "@SQ\tSN:c\tLN:7", &row("b", 0), &row("c", 256)]);
        // The header is printed even if there are no rows.
        nigh.fails("-k0 --format sam --stats CCCCCC n.fa", "n.fa: record '' and 1 other: SAM does not allow the name");
    });
}

#[test]
fn sam_without_rows_has_a_header() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nCCCC\n").write("none.fa", "");
        assert_eq!(sam(nigh, "-k0 --format sam GATTACA s.fa"), "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:r\tLN:4\n");
        assert_eq!(sam(nigh, "-k0 --format sam GATTACA none.fa"), "@HD\tVN:1.6\tSO:unknown\n");
        assert_eq!(nigh.run("-k0 --format sam GATTACA none.fa").status, Some(1));
    });
}

#[test]
fn names_of_patterns_are_those_that_sam_allows() {
    once(|nigh| {
        nigh.write("s.fa", format!(">r\n{}\n", "ACGT".repeat(80)));
        let long = "ACGT".repeat(70);
        let rows = sam(nigh, &format!("-k0 --strand forward --format sam -e [AC][@C]GTACGT{{2}} -e {long} s.fa"));
        assert!(rows.contains("\npattern2\t0\tr\t1\t255\t280=\t"), "{rows}");
    });
}

#[test]
fn samtools_reads_sam_and_counts_the_same_edits() {
    once(|nigh| {
        if !tools::has("samtools") {
            return;
        }
        nigh.write("s.fa", genome().replace('\r', "").replace("N", "A"));
        let written = nigh.run(&format!("-k3 --format sam -e {PATTERN} -e GATTCWGATTC s.fa")).stdout;
        nigh.write("s.sam", &written);
        let tool = |arguments: &str| tools::output("samtools", arguments, nigh.path(), b"");
        tool("sort -o sorted.bam s.sam");
        tool("quickcheck sorted.bam");
        tool("index sorted.bam");
        let rows =
            |text: &str| text.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect::<Vec<_>>();
        let own = rows(std::str::from_utf8(&written).unwrap());
        assert!(own.len() > 300);
        assert_eq!(rows(&tool("view -h s.sam")), own);
        let checked = rows(&tool("calmd s.sam s.fa"));
        let edits = |row: &String| column(row, 11).to_owned();
        let plain = |row: &&String| !row.starts_with("GATTCW");
        assert_eq!(
            checked.iter().filter(plain).map(edits).collect::<Vec<_>>(),
            own.iter().filter(plain).map(edits).collect::<Vec<_>>()
        );
    });
}

#[test]
fn paf_has_the_length_of_its_record() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r one\nCCGAT\nTACA\nCC\n>e\n>q\nTGTAATCC");
        let expected = "GATTACA\t7\t0\t7\t+\tr\t11\t2\t9\t7\t7\t255\tNM:i:0\tcg:Z:7=\n\
                        GATTACA\t7\t0\t7\t-\tq\t8\t0\t7\t7\t7\t255\tNM:i:0\tcg:Z:7=\n";
        nigh.prints("-k0 --format paf GATTACA s.fa", expected);
        nigh.prints("-k0 --format paf -m1 GATTACA s.fa", &expected[..expected.find('\n').unwrap() + 1]);
        nigh.write("p.faa", ">p\nMKVLBWXQ*\n");
        nigh.prints("-k1 --format paf KVIB p.faa", "KVIB\t4\t0\t4\t+\tp\t9\t1\t5\t3\t4\t255\tNM:i:1\tcg:Z:2=1X1=\n");
        nigh.write("i.fa", ">i\nAACCGATGGTT\n");
        nigh.prints(
            "-k1 --strand forward --format paf AACCGACTGGTT i.fa",
            "AACCGACTGGTT\t12\t0\t12\t+\ti\t11\t0\t11\t11\t12\t255\tNM:i:1\tcg:Z:6=1I5=\n",
        );
    });
}

#[test]
fn paf_has_the_length_of_its_record_if_rows_are_written_before_their_batch_ends() {
    once(|nigh| {
        let lengths = [("a", 12_000), ("b", 20_000), ("c", 100), ("d", 9_000)];
        let fasta = lengths.map(|(name, length)| format!(">{name}\n{}\n", "A".repeat(length)));
        // The rows of a batch have more than 8 MiB.
        nigh.write("s.fa", fasta.concat()).write("p.tsv", format!("{}\tA\t0\n", "n".repeat(1_200)));
        let run = nigh.run("-j1 --batch-size 8K --strand forward --format paf -f p.tsv s.fa");
        let text = run.text();
        let mut rows = text.lines().map(|row| row.split('\t').skip(5).take(2).collect::<Vec<_>>());
        for (name, length) in lengths {
            assert!(rows.by_ref().take(length).all(|row| row == [name, &length.to_string()]), "{name}");
        }
        assert!(rows.next().is_none());
    });
}

#[test]
fn json_rows_are_objects_with_the_fields_of_the_table() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r one\nCCGAT\r\nTACA\n");
        let object = r#"{"record":"r","start":2,"end":9,"pattern":"GATTACA","distance":0,"strand":"+","cigar":"7=","match":"GATTACA"}"#;
        nigh.prints("-k0 --format json GATTACA s.fa", &format!("{object}\n"));
        nigh.prints(
            "-k0 --format json -H GATTACA s.fa",
            &format!("{}\n", object.replacen('{', "{\"file\":\"s.fa\",", 1)),
        );
        nigh.prints_with_input("-k0 --fasta --format json ACG", b">\xff\nACG\n", "{\"record\":{\"bytes\":\"/w==\"},\"start\":0,\"end\":3,\"pattern\":\"ACG\",\"distance\":0,\"strand\":\"+\",\"cigar\":\"3=\",\"match\":\"ACG\"}\n");
    });
    once(|nigh| {
        if !tools::has("jq") {
            return;
        }
        nigh.write("s.fa", genome());
        let table = nigh.run(&format!("-k2 {PATTERN} s.fa")).text();
        let json = nigh.run(&format!("-k2 --format json {PATTERN} s.fa")).stdout;
        let fields = "[.record,.start,.end,.pattern,.distance,.strand,.cigar,.match]|@tsv";
        assert_eq!(tools::output("jq", &format!("-r {fields}"), nigh.path(), &json), table);
    });
}

#[test]
fn whole_records_are_printed_as_they_stand() {
    each_way(|nigh| {
        let (a, b, c, d) = (">a first\r\nGATT\r\nACA\r\n\r\n", ">b\nCCCC\n", "> c\nTG\nTA\n\nATC\n>d", ">d\nGATTACA");
        nigh.write("s.fa", format!("\n\n{a}{b}{}{d}", &c[..c.len() - 2])).write("t.fa", b).write("u.fa", d);
        let c = &c[..c.len() - 2];
        nigh.prints("-k0 --format fasta GATTACA s.fa", &format!("{a}{c}{d}\n"));
        nigh.prints("-k0 --format fasta -v GATTACA s.fa", b);
        nigh.prints("-k0 --format fasta -m2 GATTACA s.fa", &format!("{a}{c}"));
        nigh.prints("-k0 --format fasta -m1 GATTACA u.fa t.fa s.fa", &format!("{d}\n{a}"));
        nigh.prints("-k0 --format fasta -v -m1 GATTACA u.fa t.fa s.fa", &format!("{b}{b}"));
        nigh.prints("-k0 --format fasta -v CCCCCC s.fa", &format!("{a}{b}{c}{d}\n"));
        nigh.finds_nothing("-k0 --format fasta CCCCCC s.fa", "");
    });
}

#[test]
fn records_of_fastq_keep_their_quality() {
    each_way(|nigh| {
        let (a, b, c) = ("@a first\nGATTACA\n+\n@IIIII+\n", "@b\nCCC\n+b\nIII\n", "@c\r\nTGTAATC\r\n+\r\nIIIIIII");
        nigh.write("r.fq", [a, b, c].concat());
        nigh.prints("-k0 --format fasta GATTACA r.fq", &[a, c, "\n"].concat());
        nigh.prints("-k0 --format fasta -v GATTACA r.fq", b);
        nigh.prints("-k0 --format bed GATTACA r.fq", "a\t0\t7\tGATTACA\t1000\t+\nc\t0\t7\tGATTACA\t1000\t-\n");
        assert!(
            sam(nigh, "-k0 --format sam GATTACA r.fq")
                .contains("\n@SQ\tSN:a\tLN:7\n@SQ\tSN:b\tLN:3\n@SQ\tSN:c\tLN:7\n")
        );
    });
}

#[test]
fn a_record_that_does_not_fit_into_memory_is_printed_whole() {
    each_way(|nigh| {
        let filler = "ACCCGGT\n".repeat(if is_thorough() { 20_000 } else { 5000 });
        let (early, late, none) =
            (format!(">early\nGATTACA\n{filler}"), format!(">late\n{filler}GATTACA\n"), format!(">none\n{filler}"));
        nigh.write("s.fa", [&*early, &none, &late].concat());
        assert!(nigh.run("-k0 --format fasta GATTACA s.fa").text() == [&*early, &late].concat());
        assert!(nigh.run("-k0 --format fasta -v GATTACA s.fa").text() == none);
    });
}

#[test]
fn a_format_does_not_depend_on_where_batches_are_cut() {
    once(|nigh| {
        nigh.write("s.fa", genome());
        for format in ["tsv", "bed", "paf", "json", "fasta"] {
            let whole = nigh.run(&format!("-k2 -j1 --format {format} {PATTERN} s.fa"));
            assert!(whole.stdout.len() > 1000 && whole.stderr.is_empty());
            for size in [1, 2, 3, 7, 50, 333] {
                let cut = nigh.run(&format!("-k2 -j3 --batch-size {size} --format {format} {PATTERN} s.fa"));
                assert!(cut.stdout == whole.stdout, "{format} in batches of {size}");
            }
        }
        let whole = nigh.run(&format!("-k2 --format sam {PATTERN} s.fa")).text();
        for size in [1, 5, 50] {
            let cut = nigh.run(&format!("-k2 --batch-size {size} --format sam {PATTERN} s.fa")).text();
            let rows = |text: &str| {
                text.lines().filter(|line| !line.starts_with("@PG")).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(rows(&cut), rows(&whole));
        }
    });
}

/// Returns the rows of a table that begins with the columns record and start, sorted by start within each record. The
/// sort is stable.
fn by_start(table: &str) -> Vec<String> {
    let mut rows: Vec<&str> = table.lines().collect();
    for record in rows.chunk_by_mut(|a, b| column(a, 0) == column(b, 0)) {
        record.sort_by_key(|row| column(row, 1).parse::<u64>().unwrap());
    }
    rows.into_iter().map(str::to_owned).collect()
}

#[test]
fn rows_of_bed_and_sites_are_in_order_of_their_starts() {
    once(|nigh| {
        nigh.write("s.fa", genome());
        nigh.write("p.txt", format!("{PATTERN}\nTTAC\nGGATTACAGATTCA\n"));
        nigh.write("g.txt", "GATTACAG<ATTC>\n<GATT>ACAGATTC\n");
        let mut reordered = 0;
        for options in [
            "-k2 -f p.txt",
            "-k3 --hits best -f p.txt",
            "-k2 --hits sites -f g.txt",
            "-k2 --best=record -f p.txt",
            "-k2 --max-hits 20 -f p.txt",
            "-k2 -m 2 -f p.txt",
        ] {
            let table = nigh.run(&format!("{options} --columns record,start,end,pattern,strand s.fa")).text();
            let expected = by_start(&table);
            assert!(expected.len() > 5, "{options}");
            reordered += usize::from(expected != table.lines().collect::<Vec<_>>());
            for ways in ["-j1", "-j3 --batch-size 1", "-j2 --batch-size 40", "-j4 --batch-size 333"] {
                let bed = nigh.run(&format!("{options} {ways} --format bed s.fa")).text();
                let of_bed = |row: &str| [0, 1, 2, 3, 5].map(|index| column(row, index)).join("\t");
                assert_eq!(bed.lines().map(of_bed).collect::<Vec<_>>(), expected, "{options} {ways}");
                let sites = nigh.run(&format!("{options} {ways} --format sites s.fa")).text();
                let of_sites = |row: &str| [0, 1, 2, 3, 4].map(|index| column(row, index)).join("\t");
                assert_eq!(sites.lines().map(of_sites).collect::<Vec<_>>(), expected, "{options} {ways}");
            }
        }
        assert!(reordered > 2);
    });
}

#[test]
fn rows_before_damage_are_printed() {
    once(|nigh| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        let text = format!(">r\nGATTACA\n{}", "ACCCGGT\n".repeat(2000));
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        let whole = encoder.finish().unwrap();
        nigh.write("s.fa.gz", &whole[..whole.len() / 2]);
        let run = nigh.fails("-k0 --format paf GATTACA s.fa.gz", "s.fa.gz: corrupt or truncated");
        let length: u64 = column(&run.text(), 6).parse().unwrap();
        assert!(length > 1000 && length < 14_007, "{}", run.text());
        let run = nigh.fails("-k0 --format sam GATTACA s.fa.gz", "s.fa.gz: corrupt or truncated");
        assert!(
            run.text().contains(&format!("@SQ\tSN:r\tLN:{length}\n")) && run.text().contains("\nGATTACA\t0\tr\t1\t")
        );
    });
}

#[test]
fn options_that_do_not_fit_a_format_are_refused() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nACGT\n").write("p.faa", ">p\nMK\n").write("t", "x\n");
        nigh.fails("--header -c ACGT s.fa", "--header cannot be used with --count; use --format tsv or sites");
        nigh.fails(
            "-k0 --format bed --header ACGT s.fa",
            "--header cannot be used with --format bed; use --format tsv or sites",
        );
        nigh.fails("-k0 --format sam -H ACGT s.fa", "--with-filename cannot be used with --format sam");
        nigh.fails("-k0 --format paf -v ACGT s.fa", "--invert-match cannot be used with --format paf");
        nigh.fails("-k0 --format sam MK p.faa", "--format sam is for nucleotides");
        nigh.fails("-k0 --format bed x t", "--format bed is for sequences");
        nigh.fails("-k0 --format gff ACGT s.fa", "invalid value 'gff'");
        nigh.prints("-k0 --format sam -c -v --protein ACGT s.fa p.faa", "s.fa:0\np.faa:1\n");
    });
}

#[test]
fn a_temporary_file_that_cannot_be_created_is_named() {
    once(|nigh| {
        nigh.write("s.fa", format!(">s\n{}\n", "A".repeat(90_000)));
        let mut command = nigh.command("-k0 --format sam AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA s.fa");
        command.env("TMPDIR", nigh.path().join("nowhere"));
        let run = crate::harness::finish(command, Vec::new());
        assert_eq!((run.text().as_str(), run.status), ("", Some(2)));
        assert!(run.stderr.starts_with("nigh: temporary file: No such file or directory"), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    });
}

#[test]
fn tabs_in_names_do_not_break_a_row() {
    each_way(|nigh| {
        nigh.write("a\tb.fa", ">r\tq\nAC\nGT\n");
        let mut command = nigh.command("-k0 -H --strand forward");
        command.args(["(?x)AC\tGT", "a\tb.fa"]);
        let run = crate::harness::finish(command, Vec::new());
        assert_eq!(run.text(), "a b.fa\tr\t0\t4\t(?x)AC GT\t0\t+\t4=\tACGT\n");
    });
}

#[test]
fn a_table_has_names_and_matches_in_colour() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nCCGAT\nTACA\n");
        let colour = |code: &str, text: &str| format!("\x1b[{code}m\x1b[K{text}\x1b[m\x1b[K");
        let row = format!("{}\t2\t9\tGATTACA\t0\t+\t7=\t{}\n", colour("35", "r"), colour("01;31", "GATTACA"));
        nigh.prints("-k0 --color=always GATTACA s.fa", &row);
        nigh.prints("-k0 --color=always -H GATTACA s.fa", &format!("{}\t{row}", colour("35", "s.fa")));
        nigh.prints("-k0 --color=always --format bed GATTACA s.fa", "r\t2\t9\tGATTACA\t1000\t+\n");
    });
}

#[test]
fn matches_alone_are_residues_on_their_own_lines() {
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nCCGAT\r\nTACA\n>q\nTGTAATCC\n").write("n.fa", ">x\nCC\n");
        nigh.prints("-k0 -o GATTACA s.fa", "GATTACA\nTGTAATC\n");
        nigh.prints("-k0 -o -m1 GATTACA s.fa n.fa", "s.fa:GATTACA\n");
        nigh.prints("-k0 -o --color=always --strand reverse GATTACA s.fa", "\x1b[01;31m\x1b[KTGTAATC\x1b[m\x1b[K\n");
        nigh.fails("-k0 -ov CCCCC s.fa", "--invert-match cannot be used with --only-matching");
    });
}

#[test]
fn a_site_has_the_direction_of_its_guide() {
    each_way(|nigh| {
        // Records with the site of the guide: with a mismatch; its reverse complement; with an inserted base; the
        // reverse complement with a deleted base.
        nigh.write("s.fa", ">a\ncccctGATTACAGCTTAGGcccc\n>b\nCCCCCCTAAGCTGTAATCTCC\n>c\nCCCGATTACATCTTTAGGCCC\n>d\nAACCTAAGTGTAATCAA\n");
        let table = "record\tstart\tend\tpattern\tstrand\tguide\tsite\tmismatches\tdna_bulges\trna_bulges\tpam\n\
                     a\t5\t19\tguide\t+\tGATTACACCTTNGG\tGATTACAgCTTAGG\t1\t0\t0\tAGG\n\
                     b\t4\t18\tguide\t-\tGATTACACCTTNGG\tGATTACAgCTTAGG\t1\t0\t0\tAGG\n\
                     c\t3\t18\tguide\t+\tGATTACA-CCTTNGG\tGATTACATCtTTAGG\t1\t1\t0\tAGG\n\
                     d\t2\t15\tguide\t-\tGATTACACCTTNGG\tGATTACAC-TTAGG\t0\t0\t1\tAGG\n";
        nigh.write("g.tsv", "guide\tGATTACACCTT<NGG>\n");
        let run = nigh.run("-k2 --hits best --exact-group --format sites --header -f g.tsv s.fa");
        assert_eq!(run.text(), table);
        let first = table.lines().nth(1).unwrap();
        nigh.prints(
            "-k1s --exact-group --format sites -H --strand forward GATTACACCTT<NGG> s.fa",
            &format!("s.fa\t{}\n", first.replace("guide", "GATTACACCTT<NGG>")),
        );
        nigh.fails("--format sites -v ACGT s.fa", "--invert-match cannot be used with --format sites");
    });
}
