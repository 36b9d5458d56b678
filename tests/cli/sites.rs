//! `--hits sites`: one row for each place of an exact group at the start or end of a pattern.

use crate::harness::{Nigh, each_way, once};

/// Returns the places of `pam` in `bases` that follow a match of `core` with at most `max` edits, by Sellers'
/// recurrence: the offset just past each place, and the smallest number of edits.
fn sites_after(bases: &[u8], core: &[u8], pam: &[u8], max: usize) -> Vec<(usize, usize)> {
    let matches = |base: u8, code: u8| code == b'N' || base == code;
    let mut column: Vec<usize> = (0..=core.len()).collect();
    let mut sites = Vec::new();
    for at in 0..=bases.len() - pam.len() {
        let distance = column[core.len()];
        if distance <= max && bases[at..].iter().zip(pam).all(|(&base, &code)| matches(base, code)) {
            sites.push((at + pam.len(), distance));
        }
        let mut diagonal = column[0];
        for row in 1..=core.len() {
            let step = diagonal + usize::from(!matches(bases[at], core[row - 1]));
            diagonal = column[row];
            column[row] = step.min(diagonal + 1).min(column[row - 1] + 1);
        }
    }
    sites
}

fn reverse_complement(bases: &str) -> String {
    let complement = |base| char::from(b"TGCAN"["ACGTN".find(base).unwrap()]);
    bases.chars().rev().map(complement).collect()
}

/// A row of the output: a site.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SiteRow {
    record: String,
    pattern: String,
    range: (usize, usize),
    strand: &'static str,
    distance: usize,
    /// The printed columns with the guide, the site and the PAM.
    shown: [String; 3],
}

const COLUMNS: &str = "--columns record,pattern,start,end,strand,distance,guide,site,pam";

fn sites(nigh: &Nigh, options: &str) -> Vec<SiteRow> {
    let output = nigh.run(&format!("--hits sites --exact-group {COLUMNS} {options}")).text();
    let mut rows: Vec<SiteRow> = output
        .lines()
        .map(|row| {
            let fields: Vec<&str> = row.split('\t').collect();
            let number = |column: usize| fields[column].parse().unwrap();
            SiteRow {
                record: fields[0].into(),
                pattern: fields[1].into(),
                range: (number(2), number(3)),
                strand: if fields[4] == "+" { "+" } else { "-" },
                distance: number(5),
                shown: [6, 7, 8].map(|column| fields[column].to_owned()),
            }
        })
        .collect();
    rows.sort();
    rows
}

/// The length of the records in which sites are searched.
const LENGTH: usize = 200;

/// Returns the rows in the reverse complement of the records, which have `length` residues.
fn turned(rows: Vec<SiteRow>, length: usize) -> Vec<SiteRow> {
    let turn = |row: SiteRow| SiteRow {
        range: (length - row.range.1, length - row.range.0),
        strand: if row.strand == "+" { "-" } else { "+" },
        ..row
    };
    let mut rows: Vec<SiteRow> = rows.into_iter().map(turn).collect();
    rows.sort();
    rows
}

/// A site without its alignment: record, pattern, strand, offset just past the group in the direction of the strand,
/// and distance.
type Place = (String, String, &'static str, usize, usize);

/// Returns the sites by their definition. A pattern such as `<TTN>ACG` is searched as `CGT<NAA>` in the reverse
/// complement of the records.
fn places(records: &[String], cores: &[String], k: usize) -> Vec<Place> {
    let mut places = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let mirror = reverse_complement(record);
        for core in cores {
            let after = (format!("{core}<NGG>"), core.clone(), b"NGG", ["+", "-"]);
            let before = (format!("<TTN>{core}"), reverse_complement(core), b"NAA", ["-", "+"]);
            for (pattern, core, pam, [here, there]) in [after, before] {
                let place = |strand, at, distance| (number.to_string(), pattern.clone(), strand, at, distance);
                let direct = sites_after(record.as_bytes(), core.as_bytes(), pam, k);
                places.extend(direct.into_iter().map(|(end, distance)| place(here, end, distance)));
                let other = sites_after(mirror.as_bytes(), core.as_bytes(), pam, k);
                places.extend(other.into_iter().map(|(end, distance)| place(there, LENGTH - end, distance)));
            }
        }
    }
    places.sort();
    places
}

