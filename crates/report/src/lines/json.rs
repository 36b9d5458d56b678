//! `--json`: ripgrep's JSON Lines format, extended by the cost, pattern and CIGAR of each match.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::excerpt::{excerpt, excerpt_text};
use super::json_text::JsonText;
use super::line::{Line, LineNumbering};
use super::printer::{LinePrinter, Searched};
use super::replacement::MatchReplacement;
use crate::{KnownSize, MatchDetail, MatchSpan};
use nigh_pattern::{MatchGroups, PatternSet};
use nigh_text::alignment::Cigar;

/// Prints JSON objects, one per line: the begin and end of each input, its lines, and a summary.
pub struct EventPrinter {
    patterns: Arc<PatternSet>,
    /// Number of columns above which a line has an excerpt; `None` for no excerpts.
    columns: Option<usize>,
    /// The text that each match also has as its replacement; `None` for no replacement.
    replacement: Option<MatchReplacement>,
    /// Name of the current input.
    label: Vec<u8>,
    /// Start time of the search.
    since: Instant,
    /// Start time of the current input.
    input_since: Instant,
    /// Counts of the current input.
    stats: Counts,
    /// Counts of all earlier inputs.
    total: Counts,
    /// The bytes of the current object that are not written yet.
    object: Vec<u8>,
}

/// A JSON object, printed on a line of its own.
#[derive(Serialize)]
struct Object<T> {
    r#type: &'static str,
    data: T,
}

/// The summary object. As in ripgrep, its `data` precedes its `type`, unlike in other objects.
#[derive(Serialize)]
struct SummaryObject<T> {
    data: T,
    r#type: &'static str,
}

#[derive(Serialize)]
struct Begin<'a> {
    path: JsonText<'a>,
}

#[derive(Serialize)]
struct LineObject<'a> {
    path: JsonText<'a>,
    lines: JsonText<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<JsonText<'a>>,
    line_number: u64,
    absolute_offset: u64,
    /// Always empty: the matches are written one by one after the start of this object.
    submatches: [Submatch<'a>; 0],
}

/// The bytes that end the object of a line, after its matches.
const END_OF_LINE: &[u8] = b"]}}\n";

/// Length in bytes at which the object built so far is written, before it is complete.
const MANY_BYTES: usize = 1 << 16;

#[derive(Serialize)]
struct Submatch<'a> {
    r#match: JsonText<'a>,
    start: usize,
    end: usize,
    cost: usize,
    pattern: JsonText<'a>,
    cigar: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<JsonText<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupObject<'a>>>,
}

/// A group that took part in a match. The whole match does not count as a group.
#[derive(Serialize)]
struct GroupObject<'a> {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct EndEvent<'a> {
    path: JsonText<'a>,
    binary_offset: Option<u64>,
    stats: Counts,
}

#[derive(Serialize)]
struct Summary {
    elapsed_total: Elapsed,
    stats: Counts,
}

/// Counts of an input, or of all inputs.
#[derive(Serialize, Clone, Copy, Default)]
struct Counts {
    elapsed: Elapsed,
    searches: u64,
    searches_with_match: u64,
    bytes_searched: u64,
    bytes_printed: u64,
    matched_lines: u64,
    matches: u64,
}

/// A duration, serialized in ripgrep's format.
#[derive(Clone, Copy, Default)]
struct Elapsed(Duration);

impl Serialize for Elapsed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut parts = serializer.serialize_struct("Elapsed", 3)?;
        parts.serialize_field("secs", &self.0.as_secs())?;
        parts.serialize_field("nanos", &self.0.subsec_nanos())?;
        parts.serialize_field("human", &format!("{:.6}s", self.0.as_secs_f64()))?;
        parts.end()
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.elapsed.0 += other.elapsed.0;
        self.searches += other.searches;
        self.searches_with_match += other.searches_with_match;
        self.bytes_searched += other.bytes_searched;
        self.bytes_printed += other.bytes_printed;
        self.matched_lines += other.matched_lines;
        self.matches += other.matches;
    }
}

impl EventPrinter {
    /// Makes a printer for matches of `patterns`. A line with more than `columns` columns also has an excerpt, and
    /// each match its replacement, if there is one, and its groups.
    pub fn new(patterns: Arc<PatternSet>, columns: Option<usize>, replacement: Option<MatchReplacement>) -> Self {
        let (label, object, now) = (Vec::new(), Vec::new(), Instant::now());
        let (stats, total) = (Counts::default(), Counts::default());
        EventPrinter { patterns, columns, replacement, label, since: now, input_since: now, stats, total, object }
    }

