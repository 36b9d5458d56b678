//! Turns the arguments into a search for products.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};

use super::args::{PcrArgs, PcrFormat};
use super::inputs::{inputs, known_size};
use super::pairs::{primer_pairs, primer_sources};
use crate::cli::config::{Stdin, check_sites, engine_choice, thread_count};
use crate::cli::pattern_advice::advised;
use crate::cli::program_run::refuse_unused;
use crate::cli::terminal::{colours, controls};
use nigh_engine::Engine;
use nigh_input::{Format, LongLines};
use nigh_pattern::{Groups, Notation, PatternSet, Strand};
use nigh_pcr::{PrimerPairs, ProductFormat, ProductReport, ProductRows, ProductSettings, ProductText};
use nigh_report::{HitSelection, Prefix, RecordShape};
use nigh_search::{EngineWork, Search, SearchRoute, StageTimes};
use nigh_text::alphabet::Alphabet;

/// Builds the search.
pub(super) fn search(args: &PcrArgs, stdin: Stdin) -> Result<Search<'static>> {
    check(args)?;
    let pairs = Arc::new(primer_pairs(args)?);
    let engine = make_engine(args, &pairs)?;
    let report = Box::new(report(args, pairs, engine.patterns()));
    let route = SearchRoute {
        work: Arc::new(EngineWork::new(engine, None)),
        report,
        format: Format::Fasta { long: LongLines::Cut },
        batch_bytes: args.engine.batch_bytes(),
        floor: None,
        records: RecordShape::Linear,
    };
    let times = Arc::new(StageTimes::new(args.engine.debug));
    Ok(Search { times, ..Search::new(Box::new(inputs(args, stdin).into_iter()), None, Some(route)) })
}

/// Refuses options that would have no effect, and arguments that name standard input twice.
fn check(args: &PcrArgs) -> Result<()> {
    let (products, format) = (&args.products, args.output.format);
    let is_stdin = |file: &PathBuf| file.as_os_str() == "-";
    if args.pairs.as_ref().is_some_and(is_stdin) && (args.files.is_empty() || args.files.iter().any(is_stdin)) {
        bail!("PAIRS and FILE cannot both be standard input");
    }
    let shows_text = products.inner || products.primer_bases;
    let has_minimum = args.edits.edits.as_ref().is_some_and(|edits| edits.range().min > 0);
    let unused = [
        (
            shows_text && matches!(format, PcrFormat::Bed | PcrFormat::Counts),
            "--inner and --primer-bases need --format tsv, json or fasta, which print the product's sequence",
        ),
        (
            args.output.with_filename && matches!(format, PcrFormat::Bed | PcrFormat::Fasta),
            "--with-filename needs --format tsv, json or counts; other formats have no field for it",
        ),
        (
            args.output.header && !matches!(format, PcrFormat::Tsv | PcrFormat::Counts),
            "--header needs --format tsv; counts always have a header",
        ),
        (has_minimum, "--edits cannot have a minimum number of edits here; omit the minimum"),
    ];
    refuse_unused(&unused)
}

/// Makes the engine that searches for the primers, each once.
fn make_engine(args: &PcrArgs, pairs: &PrimerPairs) -> Result<Arc<Engine>> {
    let choice = engine_choice(args.engine.engine, args.engine.device.clone(), known_size(args))?;
    let patterns = choice.opening_devices(|| -> Result<Arc<PatternSet>> { Ok(Arc::new(patterns(args, pairs)?)) })?;
    if args.edits.hits == HitSelection::Sites {
        check_sites(&patterns)?;
    }
    Ok(nigh_engine::engine(choice, patterns, thread_count(args.engine.threads))?)
}

fn patterns(args: &PcrArgs, pairs: &PrimerPairs) -> Result<PatternSet> {
    let edits = args.edits.edits.as_ref();
    let ambiguous = args.edits.ambiguous();
    let builder = PatternSet::builder(Alphabet::Dna)
        .notation(Notation::Literal)
        .max_edits(args.edits.bound())
        .edit_costs(edits.map(|edits| edits.costs()).unwrap_or_default())
        .groups(Groups::Exact)
        .strands(&[Strand::Forward, Strand::Reverse])
        .ambiguous(ambiguous.letters)
        .max_ambiguous(ambiguous.max);
    builder.build(&primer_sources(pairs)).map_err(|error| advised(&error, edits))
}

/// Creates the report of products. `patterns` are the primers of `pairs`.
fn report(args: &PcrArgs, pairs: Arc<PrimerPairs>, patterns: &PatternSet) -> ProductReport {
    let (products, output) = (&args.products, &args.output);
    let records = if products.circular { RecordShape::Circular } else { RecordShape::Linear };
    let settings = ProductSettings { hits: args.edits.hits, longest: patterns.max_match_len(), records };
    let format = match output.format {
        PcrFormat::Tsv => ProductFormat::Tsv,
        PcrFormat::Bed => ProductFormat::Bed,
        PcrFormat::Fasta => ProductFormat::Fasta,
        PcrFormat::Json => ProductFormat::Json,
        PcrFormat::Counts => {
            let prefix = Prefix::of_names(output.with_filename, colours(output.display.color), controls());
            return ProductReport::of_counts(pairs, settings, prefix);
        }
    };
    let rows = ProductRows {
        format,
        text: match (products.inner, products.primer_bases) {
            (true, _) => ProductText::Inner,
            (false, true) => ProductText::PrimerBases,
            (false, false) => ProductText::Whole,
        },
        file: output.with_filename,
        header: output.header,
        colours: colours(output.display.color),
        controls: controls(),
    };
    ProductReport::of_rows(pairs, settings, rows)
}
