//! Advice for patterns that cannot be searched for. It names options of the program.

use std::collections::BTreeMap;

use anyhow::{Error, anyhow};
use bstr::ByteSlice;

use super::args::EditExpression;
use nigh_pattern::{PatternError, PatternProblem, PatternSet, Unsupported};
use nigh_text::alphabet::Alphabet;

/// Returns the message about a pattern, with the options that help. `edits` is the value of `--edits`, if it sets the
/// bound.
pub(super) fn advised(error: &PatternError, edits: Option<&EditExpression>) -> Error {
    let bound = |k: usize| match (error.source.bound, edits) {
        (Some(_), _) => format!("k = {k}"),
        (None, Some(edits)) => format!("--edits '{}'", edits.text()),
        (None, None) => format!("-k {k}"),
    };
    let problem = match error.problem() {
        PatternProblem::TooManyEdits { k, length } => {
            let symbols = if *length == 1 { "symbol" } else { "symbols" };
            format!("{} would match everywhere: the pattern has only {length} {symbols}", bound(*k))
        }
        PatternProblem::ShortString { k, string } => {
            format!("{} would match everywhere: the pattern matches the short string '{string}'", bound(*k))
        }
        PatternProblem::NotACode { letter, alphabet: Alphabet::Dna } => {
            format!("'{letter}' is not an IUPAC nucleotide code")
        }
        problem => problem.to_string(),
    };
    let advice = row_advice(error).or_else(|| advice(error, edits));
    let problem = advice.map_or(problem.clone(), |advice| format!("{problem}; {advice}"));
    let mut message = String::new();
    error.write(&problem, &mut message).expect("memory can be written to");
    anyhow!(message)
}

/// Returns a warning about patterns with fewer edits than the options allow, because they are short; `None` if there are
/// none.
pub(super) fn short_patterns(patterns: &PatternSet) -> Option<String> {
    let mut counts = BTreeMap::new();
    patterns.reduced().iter().for_each(|reduced| *counts.entry(reduced.k).or_insert(0_usize) += 1);
    let first = patterns.source_name(patterns.reduced().first()?.source).to_str_lossy().replace('\n', "\\n");
    let each: Vec<String> = counts.iter().rev().map(|(k, count)| format!("{count} with k = {k}")).collect();
    let each = each.join(", ");
    Some(match patterns.reduced().len() {
        1 => format!("pattern '{first}' would match everywhere, so it has fewer edits: {each}"),
        count => {
            format!("{count} patterns, such as '{first}', would match everywhere, so they have fewer edits: {each}")
        }
    })
}

/// Returns advice for a row of a pattern file that seems to be no row of name, pattern and k.
fn row_advice(error: &PatternError) -> Option<String> {
    let (source, PatternProblem::NotACode { alphabet, .. }) = (&error.source, error.problem()) else { return None };
    let (_, line) = source.origin.as_ref()?;
    let is_code = |&letter: &u8| alphabet.residues(letter) != 0;
    match &source.name {
        None if source.text.iter().any(|byte| b" ,;".contains(byte)) => {
            Some("separate the columns name, pattern and k with tabs".to_owned())
        }
        Some(name) if name.iter().all(is_code) => Some("put the name column before the pattern column".to_owned()),
        Some(_) if *line == 1 => Some("remove the header line; the columns are name, pattern and k".to_owned()),
        _ => None,
    }
}

fn advice(error: &PatternError, edits: Option<&EditExpression>) -> Option<String> {
    Some(match error.problem() {
        PatternProblem::TooManyEdits { .. } | PatternProblem::ShortString { .. } => {
            let remedy = match (error.source.bound, edits) {
                (Some(_), _) => "lower its k",
                (None, Some(_)) => "lower its bound",
                (None, None) => "lower -k, or use '-k auto'",
            };
            remedy.to_owned()
        }
        PatternProblem::TooManyInsertions => {
            "lower the bound, or limit insertions, as in --edits 'i<=2,d,s,e<=9'".to_owned()
        }
        PatternProblem::NotACode { letter, alphabet: Alphabet::Dna } if is_amino_acid(letter) => {
            "use --text to search lines, or --protein to search amino acids".to_owned()
        }
        PatternProblem::LineFeed => "or use -z to search a file as one line".to_owned(),
        PatternProblem::EditsInBraces(braces) => {
            let conditions = braces.trim_matches(['{', '}']);
            format!("use -k or --edits, as in --edits '{conditions}', or '\\{{' for a brace")
        }
        PatternProblem::Syntax(_) => "use -F to search for plain text".to_owned(),
        PatternProblem::Unsupported(Unsupported::LookAround) => {
            "to find two parts in a line, use -e A --near 200 -e B, or pipe one search into another".to_owned()
        }
        _ => return None,
    })
}

/// Returns whether a letter is the code of an amino acid.
fn is_amino_acid(letter: &str) -> bool {
    matches!(letter.as_bytes(), [letter] if Alphabet::Protein.residues(*letter) != 0)
}
