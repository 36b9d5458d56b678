//! Reports: format matches as bytes, with one file per form of output.
//!
//! Workers prepare [`Findings`] for batches in any order. A [`Report`] receives them in input order and writes.
//!
//! Reading order: `contract.rs` (the traits), `findings.rs` (their data), `tally.rs` and `selection.rs` (which lines
//! or records are selected, and limits), then the reports: `lines/`, `tables/`, `summary/`, `records.rs`. `style/`,
//! `fields.rs` and `spool.rs` are their tools.

mod contract;
mod fields;
mod findings;
mod lines;
mod records;
mod selection;
mod spool;
mod style;
mod summary;
mod tables;
mod tally;

pub use contract::{BadRecords, Flow, HitRow, Hits, Report, ReportError, ReportNeeds, Rows, Spans};
pub use findings::{DistanceCount, EarlyRows, EarlySpans, Findings, MatchSpan, MatchedItem};
pub use lines::grep::{Binary, Context, GrepReport};
pub use lines::json::EventPrinter;
pub use lines::line::{Line, Numbers};
pub use lines::plain::{Heading, PlainPrinter, PlainStyle, Show};
pub use lines::printer::{LinePrinter, Searched};
pub use records::RecordReport;
pub use selection::Keep;
pub use style::colours::Colours;
pub use style::prefix::Prefix;
pub use style::visible::{Controls, visible};
pub use summary::count::{Count, CountReport, HitCountReport};
pub use summary::files::{FilesReport, List};
pub use summary::histogram::HistogramReport;
pub use summary::hit_counter::HitCounter;
pub use summary::least::{Distances, LeastReport};
pub use summary::stats::{Stats, StatsReport};
pub use tables::align::AlignRows;
pub use tables::bed::BedRows;
pub use tables::ends::EndRows;
pub use tables::json::JsonRows;
pub use tables::matches::MatchRows;
pub use tables::paf::{PafReport, PafRows};
pub use tables::rows::{Choice, RecordNames, RowReport};
pub use tables::sam::{SamReport, SamRows};
pub use tables::sites::SiteRows;
pub use tables::tsv::TsvRows;
pub use tally::Limits;
