//! How sequences are read and searched.

use clap::{Args, ValueEnum};

/// How sequences are read and searched.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct SequenceArgs {
    /// Treat every input as FASTA. This is the default for files named .fa .fasta .fna .ffn .faa, and for .fas .fsa .frn .mfa .seq if they begin with '>', also compressed. Sequences whose first byte is '@' are read as FASTQ. Lines end with LF or CRLF. Every character but white space is a residue and counts in coordinates, as in samtools faidx; one that is no code, such as '-' or '1', matches nothing, not even N
    #[arg(long, conflicts_with = "text")]
    pub(in crate::cli) fasta: bool,
    /// Treat every input as FASTQ. This is the default for files named .fq .fastq, also compressed. Sequences whose first byte is '>' are read as FASTA
    #[arg(long, conflicts_with = "text", overrides_with = "fasta")]
    pub(in crate::cli) fastq: bool,
    /// Take sequences for amino acids; those in .faa files are anyway
    #[arg(long, conflicts_with_all = ["strand", "text"])]
    pub(in crate::cli) protein: bool,
    /// Search nucleotides on these strands. A palindrome, such as GAATTC, is found on each of them, so each of its sites has two rows; 'forward' prints one
    #[arg(long, value_enum, default_value = "both")]
    pub(in crate::cli) strand: Strands,
    /// Print hits, or the records that have some, in this format. Rows are in order of the records, and in a record of where matches end. Only tsv, sites and json can name the file, with -H: in the others records of one name in two files cannot be told apart
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<TableFormat>,
    /// Name the columns before the first row
    #[arg(long)]
    pub(in crate::cli) header: bool,
}

/// How hits in sequences are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TableFormat {
    /// record, start, end, pattern, distance, strand, CIGAR, match; 0-based, half-open
    Tsv,
    /// record, start, end, pattern, strand, then the match laid against its pattern in the direction of the pattern, 5' to 3': guide, site, mismatches, DNA bulges, RNA bulges. In the site a mismatch is in lower case; '-' stands in the guide for a base that only the text has (a DNA bulge), in the site for one that only the pattern has (an RNA bulge). Bulges are counted in bases, and a PAM is at the end of both
    Sites,
    /// BED with six columns; the score is 1000 less the edited part of the pattern: 900 for 2 edits in 20. 'sort -k1,1 -k2,2n' puts rows in order of start, which bedtools merge wants
    Bed,
    /// SAM with a header: records are the references, patterns the reads. Of the rows of a read, the one with the fewest edits is its primary line, the first of equals; the others are secondary (FLAG 0x100). An IUPAC code that holds the base of the text is a match in CIGAR and NM, where samtools calmd counts a mismatch. With --hits all a CIGAR may end in D; with --hits best none does
    Sam,
    /// PAF: patterns are the queries, records the targets
    Paf,
    /// A JSON object on each line, with the fields of the table
    Json,
    /// The whole records that have a hit, as they stand in the input
    Fasta,
}

/// Strands to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Strands {
    /// Both
    Both,
    /// The text as it stands
    Forward,
    /// Its reverse complement
    Reverse,
}
