//! From matches to bytes: what is printed for an input, in one file for each form.
//!
//! A worker prepares [`Findings`] for a batch, in any order; a [`Report`] gets them in the order of the input.

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
pub use findings::{EarlyRows, EarlySpans, Findings, MatchSpan, MatchedItem};
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
