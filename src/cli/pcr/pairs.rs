//! `--products`: reads pairs of primers, and builds the report of their products.
//!
//! A line has the columns name, forward primer and reverse primer, and optionally the least and the largest length of
//! products. A first line that names the columns is skipped. In FASTA, the names of the two primers of a pair differ in
//! their ends, such as `_F` and `_R`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use bstr::ByteSlice;
use indexmap::IndexMap;

use super::pattern_records::{place, records};
use super::reports::{hits, named_prefix};
use crate::cli::args::numbers::number;
use crate::cli::args::{Args, MAX_PRODUCT, Mode, TableFormat};
use crate::cli::terminal::{colours, controls};
use crate::report::{
    Hits, Pooling, Primer, PrimerPair, PrimerPairs, ProductFormat, ProductReport, ProductRows, ProductSettings,
    ProductText, RecordShape, Report,
};
use nigh_core::alphabet::Alphabet;
use nigh_core::pattern::{Notation, PatternSet, PatternSource};
use nigh_input::{Format, LongLines};

/// Largest number of pairs.
const MAX_PAIRS: usize = 1 << 30;

/// A line of a file of pairs, for messages.
struct PairLine<'a> {
    file: &'a str,
    number: usize,
    columns: Vec<&'a [u8]>,
}

/// Returns the primers as patterns, each once.
pub(super) fn primer_sources(args: &Args, contents: &[Vec<u8>]) -> Result<Vec<PatternSource>> {
    let pairs = primer_pairs(args, contents)?;
    let source = |(primer, name): (&Primer, Vec<u8>)| PatternSource {
        origin: Some((primer.origin.0.as_str().into(), primer.origin.1)),
        name: Some(name),
        notation: Some(Notation::Literal),
        ..PatternSource::new(primer.pattern.clone())
    };
    Ok(pairs.patterns().map(source).collect())
}

/// Creates the report of products. `patterns` are those of [`primer_sources`].
pub(super) fn product_report(args: &Args, contents: &[Vec<u8>], patterns: &PatternSet) -> Result<Box<dyn Report>> {
    check(args, patterns.alphabet())?;
    let pairs = Arc::new(primer_pairs(args, contents)?);
    let records = if args.products.circular { RecordShape::Circular } else { RecordShape::Linear };
    let settings = ProductSettings { hits: hits(args, Hits::Best), longest: patterns.max_match_len(), records };
    if args.mode() == Mode::CountPatterns {
        return Ok(Box::new(ProductReport::of_counts(pairs, settings, named_prefix(args))));
    }
    let rows = ProductRows {
        format: format(args)?,
        text: match (args.products.inner, args.products.primer_bases) {
            (true, _) => ProductText::Inner,
            (false, true) => ProductText::PrimerBases,
            (false, false) => ProductText::Whole,
        },
        file: args.output.with_filename && !args.output.no_filename,
        header: args.sequences.header,
        colours: colours(args.color()),
        controls: controls(),
    };
    Ok(Box::new(ProductReport::of_rows(pairs, settings, rows)))
}

/// Refuses options for products without `--products`, and `--products` without primer pairs.
pub(super) fn check_given(args: &Args) -> Result<()> {
    match (&args.products.lengths, args.products.dependent()) {
        (None, Some(option)) => bail!("{option} is for products of primers; add --products MIN..MAX, or omit {option}"),
        (Some(_), _) if !args.patterns.regexps.is_empty() => {
            bail!("--products reads pairs of primers from a file, not from -e; name the file with -f")
        }
        (Some(_), _) if args.patterns.pattern_files.is_empty() => {
            bail!(
                "--products needs pairs of primers; name a file of pairs with -f, with the columns name, forward and reverse"
            )
        }
        _ => Ok(()),
    }
}

/// Refuses options that do not suit products.
fn check(args: &Args, alphabet: Alphabet) -> Result<()> {
    if alphabet == Alphabet::Protein {
        bail!("--products needs nucleotides, but amino acids are searched");
    }
    if args.fuzzy.hits == Some(Hits::All) {
        bail!(
            "--products cannot be used with --hits all, since each site of a primer has several hits; use --hits best"
        );
    }
    if args.fuzzy.min_edits() > 0 {
        bail!("--products cannot be used with a minimum number of edits; omit the minimum");
    }
    let shows_text = args.products.inner || args.products.primer_bases;
    if shows_text && (args.mode() == Mode::CountPatterns || format(args)? == ProductFormat::Bed) {
        bail!("--inner and --primer-bases need --format tsv, json or fasta, which print the product's sequence");
    }
    if args.mode() == Mode::CountPatterns {
        return Ok(());
    }
    match format(args)? {
        ProductFormat::Bed | ProductFormat::Fasta if args.output.with_filename => {
            bail!("--with-filename needs --format tsv or json; other formats have no field for it")
        }
        ProductFormat::Bed | ProductFormat::Fasta | ProductFormat::Json if args.sequences.header => {
            bail!("--header needs --format tsv")
        }
        _ => Ok(()),
    }
}