fn place(row: &SiteRow) -> Place {
    let is_at_end = row.pattern.ends_with('>') == (row.strand == "+");
    let at = if is_at_end { row.range.1 } else { row.range.0 };
    (row.record.clone(), row.pattern.clone(), row.strand, at, row.distance)
}

#[test]
fn each_place_of_a_group_has_a_row_on_both_strands_alike() {
    each_way(|nigh| {
        let mut random = fastrand::Rng::with_seed(17);
        let mut bases = |letters: &[u8], length: usize| -> String {
            (0..length).map(|_| char::from(*random.choice(letters).unwrap())).collect()
        };
        let letters = [b"ACGT".as_slice(), b"ACGGGCCC", b"GGGGC", b"TTTTAAG"];
        let records = letters.map(|letters| bases(letters, LENGTH));
        let fasta = |records: &[String]| -> String {
            records.iter().enumerate().map(|(number, bases)| format!(">{number}\n{bases}\n")).collect()
        };
        let mirrors = records.each_ref().map(|record| reverse_complement(record));
        nigh.write("plus.fa", fasta(&records)).write("minus.fa", fasta(&mirrors));
        for (k, core_length) in [(1, 6), (2, 7), (3, 9), (4, 12), (5, 14)] {
            let cores = [bases(b"ACGT", core_length), bases(b"ACGGGT", core_length), "G".repeat(core_length)];
            let patterns = cores.iter().map(|core| format!("{core}<NGG>\n<TTN>{core}\n"));
            nigh.write("guides", patterns.collect::<String>());
            let rows = sites(nigh, &format!("-k{k} -f guides plus.fa"));
            assert_eq!(rows, turned(sites(nigh, &format!("-k{k} -f guides minus.fa")), LENGTH), "k = {k}");
            let mut found: Vec<Place> = rows.iter().map(place).collect();
            found.sort();
            let expected = places(&records, &cores, k);
            assert!(expected.len() > 60, "k = {k}: {} sites", expected.len());
            assert_eq!(found, expected, "k = {k}");
        }
    });
}

#[test]
fn constraints_and_conditions_on_ends_hold_on_both_strands_alike() {
    once(|nigh| {
        let mut random = fastrand::Rng::with_seed(5);
        let mut bases = |letters: &[u8], length: usize| -> String {
            (0..length).map(|_| char::from(*random.choice(letters).unwrap())).collect()
        };
        let patterns = [bases(b"ACGG", 8) + "<NGG>", "<CCN>".to_owned() + &bases(b"ACCG", 8), "<CN>GCGCGC<NG>".into()];
        nigh.write("guides", patterns.join("\n") + "\n");
        let mut count = 0;
        for letters in [b"ACGT".as_slice(), b"GGGCCA", b"CCCCG", b"ACGTN"] {
            let record = bases(letters, LENGTH);
            nigh.write("plus.fa", format!(">r\n{record}\n"));
            nigh.write("minus.fa", format!(">r\n{}\n", reverse_complement(&record)));
            for options in [
                "-k3s",
                "--edits i<=1,d,s,e<=3",
                "--edits 2i+d+s<=4",
                "-k2 --transpositions",
                "-k2 --ambiguous any:1",
                "-k3 --best",
                "-k1..3",
            ] {
                let rows = sites(nigh, &format!("{options} -f guides plus.fa"));
                count += rows.len();
                let others = turned(sites(nigh, &format!("{options} -f guides minus.fa")), LENGTH);
                assert_eq!(rows, others, "{options} {record}");
            }
        }
        assert!(count > 500, "{count} sites");
    });
}

