//! Options for engines, threads and memory.

use clap::{Args, ValueEnum};

use super::numbers::threads;
use nigh_device::Devices;

/// Options for engines, threads and memory.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Hold at most BYTES of input in memory
    ///
    /// A line or record that has to be held as a whole can take more. The suffixes K, M and G multiply by 1024,
    /// 1024^2 and 1024^3.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Search part I of N of the input
    ///
    /// The outputs of parts 1 to N, one after the other, are the output of a search without --shard, provided that
    /// files and patterns are the same. BYTES is the size of all files together, as 'wc -c' counts it;
    /// the search is refused if the files have another size, because processes that see different sizes lose matches
    /// or print them twice.
    ///
    /// With -c, --count-matches, --format count-patterns and --format histogram, a part prints its own counts. Those of all parts add up to
    /// the counts of the whole input, row by row. --stats leaves out the totals that do not add up: of files, of printed
    /// bytes, and the time of the process.
    #[arg(long, value_name = "I/N[:BYTES]", value_parser = shard)]
    pub(crate) shard: Option<ShardChoice>,
}

/// Options for engines and threads that all programs have.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Use NUM threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "NUM", default_value_t = 0, value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: u16,
    /// Use this engine: 'cpu', 'cuda' for NVIDIA GPUs, or 'auto' (default) for GPUs where the work is worth their start
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, default_value = "auto")]
    pub(crate) engine: EngineName,
    /// Use these NVIDIA GPUs: NUM[,NUM...], or 'all'
    ///
    /// GPUs are numbered from 0; the default is GPU 0. If one of them is missing, --engine cuda fails, and --engine
    /// auto prints a message and uses the CPU.
    #[arg(long, value_name = "NUM", value_parser = devices)]
    pub(crate) device: Option<Devices>,
    /// Read input in batches of BYTES, at most 1G
    ///
    /// For tests. The suffixes K, M and G multiply by 1024, 1024^2 and 1024^3. The default depends on the engine.
    #[arg(long, hide = true, value_name = "BYTES", value_parser = batch_size)]
    pub(crate) batch_size: Option<u64>,
    /// Print how the work was done, and the time of each stage, on standard error
    #[arg(long)]
    pub(crate) debug: bool,
}

impl ThreadArgs {
    /// Returns the batch size in bytes; `None` if the engine chooses it.
    pub(crate) fn batch_bytes(&self) -> Option<usize> {
        self.batch_size.and_then(|size| usize::try_from(size).ok())
    }
}

/// Engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// The CPU, and NVIDIA GPUs where the work is long enough to be worth their start
    Auto,
    /// The CPU
    Cpu,
    /// NVIDIA GPUs
    #[value(alias = "gpu")]
    Cuda,
    /// The definition, slow and plain
    #[value(hide = true)]
    Reference,
}

/// Parses a number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1_u64),
    };
    let size = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    size.ok_or_else(|| "expected a number of bytes, such as 65536 or 64K".to_owned())
}

fn batch_size(text: &str) -> Result<u64, String> {
    size(text).and_then(|size| match size {
        1..=0x4000_0000 => Ok(size),
        _ => Err("expected a size from 1 byte to 1G".to_owned()),
    })
}

/// The part of the input that this process searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShardChoice {
    /// Number of the part, from 1 to `parts`.
    pub(crate) part: u64,
    /// Number of parts.
    pub(crate) parts: u64,
    /// Expected total size of all files in bytes; `None` if it is not checked.
    pub(crate) size: Option<u64>,
}

impl ShardChoice {
    fn parse(text: &str) -> Option<Self> {
        let (numbers, size) = match text.split_once(':') {
            Some((numbers, size)) => (numbers, Some(size.parse().ok()?)),
            None => (text, None),
        };
        let (part, parts) = numbers.split_once('/')?;
        Some(ShardChoice { part: part.parse().ok()?, parts: parts.parse().ok()?, size })
    }
}

fn shard(text: &str) -> Result<ShardChoice, String> {
    let choice = ShardChoice::parse(text).filter(|choice| (1..=choice.parts).contains(&choice.part));
    choice.ok_or_else(|| "expected I/N or I/N:BYTES, with I from 1 to N".to_owned())
}

/// Parses device numbers separated by commas, or 'all'.
fn devices(text: &str) -> Result<Devices, String> {
    if text == "all" {
        return Ok(Devices::All);
    }
    let numbers = text.split(',').map(|number| number.parse::<usize>());
    let mut numbers: Vec<usize> = numbers
        .collect::<Result<_, _>>()
        .map_err(|_| "expected device numbers separated by commas, or 'all'".to_owned())?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Devices::Some(numbers))
}
