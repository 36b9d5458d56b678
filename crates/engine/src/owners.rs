//! Replaces the index of each hit's pattern among those of a finder by its index in the whole set.
//!
//! A finder searches for some patterns of the set, and for the strings of expressions that stand for few. A hit of such an
//! expression is a hit of one of its strings, and its distance is the least of these. Its start is that of a match of
//! the expression, so an alignment determines it.

use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::EngineError;
use nigh_verify::refine::{Refinement, Refiner};

/// For each pattern of a finder, the pattern of the whole set that it belongs to.
pub(crate) struct PatternOwners {
    owners: Vec<PatternOwner>,
    /// Whether no two patterns have the same owner, and the owners are in the order of the set.
    are_ascending: bool,
}

/// A pattern of the whole set that a pattern of a finder belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternOwner {
    /// Its index in the set.
    pub(crate) index: usize,
    /// Whether it is an expression that is searched for as strings.
    pub(crate) is_listed: bool,
}

impl PatternOwners {
    pub(crate) fn new(owners: Vec<PatternOwner>) -> Self {
        let are_ascending = owners.is_sorted_by(|one, next| one.index < next.index);
        PatternOwners { owners, are_ascending }
    }
}

impl Refinement for PatternOwners {
    fn description(&self) -> Option<String> {
        let strings = self.owners.iter().filter(|owner| owner.is_listed).count();
        (strings > 0).then(|| format!("regular expressions are searched for as {strings} strings"))
    }

    fn refiner(&self) -> Box<dyn Refiner + '_> {
        Box::new(OwnerRefiner(self))
    }
}

struct OwnerRefiner<'a>(&'a PatternOwners);

impl Refiner for OwnerRefiner<'_> {
    fn refine(&mut self, _: &Batch, hits: &mut Vec<Hit>, _: usize) -> Result<(), EngineError> {
        for hit in &mut *hits {
            let PatternOwner { index, is_listed } = self.0.owners[hit.pattern];
            *hit = Hit { pattern: index, start: if is_listed { None } else { hit.start }, ..*hit };
        }
        if !self.0.are_ascending {
            hits.sort_unstable();
            hits.dedup_by_key(|hit| (hit.end, hit.pattern));
        }
        Ok(())
    }
}
