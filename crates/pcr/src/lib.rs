//! The products of pairs of primers as rows, or a table of their numbers: the report of `nigh-pcr`.
//!
//! Reading order: `pairs.rs` (primers and pairs), `site.rs` (a hit of a primer), `join.rs` (from sites to products),
//! `text.rs` (the residues of a record that products need), `output.rs` (the trait for outputs), `row.rs` and
//! `formats.rs` (a product as a row), `counts.rs` (the table), `report.rs` (the flow of batches).

mod counts;
mod formats;
mod join;
mod output;
mod pairs;
mod report;
mod row;
mod site;
mod text;

pub use formats::{ProductFormat, ProductRows};
pub use pairs::{Pooling, Primer, PrimerPair, PrimerPairs};
pub use report::{ProductReport, ProductSettings};
pub use row::ProductText;
