//! Options for products of primers.

use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::Args;

use super::numbers::number;
use super::output::COUNTS_AND_NAMES;

/// Maximum length of a product. The report keeps up to this many residues in memory.
pub(in crate::cli) const MAX_PRODUCT: u64 = 10_000_000;

/// Options for products of primers.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
#[allow(rustdoc::invalid_html_tags, reason = "the help is plain text, and not Markdown")]
pub(in crate::cli) struct ProductArgs {
    /// Print the PCR products, of MIN to MAX bases, of pairs of primers
    ///
    /// -f names files with a pair on each line, in columns separated by tabs: name, forward primer, reverse primer and,
    /// optionally, the minimum and maximum length of the products of this pair. A first line that names the columns is
    /// skipped. In a FASTA file, the names of the primers of a pair differ in their ends: _F and _R, _fwd and _rev, or
    /// _LEFT and _RIGHT. Primers are written 5' to 3', as they are ordered, with IUPAC codes; a part in angle brackets must
    /// match without an edit, such as the 3' end of 'GTGCCAGCMGCCGC<GGTAA>'.
    ///
    /// A product begins with a match of one primer on the forward strand and ends with a match of the other on the
    /// reverse strand, each within -k edits. Its length is that from the 5' end of one primer to the 5' end of the
    /// other. Each pair of such matches is one product. The matches are those of --hits best, or of --hits sites, for
    /// each primer and strand. They may overlap, but the match on the reverse strand neither starts nor ends before the
    /// one on the forward strand. Two equal primers make each product twice, once on each strand.
    ///
    /// Rows are in the order of records, starts, ends and names. The columns of tsv are record, start, end, length,
    /// name, strand, forward_distance, reverse_distance, forward_cigar, reverse_cigar, forward_match, reverse_match and
    /// product. Start and end are 0-based and half-open. The strand is '+' if the forward primer matches the forward
    /// strand. Alignments and matches are in the direction of their primer, the product in that of the forward primer.
    /// The formats bed, json and fasta have the same rows; the score in bed is 1000 (1 - edits / symbols), with the
    /// edits and symbols of both primers.
    ///
    /// --count-patterns prints the number of products of each pair instead. At most 1000000 products of a pair are
    /// printed for each record; if there are more, a message says so, and the exit status is 2.
    #[arg(long = "products", value_name = "MIN..MAX", value_parser = str::parse::<ProductLengths>, conflicts_with_all = COUNTS_AND_NAMES, conflicts_with_all = ["quiet", "max_count", "max_hits", "only_matching", "invert", "json", "histogram", "stats", "ends", "align", "columns", "best", "near", "protein", "strand", "text", "shard"])]
    pub(in crate::cli) lengths: Option<ProductLengths>,
    /// Print the products of any two primers of the files
    ///
    /// A primer can also make a product with itself. The name of a product has the names of both primers: those of
    /// their pairs with /F or /R, as in 'a/F+b/R', in the order of the files. The forward columns describe the first of
    /// the two primers, the reverse columns the second. For --products.
    #[arg(long)]
    pub(in crate::cli) pool: bool,
    /// Treat each record as a circle, such as a plasmid
    ///
    /// A product that crosses the end of its record starts before the end of the record, and its end is larger than the
    /// length of the record. Products are not longer than the record. nigh searches a temporary copy of each input,
    /// which must be FASTA. The copy repeats the first residues of a record after its end, as many as the longest
    /// product and the longest match together. A primer that lies across the end can match a second time, with more
    /// edits: with only its part at the start of the record. For --products.
    #[arg(long, conflicts_with_all = ["within", "line", "overhang", "fastq"])]
    pub(in crate::cli) circular: bool,
    /// Print products without the matches of the primers
    ///
    /// Start, end and length remain those of the whole product. For --products.
    #[arg(long, conflicts_with = "primer_bases")]
    pub(in crate::cli) inner: bool,
    /// Print products with the letters of the primers in place of their matches
    ///
    /// Primers become part of the product of a PCR, so this is its sequence. Where the matches overlap by n residues, n
    /// letters of the primer on the reverse strand are left out. For --products.
    #[arg(long)]
    pub(in crate::cli) primer_bases: bool,
}

impl ProductArgs {
    /// Returns the first option that is given and needs `--products`.
    pub(in crate::cli) fn dependent(&self) -> Option<&'static str> {
        let given = [
            ("--pool", self.pool),
            ("--circular", self.circular),
            ("--inner", self.inner),
            ("--primer-bases", self.primer_bases),
        ];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}

/// The least and the largest length of a product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct ProductLengths(pub(in crate::cli) RangeInclusive<u64>);

impl FromStr for ProductLengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bounds = text.split_once("..").and_then(|(min, max)| Some((number(min).ok()?, number(max).ok()?)));
        match bounds {
            None => Err("expected MIN..MAX, such as 50..3000; -f names a file of primers".to_owned()),
            Some((min, max)) if min > max => Err(format!("the minimum {min} is above the maximum {max}")),
            Some((_, max)) if max > MAX_PRODUCT => Err(format!("the maximum must be at most {MAX_PRODUCT}")),
            Some((min, max)) => Ok(ProductLengths(min..=max)),
        }
    }
}
