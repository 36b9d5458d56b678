//! Findings and hits for the unit tests of reports.

use std::io::Cursor;
use std::ops::Range;

use super::style::colours::Colours;
use super::style::visible::Controls;
use super::{Findings, HitRow, Keep, Limits, MatchSpan, MatchedItem, Prefix, Report, Rows};
use nigh_input::{Batcher, Format, LongLines, Source};
use nigh_pattern::Strand;
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::{Batch, RecordName, TextBuffer, Window};

/// Selects all lines or records with a match.
pub(super) const MATCHING: Limits = Limits { keep: Keep::Matching, max: None };

/// Selects all lines or records without a match.
pub(super) const NON_MATCHING: Limits = Limits { keep: Keep::NonMatching, max: None };

/// Returns a prefix without any field.
pub(super) fn prefix() -> Prefix {
    Prefix {
        file: false,
        line: false,
        column: false,
        byte: false,
        cost: false,
        null: false,
        tab: None,
        colours: Colours::off(),
        controls: Controls::Raw,
    }
}

/// Returns a prefix that shows only the name of the input.
pub(super) fn named() -> Prefix {
    Prefix { file: true, ..prefix() }
}

/// Returns a batch of lines and its findings. In the text, `[abc|1]` is a match `abc` with distance 1.
pub(super) fn lines(marked: &str) -> (Batch<'static>, Findings) {
    let (mut text, mut findings) = (String::new(), Findings::default());
    for line in marked.split_inclusive('\n') {
        let (start, first) = (text.len(), findings.spans.len());
        let mut rest = line;
        while let Some((before, from)) = rest.split_once('[') {
            text.push_str(before);
            let (found, after) = from.split_once(']').unwrap();
            let (found, distance) = found.split_once('|').unwrap();
            let bytes = text.len()..text.len() + found.len();
            findings.spans.push(MatchSpan {
                bytes,
                distance: distance.parse().unwrap(),
                pattern: 0,
                carried: None,
                cigar: None,
                groups: None,
            });
            text.push_str(found);
            rest = after;
        }
        text.push_str(rest);
        let spans = first..findings.spans.len();
        if let Some(min_distance) = findings.spans[spans.clone()].iter().map(|span| span.distance).min() {
            let bytes = start..text.trim_end_matches('\n').len();
            findings.items.push(MatchedItem { spans, ..item(bytes, min_distance) });
        }
    }
    (Batch::of_lines(text, b'\n'), findings)
}

fn item(bytes: Range<usize>, min_distance: usize) -> MatchedItem {
    MatchedItem { min_distance, hits: 1, ..MatchedItem::new(bytes.clone(), bytes, RecordName::NONE) }
}

/// Returns the batches of a FASTA file, cut into pieces of at least `bytes` bytes.
pub(super) fn records(fasta: &str, bytes: usize) -> Vec<Batch<'static>> {
    let format = Format::Fasta { long: LongLines::Cut };
    let window = Window { bytes, max_match_len: 1, alphabet: Alphabet::Dna };
    let source = Source::from_reader(Cursor::new(fasta.to_owned()));
    let mut batcher = Batcher::new(source, format, window);
    std::iter::from_fn(|| batcher.next_batch(&mut TextBuffer::default()).unwrap()).collect()
}

/// Returns the findings of a batch of records, with the lengths of the records. `hits` holds pairs of the index of a
/// segment and a hit in this segment, in order.
pub(super) fn found(batch: &Batch, rows: &dyn Rows, hits: &[(usize, HitRow<'_>)]) -> Findings {
    let mut findings = Findings::default();
    for (index, hit) in hits {
        let segment = &batch.segments()[*index];
        let start = findings.rows.len();
        rows.row(hit, &mut findings.rows);
        let rows = start..findings.rows.len();
        match findings.items.last_mut() {
            Some(last) if last.bytes == segment.bytes => {
                (last.rows.end, last.hits) = (rows.end, last.hits + 1);
                last.min_distance = last.min_distance.min(hit.distance);
            }
            _ => findings.items.push(MatchedItem {
                name: segment.name.clone(),
                record: segment.record.clone(),
                continues: segment.continues,
                open: !segment.closes,
                rows,
                distances: findings.distances.len()..findings.distances.len(),
                ..item(segment.bytes.clone(), hit.distance)
            }),
        }
        findings.count_distance(hit.distance);
    }
    let residues = |range: Range<usize>| batch.bytes()[range].iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let end = batch.owned().end;
    let lengths = batch.segments().iter();
    findings.lengths = lengths
        .map(|segment| segment.position + residues(segment.bytes.start..segment.bytes.end.min(end)) as u64)
        .collect();
    findings
}

/// Parses the text of a CIGAR.
pub(super) fn cigar(text: &str) -> Cigar {
    let mut edits = Vec::new();
    for run in text.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let (length, letter) = run.split_at(run.len() - 1);
        let all = [Edit::Match, Edit::Substitution, Edit::PatternOnly, Edit::TextOnly];
        let edit = all.into_iter().find(|edit| edit.letter() == letter.as_bytes()[0]).unwrap();
        edits.extend(std::iter::repeat_n(edit, length.parse().unwrap()));
    }
    Cigar::from_backward(edits.into_iter().rev())
}

/// Returns a hit of the pattern `ACGTAC`, which is named `site 1`, with the alignment `cigar`.
pub(super) fn hit(cigar: &Cigar) -> HitRow<'_> {
    HitRow {
        label: b"in.fa",
        record: b"chr1",
        start: 10,
        end: 16,
        line_start: 0,
        column_start: 20,
        column_end: 28,
        record_length: Some(90),
        pattern: b"site 1",
        number: 0,
        name: Some(b"site 1"),
        sequence: b"ACGT[ac]C",
        letters: &|| "ACGTAC".into(),
        alternative: None,
        exact: &[],
        distance: cigar.distance(),
        strand: Strand::Forward,
        cigar: Some(cigar),
        matched: b"ACC\nTAC",
    }
}

/// Returns a row as text.
pub(super) fn row(rows: &dyn Rows, hit: &HitRow<'_>) -> String {
    let mut out = Vec::new();
    rows.row(hit, &mut out);
    String::from_utf8(out).unwrap()
}

/// Returns the output of a report on an input named `label`, until the input ends.
pub(super) fn print_input(report: &mut dyn Report, label: &str, batches: &[(Batch<'static>, Findings)]) -> String {
    let mut out = Vec::new();
    report.begin(label.as_bytes(), &|| None);
    for (batch, findings) in batches {
        report.add(batch, findings, &mut out).unwrap();
    }
    report.end(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the output of a report on one input, including the report's end.
pub(super) fn print_all(mut report: impl Report, batches: &[(Batch<'static>, Findings)]) -> String {
    let mut out = print_input(&mut report, "in", batches).into_bytes();
    report.finish(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}
