//! Reports of hits as rows of a table, one file for each format.

pub(super) mod align;
pub(super) mod bed;
pub(super) mod ends;
pub(super) mod json;
pub(super) mod matches;
mod nearest;
mod open_record;
pub(super) mod paf;
pub(super) mod rows;
pub(super) mod sam;
pub(super) mod sites;
pub(super) mod tsv;