fn format(args: &Args) -> Result<ProductFormat> {
    Ok(match args.sequences.format.unwrap_or(TableFormat::Tsv) {
        TableFormat::Tsv => ProductFormat::Tsv,
        TableFormat::Bed => ProductFormat::Bed,
        TableFormat::Fasta => ProductFormat::Fasta,
        TableFormat::Json => ProductFormat::Json,
        TableFormat::Sites | TableFormat::CasOffinder | TableFormat::Sam | TableFormat::Paf => {
            bail!("--products needs --format tsv, bed, fasta or json")
        }
    })
}

/// Reads the pairs of all files.
fn primer_pairs(args: &Args, contents: &[Vec<u8>]) -> Result<PrimerPairs> {
    let pooling = if args.products.pool { Pooling::Pool } else { Pooling::Pairs };
    let lengths = args.products.lengths.as_ref().expect("--products is given").0.clone();
    let mut pairs = Vec::new();
    for (file, content) in args.patterns.pattern_files.iter().zip(contents) {
        let file = file.to_string_lossy();
        let before = pairs.len();
        let primers = match content.trim_ascii_start().first() {
            Some(b'>') => records(content.clone(), &file, Format::Fasta { long: LongLines::Whole })?,
            _ => Vec::new(),
        };
        let lines =
            if primers.is_empty() { pair_lines(content, &file).collect() } else { pairs_of_records(&primers, &file)? };
        for line in lines {
            pairs.push(line.pair(&lengths, pooling)?);
        }
        if pairs.len() == before {
            bail!("{file}: no pairs of primers; expected lines with the columns name, forward and reverse");
        }
    }
    if pairs.len() > MAX_PAIRS {
        bail!("{} pairs of primers, but at most {MAX_PAIRS} are allowed; divide the file", pairs.len());
    }
    Ok(PrimerPairs::new(pairs, pooling))
}

/// Returns the lines of a file of pairs, without empty lines, lines that begin with `#`, and the names of the columns.
fn pair_lines<'a>(content: &'a [u8], file: &'a str) -> impl Iterator<Item = PairLine<'a>> {
    let lines = content.lines().zip(1..).map(|(line, number)| {
        let mut columns: Vec<&[u8]> = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii).collect();
        // Spreadsheets add empty columns at the end.
        while !matches!(columns.len(), 0..=3 | 5) && columns.last().is_some_and(|column| column.is_empty()) {
            columns.pop();
        }
        PairLine { file, number, columns }
    });
    let filled =
        lines.filter(|line| line.columns.iter().any(|column| !column.is_empty()) && !line.columns[0].starts_with(b"#"));
    filled.enumerate().filter(|(index, line)| *index > 0 || !line.is_header()).map(|(_, line)| line)
}

/// Returns the pairs of the primers of a FASTA file, in the order of their first primers.
fn pairs_of_records<'a>(primers: &'a [PatternSource], file: &'a str) -> Result<Vec<PairLine<'a>>> {
    let mut pairs: IndexMap<&[u8], [Option<&PatternSource>; 2]> = IndexMap::new();
    for primer in primers {
        let name = primer.shown_name();
        let at = || place(primer).unwrap_or_default();
        let Some((pair, side)) = pair_and_side(name) else {
            bail!(
                "{}: primer '{}': expected a name that ends with _F or _R, as in p1_F and p1_R; or use lines with the columns name, forward and reverse, separated by tabs",
                at(),
                name.as_bstr()
            );
        };
        if pairs.entry(pair).or_default()[side].replace(primer).is_some() {
            bail!("{}: a second primer '{}'", at(), name.as_bstr());
        }
    }
    let line = |(name, primers): (&'a [u8], [Option<&'a PatternSource>; 2])| match primers {
        [Some(forward), Some(reverse)] => {
            let number = forward.origin.as_ref().map_or(0, |(_, line)| *line);
            Ok(PairLine { file, number, columns: vec![name, &forward.text, &reverse.text] })
        }
        [Some(primer), None] | [None, Some(primer)] => Err(anyhow!(
            "{}: primer '{}' has no partner of the same name, with _F and _R at the end",
            place(primer).unwrap_or_default(),
            primer.shown_name().as_bstr()
        )),
        [None, None] => unreachable!("a pair has a primer"),
    };
    pairs.into_iter().map(line).collect()
}

