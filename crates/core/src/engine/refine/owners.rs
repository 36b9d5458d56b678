//! Passes on the hits of strings and expressions as those of the patterns that they stand for.
//!
//! A finder searches for some patterns of a set, or for the strings of an expression that stands for few. A hit of an
//! expression is a hit of one of its strings, and its distance is the least of these. Its start is that of a match of
//! the expression, so an alignment determines it.

use super::{Refinement, Refiner};
use crate::batch::Batch;
use crate::engine::{EngineError, WantedHits};
use crate::hit::Hit;

/// What the patterns of a finder stand for.
pub(in crate::engine) struct PatternOwners {
    owners: Vec<PatternOwner>,
    /// Whether each pattern has one owner, in the same order.
    are_ascending: bool,
}

/// What a pattern of a finder stands for.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct PatternOwner {
    /// The index in the set of all patterns.
    pub(in crate::engine) index: usize,
    /// Whether it is an expression that is searched for as strings.
    pub(in crate::engine) is_listed: bool,
}

impl PatternOwners {
    pub(in crate::engine) fn new(owners: Vec<PatternOwner>) -> Self {
        let are_ascending = owners.is_sorted_by(|one, next| one.index < next.index);
        PatternOwners { owners, are_ascending }
    }
}

impl Refinement for PatternOwners {
    fn plan(&self) -> Option<String> {
        let strings = self.owners.iter().filter(|owner| owner.is_listed).count();
        (strings > 0).then(|| format!("regular expressions that stand for {strings} strings are searched for as these"))
    }

    fn needed(&self, wanted: WantedHits) -> WantedHits {
        wanted
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
