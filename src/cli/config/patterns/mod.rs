//! Builds the pattern set.
//!
//! Reading order: this file, `sources` (the patterns of options and files), then the files of patterns: `content`
//! (reads one), `records` (FASTA and FASTQ) and `cas_offinder`.

pub(super) mod cas_offinder;
pub(super) mod content;
pub(super) mod records;
pub(super) mod sources;

use std::sync::Arc;

use anyhow::{Result, bail};
use bstr::ByteSlice;

use self::sources::{pattern_sources, proximity};
use super::division::terminator;
use crate::cli::args::{Args, Output};
use crate::cli::pattern_advice::advised;
use nigh_pattern::{
    AmbiguousLetters, AmbiguousMatches, Case, Groups, MatchExtent, Notation, Pattern, PatternSet, PatternSource,
    PositionRange, ShortPatterns, Strand,
};
use nigh_report::{HitSelection, NamedColumn};
use nigh_search::{InputKind, Strands};
use nigh_text::alphabet::Alphabet;
use nigh_verify::InputSize;

/// The parameters from which a route builds its patterns and engine. Both routes share them.
#[derive(Clone, Copy)]
pub(super) struct RouteParameters<'a> {
    /// Contents of the pattern files.
    pub(super) pattern_files: &'a [Vec<u8>],
    /// Maximum number of edits of all patterns, in addition to their own bounds.
    pub(super) max_edits: Option<usize>,
    /// Number of bytes to be searched, if known.
    pub(super) bytes: InputSize,
}

/// Builds the pattern set for text or for sequences, which `alphabet` decides, from the arguments and `wanted`.
pub(super) fn patterns(args: &Args, alphabet: Alphabet, wanted: RouteParameters<'_>) -> Result<Arc<PatternSet>> {
    let kind = match alphabet {
        Alphabet::Text | Alphabet::Bytes => InputKind::Text,
        Alphabet::Dna | Alphabet::Protein => InputKind::Sequences,
    };
    let sources = pattern_sources(args, wanted.pattern_files, kind)?;
    let whole = match (args.patterns.line, args.patterns.word) {
        (true, _) => MatchExtent::Record,
        (false, true) => MatchExtent::Words,
        (false, false) => MatchExtent::Anything,
    };
    let case = match (args.patterns.ignore_case, args.patterns.smart_case) {
        (true, _) => Case::Insensitive,
        (false, true) => Case::Smart,
        (false, false) => Case::Sensitive,
    };
    // In sequences, angle brackets have no other meaning.
    let has_brackets = |source: &PatternSource| {
        let is_bracket = |at: usize| at == 0 || source.text[at - 1] != b'\\';
        kind == InputKind::Sequences && memchr::memchr_iter(b'<', &source.text).any(is_bracket)
    };
    let has_groups = args.fuzzy.exact_group || cas_offinder::is_wanted(args) || sources.iter().any(has_brackets);
    let groups = if has_groups { Groups::Exact } else { Groups::Ordinary };
    let default = AmbiguousMatches { letters: AmbiguousLetters::Contained, max: None };
    let ambiguous = args.sequences.ambiguous.unwrap_or(default);
    let builder = PatternSet::builder(alphabet)
        .notation(if args.patterns.fixed_strings { Notation::Literal } else { Notation::Regex })
        .case(case)
        .whole(whole)
        .max_edits(args.fuzzy.bound(kind))
        .within(args.patterns.within.unwrap_or(PositionRange::ALL))
        .at_most(wanted.max_edits.unwrap_or(usize::MAX))
        .short_patterns(ShortPatterns::FewerEdits)
        .edit_costs(args.fuzzy.edit_costs())
        .groups(groups)
        .terminator(terminator(args))
        .strands(strands(args, alphabet)?)
        .ambiguous(ambiguous.letters)
        .max_ambiguous(ambiguous.max)
        .near(proximity(args)?)
        .overhang(args.fuzzy.overhang())
        .sites(shows_sites(args, kind))
        .captures(args.output.replace.is_some() || args.sequences.columns.iter().any(NamedColumn::is_group));
    let set = builder.build(&sources).map_err(|error| advised(&error, args.fuzzy.edits.as_ref()))?;
    check_combinations(args, &set)?;
    Ok(Arc::new(set))
}

/// Returns whether hits are sites, or rows show them.
fn shows_sites(args: &Args, kind: InputKind) -> bool {
    args.fuzzy.hits == Some(HitSelection::Sites)
        || matches!(args.form(kind), Output::Sites | Output::CasOffinder)
        || args.sequences.columns.iter().any(NamedColumn::is_of_sites)
}

/// Returns the strands to search.
fn strands(args: &Args, alphabet: Alphabet) -> Result<&'static [Strand]> {
    Ok(match (alphabet, args.sequences.strand) {
        (Alphabet::Protein, Strands::Reverse) => {
            bail!("--strand reverse is for nucleotides, but amino acids are searched; omit --strand")
        }
        (Alphabet::Dna, Strands::Both) => &[Strand::Forward, Strand::Reverse],
        (Alphabet::Dna, Strands::Reverse) => &[Strand::Reverse],
        _ => &[Strand::Forward],
    })
}

/// Returns an error if options are combined that exclude each other for these patterns.
fn check_combinations(args: &Args, set: &PatternSet) -> Result<()> {
    let has_near = !args.patterns.near.is_empty();
    if args.fuzzy.two_pass_scope().is_some() && has_near {
        bail!("--best cannot be used with --near, because --best limits the edits of both patterns; use --best=record");
    }
    if let Some(pattern) = set.without_overhang() {
        bail!(
            "pattern '{}': --overhang cannot be used with a regular expression that has no longest string, or too many strings; use smaller ranges of repeats, such as 'A{{1,5}}'",
            set.name(pattern).to_str_lossy()
        );
    }
    let of_places = [("--within", args.patterns.within.is_some()), ("--near", has_near)];
    if args.fuzzy.exact_group && !set.patterns().iter().any(Pattern::has_exact_group) {
        bail!(
            "--exact-group needs a pattern with a part in angle brackets, as in 'GATTACAGAT<NGG>'; add one, or omit --exact-group"
        );
    }
    if args.fuzzy.hits == Some(HitSelection::Sites) {
        check_sites(set)?;
    }
    if let Some((option, _)) = of_places.iter().find(|(_, given)| *given && !set.empty().is_empty()) {
        bail!("{option} cannot be used with a pattern without symbols, such as '^$'; omit this pattern");
    }
    Ok(())
}

/// Refuses `--hits sites` with a pattern that has no exact group at an end.
pub(crate) fn check_sites(set: &PatternSet) -> Result<()> {
    match set.patterns().iter().find(|pattern| !pattern.has_edge_group()) {
        None => Ok(()),
        Some(pattern) => bail!(
            "pattern '{}': --hits sites needs a part in angle brackets at the start or the end of each pattern, such as the PAM in 'GATTACAGAT<NGG>'; add one, or use --hits best",
            set.name(pattern).to_str_lossy()
        ),
    }
}
