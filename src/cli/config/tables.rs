//! Builds the reports that print hits as rows.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::reports::{allow_bulges, limits, row_report};
use crate::cli::args::{Args, InapplicableOption, Output, bytes_of};
use crate::cli::terminal::controls;
use nigh_pattern::PatternSet;
use nigh_report::{
    AlignRows, BedRows, JsonRows, LastTag, MatchRows, NamedColumn, PafReport, PafRows, Prefix, ProgramLine,
    RecordReport, Report, Rows, SamReport, SamRows, TableColumn, TsvRows,
};
use nigh_text::alphabet::Alphabet;

/// Creates the report of a form that prints the hits in sequences, or records, or the table of hits in text.
pub(super) fn table_report(
    args: &Args,
    form: Output,
    patterns: &Arc<PatternSet>,
    prefix: Prefix,
) -> Result<Box<dyn Report>> {
    let rows = |rows: Arc<dyn Rows>| row_report(args, rows, patterns);
    let visible_rows = |shown: Arc<dyn Rows>| rows(shown).controls(controls());
    // Only the first shard prints the header.
    let has_header = args.sequences.header && args.engine.shard.is_none_or(|shard| shard.part == 1);
    let file = args.output.with_filename && !args.output.no_filename;
    Ok(match form {
        Output::Matches => Box::new(rows(Arc::new(MatchRows { prefix }))),
        Output::Bed => Box::new(visible_rows(Arc::new(BedRows)).by_start(patterns.max_match_len())),
        Output::Sam if patterns.alphabet() == Alphabet::Protein => {
            bail!("--format sam is for nucleotides; use --format paf for amino acids")
        }
        Output::Sam => {
            let program = ProgramLine { name: "nigh", command_line: &command_line() };
            Box::new(SamReport::new(Box::new(rows(Arc::new(SamRows))), LastTag::Edits, program))
        }
        Output::Paf => Box::new(PafReport::new(visible_rows(Arc::new(PafRows)))),
        Output::Json => Box::new(rows(Arc::new(JsonRows { file }))),
        Output::Fasta => Box::new(RecordReport::new(limits(args))),
        _ => {
            let table = TsvRows::new(columns(args, form, patterns)?, prefix.colours.clone());
            let header = has_header.then(|| table.header());
            let names = Prefix { file, ..prefix };
            let have_line_cells = table.have_line_cells();
            let report = visible_rows(Arc::new(table)).header(header).prefix_of_names(names);
            let report = if have_line_cells { report.fill_line_cells() } else { report };
            Box::new(if form == Output::Sites { report.by_start(patterns.max_match_len()) } else { report })
        }
    })
}

/// Returns the columns of a table: those of `--columns`, or of the format. With `-H`, the first is the file.
fn columns(args: &Args, form: Output, patterns: &PatternSet) -> Result<Vec<NamedColumn>> {
    const FILE: NamedColumn = NamedColumn::Table(TableColumn::File);
    let named = &args.sequences.columns;
    let of_format: &[TableColumn] = match form {
        Output::Sites => &TableColumn::SITES,
        Output::CasOffinder if allow_bulges(patterns) => &TableColumn::CAS_OFFINDER_BULGES,
        Output::CasOffinder => &TableColumn::CAS_OFFINDER,
        _ => &TableColumn::TSV,
    };
    named.iter().try_for_each(|column| column.check(patterns)).context("--columns")?;
    if let Some(column) = named.iter().find(|column| !column.suits(patterns.alphabet())) {
        let name = format!("--columns {}", column.name());
        let is_sequence = patterns.alphabet().is_sequence();
        let unsuited = if is_sequence { InapplicableOption::ForText } else { InapplicableOption::ForSequences };
        return Err(unsuited(name).into());
    }
    if let Some(column) = named.iter().find(|column| column.counts_gaps() && !args.sequences.ignore_gaps) {
        let name = column.name();
        let other = name.trim_start_matches("column_");
        bail!("--columns: {name} is for aligned sequences; add --ignore-gaps, or use {other}");
    }
    let mut columns = match &named[..] {
        [] => of_format.iter().copied().map(NamedColumn::Table).collect(),
        named => named.to_vec(),
    };
    let shows_file = args.output.with_filename && !args.output.no_filename;
    if shows_file && !columns.contains(&FILE) {
        columns.insert(0, FILE);
    }
    Ok(columns)
}

/// Creates a report of alignments, for lines and sequences.
pub(super) fn align_report(args: &Args, patterns: &Arc<PatternSet>, prefix: Prefix) -> Box<dyn Report> {
    let rows = AlignRows { alphabet: patterns.alphabet(), prefix, width: width() };
    Box::new(row_report(args, Arc::new(rows), patterns))
}

/// Returns the width of the terminal in columns, or 80 if it is unknown.
pub(crate) fn width() -> usize {
    const UNKNOWN: usize = 80;
    match rustix::termios::tcgetwinsize(std::io::stdout()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => UNKNOWN,
    }
}

/// Returns the command line of this process, for the header of SAM.
pub(crate) fn command_line() -> Vec<u8> {
    let words: Vec<OsString> = std::env::args_os().collect();
    words.iter().map(|word| bytes_of(word)).collect::<Vec<_>>().join(&b' ')
}
