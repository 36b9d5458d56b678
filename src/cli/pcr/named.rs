//! Primers with names: in FASTA, or in a BED file with sequences as primalscheme and ARTIC write it.
//!
//! The names of the primers of a pair differ in their ends, such as `_LEFT` and `_RIGHT`. Behind these, a number or `alt`
//! tells the alternatives of a primer apart. Every forward primer makes a pair with every reverse primer.

use std::ops::RangeInclusive;

use anyhow::{Result, anyhow, bail};
use bstr::ByteSlice;
use indexmap::IndexMap;

use super::primers::{GivenPrimer, PairLine, PrimerSide};
use crate::cli::config::records;
use nigh_input::{Format, LongLines};
use nigh_pattern::PatternSource;
use nigh_pcr::PrimerPair;

/// Largest number of pairs that the alternatives of one pair make.
const MAX_COMBINATIONS: usize = 1 << 20;

/// The ends of the names of forward and of reverse primers, in lower case. The last two can have alternatives.
const ENDS: [[&str; 4]; 2] = [["f", "fwd", "forward", "left"], ["r", "rev", "reverse", "right"]];

/// The ends of names, for messages.
const SHOWN_ENDS: &str = "_F or _R, _fwd or _rev, _forward or _reverse, _LEFT or _RIGHT, or with an alternative as in \
                          _LEFT_alt1 or _LEFT_1";

/// A primer of a FASTA file.
pub(super) struct FastaPrimer(PatternSource);

/// Reads the primers of a FASTA file.
pub(super) fn fasta_primers(content: &[u8], file: &str) -> Result<Vec<FastaPrimer>> {
    let records = records(content.to_vec(), file, Format::Fasta { long: LongLines::Whole })?;
    Ok(records.into_iter().map(FastaPrimer).collect())
}

impl FastaPrimer {
    pub(super) fn given<'a>(&'a self, file: &'a str) -> GivenPrimer<'a> {
        let FastaPrimer(record) = self;
        let line = record.origin.as_ref().map_or(0, |(_, line)| *line);
        GivenPrimer { letters: &record.text, name: record.shown_name(), place: Some((file, line)) }
    }
}

/// Returns whether a line is one of a BED file.
pub(super) fn is_bed(line: &PairLine<'_>) -> bool {
    let is_number = |column: &&[u8]| !column.is_empty() && column.iter().all(u8::is_ascii_digit);
    line.columns.len() >= 3 && line.columns[1..3].iter().all(is_number)
}

/// Returns the primers of a BED file, with the name in the fourth column and the sequence in the seventh.
pub(super) fn bed_primers<'a>(lines: &[PairLine<'a>]) -> Result<Vec<GivenPrimer<'a>>> {
    let primer = |line: &PairLine<'a>| match line.columns[..] {
        [_, _, _, name, _, _, letters, ..] => Ok(GivenPrimer { letters, name, place: Some((line.file, line.number)) }),
        _ => bail!(
            "{}: {} columns of a BED file, which has no sequences of primers; expected 7 columns with the sequence in the last, as in the primer.bed of primalscheme, or lines with the columns name, forward and reverse",
            line.place(),
            line.columns.len()
        ),
    };
    lines.iter().map(primer).collect()
}

/// The parts of the name of a primer.
#[derive(Debug, PartialEq, Eq)]
struct NameParts<'a> {
    pair: &'a [u8],
    side: PrimerSide,
    /// The rest of the name from the separator before the side.
    end: &'a [u8],
    /// The end after the side.
    alternative: &'a [u8],
}

impl<'a> NameParts<'a> {
    /// Splits a name; `None` if it has no end that names the side.
    fn of(name: &'a [u8]) -> Option<Self> {
        let mut until = name.len();
        loop {
            let at = name[..until].iter().rposition(|byte| b"_-./".contains(byte))?;
            let word = name[at + 1..until].to_str().ok()?.to_ascii_lowercase();
            let side = [PrimerSide::Forward, PrimerSide::Reverse]
                .into_iter()
                .zip(&ENDS)
                .find(|(_, ends)| ends.contains(&&*word));
            if let Some((side, ends)) = side {
                let is_known = until == name.len() || word == ends[3];
                let (end, alternative) = (&name[at..], &name[until..]);
                return is_known.then_some(NameParts { pair: &name[..at], side, end, alternative });
            }
            let digits = word.strip_prefix("alt").unwrap_or(&word);
            if word.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            until = at;
        }
    }
}

