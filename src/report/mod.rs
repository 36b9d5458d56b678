//! Reports: format the findings of a search as output, with one file per form of output.
//!
//! Workers search batches in any order and prepare [`Findings`] for each. A [`Report`] receives the findings in input
//! order and writes the output.
//!
//! Reading order: `contract.rs` (the traits), `choice.rs` (the hits that are wanted), `findings.rs` (the data that reports receive), `tally.rs` and
//! `selection.rs` (which lines or records are selected, and limits), then the reports: `lines/`, `tables/`, `summary/`,
//! `records.rs`, `products/` for `nigh-pcr`, and `pairs/` for `nigh-align`. The reports use `style/`, `fields.rs` and `spool.rs`.

mod cells;
mod choice;
mod contract;
mod fields;
mod findings;
mod hit;
mod lines;
mod max_hits;
mod pairs;
mod products;
mod records;
mod selection;
mod spool;
mod style;
mod summary;
mod tables;
mod tally;

pub(crate) use cells::{CellLayout, CellOrder};
pub use choice::HitSelection;
pub(crate) use choice::{BestScope, HitChoice};
pub(crate) use contract::{BadRecords, DistanceFloor, Flow, ItemHits, MatchDetail, Report, ReportError, ReportNeeds};
pub(crate) use findings::{
    BadLine, BadLines, CarriedText, DistanceCount, EarlyRows, EarlySpans, Findings, MatchSpan, MatchedItem, RankedRow,
    ended_length,
};
pub use hit::FileHit;
pub(crate) use hit::{HitForm, HitList, HitRow, Rows};
pub(crate) use lines::grep::{Binary, Context, GrepReport};
pub(crate) use lines::json::EventPrinter;
pub(crate) use lines::plain::{Heading, PlainPrinter, PlainStyle, Show};
pub(crate) use lines::printer::LinePrinter;
pub(crate) use max_hits::{Admission, BatchAllowance, ExceededLimit};
pub(crate) use pairs::blocks::PairBlocks;
pub(crate) use pairs::json::PairJson;
pub(crate) use pairs::paf::PairPaf;
pub(crate) use pairs::report::PairReport;
pub(crate) use pairs::sam::PairSam;
pub(crate) use pairs::top::{RankBounds, TopReport};
pub(crate) use pairs::tsv::{BitScores, PairTsv, ShownAlignment};
pub(crate) use pairs::values::PairValues;
pub(crate) use pairs::{Measure, PairRow, PairRows, PairText, ShownStrand};
pub(crate) use products::{
    Pooling, Primer, PrimerPair, PrimerPairs, ProductFormat, ProductReport, ProductRows, ProductSettings, ProductText,
    RecordShape,
};
pub(crate) use records::RecordReport;
pub(crate) use selection::Keep;
pub use style::colours::Colours;
pub(crate) use style::prefix::Prefix;
pub(crate) use style::visible::{Controls, visible};
pub(crate) use summary::count::{Count, CountReport, HitCountReport};
pub(crate) use summary::files::{FilesReport, List};
pub(crate) use summary::histogram::HistogramReport;
pub(crate) use summary::hit_counter::HitCounter;
pub(crate) use summary::least::{Distances, LeastReport};
pub(crate) use summary::patterns::PatternCountReport;
pub(crate) use summary::stats::{Stats, StatsReport, StatsScope};
pub(crate) use tables::align::AlignRows;
pub(crate) use tables::bed::BedRows;
pub(crate) use tables::columns::TableColumn;
pub(crate) use tables::ends::EndRows;
pub(crate) use tables::json::JsonRows;
pub(crate) use tables::matches::MatchRows;
pub(crate) use tables::paf::{PafReport, PafRows};
pub(crate) use tables::rows::RowReport;
pub(crate) use tables::sam::{LastTag, ProgramLine, SamReport, SamRows};
pub(crate) use tables::tsv::TsvRows;
pub(crate) use tally::Limits;

#[cfg(test)]
mod test_support;
