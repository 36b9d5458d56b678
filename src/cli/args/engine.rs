//! What searches, and with what means.

use clap::{Args, ValueEnum};

use super::numbers::threads;
use crate::engine::Devices;

/// What searches, and with what means.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct EngineArgs {
    /// Use NUM threads; 0 is one for each core
    #[arg(short = 'j', long, value_name = "NUM", default_value_t = 0, value_parser = threads, allow_negative_numbers = true)]
    pub(in crate::cli) threads: u16,
    /// Search with this engine
    #[arg(long, value_enum, default_value = "auto")]
    pub(in crate::cli) engine: EngineName,
    /// Use NVIDIA device NUM, several of them, or all: NUM[,NUM...] or 'all'. If they are missing, --engine cuda is an error,
    /// and --engine auto prints a message and searches on the processor
    #[arg(long, value_name = "NUM", value_parser = devices)]
    pub(in crate::cli) device: Option<Devices>,
    /// Read so many bytes for a batch; K, M and G stand for 1024 bytes and so on
    #[arg(long, value_name = "BYTES", value_parser = batch_size)]
    pub(in crate::cli) batch_size: Option<u64>,
    /// Hold no more than BYTES of input at a time, but for a line or record that is longer; K, M and G as above
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(in crate::cli) memory: Option<u64>,
    /// Search the I-th of N parts of the input: what all N print, one after the other, is what one alone prints, if files,
    /// patterns and --batch-size are the same. With BYTES, the size of all files together as 'wc -c' counts it, nothing is
    /// searched if they have another size: between processes that see different sizes, matches are lost or printed twice
    #[arg(long, value_name = "I/N[:BYTES]", value_parser = shard)]
    pub(in crate::cli) shard: Option<ShardChoice>,
    /// Say on standard error how the patterns were searched for
    #[arg(long)]
    pub(in crate::cli) debug: bool,
}

/// Engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum EngineName {
    /// The processor's cores, and NVIDIA devices where the work pays for their start
    Auto,
    /// The processor's cores
    Cpu,
    /// NVIDIA devices
    Cuda,
    /// The definition, slow and plain
    #[value(hide = true)]
    Reference,
}

/// A number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&text[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1_u64),
    };
    let size = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    size.ok_or_else(|| "a number of bytes is wanted, as 65536 or 64K".to_owned())
}

fn batch_size(text: &str) -> Result<u64, String> {
    size(text).and_then(|size| match size {
        1..=0x4000_0000 => Ok(size),
        _ => Err("a batch has 1 byte to 1G".to_owned()),
    })
}

/// Which part of the input a process searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct ShardChoice {
    /// Number of the part, from 1 to `parts`.
    pub(in crate::cli) part: u64,
    pub(in crate::cli) parts: u64,
    /// Size of all files together, in bytes, if it is to be checked.
    pub(in crate::cli) size: Option<u64>,
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
    choice.ok_or_else(|| "1/N to N/N are wanted, or with a size in bytes I/N:BYTES".to_owned())
}

/// Numbers of devices with commas between them, or all.
fn devices(text: &str) -> Result<Devices, String> {
    if text == "all" {
        return Ok(Devices::All);
    }
    let numbers = text.split(',').map(|number| number.parse::<usize>());
    let mut numbers: Vec<usize> =
        numbers.collect::<Result<_, _>>().map_err(|_| "numbers of devices, or 'all'".to_owned())?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Devices::Some(numbers))
}
