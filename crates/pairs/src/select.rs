//! Builds the engine that the user chose.

use std::sync::Arc;

use super::Objective;
use super::cpu::CpuPairs;
use super::engine::{ExpectedWork, PairEngine, ReferencePairs};
#[cfg(feature = "cuda")]
use super::hybrid::HybridPairs;
#[cfg(not(feature = "cuda"))]
use nigh_device::DeviceError;
use nigh_engine::{EngineChoice, EngineKind};
use nigh_verify::EngineError;

/// What an engine is built to compute.
#[derive(Debug, Clone)]
pub struct PairEngineTask {
    /// The value to compute for each pair.
    pub objective: Objective,
    /// The largest edit distance that matters; a larger one may be reported as any value above it.
    pub max_distance: Option<usize>,
    /// The work to come, if it is a search of one query after the other in many targets.
    pub expected: Option<ExpectedWork>,
}

/// Builds the chosen engine, for `threads` workers; 0 counts as 1.
///
/// # Errors
/// Fails if the machine lacks the requested hardware.
pub fn pair_engine(
    choice: EngineChoice,
    task: PairEngineTask,
    threads: usize,
) -> Result<Arc<dyn PairEngine>, EngineError> {
    let PairEngineTask { objective, max_distance, expected } = task;
    let threads = threads.max(1);
    if choice.kind() == EngineKind::Reference {
        return Ok(Arc::new(ReferencePairs::new(objective, threads)));
    }
    let cpu = CpuPairs::new(objective, threads).within(max_distance);
    let (devices, fallback) = choice.device_settings();
    #[cfg(not(feature = "cuda"))]
    let _ = (expected, fallback);
    Ok(match choice.kind() {
        #[cfg(feature = "cuda")]
        EngineKind::Cuda => {
            let devices = devices.unwrap_or(nigh_device::Devices::First);
            Arc::new(HybridPairs::forced(cpu, &devices, fallback)?)
        }
        #[cfg(feature = "cuda")]
        EngineKind::Auto => Arc::new(HybridPairs::auto(cpu, devices, expected)),
        #[cfg(not(feature = "cuda"))]
        EngineKind::Cuda => return Err(DeviceError::NotBuilt.into()),
        #[cfg(not(feature = "cuda"))]
        EngineKind::Auto if devices.is_some() => return Err(DeviceError::NotBuilt.into()),
        _ => Arc::new(cpu),
    })
}