/// A primer with the parts of its name.
struct NamedPrimer<'a> {
    given: GivenPrimer<'a>,
    parts: NameParts<'a>,
}

/// The primers of a pair: forward and reverse.
type Alternatives<'p, 'a> = [Vec<&'p NamedPrimer<'a>>; 2];

/// Returns the pairs of primers, in the order of their first primers.
pub(super) fn pairs_of_primers(primers: &[GivenPrimer<'_>], lengths: &RangeInclusive<u64>) -> Result<Vec<PrimerPair>> {
    let named = primers.iter().map(|&given| {
        let parts = NameParts::of(given.name).ok_or_else(|| {
            anyhow!(
                "{}: primer '{}': expected a name that ends with {SHOWN_ENDS}; or use lines with the columns name, forward and reverse, separated by tabs",
                given.place(),
                given.name.as_bstr()
            )
        })?;
        Ok(NamedPrimer { given, parts })
    });
    let named = named.collect::<Result<Vec<_>>>()?;
    let mut groups: IndexMap<&[u8], Alternatives<'_, '_>> = IndexMap::new();
    for primer in &named {
        let side =
            &mut groups.entry(primer.parts.pair).or_default()[usize::from(primer.parts.side == PrimerSide::Reverse)];
        if side.iter().any(|other| other.parts.alternative == primer.parts.alternative) {
            bail!("{}: a second primer '{}'", primer.given.place(), primer.given.name.as_bstr());
        }
        side.push(primer);
    }
    let mut pairs = Vec::new();
    for (name, sides) in &groups {
        add_pairs(name, sides, lengths, &mut pairs)?;
    }
    Ok(pairs)
}

/// Adds a pair for each forward primer with each reverse primer.
fn add_pairs(
    name: &[u8],
    [forward, reverse]: &Alternatives<'_, '_>,
    lengths: &RangeInclusive<u64>,
    pairs: &mut Vec<PrimerPair>,
) -> Result<()> {
    if let ([primer, ..], []) | ([], [primer, ..]) = (&forward[..], &reverse[..]) {
        bail!(
            "{}: primer '{}' has no partner of the same name; its name would end with one of {SHOWN_ENDS}",
            primer.given.place(),
            primer.given.name.as_bstr()
        );
    }
    let combinations = forward.len() * reverse.len();
    if combinations > MAX_COMBINATIONS {
        bail!(
            "{}: the alternatives of '{}' make {combinations} pairs, but at most {MAX_COMBINATIONS} are allowed",
            forward[0].given.place(),
            name.as_bstr()
        );
    }
    let end = |primer: &NamedPrimer<'_>, all: &[_]| if all.len() > 1 { primer.parts.end.to_vec() } else { Vec::new() };
    for first in forward {
        for second in reverse {
            pairs.push(PrimerPair {
                name: [name, &end(first, forward), &end(second, reverse)].concat(),
                forward: first.given.primer(PrimerSide::Forward)?,
                reverse: second.given.primer(PrimerSide::Reverse)?,
                lengths: lengths.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str) -> Option<(&[u8], PrimerSide, &[u8])> {
        NameParts::of(name.as_bytes()).map(|parts| (parts.pair, parts.side, parts.alternative))
    }

    #[test]
    fn the_end_of_a_name_is_a_side_and_an_alternative() {
        for (name, pair, side, alternative) in [
            ("p1_F", "p1", PrimerSide::Forward, ""),
            ("p.1/reverse", "p.1", PrimerSide::Reverse, ""),
            ("nCoV-2019_1_LEFT", "nCoV-2019_1", PrimerSide::Forward, ""),
            ("nCoV-2019_7_LEFT_alt0", "nCoV-2019_7", PrimerSide::Forward, "_alt0"),
            ("s_7_RIGHT_alt", "s_7", PrimerSide::Reverse, "_alt"),
            ("s_7_right_ALT2_alt1", "s_7", PrimerSide::Reverse, "_ALT2_alt1"),
            ("s_7_RIGHT_0", "s_7", PrimerSide::Reverse, "_0"),
        ] {
            assert_eq!(parts(name), Some((pair.as_bytes(), side, alternative.as_bytes())), "{name}");
        }
        for name in ["LEFT", "a_F_1", "a_1", "a_LEFT_", "a_LEFT_x1", "a_LEFT_altx", "a_1_PROBE_0", ""] {
            assert_eq!(parts(name), None, "{name}");
        }
    }
}