    /// Prints the `begin` object of the input, unless it was already printed. As in ripgrep, an input without printed
    /// lines has no such object.
    fn begin_input(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.stats.searches == 0 {
            self.stats.searches = 1;
            let label = std::mem::take(&mut self.label);
            self.print(&Object { r#type: "begin", data: Begin { path: JsonText::from(&label) } }, out)?;
            self.label = label;
        }
        Ok(())
    }

    /// Prints the object of a line, or the next part of it.
    fn line(&mut self, r#type: &'static str, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        if line.printed.is_none() {
            self.begin_input(out)?;
            self.begin_line(r#type, line)?;
        }
        for (index, span) in line.spans.iter().enumerate() {
            if index > 0 || line.printed.is_some() {
                self.object.push(b',');
            }
            let groups = self.replacement.as_ref().and_then(|one| one.groups(line, span));
            let replaced = self.replacement.as_ref().map(|one| one.text(groups.as_ref()));
            let object = Submatch {
                replacement: replaced.as_deref().map(JsonText::from),
                groups: groups.as_ref().map(|groups| group_objects(line, span, groups)),
                ..submatch(line, span, &self.patterns)
            };
            serde_json::to_writer(&mut self.object, &object)?;
            if self.object.len() >= MANY_BYTES {
                self.write_object(out)?;
            }
        }
        if !line.more {
            self.object.extend_from_slice(END_OF_LINE);
        }
        self.write_object(out)
    }

    /// Builds the start of the object of a line, up to its first match.
    fn begin_line(&mut self, r#type: &'static str, line: &Line<'_>) -> io::Result<()> {
        let mut whole = Vec::new();
        let is_whole = !line.ended && line.mark.is_empty();
        if !is_whole {
            whole = [line.mark, line.text, if line.ended { line.end } else { b"" }].concat();
        }
        let excerpt = self.columns.and_then(|columns| excerpt_of(line, columns));
        let data = LineObject {
            path: JsonText::from(&self.label),
            lines: JsonText::from(if is_whole { line.text } else { &whole }),
            excerpt: excerpt.as_deref().map(JsonText::from),
            line_number: line.number,
            absolute_offset: line.offset_in_input(),
            submatches: [],
        };
        serde_json::to_writer(&mut self.object, &Object { r#type, data })?;
        let start_length = self.object.len() - (END_OF_LINE.len() - 1);
        self.object.truncate(start_length);
        Ok(())
    }

    fn print(&mut self, object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut self.object, object)?;
        self.object.push(b'\n');
        self.write_object(out)
    }

    /// Writes the object built so far.
    fn write_object(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.stats.bytes_printed += self.object.len() as u64;
        out.write_all(&self.object)?;
        self.object.clear();
        Ok(())
    }
}

/// Returns the line with an excerpt in place of each line that has more than `columns` columns; `None` if none has.
fn excerpt_of(line: &Line<'_>, columns: usize) -> Option<Vec<u8>> {
    let mut is_shorter = false;
    let texts =
        line.lines().map(|one| match excerpt(one.text, one.spans.iter().map(|span| one.range_of(span)), columns) {
            Some(parts) => {
                is_shorter = true;
                Cow::Owned(excerpt_text(one.text, &parts))
            }
            None => Cow::Borrowed(one.text),
        });
    let text = bstr::join(line.end, texts.collect::<Vec<_>>());
    is_shorter.then_some(text)
}

fn submatch<'a>(line: &Line<'a>, span: &MatchSpan, patterns: &'a PatternSet) -> Submatch<'a> {
    let range = line.range_of(span);
    let pattern = &patterns.patterns()[span.pattern];
    Submatch {
        r#match: JsonText::from(&line.text[range.clone()]),
        start: line.mark.len() + range.start,
        end: line.mark.len() + range.end,
        cost: span.distance,
        pattern: JsonText::from(patterns.name(pattern)),
        cigar: span.cigar.as_deref().map(Cigar::to_string).unwrap_or_default(),
        replacement: None,
        groups: None,
    }
}

/// Returns the objects of the groups that took part in a match.
fn group_objects<'a>(line: &Line<'_>, span: &MatchSpan, groups: &MatchGroups<'a>) -> Vec<GroupObject<'a>> {
    let start = line.mark.len() + line.range_of(span).start;
    let object = |(number, name): (usize, Option<&'a str>)| {
        let range = groups.range(number)?;
        Some(GroupObject { number, name, start: start + range.start, end: start + range.end })
    };
    groups.groups().names().enumerate().skip(1).filter_map(object).collect()
}

impl LinePrinter for EventPrinter {
    fn spans(&self) -> MatchDetail {
        MatchDetail::Edits
    }

    fn takes_parts(&self) -> bool {
        true
    }

    fn numbers(&self) -> LineNumbering {
        LineNumbering::Counted
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.label = label.to_vec();
        self.input_since = Instant::now();
    }

    fn selected(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.stats.searches_with_match = 1;
        // A record may be printed in two objects, because the input paused.
        self.stats.matched_lines += u64::from(!line.more && line.begins == line.offset);
        self.stats.matches += line.spans.len() as u64;
        self.line("match", line, out)
    }

    fn context(&mut self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.line("context", line, out)
    }

    fn separator(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, searched: Searched, out: &mut dyn Write) -> io::Result<()> {
        if searched.binary.is_some() {
            self.begin_input(out)?;
        }
        self.stats.elapsed = Elapsed(self.input_since.elapsed());
        self.stats.bytes_searched = searched.bytes;
        let stats = std::mem::take(&mut self.stats);
        if stats.searches > 0 {
            self.total.add(&stats);
            let label = std::mem::take(&mut self.label);
            let data = EndEvent { path: JsonText::from(&label), binary_offset: searched.binary, stats };
            self.print(&Object { r#type: "end", data }, out)?;
            self.stats = Counts::default();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let data = Summary { elapsed_total: Elapsed(self.since.elapsed()), stats: self.total };
        self.print(&SummaryObject { data, r#type: "summary" }, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    use crate::test_support::{MATCHING, lines, print_all};
    use crate::{Binary, Context, GrepReport};
    use nigh_pattern::PatternSource;
    use nigh_text::alphabet::Alphabet;

    fn objects(text: &str) -> Vec<String> {
        let set = PatternSet::builder(Alphabet::Text).build(&[PatternSource::new("abc")]).unwrap();
        let printer = Box::new(EventPrinter::new(Arc::new(set), None, None));
        let report = GrepReport::new(MATCHING, Context::None, Binary::Text, printer);
        print_all(report, &[lines(text)]).lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_line_is_an_object_with_the_cost_of_each_match() {
        let objects = objects("x\none [abc|0] [abd|1]\n");
        assert_eq!(objects.len(), 4, "begin, match, end and summary: {objects:?}");
        assert_eq!(objects[0], r#"{"type":"begin","data":{"path":{"text":"in"}}}"#);
        let first = r#"{"match":{"text":"abc"},"start":4,"end":7,"cost":0,"pattern":{"text":"abc"},"cigar":""}"#;
        let second = r#"{"match":{"text":"abd"},"start":8,"end":11,"cost":1,"pattern":{"text":"abc"},"cigar":""}"#;
        let line = r#""path":{"text":"in"},"lines":{"text":"one abc abd\n"},"line_number":2,"absolute_offset":2"#;
        let expected = format!(r#"{{"type":"match","data":{{{line},"submatches":[{first},{second}]}}}}"#);
        assert_eq!(objects[1], expected);
    }

    #[test]
    fn counts_are_those_of_the_input_and_of_all() {
        let objects = objects("x\none [abc|0] [abd|1]\n");
        let [end, summary] = [2, 3].map(|index| serde_json::from_str::<Value>(&objects[index]).unwrap());
        for (object, name) in [(&end, "end"), (&summary, "summary")] {
            assert_eq!(object["type"], name);
            let stats = &object["data"]["stats"];
            assert_eq!([&stats["matches"], &stats["matched_lines"], &stats["searches"]], [2, 1, 1], "{stats}");
            assert_eq!(stats["bytes_searched"], 14);
        }
    }

    #[test]
    fn an_input_without_a_line_has_only_the_summary() {
        let objects = objects("x\n");
        assert_eq!(objects.len(), 1);
        assert!(objects[0].contains(r#""matched_lines":0"#) && objects[0].ends_with(r#""type":"summary"}"#));
    }
}
