//! The program, run with the options of a random search.

use std::io::Write;
use std::process::{Command, Stdio};

use nigh::{Alphabet, AmbiguousLetters, MatchExtent, Strand, Transpositions};
use nigh_pattern::AmbiguousMatches;

use crate::case::Search;
use crate::root::program;

/// A text found in lines: its offset, and its bytes.
pub(crate) type Span = (usize, String);

/// A row of a hit in lines: the offset of its end, its distance, and its pattern.
pub(crate) type EndRow = (usize, usize, String);

impl Search {
    /// Returns the options of the program for this search.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options = vec!["--no-config".to_owned(), format!("-k{}", self.k)];
        let mut add = |is_set: bool, option: &str| {
            if is_set {
                options.extend(option.split(' ').map(str::to_owned));
            }
        };
        add(self.alphabet == Alphabet::Bytes, "--bytes");
        add(self.alphabet == Alphabet::Dna, "--fasta");
        add(
            self.alphabet == Alphabet::Dna,
            if self.strand == Strand::Forward { "--strand forward" } else { "--strand reverse" },
        );
        add(self.ignores_case && self.alphabet != Alphabet::Dna, "-i");
        add(self.extent == MatchExtent::Words, "-w");
        add(self.extent == MatchExtent::Record, "-x");
        add(self.has_exact_groups, "--exact-group");
        if let Some((start, end)) = self.within {
            add(true, &format!("--within={start}..{end}"));
        }
        if let Some(AmbiguousMatches { letters, max }) = self.ambiguous {
            let letters = if letters == AmbiguousLetters::Overlapping { "any" } else { "none" };
            add(true, &format!("--ambiguous {letters}{}", max.map_or_else(String::new, |max| format!(":{max}"))));
        }
        if let Some(costs) = self.costs {
            let kinds = [("i", costs.insertion), ("d", costs.deletion), ("s", costs.substitution)];
            let limits = kinds.iter().filter(|(_, limit)| limit.max < usize::from(self.k));
            let mut conditions: Vec<String> = limits.map(|(kind, limit)| format!("{kind}<={}", limit.max)).collect();
            let sum = kinds.map(|(kind, limit)| format!("{}{kind}", limit.cost));
            conditions.push(format!("{}<={}", sum.join("+"), self.k));
            add(true, &format!("--edits {}", conditions.join(",")));
            add(costs.transpositions == Transpositions::One, "--transpositions");
        }
        for (nth, expression) in self.expressions.iter().enumerate() {
            if let (1, Some(gap)) = (nth, self.near) {
                options.extend(["--near".to_owned(), gap.to_string()]);
            }
            options.extend(["-e".to_owned(), expression.text()]);
        }
        options
    }
}

/// A row of a hit in records: the name of the record, start and end, distance, and pattern.
pub(crate) type RecordRow = (String, usize, usize, usize, String);

/// Runs the program with `options` on lines, and returns what it prints.
fn run(options: &[String], lines: &str) -> String {
    let mut command = Command::new(program());
    command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code().is_some_and(|code| code < 2), "{options:?}: {errors}");
    String::from_utf8(output.stdout).expect("texts are valid")
}

/// Returns the texts that `-o` prints.
pub(crate) fn spans(options: &[String], lines: &str) -> Vec<Span> {
    let printed = run(&[options, &["-o".to_owned(), "-b".to_owned()]].concat(), lines);
    let span = |line: &str| {
        let (offset, text) = line.split_once(':').expect("an offset");
        (offset.parse().expect("an offset"), text.to_owned())
    };
    printed.lines().map(span).collect()
}

/// Returns the rows that `--format=ends` prints, of all hits or of the best matches.
pub(crate) fn rows_of_ends(options: &[String], hits: &str, lines: &str) -> Vec<EndRow> {
    let printed = run(&[options, &["--format=ends".to_owned(), "--hits".to_owned(), hits.to_owned()]].concat(), lines);
    let row = |line: &str| {
        let columns: Vec<&str> = line.splitn(4, '\t').collect();
        (columns[1].parse().expect("an end"), columns[2].parse().expect("a distance"), columns[3].to_owned())
    };
    let mut rows: Vec<EndRow> = printed.lines().map(row).collect();
    rows.sort_unstable();
    rows
}

/// Returns the rows that a search of records prints, of all hits or of the best matches.
pub(crate) fn rows_of_records(options: &[String], hits: &str, records: &str) -> Vec<RecordRow> {
    let printed = run(&[options, &["--hits".to_owned(), hits.to_owned()]].concat(), records);
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |column: usize| columns[column].parse().expect("a number");
        (columns[0].to_owned(), number(1), number(2), number(4), columns[3].to_owned())
    };
    let mut rows: Vec<RecordRow> = printed.lines().map(row).collect();
    rows.sort_unstable();
    rows
}
