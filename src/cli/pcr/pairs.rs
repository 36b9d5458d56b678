//! Reads pairs of primers: a table, named primers, or primers on the command line.
//!
//! A line of a table has the columns name, forward primer and reverse primer, and optionally the lengths of products. A
//! first line that names the columns is skipped.

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use bstr::ByteSlice;

use super::args::{MAX_PRODUCT, PcrArgs, ProductLengths};
use super::named::{bed_primers, fasta_primers, is_bed, pairs_of_primers};
use super::primers::{GivenPrimer, PairLine, PrimerSide, is_primer_byte};
use crate::cli::args::numbers::number;
use crate::cli::config::content;
use nigh_input::Compression;
use nigh_pattern::{Notation, PatternSource};
use nigh_pcr::{Pooling, Primer, PrimerPair, PrimerPairs};

/// Largest number of pairs.
const MAX_PAIRS: usize = 1 << 30;

/// Returns the primers as patterns, each once.
pub(super) fn primer_sources(pairs: &PrimerPairs) -> Vec<PatternSource> {
    let source = |primer: &Primer| PatternSource {
        origin: primer.origin.as_ref().map(|(file, line)| (file.as_str().into(), *line)),
        name: Some(primer.name.clone()),
        notation: Some(Notation::Literal),
        ..PatternSource::new(primer.pattern.clone())
    };
    pairs.patterns().map(source).collect()
}

/// Reads the pairs.
pub(super) fn primer_pairs(args: &PcrArgs) -> Result<PrimerPairs> {
    let pooling = if args.products.pool { Pooling::Pool } else { Pooling::Pairs };
    let lengths = &args.products.lengths.0;
    let pairs = match &args.pairs {
        Some(file) => pairs_of_file(file, lengths, pooling)?,
        None => pairs_of_arguments(&args.products.primers, lengths)?,
    };
    Ok(PrimerPairs::new(pairs, pooling))
}

/// Returns the pairs of the command line, whose primers are given in turn.
fn pairs_of_arguments(primers: &[String], lengths: &RangeInclusive<u64>) -> Result<Vec<PrimerPair>> {
    let pair = |pair: &[String]| {
        let [forward, reverse] = [0, 1].map(|index| pair[index].as_bytes());
        let given = |letters| GivenPrimer { letters, name: letters, place: None };
        Ok(PrimerPair {
            name: [forward, reverse].join(&b'+'),
            forward: given(forward).primer(PrimerSide::Forward)?,
            reverse: given(reverse).primer(PrimerSide::Reverse)?,
            lengths: lengths.clone(),
        })
    };
    primers.chunks_exact(2).map(pair).collect()
}

fn pairs_of_file(path: &Path, lengths: &RangeInclusive<u64>, pooling: Pooling) -> Result<Vec<PrimerPair>> {
    let file = &*path.to_string_lossy();
    let content =
        content(Compression::ByMagic, path).map_err(|error| anyhow!("{file}: {error}{}", advice_on_primer(path)))?;
    let pairs = if content.trim_ascii_start().starts_with(b">") {
        let records = fasta_primers(&content, file)?;
        pairs_of_primers(&records.iter().map(|record| record.given(file)).collect::<Vec<_>>(), lengths)?
    } else {
        let lines: Vec<PairLine<'_>> = pair_lines(&content, file).collect();
        match lines.first().is_some_and(is_bed) {
            true => pairs_of_primers(&bed_primers(&lines)?, lengths)?,
            false => lines.iter().map(|line| line.pair(lengths, pooling)).collect::<Result<_>>()?,
        }
    };
    match pairs.len() {
        0 => bail!("{file}: no pairs of primers; expected lines with the columns name, forward and reverse"),
        1..=MAX_PAIRS => Ok(pairs),
        count => bail!("{file}: {count} pairs of primers, but at most {MAX_PAIRS} are allowed; divide the file"),
    }
}

/// Returns the end of the message about a file of pairs that cannot be read: the option for primers if there is no such
/// file and its name looks like a primer.
fn advice_on_primer(path: &Path) -> &'static str {
    const MIN_LETTERS: usize = 6;
    let name = path.to_string_lossy();
    let is_primer = name.len() >= MIN_LETTERS && name.bytes().all(is_primer_byte);
    if is_primer && !path.exists() { "; to give primers in place of a file, use -e FORWARD REVERSE" } else { "" }
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

impl PairLine<'_> {
    /// Returns whether the line has the names of the columns.
    fn is_header(&self) -> bool {
        let is = |index: usize, names: [&[u8]; 2]| {
            let column = self.columns.get(index).map(|column| column.to_ascii_lowercase());
            column.is_some_and(|column| names.iter().any(|name| column.starts_with(name)))
        };
        is(1, [b"forward", b"fwd"]) && is(2, [b"reverse", b"rev"])
    }

    fn pair(&self, default: &RangeInclusive<u64>, pooling: Pooling) -> Result<PrimerPair> {
        let (name, primers, lengths) = match self.columns[..] {
            [name, forward, reverse] => (name, [forward, reverse], None),
            [name, forward, reverse, lengths] => (name, [forward, reverse], Some(self.lengths(lengths)?)),
            [name, forward, reverse, b"", b""] => (name, [forward, reverse], None),
            [name, forward, reverse, min, max] => (name, [forward, reverse], Some(self.bounds(min, max, default)?)),
            _ => bail!(
                "{}: {} columns separated by tabs, but expected 3 (name, forward, reverse), 4 (name, forward, reverse, lengths) or 5 (name, forward, reverse, min, max)",
                self.place(),
                self.columns.len()
            ),
        };
        if name.is_empty() {
            bail!("{}: the name of the pair is missing", self.place());
        }
        if pooling == Pooling::Pool && lengths.is_some() {
            bail!("{}: lengths of a pair cannot be used with --pool; omit their columns", self.place());
        }
        let [forward, reverse] = primers;
        let primer = |letters, side, end: &[u8]| {
            let name = &[name, end].concat();
            GivenPrimer { letters, name, place: Some((self.file, self.number)) }.primer(side)
        };
        Ok(PrimerPair {
            name: name.to_vec(),
            forward: primer(forward, PrimerSide::Forward, b"/F")?,
            reverse: primer(reverse, PrimerSide::Reverse, b"/R")?,
            lengths: lengths.unwrap_or_else(|| default.clone()),
        })
    }

    /// Parses the column of lengths.
    fn lengths(&self, value: &[u8]) -> Result<RangeInclusive<u64>> {
        let value = value.to_str_lossy();
        let lengths = value.parse::<ProductLengths>();
        Ok(lengths.map_err(|problem| anyhow!("{}: lengths '{value}': {problem}", self.place()))?.0)
    }

    /// Parses the columns of the minimum and the maximum. One that is empty has the default.
    fn bounds(&self, min: &[u8], max: &[u8], default: &RangeInclusive<u64>) -> Result<RangeInclusive<u64>> {
        let min = self.bound("min", min)?.unwrap_or(*default.start());
        let max = self.bound("max", max)?.unwrap_or(*default.end());
        if min > max {
            bail!("{}: the minimum {min} is above the maximum {max}", self.place());
        }
        Ok(min..=max)
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
}
