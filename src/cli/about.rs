//! The texts of the help and the man page, except those of the options.

/// The description of the program in the long help and the man page.
pub(super) const LONG_ABOUT: &str = "\
nigh searches files for places where a pattern occurs with at most k edits (-k; by default 1, but 0 for patterns of up to 4 characters in text). An edit is the insertion, \
deletion or substitution of one symbol: a character of text, or a residue of a sequence. The search is exact: no match is \
missed.

In text, nigh prints the lines with a match, as grep does.

In FASTA and FASTQ files, nigh prints a row for each hit on either strand, with the columns record, start, end, pattern, \
distance, strand, CIGAR and match, separated by tabs. Positions are 0-based and half-open, in coordinates of the forward \
strand. IUPAC codes in a pattern are sets of bases. Sequences are recognized by the names of their files (see --fasta), and \
can be compressed.

A file that does not suit the patterns or the options is reported as an error, and the other files are searched. Files \
found in directories are treated differently: sequences that do not suit the patterns or the options are searched as text; text \
that does not, and amino acids where nucleotides are searched, are skipped with one message, and the exit status does not \
change. A pattern made of IUPAC codes, such as 'start', is searched for in sequences as nucleotides; --text searches all \
files as text.

A long option can be shortened to any prefix that is not shared by another option. As in GNU grep, '--ignore' means \
--ignore-case: where prefixes are shared, the options of GNU grep have priority.

On a terminal, control characters in the names of files, records and patterns are escaped, for example as '\\x1b' or '\\n', \
in output and messages. Lines, whole records and JSON are printed unchanged, as is all output to a pipe or file.";

/// The names of the arguments in the short help, as clap's identifiers.
pub(super) const IN_SHORT_HELP: [&str; 17] = [
    "pattern",
    "files",
    "max_edits",
    "best",
    "regexps",
    "pattern_files",
    "fixed_strings",
    "ignore_case",
    "word",
    "invert",
    "recursive",
    "count",
    "list_with",
    "only_matching",
    "line_number",
    "context",
    "help",
];

/// The last line of the short help.
pub(super) const AFTER_SHORT_HELP: &str =
    "See 'nigh --help' or the man page for all options, exit statuses and examples.";

/// The exit statuses, each with its meaning.
pub const STATUS: [(&str, &str); 3] = [
    ("0", "A line or record was selected."),
    ("1", "No line or record was selected."),
    (
        "2",
        "An error occurred, even if lines or records were selected; but with -q, the status is 0 if a line or record was selected.",
    ),
];

/// The note on SIGPIPE below the list of exit statuses.
pub const STATUS_NOTE: &str = "If the reader of the output closes the pipe, nigh is killed by SIGPIPE; if the parent process ignores SIGPIPE, this is a \
write error.";

/// The environment variables that nigh reads, each with its meaning.
pub const ENVIRONMENT: [(&str, &str); 6] = [
    (
        "NIGH_CONFIG_PATH",
        "The path of a file of arguments, one per line, that are read before those of the command line. Empty lines and lines \
        that begin with '#' are ignored. Without it, no such file is read.",
    ),
    ("GREP_COLORS", "The colours, in the syntax of GNU grep."),
    ("NO_COLOR", "If it is set and not empty, --color=auto uses no colours."),
    ("TERM", "If it is unset or 'dumb', --color=auto uses no colours."),
    ("TMPDIR", "The directory of temporary files; /tmp by default."),
    (
        "NIGH_ISA",
        "The instruction set that the CPU engine uses: avx512, avx2, neon or portable; by default the best available.",
    ),
];

/// Example command lines, each with a description.
pub const EXAMPLES: [(&str, &str); 8] = [
    ("nigh -k2 'connection refused' *.log", "Print the lines that contain the phrase with at most two edits."),
    (
        "tail -f app.log | nigh -k1 timeout | tee timeouts.log",
        "Follow a log; each line is printed as soon as it arrives.",
    ),
    ("nigh -rn --best 'undefined reference' src", "Print the lines in a directory that are nearest to the phrase."),
    (
        "nigh -k3 --hits best GGGCGGCGACCTCGCGGGTT genome.fa.gz",
        "Print each place in a genome where the sequence occurs with at most three edits, on either strand, with its alignment as a CIGAR.",
    ),
    (
        "nigh -k3 --exact-group -f guides.tsv --format bed genome.fa",
        "Search for named CRISPR guides, with a PAM that must match exactly ('<NGG>'), and print BED.",
    ),
    (
        "nigh -k2 --format sam -f primers.fa reads.fq.zst | samtools sort",
        "Search reads for primers, and hand the alignments to samtools.",
    ),
    ("nigh --format align -k10% -f long.txt genome.fa", "Show the alignments of long patterns with up to 10% edits."),
    ("nigh --json -k1 timeout app.log | jq .", "Print matches as JSON, in the format of ripgrep."),
];

/// Returns the end of the long help: exit statuses, environment variables and examples.
pub(super) fn after_help() -> String {
    sections(&STATUS, Some(STATUS_NOTE), [&ENVIRONMENT, &EXAMPLES])
}

/// Returns the end of the long help of a program: its exit statuses with a note, and its environment variables and
/// examples.
pub(super) fn sections(
    status: &[(&str, &str)],
    note: Option<&str>,
    [environment, examples]: [&[(&str, &str)]; 2],
) -> String {
    let list = |pairs: &[(&str, &str)]| -> String {
        pairs.iter().map(|(name, text)| format!("  {name}\n      {text}\n")).collect()
    };
    let (status, environment, examples) = (list(status), list(environment), list(examples));
    let note = note.map_or_else(String::new, |note| format!("\n  {note}\n"));
    format!("Exit status:\n{status}{note}\nEnvironment:\n{environment}\nExamples:\n{examples}")
}
