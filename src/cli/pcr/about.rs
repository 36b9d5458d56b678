//! The texts of the help and the man page, except those of the options.

use crate::cli::about::sections;

/// The description of the program in the long help and the man page.
pub(super) const LONG_ABOUT: &str = "\
nigh-pcr finds the products of a PCR in sequences: every part of a record that begins with a match of one primer on the forward \
strand and ends with a match of the other on the reverse strand, each within -k edits. All products are found.

Each pair of such matches is one product. The matches of a primer on a strand are those that do not overlap, the best of \
several that do (see --hits). The two matches of a product may overlap, but the match on the reverse strand neither starts \
nor ends before the one on the forward strand. Two equal primers make each product twice, once on each strand.

Rows are in the order of records, starts, ends and names. At most 1000000 products of a pair are printed for each record; \
if there are more, a message says so, and the exit status is 2. --format counts counts them all.";

/// The last line of the short help.
pub(super) const AFTER_SHORT_HELP: &str = "See 'nigh-pcr --help' or the man page for all options and examples.";

/// The exit statuses, each with its meaning.
pub const STATUS: [(&str, &str); 3] = [
    ("0", "At least one product was found."),
    ("1", "No product was found."),
    ("2", "An error occurred, even if products were found."),
];

/// The environment variables that nigh-pcr reads, each with its meaning.
pub const ENVIRONMENT: [(&str, &str); 4] = [
    ("GREP_COLORS", "The colours of names and matches, in the syntax of GNU grep."),
    ("NO_COLOR", "If it is set and not empty, --color=auto uses no colours."),
    ("TERM", "If it is unset or 'dumb', --color=auto uses no colours."),
    ("NIGH_ISA", "The instruction set that is used: avx512, avx2, neon or portable; by default the best available."),
];

/// Example command lines, each with a description.
pub const EXAMPLES: [(&str, &str); 7] = [
    ("nigh-pcr pairs.tsv genome.fa", "Print the products of up to 4000 bases of the pairs in a table."),
    ("nigh-pcr -k2 -e TCCGTGGTGGCACAGAGTAC TGATTGTAGTGACGCTGCAG genome.fa", "Print the products of two primers."),
    ("nigh-pcr --lengths ..500 --format bed primer.bed genomes.fa", "Print the places of the amplicons of a scheme."),
    (
        "nigh-pcr -k3 --lengths 50..3000 --format bed pairs.tsv genome.fa.gz",
        "Print the places of products as BED, with up to three edits in each primer.",
    ),
    ("nigh-pcr --circular --format fasta pairs.tsv plasmids.fa", "Print the products of circular records as FASTA."),
    (
        "nigh-pcr --pool --format counts pairs.tsv genome.fa",
        "Count the products of any two primers of a multiplex PCR.",
    ),
    ("samtools fasta reads.bam | nigh-pcr --inner pairs.tsv -", "Print what lies between the primers in reads."),
];

/// Returns the end of the long help: exit statuses, environment variables and examples.
pub(super) fn after_help() -> String {
    sections(&STATUS, None, [&ENVIRONMENT, &EXAMPLES])
}