/// Splits the name of a primer into the name of its pair and its side: 0 for the forward primer, 1 for the reverse one.
fn pair_and_side(name: &[u8]) -> Option<(&[u8], usize)> {
    const SIDES: [[&str; 4]; 2] = [["f", "fwd", "forward", "left"], ["r", "rev", "reverse", "right"]];
    let at = name.iter().rposition(|byte| b"_-./".contains(byte))?;
    let end = name[at + 1..].to_str().ok()?.to_ascii_lowercase();
    Some((&name[..at], SIDES.iter().position(|ends| ends.contains(&&*end))?))
}

impl PairLine<'_> {
    /// Returns whether the line has the names of the columns.
    fn is_header(&self) -> bool {
        let is = |index: usize, names: [&[u8]; 2]| {
            let column = self.columns.get(index).map(|column| column.to_ascii_lowercase());
            column.is_some_and(|column| names.iter().any(|name| column.starts_with(name)))
        };
        is(1, [b"forward", b"fwd"]) && is(2, [b"reverse", b"rev"])
    }

    fn place(&self) -> String {
        format!("{}:{}", self.file, self.number)
    }

    fn pair(&self, lengths: &RangeInclusive<u64>, pooling: Pooling) -> Result<PrimerPair> {
        let (name, primers, bounds) = match self.columns[..] {
            [name, forward, reverse] => (name, [forward, reverse], [&b""[..]; 2]),
            [name, forward, reverse, min, max] => (name, [forward, reverse], [min, max]),
            _ => bail!(
                "{}: {} columns separated by tabs, but expected 3 (name, forward, reverse) or 5 (name, forward, reverse, min, max)",
                self.place(),
                self.columns.len()
            ),
        };
        if name.is_empty() {
            bail!("{}: the name of the pair is missing", self.place());
        }
        if pooling == Pooling::Pool && bounds.iter().any(|bound| !bound.is_empty()) {
            bail!("{}: min and max cannot be used with --pool; omit these columns", self.place());
        }
        let [min, max] = bounds;
        let min = self.bound("min", min)?.unwrap_or(*lengths.start());
        let max = self.bound("max", max)?.unwrap_or(*lengths.end());
        if min > max {
            bail!("{}: the minimum {min} is above the maximum {max}", self.place());
        }
        let [forward, reverse] = primers;
        Ok(PrimerPair {
            name: name.to_vec(),
            forward: self.primer("forward", forward)?,
            reverse: self.primer("reverse", reverse)?,
            lengths: min..=max,
        })
    }

    /// Parses a bound of the length; `None` if the column is empty.
    fn bound(&self, column: &str, value: &[u8]) -> Result<Option<u64>> {
        if value.is_empty() {
            return Ok(None);
        }
        let bound = value.to_str().ok().and_then(|value| number(value).ok());
        let bound = bound.filter(|&bound| bound <= MAX_PRODUCT);
        let problem =
            || anyhow!("{}: {column} '{}': expected a number up to {MAX_PRODUCT}", self.place(), value.as_bstr());
        bound.map(Some).ok_or_else(problem)
    }

    fn primer(&self, column: &str, letters: &[u8]) -> Result<Primer> {
        let pattern = letters.to_ascii_uppercase();
        let is_code = |letter: u8| b"<>Ii".contains(&letter) || Alphabet::Dna.symbol_of_byte(letter) != 0;
        let is_wrong = |letter: &char| !u8::try_from(*letter).is_ok_and(is_code);
        if let Some(wrong) = letters.to_str_lossy().chars().find(is_wrong) {
            bail!("{}: '{wrong}' in the {column} primer is not a base or IUPAC code", self.place());
        }
        if !pattern.iter().any(u8::is_ascii_alphabetic) {
            bail!("{}: the {column} primer is missing", self.place());
        }
        Ok(Primer { pattern, origin: (self.file.into(), self.number) })
    }
}
