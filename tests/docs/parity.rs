//! The libraries for Rust, C and Python have all options of the program about patterns and matches.

use std::fs;

use crate::generate::NIGH;
use crate::support::root::root;

/// The headings in the help above the options about patterns and matches.
const HEADINGS: [&str; 3] = ["Matching options", "Pattern options", "Sequence options"];

/// Options that have another form in the libraries, and a text that shows this form in the sources for Rust, C and
/// Python.
const OTHER_FORMS: [(&str, [&str; 3]); 6] = [
    ("regexp", ["pattern(", "nigh_builder_pattern", "patterns"]),
    // An alphabet.
    ("bytes", ["Alphabet", "NIGH_ALPHABET_BYTES", "alphabet"]),
    ("protein", ["Alphabet", "NIGH_ALPHABET_PROTEIN", "alphabet"]),
    // The selection of matches.
    ("hits", ["fn sites", "NIGH_SELECTION_SITES", "sites"]),
    // Each match has its distance, so the caller can leave out matches with more edits than the best.
    ("best", ["fn distance", "distance", "distance"]),
    ("cost", ["fn distance", "distance", "distance"]),
];

/// Options about the arguments, the input or the output of the program, which a library does not have.
const ONLY_IN_THE_PROGRAM: [&str; 8] =
    ["circular", "columns", "fasta", "fastq", "file", "header", "ignore-gaps", "invert-match"];

/// Options that Python has as parameters with other names.
const IN_PYTHON: [(&str, &str); 6] = [
    ("engine", "engine"),
    ("fixed-strings", "notation"),
    ("ignore-case", "case"),
    ("max-errors", "k"),
    ("smart-case", "case"),
    ("strand", "strands"),
];

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

#[test]
fn libraries_have_the_options_of_the_program() {
    let builder = ["builder", "matches", "selected"].map(|file| read(&format!("src/searcher/{file}.rs"))).concat();
    let (header, stub) = (read("capi/include/nigh.h"), read("python/nigh/_nigh.pyi"));
    let command = (NIGH.command)();
    let options =
        command.get_arguments().filter(|option| option.get_help_heading().is_some_and(|h| HEADINGS.contains(&h)));
    let names: Vec<&str> =
        options.filter(|option| !option.is_hide_set()).filter_map(|option| option.get_long()).collect();
    assert!(names.len() > 25, "{names:?}");
    let mut known = 0;
    for name in &names {
        if ONLY_IN_THE_PROGRAM.contains(name) {
            continue;
        }
        known += 1;
        if let Some((_, [rust, c, python])) = OTHER_FORMS.iter().find(|(option, _)| option == name) {
            assert!(builder.contains(rust) && header.contains(c) && stub.contains(python), "a library lacks --{name}");
            continue;
        }
        assert!(nigh::OPTION_NAMES.contains(name), "SearcherBuilder::option has no option '{name}'");
        assert!(
            builder.contains(&format!("option \"{name}\"")) || header.contains(&format!("\"{name}\"")),
            "the header has no option {name}"
        );
        let keyword = IN_PYTHON
            .iter()
            .find(|(option, _)| option == name)
            .map_or(name.replace('-', "_"), |(_, k)| (*k).to_owned());
        assert!(stub.contains(&format!("        {keyword}: ")), "the types of Python have no {keyword}");
    }
    assert!(known > 15, "only {known} options are compared");
    let stale = OTHER_FORMS.iter().map(|(name, _)| name).chain(&ONLY_IN_THE_PROGRAM).find(|name| !names.contains(name));
    assert_eq!(stale, None, "a listed option is not one about patterns");
}
