//! Makes a batch of a part of a batch, so that a batch can be reported in parts, and copies single matches.

use std::ops::Range;
use std::sync::OnceLock;

use super::memory::LINE_FEED;
use super::{Batch, HiddenBytes, Layout, Lines, Segment, Surroundings};
use crate::alphabet::Alphabet;
use crate::text::{next_symbol, previous_symbol};

/// A copy of the text of a match, with the symbol before it and the symbol after it, so that it can be searched when its
/// batch is gone.
#[derive(Debug, Clone)]
pub struct MatchExcerpt {
    /// The text as a batch. Positions are counted from its start.
    pub batch: Batch<'static>,
    /// The range of the match in the batch.
    pub matched: Range<usize>,
}

impl MatchExcerpt {
    /// Copies the range `matched` of a text in memory: of lines, or of a sequence.
    pub fn of_text(alphabet: Alphabet, text: &[u8], matched: Range<usize>) -> Self {
        let lines = (!alphabet.is_sequence()).then(|| Lines::whole(LINE_FEED));
        let is_line_end = |byte: &u8| lines.is_some() && *byte == LINE_FEED;
        let opens = matched.start == 0 || is_line_end(&text[matched.start - 1]);
        let closes = text.get(matched.end).is_none_or(is_line_end);
        let from = if opens { matched.start } else { 0 };
        let until = if closes { matched.end } else { text.len() };
        let around = Surroundings { bytes: from..until, opens: true, closes: true };
        MatchExcerpt::new(alphabet, text, matched, [&around, &around], lines)
    }

    /// Copies a range of `bytes`. `around` are its surroundings at its start and at its end, in a line if there are
    /// `lines`, otherwise in a record.
    fn new(
        alphabet: Alphabet,
        bytes: &[u8],
        matched: Range<usize>,
        around: [&Surroundings; 2],
        lines: Option<Lines>,
    ) -> Self {
        let [before, after] = around;
        let first = previous_symbol(alphabet, bytes, matched.start).filter(|one| one.start >= before.bytes.start);
        let next = next_symbol(alphabet, &bytes[..after.bytes.end], matched.end);
        let copied = first.map_or(matched.start, |one| one.start)..next.map_or(matched.end, |one| one.end);
        let (opens, closes) = (first.is_none() && before.opens, next.is_none() && after.closes);
        let text = bytes[copied.clone()].to_vec();
        let all = 0..text.len();
        let layout = match lines {
            Some(lines) => Layout::Lines(Lines { opens, closes, ..lines }),
            None => Layout::Records(vec![Segment { opens, closes, ..Segment::whole(all.clone()) }]),
        };
        let matched = matched.start - copied.start..matched.end - copied.start;
        MatchExcerpt { batch: Batch::new(text, all.clone(), all, layout), matched }
    }

    /// Returns the text of the match.
    pub fn text(&self) -> &[u8] {
        &self.batch.bytes()[self.matched.clone()]
    }
}

impl<'t> Batch<'t> {
    /// Copies the text of a match in `range`.
    pub fn excerpt(&self, alphabet: Alphabet, range: Range<usize>) -> MatchExcerpt {
        // A match has a last symbol, so the surroundings of its end are those of its line or record.
        let after = self.surroundings(range.end, 1);
        let before = match &self.layout {
            Layout::Lines(_) => self.surroundings(range.start, 1),
            Layout::Records(_) => after.clone(),
        };
        let lines = self.lines().map(|lines| Lines::whole(lines.terminator));
        MatchExcerpt::new(alphabet, self.bytes(), range, [&before, &after], lines)
    }

    /// Copies the whole lines or records in `range`, which starts and ends at a line or record boundary or with the
    /// batch.
    pub fn copy_of(&self, range: Range<usize>) -> Batch<'static> {
        let buffer = self.bytes()[range.clone()].to_vec();
        let held = 0..buffer.len();
        let layout = self.layout_of(&range);
        let mut part = Batch::new(buffer, held, self.owned_in(&range), layout);
        part.shown = self.shown.as_ref().map(|shown| shown[range.clone()].to_vec());
        part.hidden = self.hidden_in(range.clone());
        part.records = self.records_of(&range);
        part
    }

    /// Drops the lines or records before `start`, which must be a line or record start, and the alignments of hits.
    pub fn starting_at(mut self, start: usize) -> Self {
        #[cfg(feature = "cuda")]
        {
            self.traces = Default::default();
        }
        if start == 0 {
            return self;
        }
        let range = start..self.bytes().len();
        self.records = self.records_of(&range);
        (self.layout, self.owned) = (self.layout_of(&range), self.owned_in(&range));
        self.held.start += start;
        self.residues = OnceLock::new();
        if let Some(shown) = &mut self.shown {
            shown.drain(..start);
        }
        self
    }

    /// Returns the bytes that are hidden in a range of lines or just after it, and the last before it.
    fn hidden_in(&self, range: Range<usize>) -> Vec<HiddenBytes> {
        let Layout::Lines(lines) = &self.layout else { return Vec::new() };
        let at = |offset: usize| lines.offset + offset as u64;
        let first = self.hidden.partition_point(|one| one.before < at(range.start));
        let last = self.hidden.partition_point(|one| one.before <= at(range.end));
        self.hidden[first.saturating_sub(1)..last].to_vec()
    }

    fn owned_in(&self, range: &Range<usize>) -> Range<usize> {
        let inside = |at: usize| at.clamp(range.start, range.end) - range.start;
        inside(self.owned.start)..inside(self.owned.end)
    }

    fn layout_of(&self, range: &Range<usize>) -> Layout {
        match &self.layout {
            Layout::Lines(lines) => {
                let mut part = Lines { closes: lines.closes || range.end < self.bytes().len(), ..*lines };
                part.opens |= range.start > 0;
                part.pass(range.start);
                Layout::Lines(part)
            }
            Layout::Records(segments) => {
                let inside =
                    segments.iter().filter(|one| range.start <= one.record.start && one.record.end <= range.end);
                Layout::Records(inside.map(|segment| shifted(segment, range.start)).collect())
            }
        }
    }
}

fn shifted(segment: &Segment, by: usize) -> Segment {
    let shift = |range: &Range<usize>| range.start.saturating_sub(by)..range.end.saturating_sub(by);
    let mut shifted = Segment { bytes: shift(&segment.bytes), record: shift(&segment.record), ..segment.clone() };
    shifted.name.shift_back(by);
    shifted
}
