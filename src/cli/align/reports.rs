//! The rows and the report that the arguments choose.

use std::sync::Arc;

use anyhow::{Result, bail};

use super::args::{AlignArgs, PairFormat};
use crate::cli::config::{command_line, width};
use crate::cli::terminal::{colours, controls};
use nigh_align::{
    BitScores, Measure, PairBlocks, PairJson, PairPaf, PairReport, PairRows, PairSam, PairTsv, PairValues,
    ShownAlignment, ShownStrand, TargetLimit, TopReport, shown_rows,
};
use nigh_report::{LastTag, ProgramLine, Report, SamReport};
use nigh_search::Strands;
use nigh_text::alphabet::Alphabet;

/// The formatter of rows, and the report that prints the rows.
pub(super) struct PairOutput {
    pub(super) rows: Arc<dyn PairRows>,
    pub(super) report: Box<dyn Report>,
}

/// The properties of the comparison that rows depend on.
#[derive(Clone, Copy)]
pub(super) struct ShownPairs {
    pub(super) measure: Measure,
    pub(super) alphabet: Alphabet,
    pub(super) strands: Strands,
}

/// Returns the rows and the report. Refuses options that do not suit the format.
pub(super) fn output(args: &AlignArgs, shown: ShownPairs, top: Option<&TargetLimit>) -> Result<PairOutput> {
    let ShownPairs { measure, alphabet, strands } = shown;
    let strand = if strands == Strands::Both { ShownStrand::Named } else { ShownStrand::Implied };
    let wanted = &args.output;
    if wanted.header && wanted.format != PairFormat::Tsv {
        bail!("--header needs --format tsv");
    }
    let alignment = if wanted.cigar || wanted.all { ShownAlignment::Cigar } else { ShownAlignment::None };
    let bits = if wanted.bits { BitScores::Printed } else { BitScores::NotPrinted };
    let mut header = None;
    let rows: Arc<dyn PairRows> = match wanted.format {
        PairFormat::Align => {
            Arc::new(PairBlocks { measure, strand, alphabet, colours: colours(wanted.display.color), width: width() })
        }
        PairFormat::Values => Arc::new(PairValues),
        PairFormat::Tsv => {
            let table = PairTsv { measure, bits, strand, alignment };
            header = wanted.header.then(|| table.header());
            shown_rows(controls(), Arc::new(table))
        }
        PairFormat::Paf => shown_rows(controls(), Arc::new(PairPaf { measure })),
        PairFormat::Sam => Arc::new(PairSam { measure }),
        PairFormat::Json => Arc::new(PairJson { measure, strand, alignment }),
    };
    let mut report: Box<dyn Report> = Box::new(PairReport::new(header));
    if wanted.format == PairFormat::Sam {
        let program = ProgramLine { name: "nigh-align", command_line: &command_line() };
        report = Box::new(SamReport::new(report, LastTag::Score, program));
    }
    if let Some(top) = top {
        report = Box::new(TopReport::new(report, top.count, top.bounds.clone()));
    }
    Ok(PairOutput { rows, report })
}
