//! The forms of output.

use clap::{ArgMatches, ValueEnum};

use nigh_search::InputKind;

/// The form of the output: the value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The selected lines of text (default for text)
    Lines,
    /// The matches alone, each on its own line (same as -o)
    Matches,
    /// A row for each hit in text: file, byte offset just past the match, distance, pattern
    Ends,
    /// Each hit as an alignment: the pattern above the text, with bars between equal symbols
    Align,
    /// JSON Lines (same as --json): in text in the format of ripgrep, in sequences with the fields of tsv
    Json,
    /// Record, start, end, pattern, distance, strand, CIGAR, match; 0-based, half-open (default for sequences), or --columns
    Tsv,
    /// Guide and site aligned, with the numbers of mismatches and bulges
    Sites,
    /// Input and output of Cas-OFFinder
    CasOffinder,
    /// BED with six columns
    Bed,
    /// SAM with a header: records are references, patterns are reads
    Sam,
    /// PAF: patterns are queries, records are targets
    Paf,
    /// Whole records that have a hit, as they are in the input
    Fasta,
    /// The number of selected lines or records of each file (same as -c)
    Count,
    /// The number of matches of each file (same as --count-matches)
    CountMatches,
    /// A table of the hits of each pattern by distance
    CountPatterns,
    /// The number of lines (in sequences: hits) with each distance
    Histogram,
    /// The names of files with a selected line or record (same as -l)
    Files,
    /// The names of files without a selected line or record (same as -L)
    FilesWithout,
    /// No output: the search ends at the first match (same as -q)
    #[value(name = "none")]
    Nothing,
}

use Output::{
    Bed, CasOffinder, Count, CountMatches, Ends, Fasta, Files, FilesWithout, Json, Lines, Matches, Nothing, Paf, Sam,
    Sites, Tsv,
};

/// The options that stand for a form, by their identifiers, with their precedence. As in grep, an option of a lower number
/// applies even if one of a higher number is given after it.
const LETTERS: [(&str, Output, u8); 7] = [
    ("quiet", Nothing, 0),
    ("list_with", Files, 1),
    ("list_without", FilesWithout, 1),
    ("count", Count, 2),
    ("count_matches", CountMatches, 2),
    ("json", Json, 2),
    ("only_matching", Matches, 3),
];

/// Forms for lines of text alone, and for sequences alone. A table of text needs `--columns`.
const OF_TEXT: &[Output] = &[Lines, Ends];
const OF_SEQUENCES: &[Output] = &[Sites, CasOffinder, Bed, Sam, Paf, Fasta];
impl Output {
    /// Returns the form that the last of `--format` and the letters chooses.
    pub(super) fn chosen(matches: &ArgMatches) -> Option<Output> {
        let index = |id: &str| matches.indices_of(id).and_then(Iterator::last);
        let given = LETTERS.iter().filter(|(id, ..)| matches.get_flag(id));
        let letters = given.map(|&(id, form, precedence)| (index(id), form, Some(precedence)));
        let format = matches.get_one::<Output>("format").map(|&form| (index("format"), form, None));
        let mut all: Vec<_> = letters.chain(format).collect();
        all.sort_by_key(|&(index, ..)| index);
        let chosen = all.into_iter().reduce(|chosen, next| match (chosen.2, next.2) {
            (Some(precedence), Some(other)) if precedence < other => chosen,
            _ => next,
        });
        chosen.map(|(_, form, _)| form)
    }

    /// Returns the form if none is given.
    pub(super) fn default_for(kind: InputKind) -> Output {
        match kind {
            InputKind::Text => Lines,
            InputKind::Sequences => Tsv,
        }
    }

    /// Returns whether the output consists of counts or names of files, or is empty. Such output has the same form for
    /// lines and records.
    pub(crate) fn is_summary(self) -> bool {
        matches!(self, Nothing | Files | FilesWithout | Count)
    }

    /// Returns whether this form is for inputs of this kind.
    pub(super) fn suits(self, kind: InputKind) -> bool {
        match kind {
            InputKind::Text => !OF_SEQUENCES.contains(&self),
            InputKind::Sequences => !OF_TEXT.contains(&self),
        }
    }

    /// Returns the option that chooses the form.
    pub(super) fn option(self) -> String {
        match self {
            Matches => "--only-matching".to_owned(),
            Json => "--json".to_owned(),
            Count => "--count".to_owned(),
            CountMatches => "--count-matches".to_owned(),
            Files => "--files-with-matches".to_owned(),
            FilesWithout => "--files-without-match".to_owned(),
            Nothing => "--quiet".to_owned(),
            other => format!("--format {}", other.name()),
        }
    }

    pub(super) fn name(self) -> String {
        self.to_possible_value().expect("each form has a name").get_name().to_owned()
    }
}
