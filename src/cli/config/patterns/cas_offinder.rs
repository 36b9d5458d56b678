//! The input file of Cas-OFFinder: the path of a genome, a pattern with a PAM, and queries.
//!
//! The second line holds the pattern and, from version 3 on, optionally the sizes of DNA and RNA bulges. Each further
//! line holds a query, its number of mismatches and optionally a name. A query and the pattern have the same length.
//! Where the query has N, the letter of the pattern must match; elsewhere the letter of the query may mismatch.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use bstr::ByteSlice;

use super::content::content;
use crate::cli::args::{Args, Output};
use nigh_pattern::{Bound, EditCosts, EditLimit, MaxEdits, Notation, PatternSource};
use nigh_text::alphabet::Alphabet;

/// The letter for any base.
const ANY: u8 = b'N';

/// Returns whether pattern files are input files of Cas-OFFinder.
pub(crate) fn is_wanted(args: &Args) -> bool {
    args.has_form(Output::CasOffinder)
}

/// If the format is that of Cas-OFFinder and the arguments name no files to search, adds the genome that the first
/// input file of Cas-OFFinder names. A directory is searched recursively.
///
/// # Errors
/// Fails if the input file cannot be read, or names no genome.
pub(crate) fn take_genome(args: &mut Args) -> Result<()> {
    let Some(file) = args.patterns.pattern_files.first().filter(|_| is_wanted(args) && args.files.is_empty()) else {
        return Ok(());
    };
    let name = file.to_string_lossy().into_owned();
    if name == "-" {
        bail!("--format cas-offinder reads the file of -f twice, so the file cannot be standard input; name a file");
    }
    let text = content(args.input.compression(), file).with_context(|| name.clone())?;
    let path = text.lines().next().unwrap_or_default().trim_ascii();
    if path.is_empty() {
        bail!("{name}:1: expected the path of a genome");
    }
    let path = PathBuf::from(path.to_os_str().context("the path of a genome")?);
    if path.is_dir() {
        args.input.recurse();
    }
    args.files.push(path);
    Ok(())
}

/// A line of an input file, for messages.
struct InputLine<'a> {
    file: &'a str,
    number: usize,
    words: Vec<&'a [u8]>,
}

/// The second line of an input file.
struct SitePattern {
    letters: Vec<u8>,
    /// Largest number of bases in DNA bulges, and in RNA bulges.
    bulges: [usize; 2],
}

/// Reads the queries of an input file as patterns. If bulges are allowed and a query has a name, its pattern has this
/// name. Otherwise the query itself is the name of the pattern.
pub(super) fn queries(content: &[u8], file: &str) -> Result<Vec<PatternSource>> {
    let lines = content.lines().zip(1..).map(|(line, number)| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        InputLine { file, number, words }
    });
    let mut lines = lines.skip(1);
    let first = lines.next().filter(|line| !line.words.is_empty());
    let Some(first) = first else { bail!("{file}:2: expected a pattern with a PAM, such as NNNNNNNNNNNNNNNNNNNNNRG") };
    let pattern = first.pattern()?;
    lines.filter(|line| !line.words.is_empty()).map(|line| line.query(&pattern)).collect()
}

impl InputLine<'_> {
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.number)
    }

    fn number(&self, word: &[u8]) -> Result<usize> {
        let number = word.to_str().ok().and_then(|word| word.parse::<u32>().ok());
        let Some(number) = number else { bail!("{}: expected a number, not '{}'", self.place(), word.as_bstr()) };
        Ok(number as usize)
    }

    fn pattern(&self) -> Result<SitePattern> {
        let (pattern, bulges) = match self.words[..] {
            [pattern] => (pattern, [0, 0]),
            [pattern, dna, rna] => (pattern, [self.number(dna)?, self.number(rna)?]),
            _ => bail!("{}: expected a pattern, or a pattern and the sizes of DNA and RNA bulges", self.place()),
        };
        Ok(SitePattern { letters: pattern.to_ascii_uppercase(), bulges })
    }

    fn query(&self, pattern: &SitePattern) -> Result<PatternSource> {
        let (query, mismatches, name) = match self.words[..] {
            // Without bulges the output has the query, but not its name.
            [query, mismatches] => (query, mismatches, query),
            [query, mismatches, _] if pattern.bulges == [0, 0] => (query, mismatches, query),
            [query, mismatches, name] => (query, mismatches, name),
            _ => bail!("{}: expected a query, its number of mismatches and optionally a name", self.place()),
        };
        if query.len() != pattern.letters.len() {
            let (query, pattern) = (query.len(), pattern.letters.len());
            bail!("{}: the query has {query} letters, but the pattern has {pattern}", self.place());
        }
        let mismatches = self.number(mismatches)?;
        let [dna, rna] = pattern.bulges;
        let limit = |max| EditLimit::new(1, max);
        let (insertion, deletion, substitution) = (limit(dna), limit(rna), limit(mismatches));
        Ok(PatternSource {
            text: self.with_exact_groups(query, &pattern.letters)?,
            origin: Some((self.file.into(), self.number)),
            name: Some(name.to_vec()),
            bound: Some(Bound::from(MaxEdits::Count(mismatches + dna + rna))),
            notation: Some(Notation::Literal),
            costs: Some(Box::new(EditCosts { insertion, deletion, substitution, ..EditCosts::default() })),
        })
    }

    /// Merges a query with the letters of the pattern. Angle brackets enclose the letters that must match: those that
    /// the pattern fixes, and those that are N in the query. Fails if the query and the pattern contradict each other.
    fn with_exact_groups(&self, query: &[u8], pattern: &[u8]) -> Result<Vec<u8>> {
        let mut text = Vec::with_capacity(query.len() + 2);
        let mut is_in_group = false;
        for (index, (&asked, &fixed)) in query.to_ascii_uppercase().iter().zip(pattern).enumerate() {
            if asked != ANY && fixed != ANY && !covers(asked, fixed) {
                bail!(
                    "{}: letter {} is {} in the query but {} in the pattern; write N or the same letter in the query",
                    self.place(),
                    index + 1,
                    char::from(asked),
                    char::from(fixed)
                );
            }
            let is_exact = asked == ANY || fixed != ANY;
            match (is_in_group, is_exact) {
                (false, true) => text.push(b'<'),
                (true, false) => text.push(b'>'),
                (false, false) | (true, true) => {}
            }
            is_in_group = is_exact;
            text.push(if fixed == ANY { asked } else { fixed });
        }
        if is_in_group {
            text.push(b'>');
        }
        Ok(text)
    }
}

/// Returns whether `outer` stands for every base that `inner` stands for. Both are IUPAC codes in upper case.
fn covers(outer: u8, inner: u8) -> bool {
    let [outer, inner] = [outer, inner].map(|letter| Alphabet::Dna.symbol_of_byte(letter));
    inner != 0 && outer & inner == inner
}
