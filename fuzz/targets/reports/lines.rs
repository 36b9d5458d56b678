//! Reports on lines.

use nigh_fuzz::contents::{is_plain, line, line_number};
use serde_json::Value;

use super::{Printed, lines_of, number, sum};

pub(crate) const REPORTS: [fn(&Printed<'_>); 6] =
    [whole_lines, matches, lines_of_matches, objects, ends, counts_are_those_of_lines];

/// Splits a row into `count` fields that end with a colon, and the rest.
fn fields(row: &[u8], count: usize) -> (Vec<&[u8]>, &[u8]) {
    let mut fields: Vec<&[u8]> = row.splitn(count + 1, |&byte| byte == b':').collect();
    assert_eq!(fields.len(), count + 1, "'{}' must have more fields", row.escape_ascii());
    let rest = fields.pop().expect("there is one more field");
    (fields, rest)
}

/// `-n -b`: each printed line is the line with the printed number, and begins at the printed offset.
fn whole_lines(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-a", "-H", "-n", "-b", "--cost"])) {
        let (fields, rest) = fields(row, 4);
        let (content, at) = (printed.file(fields[0]), number(fields[2]));
        number(fields[3]);
        if is_plain(content) {
            assert_eq!(line(content, number(fields[1])), Some(rest), "{}", row.escape_ascii());
            assert!(content[at..].starts_with(rest), "{}", row.escape_ascii());
            assert_eq!(line_number(content, at), number(fields[1]), "{}", row.escape_ascii());
        }
    }
}

/// `-o`: each printed match is at the printed line, column and offset.
fn matches(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-a", "-H", "-n", "--column", "-b", "-o"])) {
        let (fields, rest) = fields(row, 4);
        let (content, at) = (printed.file(fields[0]), number(fields[3]));
        if is_plain(content) {
            let found = line(content, number(fields[1])).expect("the line is there");
            assert!(found[number(fields[2]) - 1..].starts_with(rest), "{}", row.escape_ascii());
            assert!(content[at..].starts_with(rest), "{}", row.escape_ascii());
            assert_eq!(line_number(content, at), number(fields[1]), "{}", row.escape_ascii());
        }
    }
}

/// `--vimgrep`: each row has the line of a match, and a column within it. A line that an empty pattern selects has no
/// column.
fn lines_of_matches(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-a", "--vimgrep"])) {
        let (fields, rest) = fields(row, 2);
        let content = printed.file(fields[0]);
        if !is_plain(content) {
            continue;
        }
        let found = line(content, number(fields[1])).expect("the line is there");
        let has_column = rest.strip_suffix(found).is_some_and(|column| {
            let column = column.strip_suffix(b":").unwrap_or_default();
            !column.is_empty() && (1..=found.len() + 1).contains(&number(column))
        });
        assert!(has_column || rest == found, "{}", row.escape_ascii());
    }
}

/// `--json`: each line is at its offset, and each match is a part of its line.
fn objects(printed: &Printed<'_>) {
    for row in lines_of(&printed.with(&["-a", "-H", "--json"])) {
        let object: Value = serde_json::from_slice(row).expect("JSON");
        let data = &object["data"];
        match object["type"].as_str() {
            Some("begin" | "end" | "summary") => continue,
            Some("match") => {}
            other => panic!("an object of type {other:?}"),
        }
        let (content, found) = (printed.file(&text(&data["path"])), text(&data["lines"]));
        if is_plain(content) {
            assert!(content[index(&data["absolute_offset"])..].starts_with(&found), "{object}");
            let ended = found.strip_suffix(b"\n").unwrap_or(&found);
            assert_eq!(line(content, index(&data["line_number"])), Some(ended), "{object}");
        }
        for part in data["submatches"].as_array().expect("a list") {
            assert_eq!(text(&part["match"]), found[index(&part["start"])..index(&part["end"])], "{object}");
            assert!(part["cost"].is_u64() && part["cigar"].is_string(), "{object}");
        }
    }
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// Returns the bytes of a value: text, or base64 for bytes that are not UTF-8.
fn text(value: &Value) -> Vec<u8> {
    match (value["text"].as_str(), value["bytes"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(encoded)) => super::records::decoded(encoded),
        _ => panic!("{value} is neither text nor bytes"),
    }
}

/// `--format=ends`: rows have four columns, are in the order of ends, and each end is within the file.
fn ends(printed: &Printed<'_>) {
    let output = printed.with(&["-H", "--format=ends"]);
    let mut before = (Vec::new(), 0);
    for row in lines_of(&output) {
        let fields: Vec<&[u8]> = row.splitn(4, |&byte| byte == b'\t').collect();
        assert_eq!(fields.len(), 4, "{}", row.escape_ascii());
        let end = number(fields[1]);
        number(fields[2]);
        let content = printed.file(fields[0]);
        assert!(!is_plain(content) || end <= content.len(), "{}", row.escape_ascii());
        assert!(before.0 != fields[0] || before.1 <= end, "{} is out of order", row.escape_ascii());
        before = (fields[0].to_vec(), end);
    }
}

/// Counts of lines, matches and distances equal the numbers of printed lines and matches.
fn counts_are_those_of_lines(printed: &Printed<'_>) {
    let reports =
        [&["-h"][..], &["-h", "-c"], &["-h", "--format=histogram"], &["-h", "-o"], &["-h", "--count-matches"]];
    let outputs = reports.map(|options| printed.without_trouble(&[&["-a"], options].concat()));
    if let [Some(lines), Some(count), Some(histogram), Some(matches), Some(match_count)] = &outputs {
        let (lines, matches) = (lines_of(lines).len(), lines_of(matches).len());
        assert_eq!(
            (sum(count, b':'), sum(histogram, b'\t')),
            (lines, lines),
            "lines counted by -c and --format=histogram"
        );
        assert_eq!(sum(match_count, b':'), matches, "--count-matches must count the printed matches");
    }
    let lists = [&["-a", "-H", "-c"][..], &["-a", "-l"], &["-a", "-L"]].map(|list| printed.without_trouble(list));
    if let [Some(counts), Some(with), Some(without)] = &lists {
        let selecting = lines_of(counts).iter().filter(|row| !row.ends_with(b":0")).count();
        let files = printed.search.files().len();
        assert_eq!((lines_of(with).len(), lines_of(without).len()), (selecting, files - selecting), "files: -l, -L");
    }
}
