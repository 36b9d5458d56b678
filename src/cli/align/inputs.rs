//! The inputs of a comparison.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};

use super::args::AlignArgs;
use crate::alphabet::Alphabet;
use crate::cli::config::Stdin;
use crate::cli::messages::located;
use crate::input::{
    Batcher, BinaryInput, Compression, Decoding, Encoding, Format, InputError, LongLines, Origin, Records, Source,
    Window, plain,
};
use crate::search::{Input, InputKind, MateInput, RecordFormat};

/// Compressed bytes are decompressed; a byte order mark shows another encoding.
const DECODING: Decoding =
    Decoding { compression: Compression::ByMagic, encoding: Encoding::ByMark, binary: BinaryInput::Searched };

/// Size of the batches in which queries are read, in bytes.
const QUERY_BATCH: usize = 1 << 20;

/// The main input of a comparison: a table, or the targets.
pub(super) fn main_input(args: &AlignArgs, stdin: Stdin) -> Result<Input> {
    let (file, kind) = match &args.target {
        Some(target) => (target, InputKind::Sequences),
        None => (&args.query, InputKind::Text),
    };
    let mates = (args.objective.pairs && args.target.is_some()).then_some(&args.query);
    let mates = mates.map(|file| -> Result<MateInput> {
        let (origin, label) = (origin(file, stdin)?, label(file));
        Ok(MateInput { origin, label, decoding: DECODING, records: RecordFormat::Fasta })
    });
    Ok(Input {
        origin: origin(file, stdin)?,
        label: label(file),
        decoding: DECODING,
        kind,
        records: RecordFormat::Fasta,
        max_distance: None,
        mates: mates.transpose()?,
    })
}

/// Reads all queries.
pub(super) fn queries(args: &AlignArgs, stdin: Stdin) -> Result<Arc<Records>> {
    let label = String::from_utf8_lossy(&label(&args.query)).into_owned();
    let records = read_records(&origin(&args.query, stdin)?).map_err(|error| anyhow!(located(&label, &error)))?;
    if records.len() == 0 {
        bail!("{label}: has no records");
    }
    Ok(Arc::new(records))
}

fn read_records(origin: &Origin) -> Result<Records, InputError> {
    let mut source = Source::open(origin, DECODING, None)?;
    let format = match source.first_symbol()? {
        Some(b'@') => Format::Fastq,
        _ => Format::Fasta { long: LongLines::Whole },
    };
    let window = Window { bytes: QUERY_BATCH, max_match_len: 0, alphabet: Alphabet::Bytes };
    let mut batcher = Batcher::new(source, format, window);
    let (mut records, mut buffer) = (Records::default(), Vec::new());
    while let Some(batch) = batcher.next_batch(&mut buffer)? {
        batch.copy_records(&mut records);
        buffer = batch.into_buffer();
    }
    Ok(records)
}

/// Refuses arguments that name standard input twice.
pub(super) fn check(args: &AlignArgs) -> Result<()> {
    let is_stdin = |file: &Path| file == Path::new("-");
    if is_stdin(&args.query) && args.target.as_deref().is_some_and(is_stdin) {
        bail!("QUERY and TARGET cannot both be standard input");
    }
    Ok(())
}

fn origin(file: &Path, stdin: Stdin) -> Result<Origin> {
    if file != Path::new("-") {
        return Ok(Origin::File(file.to_owned()));
    }
    match stdin {
        Stdin::Open => Ok(Origin::Stdin),
        Stdin::Closed => {
            let error = std::io::Error::from(rustix::io::Errno::BADF);
            Err(anyhow!(plain(&error))).context("-")
        }
    }
}

fn label(file: &Path) -> Vec<u8> {
    match file == Path::new("-") {
        true => b"(standard input)".to_vec(),
        false => crate::cli::args::bytes_of(file.as_os_str()).to_vec(),
    }
}
