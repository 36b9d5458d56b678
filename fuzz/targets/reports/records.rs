//! Reports on sequences.

use std::collections::{HashMap, HashSet};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use nigh_fuzz::contents::{Record, fasta_records};
use nigh_fuzz::scene::Kind;
use serde_json::Value;

use super::{Printed, lines_of, number, sum};

pub(crate) const REPORTS: [fn(&Printed<'_>); 8] =
    [table, sites, bed, sam, paf, objects, records, counts_are_those_of_rows];

/// The number of symbols of each operation in a CIGAR.
#[derive(Debug, Default, PartialEq, Eq)]
struct Cigar {
    equal: usize,
    substitutions: usize,
    pattern_only: usize,
    text_only: usize,
}

impl Cigar {
    fn parse(cigar: &[u8]) -> Cigar {
        let mut sum = Cigar::default();
        let mut rest = cigar;
        while !rest.is_empty() {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let length = number(&rest[..digits]);
            assert!(length > 0, "'{}' has a run of length 0", cigar.escape_ascii());
            match rest.get(digits) {
                Some(b'=') => sum.equal += length,
                Some(b'X') => sum.substitutions += length,
                Some(b'I') => sum.pattern_only += length,
                Some(b'D') => sum.text_only += length,
                _ => panic!("'{}' is not a CIGAR", cigar.escape_ascii()),
            }
            rest = &rest[digits + 1..];
        }
        sum
    }

    fn edits(&self) -> usize {
        self.substitutions + self.pattern_only + self.text_only
    }

    fn pattern(&self) -> usize {
        self.equal + self.substitutions + self.pattern_only
    }

    fn text(&self) -> usize {
        self.equal + self.substitutions + self.text_only
    }
}

/// A hit printed by a report.
struct Row<'a> {
    file: Option<&'a [u8]>,
    record: &'a [u8],
    start: usize,
    end: usize,
    matched: Option<&'a [u8]>,
}

/// Splits a row into columns.
fn columns(row: &[u8], count: usize) -> Vec<&[u8]> {
    let columns: Vec<&[u8]> = row.split(|&byte| byte == b'\t').collect();
    assert_eq!(columns.len(), count, "{}", row.escape_ascii());
    columns
}

/// Returns the records of one file, or of all files if `file` is `None`. Returns `None` if a file is not FASTA.
fn known_records(printed: &Printed<'_>, file: Option<&[u8]>) -> Option<Vec<Record>> {
    if matches!(printed.search.kind, Kind::Reads) {
        return None;
    }
    let files = match file {
        Some(name) => vec![printed.file(name)],
        None => printed.search.files(),
    };
    let records = files.into_iter().map(fasta_records).collect::<Option<Vec<_>>>()?;
    Some(records.into_iter().flatten().collect())
}

/// Checks that a row lies in a record of the name that it prints, and that its match is there.
fn check(printed: &Printed<'_>, row: &Row<'_>) {
    let what = format!("{}:{}-{}", row.record.escape_ascii(), row.start, row.end);
    assert!(row.start <= row.end, "{what}");
    let Some(records) = known_records(printed, row.file) else { return };
    let stands = |record: &Record| {
        let part = record.residues.get(row.start..row.end);
        part.is_some_and(|part| row.matched.is_none_or(|matched| matched == part))
    };
    let mut named = records.iter().filter(|record| shown_name(&record.name) == shown_name(row.record));
    assert!(named.any(stands), "no record has a match at {what}");
}

/// Returns a name as formats print it that separate fields by blanks: `.` for an empty name.
fn shown_name(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"." } else { name }
}

fn check_strand(strand: &[u8]) {
    assert!(matches!(strand, b"+" | b"-"), "'{}' is not a strand", strand.escape_ascii());
}

/// The default table: nine columns with the name of the file.
fn table(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-H"])) {
        let columns = columns(row, 9);
        let (start, end) = (number(columns[2]), number(columns[3]));
        let cigar = Cigar::parse(columns[7]);
        assert_eq!((cigar.text(), columns[8].len()), (end - start, end - start), "{}", row.escape_ascii());
        if !printed.search.has_own_costs() {
            assert_eq!(cigar.edits(), number(columns[5]), "{}", row.escape_ascii());
        }
        check_strand(columns[6]);
        check(printed, &Row { file: Some(columns[0]), record: columns[1], start, end, matched: Some(columns[8]) });
    }
}

/// `--format sites`: guide and site have the same length, and the printed counts of edits agree with their symbols.
fn sites(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-H", "--format", "sites"])) {
        let columns = columns(row, 11);
        let (start, end) = (number(columns[2]), number(columns[3]));
        let (guide, site) = (columns[6], columns[7]);
        assert_eq!(guide.len(), site.len(), "{}", row.escape_ascii());
        let counts = [8, 9, 10].map(|column| number(columns[column]));
        assert_eq!(guide.len() - counts[2], end - start, "{}", row.escape_ascii());
        // The text can contain '-' and other symbols that are not letters.
        let gaps = |letters: &[u8]| letters.iter().filter(|&&letter| letter == b'-').count();
        assert!(gaps(guide) >= counts[1] && gaps(site) >= counts[2], "{}", row.escape_ascii());
        check_strand(columns[5]);
        check(printed, &Row { file: Some(columns[0]), record: columns[1], start, end, matched: None });
    }
}

/// `--format bed`: six columns without blanks, and a score of at most 1000.
fn bed(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["--format", "bed"])) {
        let columns = columns(row, 6);
        assert!(columns.iter().all(|column| !column.is_empty() && !column.contains(&b' ')), "{}", row.escape_ascii());
        assert!(number(columns[4]) <= 1000, "{}", row.escape_ascii());
        check_strand(columns[5]);
        let (start, end) = (number(columns[1]), number(columns[2]));
        check(printed, &Row { file: None, record: columns[0], start, end, matched: None });
    }
}

