//! Filters: text is searched only around the seeds of a pattern, pieces of it that every match must hold.

pub(super) mod budget;
pub(super) mod choice;
pub(super) mod pigeonhole;
pub(super) mod qgram;
pub(super) mod scanner;
pub(super) mod sequence;
pub(super) mod teddy;
pub(super) mod text;
pub(super) mod windows;
