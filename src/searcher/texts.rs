//! Matches in many texts, in order.

use super::batch_hits::{BatchHits, Returned};
use super::matches::{Match, MatchRules, NO_DEVICE, window};
use super::selected::{Sites, selected};
use nigh_engine::Engine;
use nigh_text::batch::{TextBatches, TextGroup};
use nigh_verify::EngineError;

/// An iterator over all matches in many texts, each with the index of its text; see
/// [`Searcher::find_in_texts`](super::Searcher::find_in_texts).
pub struct TextMatches<'s, 't, I> {
    /// The engine, and that for sites.
    engines: [&'s Engine; 2],
    batches: TextBatches<'t, I>,
    hits: BatchHits<'s>,
    rules: MatchRules,
    /// The texts that were searched last; `None` before the first.
    group: Option<TextGroup<'t>>,
    /// Index in the group of the text that has the last match.
    number: usize,
}

impl<'s, 't, I: Iterator<Item = &'t [u8]>> TextMatches<'s, 't, I> {
    /// Searches in batches of about `bytes` bytes each, or of whole texts if the searcher needs these.
    pub(super) fn in_batches(engines: [&'s Engine; 2], rules: MatchRules, texts: I, bytes: usize) -> Self {
        let batches = TextBatches::new(texts, window(engines, bytes, false)).keep_whole(rules.keeps_records);
        TextMatches { engines, batches, hits: BatchHits::new(engines[0]), rules, group: None, number: 0 }
    }

    /// Selects non-overlapping matches in each text, best first, as [`Matches::best`](super::Matches::best) does.
    pub fn best(mut self) -> SelectedInTexts<'s, 't, I> {
        self.hits.return_from(self.engines, Returned::Candidates);
        SelectedInTexts::new(self, Sites::default())
    }

    /// Selects one match for each site in each text, as [`Matches::sites`](super::Matches::sites) does.
    pub fn sites(mut self) -> SelectedInTexts<'s, 't, I> {
        self.hits.return_from(self.engines, Returned::SiteCandidates);
        let sites = Sites::of(self.hits.patterns());
        SelectedInTexts::new(self, sites)
    }

    /// Searches the next texts. Returns `false` if there are none.
    fn search_next(&mut self) -> Result<bool, EngineError> {
        self.hits.clear();
        if let Some(group) = self.group.take() {
            self.batches.recycle(group);
        }
        let Some(group) = self.batches.next() else { return Ok(false) };
        self.hits.search(&group.batch)?;
        self.group = Some(group);
        self.number = 0;
        Ok(true)
    }

    /// Returns the next match, with the index of its text; `None` at the end. In contrast to [`next`](Iterator::next),
    /// the failure of a device is an error.
    ///
    /// # Errors
    /// As for [`Matches::try_next`](super::Matches::try_next).
    pub fn try_next(&mut self) -> Result<Option<(usize, Match<'t>)>, EngineError> {
        Ok(self.next_in_text()?.map(|found| (found.index, found.found)))
    }

    /// Like [`try_next`](Self::try_next), with the whole text.
    fn next_in_text(&mut self) -> Result<Option<FoundInText<'t>>, EngineError> {
        loop {
            if let Some(group) = &self.group
                && let Some(found) = self.hits.next(&group.batch)?
            {
                self.number = group.number_at(found.hit.end, self.number);
                let text = group.text(self.number);
                let offset = |at: usize| text.offset + at - text.start;
                let range = offset(found.alignment.start)..offset(found.alignment.end);
                let found = Match::new(text.text, range, self.hits.pattern(&found.hit), found);
                return Ok(Some(FoundInText { index: text.index, text: text.text, found }));
            }
            if !self.search_next()? {
                return Ok(None);
            }
        }
    }
}

/// A match in one of many texts.
struct FoundInText<'t> {
    /// Index of the text.
    index: usize,
    text: &'t [u8],
    found: Match<'t>,
}

impl<'t, I: Iterator<Item = &'t [u8]>> Iterator for TextMatches<'_, 't, I> {
    type Item = (usize, Match<'t>);

    fn next(&mut self) -> Option<(usize, Match<'t>)> {
        self.try_next().expect(NO_DEVICE)
    }

    /// Counts the remaining matches without aligning them.
    fn count(mut self) -> usize {
        let mut count = self.hits.len();
        while self.search_next().expect(NO_DEVICE) {
            count += self.hits.len();
        }
        count
    }
}

/// An iterator over selected matches in many texts, each with the index of its text; see [`TextMatches::best`] and
/// [`TextMatches::sites`].
pub struct SelectedInTexts<'s, 't, I> {
    matches: TextMatches<'s, 't, I>,
    sites: Sites,
    /// The first match of the next text.
    next: Option<FoundInText<'t>>,
    /// The index of the current text. `selected` holds its selected matches.
    text: usize,
    selected: std::vec::IntoIter<Match<'t>>,
}

impl<'s, 't, I: Iterator<Item = &'t [u8]>> SelectedInTexts<'s, 't, I> {
    fn new(matches: TextMatches<'s, 't, I>, sites: Sites) -> Self {
        SelectedInTexts { matches, sites, next: None, text: 0, selected: Vec::new().into_iter() }
    }

    /// Returns the next match, with the index of its text; `None` at the end. In contrast to [`next`](Iterator::next),
    /// the failure of a device is an error.
    ///
    /// # Errors
    /// As for [`Matches::try_next`](super::Matches::try_next).
    pub fn try_next(&mut self) -> Result<Option<(usize, Match<'t>)>, EngineError> {
        loop {
            if let Some(found) = self.selected.next() {
                return Ok(Some((self.text, found)));
            }
            if !self.select_next()? {
                return Ok(None);
            }
        }
    }

    /// Selects among the matches of the next text that has any. Returns `false` if there is none.
    fn select_next(&mut self) -> Result<bool, EngineError> {
        let next = match self.next.take() {
            Some(next) => Some(next),
            None => self.matches.next_in_text()?,
        };
        let Some(FoundInText { index, text, found }) = next else { return Ok(false) };
        let mut matches = vec![found];
        while let Some(other) = self.matches.next_in_text()? {
            if other.index != index {
                self.next = Some(other);
                break;
            }
            matches.push(other.found);
        }
        let mut selected = selected(matches, &self.sites, &mut self.matches.hits, text)?;
        selected.retain(|one| one.distance >= self.matches.rules.min_edits);
        (self.text, self.selected) = (index, selected.into_iter());
        Ok(true)
    }
}

impl<'t, I: Iterator<Item = &'t [u8]>> Iterator for SelectedInTexts<'_, 't, I> {
    type Item = (usize, Match<'t>);

    fn next(&mut self) -> Option<(usize, Match<'t>)> {
        self.try_next().expect(NO_DEVICE)
    }
}
