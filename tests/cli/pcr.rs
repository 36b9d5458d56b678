//! The program `nigh-pcr`.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::harness::{Nigh, each_way_without_devices, finish, once};
use crate::support::random::rounds;

/// A hit of a primer, from a row of nigh.
struct Site {
    record: usize,
    start: usize,
    end: usize,
    primer: String,
    strand: char,
    distance: usize,
    cigar: String,
    matched: String,
}

/// The options of a search of products, without k.
#[derive(Debug, Clone, Copy)]
struct Form {
    min: usize,
    max: usize,
    option: &'static str,
}

fn reverse_complement(letters: &str) -> String {
    let complement = |base| "TGCARYSWKMDHVBN<>".chars().nth("ACGTYRSWMKHDBVN><".find(base).unwrap()).unwrap();
    letters.chars().rev().map(complement).collect()
}

/// Returns the hits that nigh finds of these primers. Primers are given by their index.
fn sites(nigh: &Nigh, primers: &[String], choice: &str) -> Vec<Site> {
    let distinct: BTreeSet<&String> = primers.iter().collect();
    let lines: String = distinct.iter().map(|primer| format!("{primer}\t{primer}\n")).collect();
    nigh.write("primers.tsv", lines);
    let rows = nigh.run(&format!("-f primers.tsv {choice} --format tsv t.fa"));
    assert_eq!(rows.stderr, "");
    let rows = rows.text();
    let site = |row: &str| {
        let fields: Vec<&str> = row.split('\t').collect();
        let backwards = |cigar: &str| {
            let runs: Vec<&str> = cigar.split_inclusive(|letter: char| !letter.is_ascii_digit()).collect();
            runs.into_iter().rev().collect::<String>()
        };
        let is_forward = fields[5] == "+";
        Site {
            record: fields[0].parse().unwrap(),
            start: fields[1].parse().unwrap(),
            end: fields[2].parse().unwrap(),
            primer: fields[3].to_owned(),
            distance: fields[4].parse().unwrap(),
            strand: if is_forward { '+' } else { '-' },
            cigar: if is_forward { fields[6].to_owned() } else { backwards(fields[6]) },
            matched: if is_forward { fields[7].to_owned() } else { reverse_complement(fields[7]) },
        }
    };
    rows.lines().map(site).collect()
}

