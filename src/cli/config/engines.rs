//! Chooses and makes the engine.

use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Result, bail};

use crate::cli::args::{Args, EngineName};
use crate::engine::{self, Devices, Engine, EngineChoice, Fallback, InputSize};
use crate::pattern::PatternSet;

/// Makes the engine that the arguments choose, for `patterns`. `bytes` is the number of bytes to be searched, if known.
pub(super) fn make_engine(args: &Args, patterns: Arc<PatternSet>, bytes: InputSize) -> Result<Arc<dyn Engine>> {
    let devices = args.engine.device.clone();
    let choice = match args.engine.engine {
        EngineName::Auto => EngineChoice::Auto(devices, bytes),
        EngineName::Cuda => EngineChoice::Cuda(devices.unwrap_or(Devices::First), backing()),
        EngineName::Cpu | EngineName::Reference if devices.is_some() => {
            bail!("--device needs --engine cuda or auto")
        }
        EngineName::Cpu => EngineChoice::Cpu,
        EngineName::Reference => EngineChoice::Reference,
    };
    let threads = match args.engine.threads {
        0 => available_parallelism().map_or(1, usize::from),
        threads => usize::from(threads),
    };
    Ok(engine::engine(choice, patterns, threads)?)
}

/// Returns whether the CPU may continue after a device fails. Tests set NIGH_REQUIRE_CUDA to 1 to forbid it.
fn backing() -> Fallback {
    match std::env::var_os("NIGH_REQUIRE_CUDA") {
        Some(value) if value == "1" => Fallback::Refused,
        _ => Fallback::Allowed,
    }
}
