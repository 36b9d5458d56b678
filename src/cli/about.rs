//! What the help and the man page say besides the options.

/// What nigh is.
pub(super) const LONG_ABOUT: &str = "\
Find everything that nearly matches: each place where a pattern occurs with at most K edits, exactly. An edit \
inserts, deletes or replaces a symbol: a character of text, a residue of a sequence.

In text, nigh prints lines, as grep does. In FASTA and FASTQ files it prints a row for each hit, on both strands: record, start, \
end, pattern, distance, strand, CIGAR, match; 0-based and half-open, in coordinates of the forward strand. IUPAC codes \
in a pattern are sets of bases.

Files with sequences are recognized by their names. A named FILE that does not fit the patterns or the options is refused with a \
message, and the other files are searched. For files found in folders, three rules differ. Sequences that do not fit are searched as \
text. Text that does not fit, and amino acids where nucleotides are searched, are skipped with one message, and the exit status does \
not change. A word made of IUPAC codes, such as 'start', is searched in sequences as nucleotides. --text searches everything as text.

Long options can be shortened, as --ignore for --ignore-case: to any beginning of a name that no other option shares, and as in GNU grep.

On a terminal, control characters in the names of files, records and patterns are escaped, as '\\x1b' or '\\n', in output and in \
messages. Lines, whole records and JSON are printed as they are, and so is everything that goes to a pipe or a file.";

/// The arguments that the short help shows.
pub(super) const IN_SHORT_HELP: [&str; 17] = [
    "pattern",
    "files",
    "max_errors",
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

/// The last lines of the short help.
pub(super) const AFTER_SHORT_HELP: &str =
    "'nigh --help' and the man page describe all options, exit statuses and examples.";

/// What the exit statuses mean.
pub(super) const STATUS: [(&str, &str); 4] = [
    ("0", "a line or record was selected"),
    ("1", "none was"),
    ("2", "something went wrong; what was found is printed all the same, and with -q a match makes it 0"),
    ("141", "the reader of the output has closed the pipe (status 2 if the parent process ignores SIGPIPE)"),
];

/// The environment variables that nigh reads.
pub(super) const ENVIRONMENT: [(&str, &str); 6] = [
    (
        "NIGH_CONFIG_PATH",
        "a file of arguments that come before all others: one a line; empty lines and those that begin with # mean nothing",
    ),
    ("GREP_COLORS", "the colours, as of GNU grep"),
    ("NO_COLOR", "if it is not empty, there are no colours on a terminal"),
    ("TERM", "a terminal that is 'dumb' has no colours"),
    ("NIGH_ISA", "the instruction set that the processor is held to: avx512, avx2, neon or portable"),
    (
        "NIGH_REQUIRE_CUDA",
        "if it is 1, a device that fails is an error, and the search does not go on with the processor",
    ),
];

/// Command lines, and what they do.
pub(super) const EXAMPLES: [(&str, &str); 8] = [
    ("nigh -k2 'connection refused' *.log", "lines that are at most two edits away from it"),
    ("tail -f app.log | nigh -k1 timeout | tee timeouts.log", "each line as soon as it is there"),
    ("nigh -rn --best 'undefined reference' src", "the lines of a folder that come nearest"),
    ("nigh -k3 GGGCGGCGACCTCGCGGGTT genome.fa.gz", "each place in a genome, on both strands, with its alignment"),
    (
        "nigh -k3 --exact-group -f guides.tsv --format bed genome.fa",
        "many guides with names, and a PAM without edits: '<NGG>'",
    ),
    ("nigh -k2 --format sam -f primers.fa reads.fq.zst | samtools sort", "alignments for other programs"),
    ("nigh --align -k10% -f long.txt genome.fa", "alignments for the eye"),
    ("nigh --json -k1 timeout app.log | jq .", "objects as ripgrep prints them, with cost and edits"),
];

/// What stands at the end of the long help.
pub(super) fn after_help() -> String {
    let list = |pairs: &[(&str, &str)]| -> String {
        pairs.iter().map(|(name, what)| format!("  {name}\n      {what}\n")).collect()
    };
    let (status, environment, examples) = (list(&STATUS), list(&ENVIRONMENT), list(&EXAMPLES));
    format!("Exit status:\n{status}\nEnvironment:\n{environment}\nExamples:\n{examples}")
}
