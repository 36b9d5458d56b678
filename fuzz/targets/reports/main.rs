//! Arbitrary searches, printed by every report. Each row has all of its columns, its numbers are consistent with each
//! other and with the input, and the reports agree.
#![no_main]

mod lines;
mod records;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh_fuzz::program::{Run, run};
use nigh_fuzz::scene::Search;

/// A search, and the number of the report that prints it.
#[derive(Debug, Arbitrary)]
struct Scene {
    report: u8,
    search: Search,
}

/// A search that is ready to be printed.
struct Printed<'a> {
    search: &'a Search,
    arguments: Vec<Vec<u8>>,
}

impl Printed<'_> {
    /// Returns the output with these options; `None` if they do not apply or an input is not valid.
    fn without_trouble(&self, options: &[&str]) -> Option<Vec<u8>> {
        let run = self.run(options);
        (run.answer.status < 2).then_some(run.output)
    }

    /// Returns the output with these options, which may be incomplete after an error.
    fn with(&self, options: &[&str]) -> Vec<u8> {
        self.run(options).output
    }

    fn run(&self, options: &[&str]) -> Run {
        let options = [&["--engine=cpu", "-j1"], options].concat();
        let arguments = options.into_iter().map(Vec::from).chain(self.arguments.iter().cloned());
        run(&arguments.collect::<Vec<_>>())
    }

    /// Returns the content of the file that a row names.
    fn file(&self, name: &[u8]) -> &[u8] {
        let files = self.search.files();
        let index = (0..files.len()).find(|&index| self.search.name(index).as_bytes() == name);
        files[index.unwrap_or_else(|| panic!("no input is named '{}'", name.escape_ascii()))]
    }
}

fuzz_target!(|scene: Scene| {
    let printed = Printed { search: &scene.search, arguments: scene.search.arguments() };
    let reports: &[fn(&Printed<'_>)] = match scene.search.kind.is_sequence() {
        true => &records::REPORTS,
        false => &lines::REPORTS,
    };
    reports[usize::from(scene.report) % reports.len()](&printed);
});

/// Returns the lines of output, which must end with a line feed.
fn lines_of(output: &[u8]) -> Vec<&[u8]> {
    let Some(body) = output.strip_suffix(b"\n") else {
        assert!(output.is_empty(), "the output does not end with a line feed");
        return Vec::new();
    };
    body.split(|&byte| byte == b'\n').collect()
}

/// Parses a field that is a number.
fn number(field: &[u8]) -> usize {
    let text = std::str::from_utf8(field).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("'{}' is not a number", field.escape_ascii()))
}

/// Returns the sum of the last fields of all lines, which must be numbers.
fn sum(output: &[u8], separator: u8) -> usize {
    let last = |line: &[u8]| number(line.rsplit(|&byte| byte == separator).next().unwrap_or_default());
    lines_of(output).into_iter().map(last).sum()
}
