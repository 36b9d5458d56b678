//! Options for sequences.

use clap::{Args, ValueEnum};

use super::output::COUNTS_AND_NAMES;
use crate::report::TableColumn;
use crate::search::Strands;
use nigh_core::pattern::AmbiguousMatches;

/// Options for sequences.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct SequenceArgs {
    /// Treat every input as FASTA (default for .fa, .fasta, .fna, .ffn, .faa)
    ///
    /// Files named .fas, .fsa, .frn, .mfa or .seq are FASTA too if they begin with '>'. A compressed file is
    /// recognized by the name without the extension of the compression. Input that begins with '@' is read as FASTQ.
    /// Lines end with LF or CRLF.
    ///
    /// Every character except white space is a residue and counts in coordinates, as in samtools faidx. A character
    /// that is not a code, such as '-' or '1', matches nothing, not even N.
    #[arg(long, conflicts_with = "text")]
    pub(in crate::cli) fasta: bool,
    /// Treat every input as FASTQ (default for .fq, .fastq)
    ///
    /// Input that begins with '>' is read as FASTA. See also --fasta.
    #[arg(long, conflicts_with = "text", overrides_with = "fasta")]
    pub(in crate::cli) fastq: bool,
    /// Treat sequences as amino acids (default for .faa)
    #[arg(long, conflicts_with_all = ["strand", "text"])]
    pub(in crate::cli) protein: bool,
    /// Search these strands of nucleotides
    ///
    /// A palindrome, such as GAATTC, occurs on both strands at once, so each of its sites gives two rows; 'forward'
    /// gives one.
    #[arg(long, value_enum, default_value = "both")]
    pub(in crate::cli) strand: Strands,
    /// Set where a letter of the text that stands for several residues matches: 'any' or 'none'
    ///
    /// A consensus sequence has letters such as R or N where residues vary. With 'none', such a letter matches only a
    /// letter of the pattern that stands for all of its residues: an R in the text matches R and N in the pattern, but
    /// not A. With 'any', it matches a letter of the pattern that stands for one of them: an R in the text matches A and
    /// G as well, and an N matches everything. In amino acids the letters are B, J, X and Z.
    ///
    /// With ':NUM', a match has at most NUM such letters in its text, from its start to its end, whether or not they match.
    /// So 'any:1' keeps runs of N from matching everywhere. The default is 'none'.
    #[arg(long, value_name = "WHICH", value_parser = str::parse::<AmbiguousMatches>)]
    pub(in crate::cli) ambiguous: Option<AmbiguousMatches>,
    /// Print hits in sequences, or records with hits, in this format
    ///
    /// Rows are in the order of the records, and within a record in the order of the ends of the matches; in bed and sites
    /// in the order of their starts, as bedtools merge expects. With --shard this holds for each part. Only tsv, sites and
    /// json can name the file (-H); in the others, records with the same name in two files cannot be told
    /// apart.
    ///
    /// sites: The columns are record, start, end, pattern, strand, guide, site, mismatches, DNA bulges, RNA bulges and
    /// PAM. Guide and site are aligned in the direction of the pattern, 5' to 3', so that a PAM is at the end of
    /// both. A mismatch is in lower case in the site. '-' marks a base that only the text has in the guide (a DNA
    /// bulge), and a base that only the pattern has in the site (an RNA bulge). Bulges are counted in bases. The PAM is
    /// what the exact groups of the pattern match (--exact-group), or '.' if it has none.
    ///
    /// cas-offinder: Pattern files (-f) are input files of Cas-OFFinder 2 or 3. The genome or directory that the first
    /// line names is searched unless FILE is given. The columns are those of Cas-OFFinder: query, record, start, site,
    /// strand, mismatches; if the second line allows bulges: name or query, type of bulge (X for none), guide, site,
    /// record, start, strand, mismatches, size of bulges. A letter that the pattern fixes, or that is N in the query,
    /// must match. A place of the PAM has one row, with its best alignment (--hits sites); if some query has no such
    /// letter at its ends, each end of a match has a row.
    ///
    /// bed: The score is 1000 times the share of the pattern that is not edited, such as 900 for 2 edits in 20
    /// symbols.
    ///
    /// sam: Of the rows of a read, the one with the fewest edits, and of several such rows the first, is the primary
    /// line; the others are secondary (FLAG 0x100). An IUPAC code that includes the base of the text is a match in
    /// CIGAR and NM, where samtools calmd counts a mismatch. With --hits all a CIGAR can end in 'D', with --hits best
    /// it cannot.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(in crate::cli) format: Option<TableFormat>,
    /// Print these columns in this order: NAME[,NAME...]
    ///
    /// For --format tsv. The default is record,start,end,pattern,distance,strand,cigar,match. In the forward direction
    /// of the text:
    ///
    /// file, record: the names of the file and of the record. start, end: the place of the match, 0-based and
    /// half-open. strand: + or -. distance: the distance of the hit. cigar: the alignment. match: the residues of the
    /// match. aligned_pattern, aligned_match: the pattern and the match with gaps ('-'), so that both have the same
    /// length.
    ///
    /// About the pattern: pattern is its name, or the pattern itself if it has no name; name is its name, or '.' if it
    /// has none; sequence is the pattern itself, as it was given.
    ///
    /// In the direction of the pattern: guide, site, mismatches, dna_bulges, rna_bulges and pam, as in --format sites.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = ["count_patterns", "only_matching", "invert", "json", "histogram", "ends", "align"])]
    pub(in crate::cli) columns: Vec<TableColumn>,
    /// Print the names of the columns before the first row
    ///
    /// For --format tsv and sites.
    #[arg(long)]
    pub(in crate::cli) header: bool,
}

/// Parses the name of a column.
fn column(name: &str) -> Result<TableColumn, String> {
    TableColumn::named(name).ok_or_else(|| {
        let names: Vec<&str> = TableColumn::names().collect();
        format!("no such column; the columns are {}", names.join(", "))
    })
}

/// The format of printed hits in sequences: the value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TableFormat {
    /// Record, start, end, pattern, distance, strand, CIGAR, match; 0-based, half-open (default)
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
    /// One JSON object per line, with the fields of tsv
    Json,
    /// Whole records that have a hit, as they are in the input
    Fasta,
}
