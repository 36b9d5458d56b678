//! Builds the reports on sequences.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::{Result, bail};

use super::reports::{limits, row_report};
use crate::cli::args::{Args, TableFormat, bytes_of};
use crate::cli::terminal::controls;
use crate::report::{
    AlignRows, BedRows, Hits, JsonRows, LastTag, MatchRows, PafReport, PafRows, Prefix, ProgramLine, RecordNames,
    RecordReport, Report, Rows, SamReport, SamRows, TableColumn, TsvRows,
};
use nigh_core::alphabet::Alphabet;
use nigh_core::pattern::{Pattern, PatternSet};

/// Creates the report for sequences that `--format` or `--only-matching` selects.
pub(super) fn table_report(args: &Args, patterns: &Arc<PatternSet>, prefix: Prefix) -> Result<Box<dyn Report>> {
    check(args, patterns.alphabet())?;
    if args.output.only_matching {
        let matches = row_report(args, Arc::new(MatchRows { prefix }), patterns, Hits::Best)?;
        return Ok(Box::new(matches.names(RecordNames::NotPrinted)));
    }
    let default = default_hits(args, patterns);
    let rows = |rows: Arc<dyn Rows>| row_report(args, rows, patterns, default);
    let visible_rows = |shown: Arc<dyn Rows>| rows(shown).map(|report| report.controls(controls()));
    // Only the first shard prints the header.
    let has_header = args.sequences.header && args.engine.shard.is_none_or(|shard| shard.part == 1);
    let file = args.output.with_filename && !args.output.no_filename;
    Ok(match args.sequences.format.unwrap_or(TableFormat::Tsv) {
        format @ (TableFormat::Tsv | TableFormat::Sites | TableFormat::CasOffinder) => {
            let table = TsvRows::new(columns(args, format, patterns), prefix.colours);
            let header = has_header.then(|| table.header());
            let report = visible_rows(Arc::new(table))?.header(header);
            Box::new(if format == TableFormat::Sites { report.by_start(patterns.max_match_len()) } else { report })
        }
        TableFormat::Bed => Box::new(visible_rows(Arc::new(BedRows))?.by_start(patterns.max_match_len())),
        TableFormat::Sam => {
            let program = ProgramLine { name: "nigh", command_line: &command_line() };
            Box::new(SamReport::new(Box::new(rows(Arc::new(SamRows))?), LastTag::Edits, program))
        }
        TableFormat::Paf => Box::new(PafReport::new(visible_rows(Arc::new(PafRows))?)),
        TableFormat::Json => Box::new(rows(Arc::new(JsonRows { file }))?),
        TableFormat::Fasta => Box::new(RecordReport::new(limits(args))),
    })
}

/// Returns the hits that are printed without `--hits`. In the format of Cas-OFFinder, this is one hit for each site if
/// all patterns have sites and may have bulges. Without bulges, a site has only one hit, so all hits are printed.
fn default_hits(args: &Args, patterns: &PatternSet) -> Hits {
    let has_several = || allow_bulges(patterns) && patterns.patterns().iter().all(Pattern::has_edge_group);
    match args.sequences.format {
        Some(TableFormat::CasOffinder) if has_several() => Hits::Sites,
        _ => Hits::All,
    }
}

/// Returns the columns of a table: those of `--columns`, or of the format. With `-H`, the first is the file.
fn columns(args: &Args, format: TableFormat, patterns: &PatternSet) -> Vec<TableColumn> {
    let named = &args.sequences.columns;
    let mut columns = match format {
        _ if !named.is_empty() => named.clone(),
        TableFormat::Sites => TableColumn::SITES.to_vec(),
        TableFormat::CasOffinder if allow_bulges(patterns) => TableColumn::CAS_OFFINDER_BULGES.to_vec(),
        TableFormat::CasOffinder => TableColumn::CAS_OFFINDER.to_vec(),
        _ => TableColumn::TSV.to_vec(),
    };
    let shows_file = args.output.with_filename && !args.output.no_filename;
    if shows_file && !columns.contains(&TableColumn::File) {
        columns.insert(0, TableColumn::File);
    }
    columns
}

/// Returns whether a match of any pattern can have insertions or deletions.
fn allow_bulges(patterns: &PatternSet) -> bool {
    patterns.patterns().iter().any(|pattern| match pattern.constraints() {
        Some(constraints) => constraints.costs().insertion.max + constraints.costs().deletion.max > 0,
        None => pattern.k() > 0,
    })
}

/// Creates a report of alignments, for lines and sequences.
pub(super) fn align_report(args: &Args, patterns: &Arc<PatternSet>, prefix: Prefix) -> Result<Box<dyn Report>> {
    let rows = AlignRows { alphabet: patterns.alphabet(), prefix, width: width() };
    Ok(Box::new(row_report(args, Arc::new(rows), patterns, Hits::Best)?))
}

/// Returns the width of the terminal in columns, or 80 if it is unknown.
pub(in crate::cli) fn width() -> usize {
    const UNKNOWN: usize = 80;
    match rustix::termios::tcgetwinsize(std::io::stdout()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => UNKNOWN,
    }
}

/// Refuses options that do not suit the format.
fn check(args: &Args, alphabet: Alphabet) -> Result<()> {
    use TableFormat::{Bed, CasOffinder, Fasta, Json, Paf, Sam, Sites, Tsv};
    let format = args.sequences.format.unwrap_or(Tsv);
    match format {
        _ if args.output.only_matching && args.sequences.format.is_some() => {
            bail!("--only-matching prints only the matches, so it cannot be used with --format")
        }
        _ if args.sequences.header && (!matches!(format, Tsv | Sites) || args.output.only_matching) => {
            bail!("--header needs --format tsv or sites, without --only-matching")
        }
        Bed | Sam | Paf | Json | Sites | CasOffinder | Fasta if !args.sequences.columns.is_empty() => {
            bail!("--columns needs --format tsv; other formats have fixed columns")
        }
        CasOffinder if args.fuzzy.overhang.is_some() => {
            bail!(
                "--format cas-offinder cannot be used with --overhang: it has no column for symbols beyond an end; use --format sites"
            )
        }
        Fasta if args.output.max_hits.is_some() => {
            bail!("--max-hits cannot be used with --format fasta, which prints whole records")
        }
        Bed | Sam | Paf | CasOffinder | Fasta if args.output.with_filename => {
            bail!("--with-filename needs --format tsv, sites or json; other formats have no field for it")
        }
        Bed | Sam | Paf | Json | Sites | CasOffinder if args.patterns.invert => {
            bail!(
                "--invert-match selects records without a hit, which have no rows; use --format fasta to print them, or tsv to print their names"
            )
        }
        Sam if alphabet == Alphabet::Protein => {
            bail!("--format sam is for nucleotides; use --format paf for amino acids")
        }
        _ => Ok(()),
    }
}

/// Returns the command line of this process, for the header of SAM.
pub(in crate::cli) fn command_line() -> Vec<u8> {
    let words: Vec<OsString> = std::env::args_os().collect();
    words.iter().map(|word| bytes_of(word)).collect::<Vec<_>>().join(&b' ')
}
