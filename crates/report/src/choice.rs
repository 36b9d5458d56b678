//! The choice of the hits that a search reports.

use clap::ValueEnum;

/// Choice of the hits of each pattern and strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HitSelection {
    /// One match for each end position, as with `Searcher::find_iter`.
    #[value(help = "Every hit")]
    All,
    /// Matches that do not overlap, the best first, as with `Matches::best`.
    #[value(help = "The best hits that do not overlap, for each pattern and strand")]
    Best,
    /// The best match of each site, a place that an exact group at an edge of the pattern matches, as with
    /// `Matches::sites`. Patterns without such a group have no sites, and reports treat them as with `Best`.
    #[value(help = "The best hit for each place of an exact group, such as a PAM")]
    Sites,
}

/// The part of the input in which distances are compared. Not a [`HitSelection`], with which it combines: it compares
/// the hits that are selected, over all patterns and both strands, wherever they are in that part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BestScope {
    /// In all inputs
    All,
    /// In each file
    File,
    /// In each record, over all patterns and both strands
    Record,
}

/// The hits that a report shows or counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitChoice {
    /// Choice of the hits of each pattern and strand.
    pub selection: HitSelection,
    /// The hits that are kept of those.
    pub kept: KeptHits,
}

/// The selected hits that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptHits {
    /// All hits.
    All,
    /// The hits with the least distance in their line or record, over all patterns and both strands.
    Nearest,
    /// The first hits of each pattern, at most this number.
    First(u64),
}

impl HitChoice {
    /// The choice of all hits.
    #[cfg(test)]
    pub const ALL: Self = HitChoice { selection: HitSelection::All, kept: KeptHits::All };

    /// Returns the largest number of hits of each pattern; `None` if there is no limit.
    pub(crate) fn max_hits(self) -> Option<u64> {
        match self.kept {
            KeptHits::First(max) => Some(max),
            KeptHits::All | KeptHits::Nearest => None,
        }
    }
}
