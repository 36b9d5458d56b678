//! Reports: format the findings of a search as output, with one file per form of output.
//!
//! Workers search batches in any order and prepare [`Findings`] for each. A [`Report`] receives the findings in input
//! order and writes the output.
//!
//! Reading order: `contract.rs` (the traits), `choice.rs` (the hits that are wanted), `findings.rs` (the data that reports receive), `tally.rs` and
//! `selection.rs` (which lines or records are selected, and limits), then the reports: `lines/`, `tables/`, `summary/`,
//! `records.rs`. The reports use `style/`, `fields.rs` and `spool.rs`.

mod cells;
mod choice;
mod contract;
#[doc(hidden)]
pub mod fields;
mod findings;
mod hit;
mod lines;
mod max_hits;
mod records;
mod selection;
mod spool;
#[doc(hidden)]
pub mod style;
mod summary;
#[doc(hidden)]
pub mod tables;
mod tally;

pub use cells::{CellLayout, CellOrder};
pub use choice::HitSelection;
pub use choice::{BestScope, HitChoice, KeptHits};
pub use contract::{
    BadRecords, DistanceFloor, Flow, InputFault, ItemHits, KnownSize, MatchDetail, RecordShape, Report, ReportError,
    ReportNeeds,
};
pub use findings::{CarriedText, DistanceCount, EarlyRows, EarlySpans, Findings, MatchSpan, MatchedItem, ended_length};
pub use hit::FileHit;
pub use hit::{HitAlternative, HitForm, HitList, HitRow, Rows};
pub use lines::grep::{Binary, Context, GrepReport};
pub use lines::json::EventPrinter;
pub use lines::plain::{Heading, PlainPrinter, PlainStyle, Show};
pub use lines::printer::LinePrinter;
pub use lines::replacement::MatchReplacement;
pub use max_hits::{Admission, BatchAllowance, ExceededLimit};
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
pub use summary::patterns::PatternCountReport;
pub use summary::stats::{Stats, StatsReport, StatsScope};
pub use tables::align::AlignRows;
pub use tables::bed::BedRows;
pub use tables::columns::{NamedColumn, TableColumn, UnknownColumn};
pub use tables::ends::EndRows;
pub use tables::json::JsonRows;
pub use tables::matches::MatchRows;
pub use tables::paf::{PafReport, PafRows};
pub use tables::rows::RowReport;
pub use tables::sam::{LastTag, ProgramLine, SamReport, SamRows};
pub use tables::tsv::TsvRows;
pub use tally::Limits;

#[cfg(test)]
mod test_support;
