//! Matches in many texts, in order.

use super::batch_hits::BatchHits;
use super::best::best_of;
use super::matches::{Match, window};
use nigh_core::batch::{TextBatches, TextGroup};
use nigh_core::engine::Engine;

/// An iterator over all matches in many texts, each with the index of its text; see
/// [`Searcher::find_in_texts`](super::Searcher::find_in_texts).
pub struct TextMatches<'s, 't, I> {
    batches: TextBatches<'t, I>,
    hits: BatchHits<'s>,
    /// The texts that were searched last; `None` before the first.
    group: Option<TextGroup<'t>>,
    /// The number in the group of the text of the last match.
    number: usize,
}

impl<'s, 't, I: Iterator<Item = &'t [u8]>> TextMatches<'s, 't, I> {
    pub(super) fn new(engine: &'s dyn Engine, texts: I) -> Self {
        TextMatches::in_batches(engine, texts, engine.batch_bytes())
    }

    /// Searches in batches of about `bytes` bytes each.
    pub(super) fn in_batches(engine: &'s dyn Engine, texts: I, bytes: usize) -> Self {
        let batches = TextBatches::new(texts, window(engine, bytes));
        TextMatches { batches, hits: BatchHits::new(engine), group: None, number: 0 }
    }

    /// Selects non-overlapping matches in each text, best first, as [`Matches::best`](super::Matches::best) does.
    pub fn best(self) -> BestInTexts<'s, 't, I> {
        BestInTexts { matches: self, next: None, text: 0, selected: Vec::new().into_iter() }
    }

    /// Searches the next texts. Returns `false` if there are none.
    fn search_next(&mut self) -> bool {
        if let Some(group) = self.group.take() {
            self.batches.recycle(group);
        }
        let Some(group) = self.batches.next() else { return false };
        self.hits.search(&group.batch);
        self.group = Some(group);
        self.number = 0;
        true
    }
}

impl<'t, I: Iterator<Item = &'t [u8]>> Iterator for TextMatches<'_, 't, I> {
    type Item = (usize, Match<'t>);

    fn next(&mut self) -> Option<(usize, Match<'t>)> {
        while self.hits.len() == 0 {
            if !self.search_next() {
                return None;
            }
        }
        let group = self.group.as_ref().expect("the hits are those of a group");
        let (hit, alignment) = self.hits.next(&group.batch)?;
        self.number = group.number_at(hit.end, self.number);
        let text = group.text(self.number);
        let offset = |at: usize| text.offset + at - text.start;
        let range = offset(alignment.start)..offset(alignment.end);
        let found = Match::new(text.text, range, self.hits.pattern(&hit), hit, alignment);
        Some((text.index, found))
    }

    /// Counts the remaining matches without aligning them.
    fn count(mut self) -> usize {
        let mut count = self.hits.len();
        while self.search_next() {
            count += self.hits.len();
        }
        count
    }
}

/// An iterator over the matches in many texts that overlap no better one, each with the index of its text; see
/// [`TextMatches::best`].
pub struct BestInTexts<'s, 't, I> {
    matches: TextMatches<'s, 't, I>,
    /// The first match of the next text.
    next: Option<(usize, Match<'t>)>,
    /// The index of the current text, and its selected matches.
    text: usize,
    selected: std::vec::IntoIter<Match<'t>>,
}

impl<'t, I: Iterator<Item = &'t [u8]>> BestInTexts<'_, 't, I> {
    /// Selects among the matches of the next text that has any. Returns `false` if there is none.
    fn select_next(&mut self) -> bool {
        let Some((text, first)) = self.next.take().or_else(|| self.matches.next()) else { return false };
        let mut matches = vec![first];
        for (other, found) in self.matches.by_ref() {
            if other != text {
                self.next = Some((other, found));
                break;
            }
            matches.push(found);
        }
        self.text = text;
        self.selected = best_of(matches).into_iter();
        true
    }
}

impl<'t, I: Iterator<Item = &'t [u8]>> Iterator for BestInTexts<'_, 't, I> {
    type Item = (usize, Match<'t>);

    fn next(&mut self) -> Option<(usize, Match<'t>)> {
        loop {
            if let Some(found) = self.selected.next() {
                return Some((self.text, found));
            }
            if !self.select_next() {
                return None;
            }
        }
    }
}
