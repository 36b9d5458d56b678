//! Chooses and makes the engine.

use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Result, bail};

use crate::cli::args::{Args, EngineName};
use nigh_device::{Devices, Fallback};
use nigh_engine::Engine;
use nigh_engine::EngineChoice;
use nigh_pattern::PatternSet;
use nigh_verify::InputSize;

/// Makes the engine that the arguments choose, for the patterns that `read` returns. `bytes` is the number of bytes to be
/// searched, if known.
pub(super) fn make_engine(
    args: &Args,
    read: impl FnOnce() -> Result<Arc<PatternSet>>,
    bytes: InputSize,
) -> Result<Arc<Engine>> {
    let choice = engine_choice(args.engine.threads.engine, args.engine.threads.device.clone(), bytes)?;
    let patterns = choice.opening_devices(read)?;
    Ok(nigh_engine::engine(choice, patterns, thread_count(args.engine.threads.threads))?)
}

/// Returns the choice of the engine named `name`. `devices` is the value of `--device`, if it is given. `bytes` is the
/// number of bytes to search, if known.
pub(crate) fn engine_choice(name: EngineName, devices: Option<Devices>, bytes: InputSize) -> Result<EngineChoice> {
    Ok(match name {
        EngineName::Auto => with_devices(EngineChoice::auto().input_size(bytes), devices),
        EngineName::Cuda => with_devices(EngineChoice::cuda().fallback(fallback()), devices),
        EngineName::Cpu | EngineName::Reference if devices.is_some() => {
            bail!("--device needs --engine cuda or auto")
        }
        EngineName::Cpu => EngineChoice::cpu(),
        EngineName::Reference => EngineChoice::reference(),
    })
}

/// Sets the devices, if they are given.
fn with_devices(choice: EngineChoice, devices: Option<Devices>) -> EngineChoice {
    match devices {
        Some(devices) => choice.devices(devices),
        None => choice,
    }
}

/// Returns the number of threads that an argument asks for; 0 means one for each core.
pub(crate) fn thread_count(threads: u16) -> usize {
    match threads {
        0 => available_parallelism().map_or(1, usize::from),
        threads => usize::from(threads),
    }
}

/// Returns whether the CPU may continue after a device fails. Tests set NIGH_REQUIRE_CUDA to 1 to forbid it.
fn fallback() -> Fallback {
    match std::env::var_os("NIGH_REQUIRE_CUDA") {
        Some(value) if value == "1" => Fallback::Refused,
        _ => Fallback::Allowed,
    }
}
