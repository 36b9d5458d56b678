//! Selection of all hits of a regular expression in a line together.
//!
//! To align a hit takes time in proportion to the length of its match, which may be that of the line. The pass that
//! finds the matches shown with `-o` reads the line once for all hits, and finds the same matches.

use memchr::memrchr;

use super::BestHits;
use crate::select::outranked::GroupedHit;
use nigh_text::alignment::Alignment;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::{ShownMatches, WantedHits};

impl BestHits<'_> {
    /// Returns the number of hits before the line of the last hit, which may have more hits.
    pub(super) fn in_complete_lines(&mut self, batch: &Batch) -> usize {
        let (Some(lines), Some(last)) = (batch.lines(), self.hits.last()) else { return self.hits.len() };
        // The hits that were looked at before and are left are all of the line of the symbol before `looked_to`.
        let from = self.looked_to.min(last.end - 1);
        self.looked_to = last.end;
        let line = memrchr(lines.terminator, &batch.bytes()[from..last.end - 1]).map(|at| from + at + 1);
        line.map_or(0, |line| self.hits.partition_point(|hit| hit.end <= line))
    }

    /// Adds the shown matches of regular expressions with several hits in a line, and removes their hits. Leaves lines
    /// that are cut, and expressions for which the aligner has no way to find shown matches. Returns whether matches
    /// were added.
    pub(super) fn select_in_lines(&mut self, batch: &Batch, placed: &mut Vec<GroupedHit>) -> bool {
        if batch.lines().is_none() {
            return false;
        }
        let open = self.item.filter(|item| item.open).map(|item| item.number);
        let mut rest = Vec::with_capacity(placed.len());
        for in_line in placed.chunk_by_mut(|a, b| a.item == b.item) {
            in_line.sort_by_key(|one| one.group);
            for own in in_line.chunk_by(|a, b| a.group == b.group) {
                let &GroupedHit { item, group, hit, .. } = &own[0];
                let is_whole = item != 0 && open != Some(item);
                let is_one = own.len() > 1 && own.iter().all(|one| one.hit.pattern == hit.pattern);
                let is_expression = self.patterns.patterns()[hit.pattern].expression().is_some();
                let is_joined = is_whole && is_one && is_expression && self.site_edges[group as usize].is_none();
                if !(is_joined && self.add_shown(batch, own)) {
                    rest.extend_from_slice(own);
                }
            }
        }
        let are_added = rest.len() < placed.len();
        rest.sort_by_key(|one| (one.hit.end, one.hit.pattern));
        *placed = rest;
        are_added
    }

    /// Adds the shown matches of all hits of a pattern in a line. Returns `false` if the aligner cannot find them.
    fn add_shown(&mut self, batch: &Batch, own: &[GroupedHit]) -> bool {
        let hits: Vec<Hit> = own.iter().map(|one| one.hit).collect();
        let mut shown = ShownMatches { are_aligned: true, ..ShownMatches::default() };
        if !self.aligner.add_shown_matches(batch, (&hits, WantedHits::All), usize::MAX, &mut shown) {
            return false;
        }
        for (hit, cigar) in shown.hits.into_iter().zip(shown.cigars) {
            let nth = hits.binary_search_by_key(&hit.end, |one| one.end).expect("a shown match ends at a hit");
            let start = hit.start.expect("a shown match has a start");
            let alignment = Alignment { start, end: hit.end, cigar };
            let ranked = self.ranked(batch, &GroupedHit { hit: Hit { start: None, ..hit }, ..own[nth] }, alignment);
            self.pending.matches.push(ranked);
        }
        true
    }
}