#[test]
fn guides_hang_over_on_both_strands_alike() {
    once(|nigh| {
        const SHORT: usize = 14;
        let mut random = fastrand::Rng::with_seed(6);
        let mut bases = |letters: &[u8], length: usize| -> String {
            (0..length).map(|_| char::from(*random.choice(letters).unwrap())).collect()
        };
        let patterns = [bases(b"ACGG", 8) + "<NGG>", "<CCN>".to_owned() + &bases(b"ACCG", 8), "<CN>GCG<CG>C".into()];
        nigh.write("guides", patterns.join("\n") + "\n");
        let records: Vec<String> = (0..200).map(|_| bases(b"ACCGG", SHORT)).collect();
        let fasta = |record: &dyn Fn(&String) -> String| -> String {
            let records = records.iter().enumerate();
            records.map(|(number, bases)| format!(">{number}\n{}\n", record(bases))).collect()
        };
        nigh.write("plus.fa", fasta(&String::clone)).write("minus.fa", fasta(&|bases| reverse_complement(bases)));
        let (mut count, mut over) = (0, 0);
        for options in [
            "-k2 --overhang 0.4",
            "-k0 --overhang 0",
            "-k20% --overhang 20%",
            "-k2s --overhang 0.3 --min-overlap 6",
            "-k1 --transpositions --overhang 0.25",
            "-k2 --overhang 0.5 --ambiguous none:0 --within 1..",
        ] {
            let rows = sites(nigh, &format!("{options} -f guides plus.fa"));
            let mirrored = if options.contains("within") { options.replace("1..", "..-1") } else { options.into() };
            let others = turned(sites(nigh, &format!("{mirrored} -f guides minus.fa")), SHORT);
            assert_eq!(rows, others, "{options}");
            count += rows.len();
            over += rows.iter().filter(|row| row.range.0 == 0 || row.range.1 == SHORT).count();
        }
        assert!(count > 500 && over > 200, "{count} sites, {over} beside an end");
    });
}

#[test]
fn an_equal_match_with_another_place_of_the_group_hides_no_site() {
    each_way(|nigh| {
        nigh.write("pm.fa", ">plus\nGCGATCACCTGCCGATGCTAGGG\n>minus\nCCCTAGCATCGGCAGGTGATCGC\n");
        let columns = "--columns record,start,end,strand,distance,site,pam";
        nigh.prints(
            &format!("-k1 --exact-group --hits sites {columns} GCGATCACCTGCCGATGCT<NGG> pm.fa"),
            "plus\t0\t22\t+\t0\tGCGATCACCTGCCGATGCTAGG\tAGG\n\
             plus\t0\t23\t+\t1\tGCGATCACCTGCCGATGCTAGGG\tGGG\n\
             minus\t1\t23\t-\t0\tGCGATCACCTGCCGATGCTAGG\tAGG\n\
             minus\t0\t23\t-\t1\tGCGATCACCTGCCGATGCTAGGG\tGGG\n",
        );
        nigh.prints(
            &format!("-k0 --exact-group --hits sites {columns} GCGATCACCTGCCGATGCT<NGG> pm.fa"),
            "plus\t0\t22\t+\t0\tGCGATCACCTGCCGATGCTAGG\tAGG\n\
             minus\t1\t23\t-\t0\tGCGATCACCTGCCGATGCTAGG\tAGG\n",
        );
    });
}

#[test]
fn sites_need_a_group_at_an_edge() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nACGTTACGGACTAACGTA\n");
        for pattern in ["ACGTA", "ACG<T>A"] {
            nigh.fails(
                &format!("-k2 --hits sites {pattern} s.fa"),
                "--hits sites needs a part in angle brackets at the start or the end",
            );
        }
        nigh.fails("-k2 --exact-group ACGTA s.fa", "--exact-group needs a pattern with a part in angle brackets");
    });
}

#[test]
fn angle_brackets_in_sequences_need_no_option() {
    once(|nigh| {
        nigh.write("s.fa", ">r\nACGTTACGGACTAACGTA\n");
        let rows = nigh.run("-k1 --exact-group ACGTTA<NGG> s.fa").text();
        assert!(rows.contains("\tACGTTA<NGG>\t0\t+\t9=\t"), "{rows}");
        nigh.prints("-k1 ACGTTA<NGG> s.fa", &rows);
    });
}

#[test]
fn a_later_match_of_a_guide_starts_where_it_may() {
    once(|nigh| {
        nigh.write("s.fa", ">s\nGTGCGCAACGACTGGCGCAGGGCGGCGCAGTGACGCGCGG\n");
        let columns = "--columns start,end,distance,cigar";
        // The best match of the second end starts one residue before the first match ends.
        let all = "0\t21\t5\t1=2I1X5=2X12=\n20\t40\t5\t1=1X7=1X4=2I3=1I3=\n";
        let best = "0\t21\t5\t1=2I1X5=2X12=\n21\t40\t5\t1=1I7=1X4=2I3=1I3=\n";
        for (hits, rows) in [("all", all), ("best", best)] {
            nigh.prints(&format!("-k5 --hits {hits} {columns} GACGGCGCATTGACTGGCGC<NGG> s.fa"), rows);
        }
    });
}
