//! The texts of the help and the man page, except those of the options.

use crate::cli::about::sections;

/// The description of the program in the long help and the man page.
pub(super) const LONG_ABOUT: &str = "\
nigh-align compares strings in pairs: by edit distance (the default), by longest common subsequence, or by the score of a \
global (Needleman-Wunsch) or local (Smith-Waterman) alignment. The values are exact.

QUERY and TARGET are FASTA or FASTQ files, or lists with a string on each line, which can be compressed. A file is FASTA or \
FASTQ if its first character is '>' or '@', or if its extension says so, such as .fa, .faa or .fq. Any other file is a list; \
--text makes both files lists. Each string of a list is also its name; in a file with the extension .tsv, a line has the \
columns name and string. Empty lines are left out.

Every query is compared with every target; the queries are held in memory, and the targets are read in batches. With --pairs, the first record of QUERY is compared with the first \
of TARGET, the second with the second, and so on. With --pairs and a single file, that file is a table whose lines hold the \
strings: two columns, separated by a tab, are the query and the target; of three columns the first is a name; of four \
columns the first and the third are names.

With --local, nucleotides are compared on both strands: with the query or with its reverse complement, whichever has the \
better value; --strand chooses the strands. A row then has the strand, + or -, after the value. Amino acids are scored with \
BLOSUM62, unless told otherwise.

Two letters match if they are equal. Case is ignored in FASTA and FASTQ; IUPAC codes match themselves only. In tables and \
lists, a symbol is a character, or a byte with --bytes, and case matters.

A row has the columns query, target and value, separated by tabs. With --cigar, the ranges of the alignment in query and \
target and its CIGAR follow; positions are 0-based and half-open, 'I' is a symbol of the query only and 'D' a symbol of the \
target only. If several alignments have the best value, the alignment shown is the one that is found by walking back from the end and \
trying, in this order, a match or mismatch, a gap in the target, and a gap in the query. Rows are in the order of the targets, \
and of the queries for each target; with --top, they are in the order of the queries, the best target first.";

/// The last line of the short help.
pub(super) const AFTER_SHORT_HELP: &str = "See 'nigh-align --help' or the man page for all options and examples.";

/// The exit statuses, each with its meaning.
pub const STATUS: [(&str, &str); 3] = [
    ("0", "At least one row was printed."),
    ("1", "No row was printed."),
    ("2", "An error occurred, even if rows were printed."),
];

/// The environment variables that nigh-align reads, each with its meaning.
pub const ENVIRONMENT: [(&str, &str); 5] = [
    ("GREP_COLORS", "The colours of --format align, in the syntax of GNU grep."),
    ("NO_COLOR", "If it is set and not empty, --color=auto uses no colours."),
    ("TERM", "If it is unset or 'dumb', --color=auto uses no colours."),
    ("TMPDIR", "The directory of temporary files; /tmp by default."),
    ("NIGH_ISA", "The instruction set that is used: avx512, avx2, neon or portable; by default the best available."),
];

/// Example command lines, each with a description.
pub const EXAMPLES: [(&str, &str); 8] = [
    ("nigh-align --pairs pairs.tsv", "Print the edit distance of the two columns of each line."),
    ("nigh-align -k3 customers.txt suppliers.txt", "Print the lines of two lists that differ by at most three edits."),
    (
        "nigh-align -k2 --strand both barcodes.fa reads.fa",
        "Print the pairs of barcode and read that differ by at most two edits, on either strand.",
    ),
    ("nigh-align --pairs --cigar old.fa new.fa", "Align the records of two files, the first with the first and so on."),
    (
        "nigh-align --local --top 10 query.faa proteins.faa.gz",
        "Print the ten proteins with the best local alignments to each query, scored with BLOSUM62.",
    ),
    ("nigh-align --global --matrix PAM250 --format align a.faa b.faa", "Show global alignments for people."),
    ("nigh-align --local --format paf contigs.fa genome.fa", "Print local alignments in the format of minimap2."),
    (
        "nigh-align --local --all --min-score 100 --format paf repeat.fa genome.fa",
        "Print all copies of a sequence whose alignment has a score of at least 100.",
    ),
];

/// Returns the end of the long help: exit statuses, environment variables and examples.
pub(super) fn after_help() -> String {
    sections(&STATUS, None, [&ENVIRONMENT, &EXAMPLES])
}
