//! Chooses among the hits that are mostly the same match: the best of each cluster of ends, so that none overlaps another.
//!
//! A cluster is the first end, and the ends within 2k symbols behind it, or with rules within as many as there can be
//! insertions and deletions: so far apart can two ends be of matches that start alike. Of these the end with the least distance is chosen, the leftmost of equals. The next cluster is sought
//! among the matches that start at or after its end.

use std::ops::Range;

use crate::engine::{Floor, settle};
use crate::hit::Hit;
use crate::input::Batch;
use crate::pattern::{Pattern, PatternSet};
use crate::text::{next_symbol, start_of_last};

/// Where hits lie.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) patterns: &'a PatternSet,
    pub(super) batch: &'a Batch,
}

/// Chooses among the hits of one line or record at a time, as they come.
pub(super) struct Chooser {
    /// Hits that may still be chosen.
    pending: Vec<Hit>,
    /// The ends that belong to the first cluster among them, once that is known.
    cluster: Option<Range<usize>>,
    /// The end of the match chosen last.
    floor: Floor,
}

impl Chooser {
    /// At the start of a line or record.
    pub(super) fn new() -> Self {
        Chooser { pending: Vec::new(), cluster: None, floor: Floor::None }
    }

    /// Another line or record comes.
    pub(super) fn clear(&mut self) {
        self.pending.clear();
        (self.cluster, self.floor) = (None, Floor::None);
    }

    /// Goes on with what was pending, after a match that ends at the floor.
    pub(super) fn resume(&mut self, pending: Vec<Hit>, floor: Floor) {
        *self = Chooser { pending, cluster: None, floor };
    }

    /// Adds the next hit.
    pub(super) fn push(&mut self, hit: Hit) {
        self.pending.push(hit);
    }

    /// Hits that may still be chosen, in order.
    pub(super) fn pending(&self) -> &[Hit] {
        &self.pending
    }

    /// The end of the match chosen last, if there is one.
    pub(super) fn floor(&self) -> Option<usize> {
        match self.floor {
            Floor::None => None,
            Floor::At(floor) => Some(floor),
        }
    }

    /// The first cluster is complete when all hits that end before this place are known.
    pub(super) fn due(&self) -> usize {
        self.cluster.as_ref().map_or(usize::MAX, |cluster| cluster.end)
    }

    /// Chooses from the clusters that are complete when all hits are known that end before `seen`; or from all.
    pub(super) fn choose(&mut self, ground: Ground<'_>, seen: Option<usize>, chosen: &mut Vec<Hit>) {
        while let Some(best) = self.first_best(ground, seen) {
            chosen.push(best);
            self.pass(best.end);
        }
    }

    /// The best of the first cluster, if that is complete when all hits are known that end before `seen`; or in any case.
    pub(super) fn first_best(&mut self, ground: Ground<'_>, seen: Option<usize>) -> Option<Hit> {
        let cluster = self.first_cluster(ground)?;
        if seen.is_some_and(|seen| seen < cluster.end) {
            self.cluster = Some(cluster);
            return None;
        }
        let inside = self.pending.iter().filter(|hit| cluster.contains(&hit.end));
        let settled = inside.filter_map(|&hit| self.settle(ground, hit));
        Some(settled.min_by_key(|hit| (hit.distance, hit.end, hit.pattern)).expect("the first is possible"))
    }

    /// Goes on behind a match that was chosen and ends here.
    pub(super) fn pass(&mut self, end: usize) {
        self.floor = Floor::At(end);
        self.pending.retain(|hit| hit.end > end);
    }

    /// The ends of the first cluster of pending hits. Hits before it, which can no longer be chosen, are dropped.
    fn first_cluster(&mut self, ground: Ground<'_>) -> Option<Range<usize>> {
        if let Some(known) = self.cluster.take() {
            return Some(known);
        }
        let possible = self.pending.iter().position(|&hit| self.settle(ground, hit).is_some());
        self.pending.drain(..possible.unwrap_or(self.pending.len()));
        self.pending.first().map(|&first| cluster(ground, first))
    }

    /// The hit as it is when it may not start before the match chosen last.
    pub(super) fn settle(&self, ground: Ground<'_>, hit: Hit) -> Option<Hit> {
        let Floor::At(floor) = self.floor else { return Some(hit) };
        let (pattern, alphabet) = (pattern(ground, hit), ground.patterns.alphabet());
        // A symbol has a byte at least: so little text cannot hold a match.
        if hit.end - floor < pattern.shortest() {
            return None;
        }
        // A match with that distance covers no more than this wherever it may start: it starts behind the floor.
        let longest = pattern.symbols().len() + hit.distance;
        if start_of_last(alphabet, &ground.batch.bytes()[floor..hit.end], longest) > 0 {
            return Some(hit);
        }
        settle(alphabet, ground.batch, pattern, hit, self.floor)
    }
}

fn pattern(ground: Ground<'_>, hit: Hit) -> &Pattern {
    &ground.patterns.patterns()[hit.pattern]
}

/// The ends that belong to a cluster that begins with this hit.
fn cluster(ground: Ground<'_>, first: Hit) -> Range<usize> {
    let mut end = first.end;
    for _ in 0..pattern(ground, first).spread() {
        end = match next_symbol(ground.patterns.alphabet(), ground.batch.bytes(), end) {
            Some(placed) => placed.end,
            None => break,
        };
    }
    first.end..end + 1
}
