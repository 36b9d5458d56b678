//! Options for sequences.

use clap::Args;

use nigh_pattern::AmbiguousMatches;
use nigh_report::NamedColumn;
use nigh_search::Strands;

/// Options for sequences.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct SequenceArgs {
    /// Treat every input as FASTA (default for .fa, .fasta, .fna, .ffn, .faa)
    ///
    /// Files named .fas, .fsa, .frn, .mfa or .seq are FASTA too if they begin with '>'. A compressed file is
    /// recognized by the name without the extension of the compression. Input that begins with '@' is read as FASTQ, and
    /// GFF from the line '##FASTA' on. Lines end with LF or CRLF.
    ///
    /// Every character except white space is a residue and counts in coordinates, as in samtools faidx. A character
    /// that is not a code, such as '-' or '1', matches nothing, not even N; see --ignore-gaps for aligned sequences.
    #[arg(long)]
    pub(crate) fasta: bool,
    /// Treat every input as FASTQ (default for .fq, .fastq)
    ///
    /// Input that begins with '>' is read as FASTA. See also --fasta.
    #[arg(long, overrides_with = "fasta")]
    pub(crate) fastq: bool,
    /// Treat sequences as amino acids (default for .faa)
    #[arg(long)]
    pub(crate) protein: bool,
    /// Search these strands of nucleotides: 'both' (default), 'forward' or 'reverse'
    ///
    /// A palindrome, such as GAATTC, occurs on both strands at once, so each of its sites gives two rows; 'forward'
    /// gives one.
    #[arg(long, value_enum, default_value = "both", hide_possible_values = true, hide_default_value = true)]
    pub(crate) strand: Strands,
    /// Treat each record as a circle, such as a plasmid
    ///
    /// A match that crosses the end of its record starts before the end, and its end is larger than the length of the
    /// record. Each match is reported once: a match near the start of a record, or across its end, comes after the other
    /// matches of the record. The input must be FASTA. SAM, PAF and BED cannot show a match that crosses the end.
    #[arg(long)]
    pub(crate) circular: bool,
    /// Pass over gaps '-' and '.' in aligned sequences
    ///
    /// A pattern matches across gaps, as across line ends. start and end count the residues of the sequence without
    /// gaps, and no match shows gaps; --format fasta prints records with them. The columns column_start and column_end
    /// of --columns are the place of the match in the alignment. The input must be FASTA. Each record is held in memory.
    #[arg(long)]
    pub(crate) ignore_gaps: bool,
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
    pub(crate) ambiguous: Option<AmbiguousMatches>,
    /// Print these columns in this order: NAME[,NAME...]
    ///
    /// For --format tsv. The default for sequences is record,start,end,pattern,distance,strand,cigar,match. In text there
    /// is no default. A row is then a match as -o shows it, but of each pattern on its own, so two patterns can match at
    /// the same place. --hits all, --best=record and --max-hits choose other matches.
    ///
    /// In text and sequences, in the forward direction: file: the name of the file. start, end: the place of the match,
    /// 0-based and half-open, in residues of the record or bytes of the line. distance: the distance of the hit. cigar:
    /// the alignment. match: the text of the match.
    ///
    /// In text: line_number: the number of the line, from 1. line: the whole line. With --record-start, line is the
    /// whole record, and line_number the number of its first line. Tabs, line ends and other control characters are
    /// printed as blanks.
    ///
    /// In sequences: record: the name of the record. column_start, column_end: the same place in columns of the
    /// alignment, where residues and gaps count; these need --ignore-gaps. strand: + or -. aligned_pattern,
    /// aligned_match: the pattern and the match with gaps ('-'), so that both have the same length.
    ///
    /// About the pattern: pattern is its name, or the pattern itself if it has no name; name is its name, or '.' if it
    /// has none; sequence is the pattern itself, as it was given.
    ///
    /// In sequences, in the direction of the pattern: guide, site, mismatches, dna_bulges, rna_bulges and pam, as in
    /// --format sites.
    ///
    /// The name of a group, as in '(?<umi>[ACGT]{12})', or its number: the text of the group in the direction of the
    /// pattern, which on the reverse strand is the reverse complement of the record, or '.' if there is none. 0 is the
    /// whole match. The name of a column means the column, even if a group has the same name.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column)]
    #[allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags, reason = "the help is plain text")]
    pub(crate) columns: Vec<NamedColumn>,
    /// Print the names of the columns before the first row
    ///
    /// For --format tsv and sites; in text with --columns.
    #[arg(long)]
    pub(crate) header: bool,
}

/// Parses the name of a column. Whether the patterns have a group with this name is known later.
fn column(name: &str) -> Result<NamedColumn, String> {
    if name.is_empty() { Err("a name is empty".to_owned()) } else { Ok(NamedColumn::named(name)) }
}
