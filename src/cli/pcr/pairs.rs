//! Reads pairs of primers.
//!
//! A line has the columns name, forward primer and reverse primer, and optionally the least and the largest length of
//! products. A first line that names the columns is skipped. In FASTA, the names of the two primers of a pair differ in
//! their ends, such as `_F` and `_R`.

use std::ops::RangeInclusive;

use anyhow::{Context as _, Result, anyhow, bail};
use bstr::ByteSlice;
use indexmap::IndexMap;

use super::args::{MAX_PRODUCT, PcrArgs};
use crate::cli::args::numbers::number;
use crate::cli::config::{content, place, records};
use nigh_core::alphabet::Alphabet;
use nigh_core::pattern::{Notation, PatternSource};
use nigh_input::{Compression, Format, LongLines};
use nigh_report::{Pooling, Primer, PrimerPair, PrimerPairs};

/// Largest number of pairs.
const MAX_PAIRS: usize = 1 << 30;

/// A line of a file of pairs, for messages.
struct PairLine<'a> {
    file: &'a str,
    number: usize,
    columns: Vec<&'a [u8]>,
}

/// Returns the primers as patterns, each once.
pub(super) fn primer_sources(pairs: &PrimerPairs) -> Vec<PatternSource> {
    let source = |(primer, name): (&Primer, Vec<u8>)| PatternSource {
        origin: Some((primer.origin.0.as_str().into(), primer.origin.1)),
        name: Some(name),
        notation: Some(Notation::Literal),
        ..PatternSource::new(primer.pattern.clone())
    };
    pairs.patterns().map(source).collect()
}

/// Reads the pairs.
pub(super) fn primer_pairs(args: &PcrArgs) -> Result<PrimerPairs> {
    let pooling = if args.products.pool { Pooling::Pool } else { Pooling::Pairs };
    let lengths = &args.products.lengths.0;
    let file = args.pairs.to_string_lossy();
    let content = content(Compression::ByMagic, &args.pairs).with_context(|| file.clone().into_owned())?;
    let primers = match content.trim_ascii_start().first() {
        Some(b'>') => records(content.clone(), &file, Format::Fasta { long: LongLines::Whole })?,
        _ => Vec::new(),
    };
    let lines =
        if primers.is_empty() { pair_lines(&content, &file).collect() } else { pairs_of_records(&primers, &file)? };
    let pairs = lines.iter().map(|line| line.pair(lengths, pooling)).collect::<Result<Vec<PrimerPair>>>()?;
    match pairs.len() {
        0 => bail!("{file}: no pairs of primers; expected lines with the columns name, forward and reverse"),
        1..=MAX_PAIRS => Ok(PrimerPairs::new(pairs, pooling)),
        count => bail!("{file}: {count} pairs of primers, but at most {MAX_PAIRS} are allowed; divide the file"),
    }
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