/// Returns the products by their definition: compares every two hits of every two primers.
fn products(sites: &[Site], records: &[String], primers: &[String], form: Form) -> String {
    let pooled = form.option == "--pool";
    let mut rows = Vec::new();
    for (first, second) in
        (0..primers.len()).flat_map(|first| (first..primers.len()).map(move |second| (first, second)))
    {
        if !pooled && (first % 2 == 1 || second != first + 1) {
            continue;
        }
        let side = |primer: usize| format!("p{}{}", primer / 2, ["/F", "/R"][primer % 2]);
        let name = if pooled { format!("{}+{}", side(first), side(second)) } else { format!("p{}", first / 2) };
        for (strand, left, right) in [('+', first, second), ('-', second, first)] {
            if strand == '-' && first == second {
                continue;
            }
            for a in sites.iter().filter(|site| site.strand == '+' && site.primer == primers[left]) {
                for b in sites.iter().filter(|site| site.strand == '-' && site.primer == primers[right]) {
                    let is_ordered = a.record == b.record && a.start <= b.start && a.end <= b.end;
                    if !is_ordered || !(form.min..=form.max).contains(&(b.end - a.start)) {
                        continue;
                    }
                    let text = &records[a.record];
                    let inner = &text[a.end..b.start.max(a.end)];
                    let letters = |primer: usize| primers[primer].replace(['<', '>'], "");
                    let last = reverse_complement(&letters(right));
                    let last = &last[a.end.saturating_sub(b.start).min(last.len())..];
                    let product = match form.option {
                        "--inner" => inner.to_owned(),
                        "--primer-bases" => letters(left) + inner + last,
                        _ => text[a.start..b.end].to_owned(),
                    };
                    let product = if strand == '+' { product } else { reverse_complement(&product) };
                    let (f, r) = if strand == '+' { (a, b) } else { (b, a) };
                    let place = (a.record, a.start, b.end, name.clone(), strand == '-', a.end, b.start);
                    let row = format!(
                        "{}\t{}\t{}\t{}\t{name}\t{strand}\t{}\t{}\t{}\t{}\t{}\t{}\t{product}\n",
                        a.record,
                        a.start,
                        b.end,
                        b.end - a.start,
                        f.distance,
                        r.distance,
                        f.cigar,
                        r.cigar,
                        f.matched,
                        r.matched
                    );
                    rows.push((place, row));
                }
            }
        }
    }
    rows.sort();
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns records of few letters with many repeats, and primers that occur in them.
fn case(random: &mut fastrand::Rng, letters: &[u8]) -> (Vec<String>, Vec<String>) {
    let bases = |random: &mut fastrand::Rng, length: usize| -> String {
        (0..length).map(|_| char::from(letters[random.usize(0..letters.len())])).collect()
    };
    let unit = bases(random, 30);
    let records: Vec<String> = (0..random.usize(1..5))
        .map(|_| {
            let mut record = String::new();
            for _ in 0..random.usize(0..6) {
                let (from, length) = (random.usize(0..15), random.usize(0..20));
                let piece = &unit[from..30.min(from + 15)];
                record += &if random.bool() { piece.to_owned() } else { reverse_complement(piece) };
                record += &bases(random, length);
            }
            record
        })
        .collect();
    let mut primers: Vec<String> = (0..2 * random.usize(1..4))
        .map(|_| {
            let from = random.usize(0..20);
            let primer = unit[from..from + random.usize(5..9)].to_owned();
            if random.bool() { primer } else { reverse_complement(&primer) }
        })
        .collect();
    if random.bool() {
        primers[1] = primers[0].clone();
    }
    (records, primers)
}

fn write_case(nigh: &Nigh, random: &mut fastrand::Rng, records: &[String], primers: &[String]) {
    let mut fasta = String::new();
    for (index, record) in records.iter().enumerate() {
        writeln!(fasta, ">{index} text").unwrap();
        let width = random.usize(1..40);
        record.as_bytes().chunks(width).for_each(|line| writeln!(fasta, "{}", str::from_utf8(line).unwrap()).unwrap());
    }
    let pairs = primers.chunks(2).enumerate();
    let pairs: String =
        pairs.map(|(index, pair)| format!("p{index}\t{}\t{}\n", pair[0], pair[1].to_lowercase())).collect();
    nigh.write("t.fa", fasta).write("pairs.tsv", pairs);
}

/// Returns the length of the record of a row, and the start, the end and the length of the product in the row.
fn places(row: &str, records: &[String]) -> (usize, usize, usize, usize) {
    let numbers: Vec<usize> = row.split('\t').take(4).map(|field| field.parse().unwrap()).collect();
    (records[numbers[0]].len(), numbers[1], numbers[2], numbers[3])
}

fn is_of_circle(row: &str, records: &[String]) -> bool {
    let (around, start, _, length) = places(row, records);
    start < around && length <= around
}

fn crosses_end(row: &str, records: &[String]) -> bool {
    let (around, _, end, _) = places(row, records);
    end > around
}

#[test]
fn products_are_those_of_every_hit_with_every_other() {
    each_way_without_devices(|nigh| {
        let mut random = fastrand::Rng::with_seed(29);
        let (mut found, mut crossing) = (0, 0);
        for round in 0..rounds(80) {
            let letters = [&b"A"[..], b"AT", b"AAAC", b"ACGT"][round % 4];
            let (records, mut primers) = case(&mut random, letters);
            let hits = if round % 5 == 0 { "sites" } else { "best" };
            if hits == "sites" {
                primers = primers.iter().map(|primer| format!("{}<{}>", &primer[..3], &primer[3..])).collect();
            }
            let min = random.usize(0..20);
            let option = ["", "--pool", "--inner", "--primer-bases", "--circular"][random.usize(0..5)];
            let form = Form { min, max: min + random.usize(0..60), option };
            let k = random.usize(0..if hits == "sites" { 3 } else { 4 });
            let other = ["--ambiguous any", "--edits i<=1,d,s,e<=1", ""][random.usize(0..3)];
            let other = if hits == "sites" || option == "--circular" { "" } else { other };
            let choice = format!("-k{k} --hits {hits} {other}");
            write_case(nigh, &mut random, &records, &primers);
            let expected = match option {
                "--circular" => {
                    let longest = primers.iter().map(|primer| primer.replace(['<', '>'], "").len() + k).max().unwrap();
                    let extension = |record: &String| record.len().min(form.max + longest);
                    let circles: Vec<String> =
                        records.iter().map(|record| record.clone() + &record[..extension(record)]).collect();
                    write_case(nigh, &mut random, &circles, &primers);
                    let expected = products(&sites(nigh, &primers, &choice), &circles, &primers, form);
                    write_case(nigh, &mut random, &records, &primers);
                    expected
                        .lines()
                        .filter(|row| is_of_circle(row, &records))
                        .map(|row| row.to_owned() + "\n")
                        .collect()
                }
                _ => products(&sites(nigh, &primers, &choice), &records, &primers, form),
            };
            crossing += expected.lines().filter(|row| crosses_end(row, &records)).count();
            found += expected.lines().count();
            let Form { min, max, .. } = form;
            let arguments = format!("nigh-pcr {choice} --lengths {min}..{max} {option} pairs.tsv t.fa");
            let run = nigh.run(&arguments);
            let printed = run.text();
            let rows = printed.lines().map(Some).chain([None]).zip(expected.lines().map(Some).chain([None]));
            for (row, expected) in rows {
                assert_eq!(row, expected, "{records:?} {primers:?} {arguments}");
            }
            assert_eq!(run.stderr, "", "{arguments}");
        }
        assert!(found > 2000 && crossing > 100, "{found}, {crossing}");
    });
}

const GENOME: &str = ">chr1 x\nTTACGTAC\nGGGGCATGCATTT\n>chr2\nATGCATGCGGCCGTACGTAA\n";
const PAIR: &str = "Name\tForward\tReverse\np 1\tACGTAC\tatg<CATG>\n";

#[test]
fn a_product_is_a_row_of_each_format() {
    each_way_without_devices(|nigh| {
        nigh.write("g.fa", GENOME).write("pairs.tsv", PAIR);
        let columns = "record\tstart\tend\tlength\tname\tstrand\tforward_distance\treverse_distance\tforward_cigar\treverse_cigar\tforward_match\treverse_match\tproduct\n";
        let first = "chr1\t2\t19\t17\tp 1\t+\t0\t0\t6=\t7=\tACGTAC\tATGCATG\tACGTACGGGGCATGCAT\n";
        let second = "chr2\t0\t18\t18\tp 1\t-\t0\t0\t6=\t7=\tACGTAC\tATGCATG\tACGTACGGCCGCATGCAT\n";
        nigh.prints("nigh-pcr --lengths 5..20 pairs.tsv g.fa", &format!("{first}{second}"));
        nigh.prints("nigh-pcr --lengths 5..17 --header pairs.tsv g.fa", &format!("{columns}{first}"));
        nigh.prints("nigh-pcr --lengths 5..17 --header -H pairs.tsv g.fa", &format!("file\t{columns}g.fa\t{first}"));
        nigh.finds_nothing("nigh-pcr --lengths 5..16 pairs.tsv g.fa", "");
        nigh.prints(
            "nigh-pcr --lengths 5..20 --format bed pairs.tsv g.fa",
            "chr1\t2\t19\tp_1\t1000\t+\nchr2\t0\t18\tp_1\t1000\t-\n",
        );
        let records = ">chr1:2-19(+) p 1\nACGTACGGGGCATGCAT\n>chr2:0-18(-) p 1\nACGTACGGCCGCATGCAT\n";
        nigh.prints("nigh-pcr --lengths 5..20 --format fasta pairs.tsv g.fa", records);
        let object = r#""record":"chr2","start":0,"end":18,"length":18,"name":"p 1","strand":"-","forward_distance":0,"reverse_distance":0,"forward_cigar":"6=","reverse_cigar":"7=","forward_match":"ACGTAC","reverse_match":"ATGCATG","product":"ACGTACGGCCGCATGCAT"}"#;
        nigh.prints("nigh-pcr --lengths 18..18 --format json pairs.tsv g.fa", &format!("{{{object}\n"));
        nigh.prints(
            "nigh-pcr --lengths 18..18 --format json -H pairs.tsv g.fa",
            &format!("{{\"file\":\"g.fa\",{object}\n"),
        );
    });
}

#[test]
fn a_product_is_shown_whole_or_without_primers_or_with_their_letters() {
    each_way_without_devices(|nigh| {
        nigh.write("g.fa", ">c\nAAGTTACGGGAAACCTGTCC\n")
            .write("pairs.tsv", "p\tAWGTTC\tGACAGG\nq\tGTTACGGG\tTTTCCCG\n");
        let last = |option: &str| {
            let printed = nigh.run(&format!("nigh-pcr -k1 --lengths 5..20 {option} pairs.tsv g.fa")).text();
            printed.lines().map(|row| row.rsplit('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(last(""), ["AAGTTACGGGAAACCTGTC", "GTTACGGGAAA"]);
        assert_eq!(last("--inner"), ["CGGGAAA", ""]);
        assert_eq!(last("--primer-bases"), ["AWGTTCCGGGAAACCTGTC", "GTTACGGGAAA"]);
    });
}

#[test]
fn a_pool_has_the_products_of_any_two_primers() {
    each_way_without_devices(|nigh| {
        nigh.write("g.fa", ">c\nTTACGTCATTTTTTTTGACGTAATTT\n").write("pairs.tsv", "a\tTTACGTCA\tCCCCCC\n");
        nigh.finds_nothing("nigh-pcr -k0 --lengths 5..100 pairs.tsv g.fa", "");
        nigh.prints("nigh-pcr -k0 --lengths 5..100 --pool --format bed pairs.tsv g.fa", "c\t0\t23\ta/F+a/F\t1000\t+\n");
        let table = "name\tforward\treverse\tproducts\na/F+a/F\tTTACGTCA\tTTACGTCA\t1\n";
        nigh.prints("nigh-pcr -k0 --lengths 5..100 --pool --format counts pairs.tsv g.fa", table);
    });
}

#[test]
fn a_product_crosses_the_end_of_a_circle() {
    each_way_without_devices(|nigh| {
        nigh.write("p.fa", ">p\nTACCCC\nCCCCGTACA\n>q\nTTTT\n").write("pairs.tsv", "a\tTACATACC\tACGGG\n");
        nigh.finds_nothing("nigh-pcr -k0 --lengths 5..30 pairs.tsv p.fa", "");
        let circular =
            |format: &str| format!("nigh-pcr -k0 --lengths 5..30 --circular --format {format} pairs.tsv p.fa");
        nigh.finds_nothing(&circular("bed"), "");
        nigh.write("pairs.tsv", "a\tGTACATACC\tGGGG\n");
        nigh.prints(&circular("fasta"), ">p:10-21(+) a\nGTACATACCCC\n>p:10-25(+) a\nGTACATACCCCCCCC\n");
        let piped = "nigh-pcr -k0 --lengths 5..11 --circular --format bed pairs.tsv -";
        nigh.prints_with_input(piped, ">p\nTACCCCCCCCGTACA", "p\t10\t21\ta\t1000\t+\n");
        nigh.write("r.fq", "@r\nACGT\n+\nIIII\n");
        nigh.fails("nigh-pcr --lengths 5..30 --circular pairs.tsv r.fq", "r.fq: --circular needs FASTA");
        nigh.fails("nigh-pcr --lengths 5..30 --circular pairs.tsv none.fa", "none.fa: No such file");
    });
}

#[test]
fn products_are_counted_by_pair() {
    each_way_without_devices(|nigh| {
        nigh.write("g.fa", GENOME)
            .write("h.fa", GENOME)
            .write("pairs.tsv", format!("{PAIR}none\tCCCCCC\tACGTAC\t1\t9\n"));
        let rows = "p 1\tACGTAC\tATG<CATG>\t2\nnone\tCCCCCC\tACGTAC\t0\n";
        let header = "name\tforward\treverse\tproducts\n";
        nigh.prints("nigh-pcr --lengths 5..20 --format counts pairs.tsv g.fa", &format!("{header}{rows}"));
        let named = |file: &str| rows.lines().map(|row| format!("{file}\t{row}\n")).collect::<String>();
        let tables = format!("file\t{header}{}{}", named("g.fa"), named("h.fa"));
        nigh.prints("nigh-pcr --lengths 5..20 --format counts -H pairs.tsv g.fa h.fa", &tables);
    });
}

#[test]
fn lengths_of_a_pair_precede_those_of_all() {
    once(|nigh| {
        let pairs = "a\tACGTAC\tATGCATG\t\t\nb\tACGTAC\tATGCATG\t18\t30\nc\tACGTAC\tATGCATG\t\t17\n";
        nigh.write("g.fa", GENOME).write("pairs.tsv", format!("\n{pairs}"));
        let rows = "chr1\t2\t19\ta\nchr1\t2\t19\tc\nchr2\t0\t18\ta\nchr2\t0\t18\tb\n";
        let run = nigh.run("nigh-pcr -k0 --lengths 5..20 --format bed pairs.tsv g.fa");
        assert_eq!(run.text().replace("\t1000\t+", "").replace("\t1000\t-", ""), rows);
    });
}

#[test]
fn lengths_are_open_ranges_or_a_single_length() {
    once(|nigh| {
        nigh.write("g.fa", GENOME).write("pairs.tsv", "a\tACGTAC\tATGCATG\n");
        let [first, second] = ["chr1\t2\t19\ta\t1000\t+\n", "chr2\t0\t18\ta\t1000\t-\n"];
        let both = format!("{first}{second}");
        for (lengths, rows) in
            [("..17", first), ("18..", second), ("17", first), ("1..", &both), ("18..10000000", second)]
        {
            nigh.prints(&format!("nigh-pcr -k0 --format bed -l {lengths} pairs.tsv g.fa"), rows);
            nigh.write("own.tsv", format!("a\tACGTAC\tATGCATG\t{lengths}\n"));
            nigh.prints("nigh-pcr -k0 --format bed -l 5 own.tsv g.fa", rows);
        }
        for (lengths, words) in [
            ("..", "expected MIN..MAX, MIN.., ..MAX or a single length"),
            ("x", "expected MIN..MAX"),
            ("9..x", "expected MIN..MAX"),
            ("..10000001", "the maximum must be at most 10000000"),
            ("10000001..", "the minimum 10000001 is above the maximum 10000000"),
        ] {
            nigh.fails(&format!("nigh-pcr -l {lengths} pairs.tsv g.fa"), words);
        }
    });
}

#[test]
fn a_product_beyond_the_limit_is_reported() {
    once(|nigh| {
        let site = "ACGTTC";
        nigh.write("g.fa", format!(">c\n{}{}\n", "ACGTTC".repeat(1001), reverse_complement(site).repeat(1000)));
        nigh.write("pairs.tsv", "p\tACGTTC\tACGTTC\n").write("few.tsv", "p\tACGTTC\tACGTTC\t1\t60\n");
        let run = nigh.run("nigh-pcr -k0 --lengths 1..20000 --format bed pairs.tsv g.fa");
        assert_eq!((run.text().lines().count(), run.status), (1_000_000, Some(2)), "{}", run.stderr);
        let words =
            "nigh-pcr: g.fa: record 'c': pair 'p' has more than 1000000 products, so only the first are printed; ";
        assert!(run.stderr.starts_with(words), "{}", run.stderr);
        let counts = nigh.run("nigh-pcr -k0 --lengths 1..20000 --format counts pairs.tsv g.fa");
        assert_eq!(counts.text().lines().last(), Some("p\tACGTTC\tACGTTC\t2002000"));
        assert_eq!((counts.stderr.as_str(), counts.status), ("", Some(0)));
    });
}

#[test]
fn a_product_is_that_of_seqkit_amplicon() {
    once(|nigh| {
        nigh.write("s.fa", ">seq\nacgcccactgaaatga\n").write("pairs.tsv", "p\tccc\tttt\n");
        nigh.prints("nigh-pcr -k0 --lengths 1..20 --format bed pairs.tsv s.fa", "seq\t3\t13\tp\t1000\t+\n");
        nigh.prints("nigh-pcr -k0 --lengths 1..20 --format fasta pairs.tsv s.fa", ">seq:3-13(+) p\ncccactgaaa\n");
        nigh.prints("nigh-pcr -k0 --lengths 1..20 --format fasta --inner pairs.tsv s.fa", ">seq:3-13(+) p\nactg\n");
    });
}

#[test]
fn a_letter_n_of_the_genome_is_an_edit() {
    once(|nigh| {
        nigh.write("g.fa", ">g\nACGNACGTTTTTGGACCAGT\n").write("pairs.tsv", "p\tACGTACG\tACTGGTC\n");
        nigh.finds_nothing("nigh-pcr -k0 --lengths 1..20 pairs.tsv g.fa", "");
        nigh.prints("nigh-pcr -k1s --lengths 1..20 --format bed pairs.tsv g.fa", "g\t0\t20\tp\t928\t+\n");
        nigh.prints(
            "nigh-pcr -k0 --ambiguous any --lengths 1..20 --format bed pairs.tsv g.fa",
            "g\t0\t20\tp\t1000\t+\n",
        );
    });
}

#[test]
fn a_wrong_pair_is_reported_with_its_line() {
    once(|nigh| {
        nigh.write("g.fa", GENOME);
        for (pairs, words) in [
            ("a\tACGT\tACGT\nb\tACGT\n", "pairs.tsv:2: 2 columns separated by tabs, but expected 3 (name,"),
            ("a\tACGT\tACGT\t9\t12\t3\n", "pairs.tsv:1: 6 columns separated by tabs"),
            ("a\tACGT\tACGT\t9..8\n", "pairs.tsv:1: lengths '9..8': the minimum 9 is above the maximum 8"),
            ("a\tACGT\tACGT\tlong\n", "pairs.tsv:1: lengths 'long': expected MIN..MAX, MIN.., ..MAX or a single"),
            (
                "name\tforward\treverse\na\tACGJ\tACGT\n",
                "pairs.tsv:2: 'J' in the forward primer is not a base or IUPAC code",
            ),
            ("a\tACGé\tACGT\n", "pairs.tsv:1: 'é' in the forward primer"),
            ("a\tACG\t\n", "pairs.tsv:1: the reverse primer is missing"),
            ("\tACGT\tACGT\n", "pairs.tsv:1: the name of the pair is missing"),
            ("a\tACGT\tACGT\t9\t8\n", "pairs.tsv:1: the minimum 9 is above the maximum 8"),
            ("a\tACGT\tACGT\t\t4\n", "pairs.tsv:1: the minimum 5 is above the maximum 4"),
            ("a\tACGT\tACGT\tx\t8\n", "pairs.tsv:1: min 'x': expected a number up to 10000000"),
            ("a\tACGT\tAC<GT\n", "pairs.tsv:1: "),
            ("a\tACGT\tA\n", "pairs.tsv:1: "),
            ("name\tforward\treverse\n", "pairs.tsv: no pairs of primers"),
        ] {
            nigh.write("pairs.tsv", pairs);
            nigh.fails("nigh-pcr -k1 --lengths 5..20 pairs.tsv g.fa", words);
        }
        nigh.write("pairs.tsv", "a\tACGT\tACGT\t\t8\n");
        nigh.fails(
            "nigh-pcr --lengths 5..20 --pool pairs.tsv g.fa",
            "pairs.tsv:1: lengths of a pair cannot be used with --pool",
        );
    });
}

#[test]
fn pairs_in_fasta_are_those_of_a_table() {
    once(|nigh| {
        nigh.write("g.fa", ">r\nTTACGATCCGGAACCTTAGGTT\n>s\nGGGACGATCCAAAAACCTTAGG\n");
        nigh.write("p.tsv", "x.1\tACGATC\tCCTAAG\ny\tTTAC<GATCC>\tAACCTAA\n");
        let table = nigh.run("nigh-pcr -k0 --lengths 5..30 p.tsv g.fa").text();
        assert_eq!(table.lines().count(), 3);
        for primers in [
            ">x.1_F\nACG\nATC\n>x.1_R\nCCTAAG\n>y_F\nTTAC<GATCC>\n>y_R\nAACCTAA\n",
            ">x.1-fwd 5' to 3'\r\nacgatc\r\n>y_RIGHT\r\nAACCTAA\r\n>x.1-rev\r\nCCTAAG\r\n>y_LEFT\r\nTTAC<GATCC>\r\n",
        ] {
            nigh.write("p.fa", primers).prints("nigh-pcr -k0 --lengths 5..30 p.fa g.fa", &table);
        }
    });
}

#[test]
fn options_that_have_no_effect_are_refused() {
    once(|nigh| {
        nigh.write("g.fa", GENOME).write("p.faa", ">p\nMKV\n").write("pairs.tsv", PAIR).write("r.bam", b"BAM\x01");
        for (options, words) in [
            ("--lengths 20..5 pairs.tsv g.fa", "the minimum 20 is above the maximum 5"),
            ("--lengths 5- pairs.tsv g.fa", "expected MIN..MAX"),
            ("--lengths 5..10000001 pairs.tsv g.fa", "the maximum must be at most 10000000"),
            ("", "no primers given; usage: nigh-pcr [OPTIONS] PAIRS [FILE...], or nigh-pcr [OPTIONS] -e FORWARD"),
            ("none.tsv g.fa", "none.tsv: No such file"),
            ("- -", "PAIRS and FILE cannot both be standard input"),
            ("pairs.tsv p.faa", "p.faa: holds amino acids, but primers are nucleotides"),
            ("pairs.tsv r.bam", "r.bam: BAM is not supported; use 'samtools fasta r.bam | nigh-pcr PAIRS -'"),
            ("--hits all pairs.tsv g.fa", "invalid value 'all' for --hits; possible values: best, sites"),
            ("--hits sites pairs.tsv g.fa", "--hits sites needs a part in angle brackets"),
            ("-k9 pairs.tsv g.fa", "pairs.tsv:2: pattern 'p 1/F': -k 9 would match everywhere"),
            ("--edits 1<=e<=2 pairs.tsv g.fa", "--edits cannot have a minimum number of edits here"),
            ("--format bed --inner pairs.tsv g.fa", "--inner and --primer-bases need --format tsv"),
            ("--format counts --primer-bases pairs.tsv g.fa", "--inner and --primer-bases need --format tsv"),
            ("--format bed -H pairs.tsv g.fa", "--with-filename needs --format tsv, json or counts"),
            ("--format json --header pairs.tsv g.fa", "--header needs --format tsv"),
            ("pairs.tsv .", ".: Is a directory"),
        ] {
            nigh.fails(&format!("nigh-pcr {options}"), words);
        }
        nigh.fails("--products 5..20 -f pairs.tsv g.fa", "unrecognized option '--products'; use nigh-pcr");
    });
}

#[test]
fn the_last_of_options_of_one_kind_applies() {
    once(|nigh| {
        nigh.write("g.fa", ">c\nAAGTTACGGGAAACCTGTCC\n").write("pairs.tsv", "p\tAWGTTC\tGACAGG\n");
        let last = |options: &str| {
            let printed = nigh.run(&format!("nigh-pcr {options} pairs.tsv g.fa")).text();
            printed.lines().map(|row| row.rsplit('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(last("--primer-bases --inner"), ["CGGGAAA"]);
        assert_eq!(last("--inner --primer-bases"), ["AWGTTCCGGGAAACCTGTC"]);
        assert!(last("--edits s<=1 -k0").is_empty());
        assert_eq!(last("-k0 --edits s<=1 --inner"), ["CGGGAAA"]);
    });
}

#[test]
fn engines_progress_and_colours_are_chosen_as_in_nigh() {
    once(|nigh| {
        nigh.write("g.fa", GENOME).write("pairs.tsv", PAIR);
        let row = "chr1\t2\t19\tp_1\t1000\t+\nchr2\t0\t18\tp_1\t1000\t-\n";
        for options in ["-j2", "--threads 1 --engine cpu", "--engine=reference", "--batch-size 9", "--progress=never"] {
            nigh.prints(&format!("nigh-pcr {options} --format bed pairs.tsv g.fa"), row);
        }
        let run = nigh.run("nigh-pcr --debug --format bed pairs.tsv g.fa");
        assert!(run.text() == row && run.stderr.contains("nigh-pcr: debug: "), "{}", run.stderr);
        // A short search ends before its progress is shown.
        nigh.prints("nigh-pcr --progress --format bed pairs.tsv g.fa", row);
        nigh.fails("nigh-pcr --device 0 --engine cpu pairs.tsv g.fa", "--device needs --engine cuda or auto");
        assert!(nigh.run("nigh-pcr --color=always pairs.tsv g.fa").text().contains("\x1b[35m"));
        assert!(nigh.run("nigh-pcr --version").text().starts_with("nigh-pcr "));
    });
}

#[test]
fn many_circles_are_read_one_at_a_time_and_without_copies() {
    once(|nigh| {
        let names: Vec<String> = (0..200).map(|file| format!("p{file}.fa")).collect();
        for name in &names {
            nigh.write(name, ">p\nTACCCC\nCCCCGTACA\n");
        }
        nigh.write("pairs.tsv", "a\tGTACATACC\tGGGG\n");
        let command = "nigh-pcr -j2 -k0 --lengths 5..11 --circular --format bed pairs.tsv ";
        let command = nigh.command(&(command.to_owned() + &names.join(" ")));
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", "ulimit -n 64; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
        limited.current_dir(nigh.path()).env("TMPDIR", "/nonexistent");
        let run = finish(limited, Vec::new());
        assert_eq!((run.text(), run.stderr.as_str()), ("p\t10\t21\ta\t1000\t+\n".repeat(200), ""));
    });
}

#[test]
fn counts_of_many_products_do_not_take_long() {
    once(|nigh| {
        nigh.write("g.fa", format!(">g\n{}\n", "ACGT".repeat(100_000)));
        nigh.write("pairs.tsv", "a\tACGTACGT\tACGTACGT\n");
        let table = "name\tforward\treverse\tproducts\na\tACGTACGT\tACGTACGT\t2500050000\n";
        let begun = std::time::Instant::now();
        nigh.prints("nigh-pcr -k0 --lengths 1..10000000 --format counts pairs.tsv g.fa", table);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    });
}

#[test]
fn files_of_pairs_have_comments_and_empty_columns() {
    once(|nigh| {
        nigh.write("g.fa", ">g\nGGTTACGATCGATTAGGCC\n");
        nigh.write("pairs", "# May\nname\tfwd\trev\na\tACGAT\tGGCCT\t\t\t\r\nb\tACGAT\tGGCCT\t\r\n");
        let rows = "g\t4\t19\ta\t1000\t+\ng\t4\t19\tb\t1000\t+\n";
        nigh.prints("nigh-pcr -k0 --lengths 5..20 --format bed pairs g.fa", rows);
        for (primers, words) in [
            (">a_F\nACGAT\n", "p.fa:1: primer 'a_F' has no partner of the same name"),
            (">a_F\nACGAT\n>a_F\nACGAT\n", "p.fa:3: a second primer 'a_F'"),
            (">a\nACGAT\n", "p.fa:1: primer 'a': expected a name that ends with _F or _R, _fwd or _rev, "),
            (">a_1_LEFT_alt1\nACGAT\n", "p.fa:1: primer 'a_1_LEFT_alt1' has no partner of the same name"),
            (">a_LEFT_1\nACGAT\n>a_LEFT_1\nACGAT\n", "p.fa:3: a second primer 'a_LEFT_1'"),
            (">a_F\nACXAT\n>a_R\nACGAT\n", "p.fa:1: 'X' in the forward primer is not a base"),
        ] {
            nigh.write("p.fa", primers).fails("nigh-pcr --lengths 5..20 p.fa g.fa", words);
        }
    });
}

#[test]
fn alternatives_of_a_primer_make_a_pair_each() {
    once(|nigh| {
        nigh.write("g.fa", ">r\nTTACGATCCGGAACCTTAGGTT\n");
        let primers = [
            ("x_1_LEFT", "ACGATC"),
            ("x_1_RIGHT", "CCTAAG"),
            ("x_1_LEFT_alt1", "CGATCC"),
            ("x_2_LEFT_0", "ACGATC"),
            ("x_2_RIGHT_0", "CCTAAG"),
            ("x_2_RIGHT_1", "ACCTAA"),
        ];
        let fasta: String = primers.iter().map(|(name, letters)| format!(">{name}\n{letters}\n")).collect();
        let line = |(name, letters): &(&str, &str)| format!("MN908947.3\t30\t54\t{name}\t1\t+\t{letters}\n");
        let bed: String = primers.iter().map(line).collect();
        nigh.write("p.fa", fasta).write("p.bed", format!("# artic-bed-version v3.0\n{bed}"));
        nigh.write("weights.bed", bed.replace('\n', "\tpw=1.4\r\n"));
        let rows = "r\t2\t20\tx_1_LEFT\t1000\t+\nr\t2\t20\tx_2_RIGHT_0\t1000\t+\nr\t2\t21\tx_2_RIGHT_1\t1000\t+\nr\t3\t20\tx_1_LEFT_alt1\t1000\t+\n";
        // A pool has each primer once, although some are in two pairs.
        let pool = "r\t2\t20\tx_1_LEFT+x_1_RIGHT\nr\t2\t20\tx_1_LEFT+x_2_RIGHT_0\nr\t2\t20\tx_1_RIGHT+x_2_LEFT_0\nr\t2\t20\tx_2_LEFT_0+x_2_RIGHT_0\nr\t2\t21\tx_1_LEFT+x_2_RIGHT_1\nr\t2\t21\tx_2_LEFT_0+x_2_RIGHT_1\nr\t3\t20\tx_1_LEFT_alt1+x_2_RIGHT_0\nr\t3\t20\tx_1_RIGHT+x_1_LEFT_alt1\nr\t3\t21\tx_1_LEFT_alt1+x_2_RIGHT_1\n";
        for file in ["p.fa", "p.bed", "weights.bed"] {
            nigh.prints(&format!("nigh-pcr -k0 --format bed {file} g.fa"), rows);
            let pooled = nigh.run(&format!("nigh-pcr -k0 --pool --format bed {file} g.fa")).text();
            assert_eq!(pooled.replace("\t1000\t+", "").replace("\t1000\t-", ""), pool);
        }
    });
}

#[test]
fn a_bed_file_needs_names_and_sequences_of_primers() {
    once(|nigh| {
        nigh.write("g.fa", GENOME);
        let place = "chr1\t2\t8\t";
        for (lines, words) in [
            (
                "a_LEFT\t1\t+\n",
                "p.bed:2: 6 columns of a BED file, which has no sequences of primers; expected 7 columns",
            ),
            ("a_LEFT\t1\t+\t\n", "p.bed:2: 6 columns of a BED file"),
            ("a\t1\t+\tACGT\n", "p.bed:2: primer 'a': expected a name that ends with _F or _R, _fwd or _rev, "),
            ("a_LEFT\t1\t+\tACGT\n", "p.bed:2: primer 'a_LEFT' has no partner of the same name"),
        ] {
            nigh.write("p.bed", format!("#\n{place}{lines}")).fails("nigh-pcr p.bed g.fa", words);
        }
    });
}

#[test]
fn primers_are_given_on_the_command_line() {
    once(|nigh| {
        nigh.write("g.fa", GENOME);
        let rows = "chr1\t2\t19\tACGTAC+atg<CATG>\t1000\t+\nchr2\t0\t18\tACGTAC+atg<CATG>\t1000\t-\n";
        for arguments in ["-e ACGTAC atg<CATG> g.fa", "g.fa -e ACGTAC atg<CATG>", "--primers ACGTAC atg<CATG> g.fa"] {
            nigh.prints(&format!("nigh-pcr -k0 --format bed {arguments}"), rows);
        }
        nigh.prints_with_input("nigh-pcr -k0 --format bed -e ACGTAC atg<CATG>", GENOME, rows);
        let counts =
            "name\tforward\treverse\tproducts\nACGTAC+ATGCATG\tACGTAC\tATGCATG\t2\nCCCCCC+GGGGGG\tCCCCCC\tGGGGGG\t0\n";
        nigh.prints("nigh-pcr -k0 --format counts -e ACGTAC ATGCATG -e CCCCCC GGGGGG g.fa", counts);
        nigh.fails("nigh-pcr -e ACGTAC ATGJ g.fa", "-e: 'J' in the reverse primer is not a base or IUPAC code");
        nigh.fails("nigh-pcr -e ACGTAC AT<GC g.fa", "pattern 'AT<GC': ");
        nigh.fails("nigh-pcr g.fa -e ACGTAC", "2 values required for '--primers <FORWARD> <REVERSE>'");
        let advice = "ACGTAC: No such file or directory; to give primers in place of a file, use -e FORWARD REVERSE";
        nigh.fails("nigh-pcr -k2 ACGTAC ATGCATG g.fa", advice);
        let run = nigh.fails("nigh-pcr -k2 none.tsv g.fa", "none.tsv: No such file or directory");
        assert!(!run.stderr.contains("-e"), "{}", run.stderr);
    });
}
