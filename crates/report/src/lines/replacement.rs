//! The text that is printed in place of matches.

use std::ops::Range;
use std::sync::Arc;

use super::line::Line;
use crate::MatchSpan;
use nigh_pattern::{MatchGroups, PatternSet};
use nigh_text::batch::HiddenBytes;

/// The text that is printed in place of matches, with references to their groups as in ripgrep: `$0` `$1` `$name`
/// `${name}`, and `$$` for a dollar sign.
#[derive(Debug, Clone)]
pub struct MatchReplacement {
    patterns: Arc<PatternSet>,
    template: Vec<u8>,
}

/// The text of a line whose matches are replaced.
#[derive(Default)]
pub(super) struct ReplacedLine {
    text: Vec<u8>,
    /// The matches, with the ranges of their replacements.
    spans: Vec<MatchSpan>,
    /// The bytes that are hidden in the line, where they are printed.
    hidden: Vec<HiddenBytes>,
}

impl ReplacedLine {
    /// Returns the replaced line as a line to print, where `line` is the line as it was.
    pub(super) fn line<'a>(&'a self, line: &Line<'a>) -> Line<'a> {
        Line { text: &self.text, spans: &self.spans, hidden: &self.hidden, start: 0, ..*line }
    }

    /// Adds a range of the text of `line`, with the bytes that are hidden in it and just after it.
    fn push_text(&mut self, line: &Line<'_>, range: Range<usize>) {
        let added = self.text.len();
        self.text.extend_from_slice(&line.text[range.clone()]);
        self.push_hidden(line, &range, |at| added + at - range.start);
    }

    /// Adds the replacement of a match of `line`. The bytes that are hidden inside of the match come after it.
    fn push_match(&mut self, line: &Line<'_>, span: &MatchSpan, replacement: &MatchReplacement) {
        let start = self.text.len();
        replacement.push(line, span, &mut self.text);
        let end = self.text.len();
        self.spans.push(MatchSpan { bytes: start..end, groups: None, ..span.clone() });
        self.push_hidden(line, &line.range_of(span), |_| end);
    }

    /// Adds the bytes that are hidden in a range of the text of `line` or just after it. `place` returns the offset in the
    /// replaced text of an offset in that range.
    fn push_hidden(&mut self, line: &Line<'_>, range: &Range<usize>, place: impl Fn(usize) -> usize) {
        // Hidden bytes just before a range were copied with the text before it. The first range has no text before it.
        let first = if range.start == 0 && self.hidden.is_empty() { 0 } else { range.start + 1 };
        let start = line.start_in_searched();
        for hidden in line.hidden_in(first..range.end + 1) {
            let before = start + place((hidden.before - start) as usize) as u64;
            self.hidden.push(HiddenBytes { before, ..hidden.clone() });
        }
    }
}

impl MatchReplacement {
    /// Makes the replacement `template` for matches of `patterns`, which must have groups.
    pub fn new(patterns: Arc<PatternSet>, template: Vec<u8>) -> Self {
        MatchReplacement { patterns, template }
    }

    /// Returns the groups of a match.
    pub(super) fn groups<'m>(&'m self, line: &'m Line<'_>, span: &'m MatchSpan) -> Option<MatchGroups<'m>> {
        let captures = self.patterns.captures(&self.patterns.patterns()[span.pattern])?;
        Some(captures.with_ranges(line.matched(span), span.groups.as_deref()?))
    }

    /// Returns the text that is printed in place of a match with these groups.
    pub(super) fn text(&self, groups: Option<&MatchGroups<'_>>) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some(groups) = groups {
            groups.expand(&self.template, &mut text);
        }
        text
    }

    /// Appends the text that is printed in place of a match.
    fn push(&self, line: &Line<'_>, span: &MatchSpan, out: &mut Vec<u8>) {
        if let Some(groups) = self.groups(line, span) {
            groups.expand(&self.template, out);
        }
    }

    /// Returns the text that is printed in place of a match that is printed alone: with the bytes that are hidden inside of
    /// it.
    pub(super) fn alone(&self, line: &Line<'_>, span: &MatchSpan) -> Vec<u8> {
        let mut text = Vec::new();
        self.push(line, span, &mut text);
        if span.carried.is_none() {
            let Range { start, end } = line.range_of(span);
            line.hidden_in(start + 1..end).iter().for_each(|hidden| text.extend_from_slice(&hidden.bytes));
        }
        text
    }

    /// Replaces the matches of a line, and keeps the bytes that are hidden in it.
    pub(super) fn replace_in(&self, line: &Line<'_>) -> ReplacedLine {
        let (mut replaced, mut at) = (ReplacedLine::default(), 0);
        for span in line.spans {
            let Range { start, end } = line.range_of(span);
            replaced.push_text(line, at..start);
            replaced.push_match(line, span, self);
            at = end;
        }
        replaced.push_text(line, at..line.text.len());
        replaced
    }
}
