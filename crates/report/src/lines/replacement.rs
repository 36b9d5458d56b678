//! The text that is printed in place of matches.

use std::sync::Arc;

use super::line::Line;
use crate::MatchSpan;
use nigh_core::pattern::{MatchGroups, PatternSet};

/// The text that is printed in place of matches, with references to their groups as in ripgrep: `$0` `$1` `$name`
/// `${name}`, and `$$` for a dollar sign.
#[derive(Debug, Clone)]
pub struct MatchReplacement {
    patterns: Arc<PatternSet>,
    template: Vec<u8>,
}

/// The text of a line whose matches are replaced.
pub(super) struct ReplacedLine {
    text: Vec<u8>,
    /// The matches, with the ranges of their replacements.
    spans: Vec<MatchSpan>,
}

impl ReplacedLine {
    /// Returns the replaced line as a line to print, where `line` is the line as it was.
    pub(super) fn line<'a>(&'a self, line: &Line<'a>) -> Line<'a> {
        Line { text: &self.text, spans: &self.spans, hidden: &[], start: 0, ..*line }
    }
}

impl MatchReplacement {
    /// Makes the replacement `template` for matches of `patterns`, which must have groups.
    pub fn new(patterns: Arc<PatternSet>, template: Vec<u8>) -> Self {
        MatchReplacement { patterns, template }
    }

    /// Returns the groups of a match.
    pub(super) fn groups<'m>(&'m self, line: &'m Line<'_>, span: &'m MatchSpan) -> Option<MatchGroups<'m>> {
        self.patterns.groups_of(span.pattern, line.matched(span), span.cigar.as_deref()?)
    }

    /// Returns the text that is printed in place of a match with these groups.
    pub(super) fn text(&self, groups: Option<&MatchGroups<'_>>) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some(groups) = groups {
            groups.expand(&self.template, &mut text);
        }
        text
    }

    /// Returns the text that is printed in place of a match.
    pub(super) fn of(&self, line: &Line<'_>, span: &MatchSpan) -> Vec<u8> {
        self.text(self.groups(line, span).as_ref())
    }

    /// Replaces the matches of a line, and leaves the bytes that are hidden between them.
    pub(super) fn replace_in(&self, line: &Line<'_>) -> ReplacedLine {
        let (mut text, mut spans, mut at) = (Vec::new(), Vec::new(), 0);
        for span in line.spans {
            let range = line.range_of(span);
            text.extend_from_slice(&line.shown_around(at..range.start));
            let start = text.len();
            text.extend_from_slice(&self.of(line, span));
            spans.push(MatchSpan { bytes: start..text.len(), cigar: None, ..span.clone() });
            at = range.end;
        }
        text.extend_from_slice(&line.shown_around(at..line.text.len()));
        ReplacedLine { text, spans }
    }
}
