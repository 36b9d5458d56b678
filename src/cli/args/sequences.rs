//! How sequences are read and searched.

use clap::{Args, ValueEnum};

/// How sequences are read and searched.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct SequenceArgs {
    /// Take all inputs for FASTA. Files named .fa .fasta .fna .ffn .faa are anyway, also compressed
    #[arg(long, conflicts_with = "text")]
    pub(in crate::cli) fasta: bool,
    /// Take all inputs for FASTQ. Files named .fq .fastq are anyway, also compressed
    #[arg(long, conflicts_with = "text", overrides_with = "fasta")]
    pub(in crate::cli) fastq: bool,
    /// Take sequences for amino acids; those in .faa files are anyway
    #[arg(long, conflicts_with_all = ["strand", "text"])]
    pub(in crate::cli) protein: bool,
    /// Search nucleotides on these strands
    #[arg(long, value_enum, default_value = "both")]
    pub(in crate::cli) strand: Strands,
    /// Name the columns before the first row
    #[arg(long)]
    pub(in crate::cli) header: bool,
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
