//! The text that is printed in place of matches.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::util::interpolate;

use super::line::Line;
use crate::MatchSpan;
use nigh_core::pattern::{CaptureGroups, PatternSet};

/// The text that is printed in place of matches, with references to their groups as in ripgrep: `$0` `$1` `$name`
/// `${name}`, and `$$` for a dollar sign.
#[derive(Debug, Clone)]
pub struct MatchReplacement {
    patterns: Arc<PatternSet>,
    text: Vec<u8>,
}

impl MatchReplacement {
    /// Makes the replacement `text` for matches of `patterns`, which must have groups.
    pub fn new(patterns: Arc<PatternSet>, text: Vec<u8>) -> Self {
        MatchReplacement { patterns, text }
    }

    /// Returns the groups of the pattern of a match, and their ranges in the text of the match.
    pub(super) fn groups(
        &self,
        line: &Line<'_>,
        span: &MatchSpan,
    ) -> Option<(&CaptureGroups, Vec<Option<Range<usize>>>)> {
        let pattern = &self.patterns.patterns()[span.pattern];
        let captures = self.patterns.captures(pattern)?;
        Some((captures, captures.ranges(pattern, line.matched(span), span.cigar.as_deref()?)))
    }

    /// Returns the text that is printed in place of a match.
    pub(super) fn of(&self, line: &Line<'_>, span: &MatchSpan) -> Vec<u8> {
        let (matched, groups) = (line.matched(span), self.groups(line, span));
        let range = |number: usize| groups.as_ref().and_then(|(_, ranges)| ranges.get(number)?.clone());
        let append = |number: usize, text: &mut Vec<u8>| {
            text.extend_from_slice(range(number).map_or(&b""[..], |range| &matched[range]));
        };
        let mut text = Vec::new();
        let number = |name: &str| groups.as_ref().and_then(|(captures, _)| captures.number(name));
        interpolate::bytes(&self.text, append, number, &mut text);
        text
    }

    /// Returns the text of a line whose matches are replaced, with the bytes that are hidden between them, and the ranges
    /// of the replacements.
    pub(super) fn line(&self, line: &Line<'_>) -> (Vec<u8>, Vec<MatchSpan>) {
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
        (text, spans)
    }
}
