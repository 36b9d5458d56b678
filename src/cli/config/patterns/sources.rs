//! Reads the patterns from the arguments and from pattern files: lines, tables, FASTA or FASTQ.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use bstr::ByteSlice;

use super::cas_offinder;
use super::content::content;
use super::records::{place, records};
use crate::cli::args::{Args, Output, bytes_of};
use crate::cli::config::inputs::kinds::{FASTQ, extension_below_compression, sequence_extension};
use nigh_input::{Format, LongLines};
use nigh_pattern::{Bound, Notation, PatternSource, Proximity};
use nigh_search::InputKind;

/// The format of a pattern file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatternFileFormat {
    /// One pattern per line.
    Lines,
    /// One row per line: a pattern, or the columns name, pattern and optionally bound, separated by tabs.
    Columns,
    Fasta,
    Fastq,
    /// The input file of Cas-OFFinder.
    CasOffinder,
}

/// Returns the contents of the pattern files, in order.
pub(crate) fn pattern_files(args: &Args) -> Result<Vec<Vec<u8>>> {
    let name = |file: &Path| file.to_string_lossy().into_owned();
    let files = args.patterns.pattern_files.iter();
    files.map(|file| content(args.input.compression(), file).with_context(|| name(file))).collect()
}

/// Returns all patterns, for text or for sequences. `contents` are the contents of the pattern files.
pub(crate) fn pattern_sources(args: &Args, contents: &[Vec<u8>], kind: InputKind) -> Result<Vec<PatternSource>> {
    let given = args.patterns.regexps.iter().chain(&args.pattern);
    let mut sources: Vec<PatternSource> =
        given.flat_map(|pattern| bytes_of(pattern).split(|&byte| byte == b'\n')).map(PatternSource::new).collect();
    for (file, content) in args.patterns.pattern_files.iter().zip(contents) {
        let name = file.to_string_lossy().into_owned();
        sources.extend(match form(args, file, content, kind) {
            PatternFileFormat::Lines => lines(content, &name).collect(),
            PatternFileFormat::Columns => {
                table_rows(content, &name, kind).map(columns).collect::<Result<Vec<PatternSource>>>()?
            }
            PatternFileFormat::Fasta => records(content.clone(), &name, Format::Fasta { long: LongLines::Whole })?,
            PatternFileFormat::Fastq => records(content.clone(), &name, Format::Fastq)?,
            PatternFileFormat::CasOffinder => cas_offinder::queries(content, &name)?,
        });
    }
    if kind == InputKind::Sequences {
        sources = sources.into_iter().map(with_edges).collect();
    }
    let has_rows = matches!(args.form(kind), Output::Ends | Output::Align | Output::Histogram | Output::CountPatterns);
    // With `--near`, duplicates may be partners of each other.
    if kind == InputKind::Text && !has_rows && args.patterns.near.is_empty() {
        keep_each_once(&mut sources);
    }
    if args.compat.basic_regexp {
        sources.iter().try_for_each(check_is_basic)?;
    }
    Ok(sources)
}

/// Returns the patterns that match only near each other: those of the `-e` options on either side of `--near`.
pub(super) fn proximity(args: &Args) -> Result<Option<Proximity>> {
    let patterns = &args.patterns;
    let gap = match patterns.near[..] {
        [] => return Ok(None),
        [gap] => gap,
        _ => bail!("--near can be given only once"),
    };
    let (before, after) = patterns.regexps.split_at(patterns.regexps_before_near);
    let count = |pattern: &OsString| bytes_of(pattern).split(|&byte| byte == b'\n').count();
    let (Some((left, earlier)), Some(right)) = (before.split_last(), after.first()) else {
        bail!("--near must be between two patterns, as in '-e A --near 50 -e B'");
    };
    let start: usize = earlier.iter().map(count).sum();
    let middle = start + count(left);
    Ok(Some(Proximity { first: start..middle, second: middle..middle + count(right), gap }))
}

/// Removes duplicate patterns. Use it for reports without rows; reports with rows print the matches of each duplicate.
fn keep_each_once(sources: &mut Vec<PatternSource>) {
    let are_new: Vec<bool> = {
        let mut seen = HashSet::new();
        let each = sources.iter().map(|one| seen.insert((&one.text, &one.name, one.bound, one.notation)));
        each.collect()
    };
    let mut are_new = are_new.into_iter();
    sources.retain(|_| are_new.next().expect("there is an element for each source"));
}

/// Refuses a pattern that would have another meaning as a basic regular expression, in which the symbols `+?{}|()` are
/// operators only after a backslash.
fn check_is_basic(source: &PatternSource) -> Result<()> {
    if source.notation == Some(Notation::Literal) {
        return Ok(());
    }
    if let Some(operator) = source.text.iter().find(|byte| b"+?{}|()".contains(byte)) {
        bail!(
            "{}pattern '{}': '{}' has another meaning in a basic regular expression; omit -G and write the pattern as for grep -E",
            place(source).map_or_else(String::new, |place| place + ": "),
            source.shown_name().to_str_lossy(),
            char::from(*operator)
        );
    }
    Ok(())
}

