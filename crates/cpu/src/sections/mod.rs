//! Sections: parts of a batch that are searched one after the other, because the batch has too many hits at once.
//!
//! `kept` is the limit on hits above which a batch is divided.

pub(super) mod kept;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use nigh_pattern::PatternSet;
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::text::{MAX_SYMBOL_BYTES, symbol_boundary};
use nigh_text::text_item::start_of_residue;

/// A part of a batch, or all of it. All offsets are those of the batch, so hits are verified in the whole batch.
#[derive(Debug, Clone)]
pub struct BatchSection<'a> {
    pub(crate) batch: &'a Batch<'a>,
    /// The hits of the section end in this range.
    owned: Range<usize>,
    /// The range of bytes with all matches of the section.
    text: Range<usize>,
}

impl<'a> BatchSection<'a> {
    /// Makes the section that is all of a batch.
    pub fn whole(batch: &'a Batch<'a>) -> Self {
        BatchSection { batch, owned: batch.owned(), text: 0..batch.bytes().len() }
    }

    /// Returns the bytes of the whole batch.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.batch.bytes()
    }

    /// Returns whether 32 bits hold all offsets of the batch.
    pub(crate) fn has_short_offsets(&self) -> bool {
        u32::try_from(self.bytes().len()).is_ok()
    }

    /// Returns the range of bytes to search.
    pub(crate) fn text(&self) -> Range<usize> {
        self.text.clone()
    }

    /// Returns the offset at which the range of the ends of hits starts.
    pub(crate) fn first_end(&self) -> usize {
        self.owned.start
    }

    /// Returns the number of bytes at which hits may end.
    pub(crate) fn len(&self) -> usize {
        self.owned.len()
    }

    /// Returns whether a hit that ends at `end` is one of this section.
    #[inline]
    pub(crate) fn owns(&self, end: usize) -> bool {
        self.owned.start < end && end <= self.owned.end
    }

    /// Iterates over the ranges of text, in order. No match crosses from one range to the next.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let text = &self.text;
        let whole = self.batch.lines().map(|_| text.clone());
        let segments = self.batch.segments();
        let first = segments.partition_point(|segment| segment.bytes.end <= text.start);
        let inside = segments[first..].iter().map(|segment| segment.bytes.clone());
        let clipped =
            inside.take_while(|run| run.start < text.end).map(|run| text.start.max(run.start)..text.end.min(run.end));
        whole.into_iter().chain(clipped)
    }

    /// Divides the section into at most `parts` sections of about equal length, in order.
    pub(crate) fn divide(&self, patterns: &PatternSet, parts: usize) -> Vec<Self> {
        let alphabet = patterns.alphabet();
        let at = |part: usize| match part {
            0 => self.owned.start,
            _ if part == parts => self.owned.end,
            _ => symbol_boundary(alphabet, self.bytes(), self.owned.start + self.len() * part / parts)
                .max(self.owned.start),
        };
        let ranges = (0..parts).map(|part| at(part)..at(part + 1)).filter(|owned| !owned.is_empty());
        ranges.map(|owned| self.part(patterns, owned)).collect()
    }

    fn part(&self, patterns: &PatternSet, owned: Range<usize>) -> Self {
        let first = if owned.start == self.owned.start {
            self.text.start
        } else {
            self.start_of_context(patterns, owned.start).max(self.text.start)
        };
        let end = if owned.end == self.owned.end { self.text.end } else { owned.end };
        BatchSection { batch: self.batch, text: first..end, owned }
    }

    /// Returns an offset with at least as many symbols before the offset `at` as a match can cover, or the start of the
    /// record.
    fn start_of_context(&self, patterns: &PatternSet, at: usize) -> usize {
        let (bytes, symbols) = (self.bytes(), patterns.max_match_len());
        if self.batch.lines().is_none() {
            let Some(segment) = self.batch.segments().get(self.batch.segment_before(at)) else { return at };
            return match at.min(segment.bytes.end) {
                end if end <= segment.bytes.start => at,
                end => start_of_residue(bytes, segment.bytes.start..end, symbols.max(1)),
            };
        }
        let first = at.saturating_sub(symbols);
        if patterns.alphabet() != Alphabet::Text || bytes[first..at].is_ascii() {
            return first;
        }
        symbol_boundary(patterns.alphabet(), bytes, at.saturating_sub(symbols * MAX_SYMBOL_BYTES))
    }
}

/// Counts the searches that had too many hits at once.
#[derive(Default)]
pub(crate) struct Divisions {
    /// The number of batches or sections that were searched again in sections.
    divided: AtomicUsize,
    /// The number of sections that were searched again by block-based Myers.
    in_blocks: AtomicUsize,
}

impl Divisions {
    pub(crate) fn note_division(&self) {
        self.divided.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_blocks(&self) {
        self.in_blocks.fetch_add(1, Ordering::Relaxed);
    }

    /// Describes the searches for `--debug`; `None` if there were none.
    pub(crate) fn description(&self) -> Option<String> {
        let (divided, in_blocks) = (self.divided.load(Ordering::Relaxed), self.in_blocks.load(Ordering::Relaxed));
        (divided + in_blocks > 0).then(|| {
            format!("too many hits at once: {divided} times divided into sections, {in_blocks} by block-based Myers")
        })
    }
}