/// `--format sam`: the header names all references, each row lies in a reference, and each read has one primary line.
fn sam(printed: &Printed<'_>) {
    let output = printed.with(&["--format", "sam"]);
    let (mut references, mut reads, mut primary) = (HashMap::new(), HashSet::new(), HashSet::new());
    let mut in_header = true;
    for row in lines_of(&output) {
        in_header &= row.starts_with(b"@");
        if in_header {
            if let Some(reference) = row.strip_prefix(b"@SQ\tSN:") {
                let at = reference.iter().position(|&byte| byte == b'\t').expect("two fields");
                let length = reference[at..].strip_prefix(b"\tLN:").expect("a length");
                assert!(references.insert(&reference[..at], number(length)).is_none(), "{}", row.escape_ascii());
            }
            continue;
        }
        let columns = columns(row, 12);
        let (start, cigar) = (number(columns[3]), Cigar::parse(columns[5]));
        let length = references.get(columns[2]).expect("the header names each reference");
        assert!(start >= 1 && start - 1 + cigar.text() <= *length, "{}", row.escape_ascii());
        assert_eq!(cigar.pattern(), columns[9].len(), "{}", row.escape_ascii());
        assert_eq!(columns[11], format!("NM:i:{}", cigar.edits()).as_bytes(), "{}", row.escape_ascii());
        assert!(columns[9].iter().all(u8::is_ascii_alphabetic), "{}", row.escape_ascii());
        assert!((1..=254).contains(&columns[0].len()) && columns[0].iter().all(u8::is_ascii_graphic));
        reads.insert(columns[0]);
        match columns[1] {
            b"0" | b"16" => assert!(primary.insert(columns[0]), "second primary line: {}", row.escape_ascii()),
            flag => assert!(matches!(flag, b"256" | b"272"), "{}", row.escape_ascii()),
        }
        let end = start - 1 + cigar.text();
        check(printed, &Row { file: None, record: columns[2], start: start - 1, end, matched: None });
    }
    assert_eq!(reads, primary, "each read must have a primary line");
}

/// `--format paf`: the numbers of a row agree with its CIGAR.
fn paf(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["--format", "paf"])) {
        let columns = columns(row, 14);
        let cigar = Cigar::parse(columns[13].strip_prefix(b"cg:Z:").expect("the field cg:Z"));
        let numbers = [1, 2, 3, 6, 7, 8, 9, 10].map(|column| number(columns[column]));
        let [query, from, to, target, start, end, equal, all] = numbers;
        assert!(from == 0 && to == query && end <= target, "{}", row.escape_ascii());
        assert_eq!((cigar.pattern(), cigar.text()), (query, end - start), "{}", row.escape_ascii());
        assert_eq!((cigar.equal, cigar.equal + cigar.edits()), (equal, all), "{}", row.escape_ascii());
        assert_eq!(columns[12], format!("NM:i:{}", cigar.edits()).as_bytes(), "{}", row.escape_ascii());
        check_strand(columns[4]);
        check(printed, &Row { file: None, record: columns[5], start, end, matched: None });
    }
}

/// `--format json`: the fields of an object agree with its CIGAR and with the record.
fn objects(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-H", "--format", "json"])) {
        let object: Value = serde_json::from_slice(row).expect("JSON");
        let index = |field: &str| object[field].as_u64().expect("a number") as usize;
        let [file, record, cigar, matched] = ["file", "record", "cigar", "match"].map(|field| text(&object[field]));
        let cigar = Cigar::parse(&cigar);
        assert_eq!(cigar.text(), index("end") - index("start"), "{object}");
        check_strand(object["strand"].as_str().expect("a strand").as_bytes());
        let (start, end) = (index("start"), index("end"));
        check(printed, &Row { file: Some(&file), record: &record, start, end, matched: Some(&matched) });
    }
}

/// Returns the bytes of a value: text, or base64 for bytes that are not UTF-8.
fn text(value: &Value) -> Vec<u8> {
    match (value.as_str(), value["bytes"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (None, Some(encoded)) => decoded(encoded),
        (None, None) => panic!("{value} is neither text nor bytes"),
    }
}

/// Decodes base64. The bytes must not be UTF-8, because text is printed as text.
pub(crate) fn decoded(encoded: &str) -> Vec<u8> {
    let bytes = BASE64_STANDARD.decode(encoded).expect("base 64");
    assert!(std::str::from_utf8(&bytes).is_err(), "UTF-8 must be printed as text");
    bytes
}

/// `--format fasta`: each printed line is a line of the input.
fn records(printed: &Printed<'_>) {
    let files = printed.search.files();
    let known: HashSet<&[u8]> = files.iter().flat_map(|file| file.split(|&byte| byte == b'\n')).collect();
    for row in lines_of(&printed.with(&["--format", "fasta"])) {
        assert!(known.contains(row), "{}", row.escape_ascii());
    }
}

/// Counts of hits, in total and by distance, equal the number of printed rows.
fn counts_are_those_of_rows(printed: &Printed<'_>) {
    let reports = [&["-h"][..], &["-h", "--format=histogram"], &["-h", "--count-matches"]];
    let outputs = reports.map(|options| printed.without_trouble(options));
    if let [Some(rows), Some(histogram), Some(match_count)] = &outputs {
        assert_eq!(sum(histogram, b'\t'), lines_of(rows).len(), "--format=histogram must count the printed rows");
        assert_eq!(sum(match_count, b':'), lines_of(rows).len(), "--count-matches must count the printed rows");
    }
}