/// Returns the format of a pattern file. Its name decides and, if sequences are searched, its first byte: no pattern
/// for sequences begins with `>` or `@`, or contains a tab.
fn form(args: &Args, file: &Path, content: &[u8], kind: InputKind) -> PatternFileFormat {
    let named = sequence_extension(file).filter(|_| !args.input.text);
    let is_table = extension_below_compression(file).is_some_and(|extension| extension == "tsv");
    if cas_offinder::is_wanted(args) {
        return PatternFileFormat::CasOffinder;
    }
    match (named.as_deref(), content.trim_ascii_start().first()) {
        (Some(extension), _) if FASTQ.contains(&extension) => PatternFileFormat::Fastq,
        (Some(_), _) => PatternFileFormat::Fasta,
        (None, _) if is_table => PatternFileFormat::Columns,
        (None, _) if kind == InputKind::Text => PatternFileFormat::Lines,
        (None, Some(b'>')) => PatternFileFormat::Fasta,
        (None, Some(b'@')) => PatternFileFormat::Fastq,
        (None, _) => PatternFileFormat::Columns,
    }
}

/// Returns the lines of a pattern file as patterns. Lines end with LF or CRLF, as in ripgrep.
fn lines<'a>(content: &'a [u8], file: &'a str) -> impl Iterator<Item = PatternSource> + 'a {
    let without = |line: &'a [u8], last: &[u8]| line.strip_suffix(last).unwrap_or(line);
    let file = Arc::<str>::from(file);
    content
        .lines_with_terminator()
        .map(move |line| without(without(line, b"\n"), b"\r"))
        .zip(1..)
        .map(move |(line, number)| PatternSource { origin: Some((file.clone(), number)), ..PatternSource::new(line) })
}

/// Returns the rows of a table or a pattern file for sequences, without empty lines, a first line that names the
/// columns and, in sequences, lines that begin with `#`.
fn table_rows<'a>(content: &'a [u8], file: &'a str, kind: InputKind) -> impl Iterator<Item = PatternSource> + 'a {
    let is_comment = move |line: &PatternSource| kind == InputKind::Sequences && line.text.starts_with(b"#");
    let filled = lines(content, file).filter(move |line| !line.text.is_empty() && !is_comment(line));
    filled.enumerate().filter(move |(index, line)| *index > 0 || !is_header(&line.text, kind)).map(|(_, line)| line)
}

/// Returns whether a line names the columns of a table of patterns.
fn is_header(line: &[u8], kind: InputKind) -> bool {
    const OF_NAMES: [&str; 2] = ["name", "id"];
    // None of these is a sequence of nucleotides.
    const OF_PATTERNS: [&str; 9] =
        ["pattern", "sequence", "seq", "guide", "spacer", "primer", "barcode", "adapter", "probe"];
    let columns: Vec<String> =
        line.split(|&byte| byte == b'\t').map(|column| column.trim_ascii().to_str_lossy().to_lowercase()).collect();
    let is = |index: usize, names: &[&str]| columns.get(index).is_some_and(|column| names.contains(&&**column));
    is(2, &["k"]) || is(1, &OF_PATTERNS) && (kind == InputKind::Sequences || is(0, &OF_NAMES))
}

/// Splits a line with several columns into name, pattern and bound. Returns a line with one column unchanged.
fn columns(line: PatternSource) -> Result<PatternSource> {
    let mut columns: Vec<&[u8]> = line.text.split(|&byte| byte == b'\t').collect();
    while columns.len() > 3 && columns.last().is_some_and(|column| column.trim_ascii().is_empty()) {
        columns.pop();
    }
    let (name, pattern, bound) = match columns[..] {
        [_] => return Ok(line),
        [name, pattern] | [name, pattern, b""] => (name, pattern, None),
        [name, pattern, bound] => (name, pattern, Some(bound)),
        _ => bail!(
            "{}: {} columns, but at most 3 are expected: name, pattern and k",
            place(&line).unwrap_or_default(),
            columns.len()
        ),
    };
    let bound = bound.map(|bound| {
        let bound = bound.to_str_lossy();
        bound
            .parse::<Bound>()
            .map_err(|why| anyhow!("{}: invalid k '{bound}': {why}", place(&line).unwrap_or_default()))
    });
    let bound = bound.transpose()?;
    let (text, name) = (pattern.to_vec(), Some(name.to_vec()));
    Ok(PatternSource { text, name, bound, ..line })
}

/// Turns a record whose sequence begins with `^` or ends with `$` into an anchored regular expression.
fn with_edges(source: PatternSource) -> PatternSource {
    let text = source.text.to_str_lossy().into_owned();
    let (start, rest) = text.strip_prefix('^').map_or(("", &*text), |rest| ("^", rest));
    let (rest, end) = rest.strip_suffix('$').map_or((rest, ""), |rest| (rest, "$"));
    if source.notation != Some(Notation::Literal) || rest.len() == text.len() {
        return source;
    }
    let name = source.name.or(Some(source.text));
    let regex = format!("{start}{}{end}", regex_syntax::escape(rest));
    PatternSource { text: regex.into_bytes(), name, notation: Some(Notation::Regex), ..source }
}
