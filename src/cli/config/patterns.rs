//! What is to be found: patterns from arguments and files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bstr::{ByteSlice, ByteVec};

use super::terminator;
use crate::alphabet::Alphabet;
use crate::cli::args::{Args, Strands, bytes_of};
use crate::pattern::{Case, Groups, Notation, PatternSet, PatternSource, Strand, Whole};

pub(super) fn pattern_sources(args: &Args) -> Result<Vec<PatternSource>> {
    let given = args.patterns.regexps.iter().chain(&args.pattern);
    let mut sources: Vec<PatternSource> =
        given.flat_map(|pattern| bytes_of(pattern).split(|&byte| byte == b'\n')).map(PatternSource::new).collect();
    for file in &args.patterns.pattern_files {
        sources.extend(patterns_in(file)?);
    }
    Ok(sources)
}

fn patterns_in(file: &Path) -> Result<Vec<PatternSource>> {
    let name = file.to_string_lossy().into_owned();
    let content = match file == Path::new("-") {
        true => {
            let mut content = Vec::new();
            io::stdin().read_to_end(&mut content).map(|_| content)
        }
        false => fs::read(file),
    };
    let content = content.map_err(crate::input::InputError::from).with_context(|| name.clone())?;
    let lines = content.lines_with_terminator().map(|line| line.strip_suffix(b"\n").unwrap_or(line));
    let numbered = lines.zip(1..).map(|(line, number)| {
        let text = Vec::from_slice(line);
        PatternSource { text, origin: Some((name.clone(), number)) }
    });
    Ok(numbered.collect())
}

pub(super) fn patterns(args: &Args, alphabet: Alphabet, sources: &[PatternSource]) -> Result<Arc<PatternSet>> {
    let strands: &[Strand] = match (alphabet, args.sequences.strand) {
        (Alphabet::Dna, Strands::Both) => &[Strand::Forward, Strand::Reverse],
        (Alphabet::Dna, Strands::Reverse) => &[Strand::Reverse],
        _ => &[Strand::Forward],
    };
    let whole = match (args.patterns.line, args.patterns.word) {
        (true, _) => Whole::Record,
        (false, true) => Whole::Words,
        (false, false) => Whole::Anything,
    };
    let builder = PatternSet::builder(alphabet)
        .notation(if args.patterns.fixed_strings { Notation::Literal } else { Notation::Regex })
        .case(if args.patterns.ignore_case { Case::Insensitive } else { Case::Sensitive })
        .whole(whole)
        .max_errors(args.fuzzy.max_errors)
        .terms(args.fuzzy.terms())
        .groups(if args.fuzzy.exact_group { Groups::Exact } else { Groups::Ordinary })
        .terminator(terminator(args))
        .strands(strands);
    Ok(Arc::new(builder.build(sources)?))
}
