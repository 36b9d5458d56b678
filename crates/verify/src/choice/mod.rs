//! The choice of hits: the best of those that overlap, the best of each site, and the best alternative of a pattern.
//!
//! Callers that hold all hits and pipelines that see them batch by batch use the same rules.

pub mod alternatives;
pub mod overlap;
pub mod sites;
