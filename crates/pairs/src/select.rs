//! Builds the engine that the user chose.

use std::sync::Arc;

use super::Objective;
use super::cpu::CpuPairs;
use super::engine::{ExpectedWork, PairEngine, ReferencePairs};
#[cfg(feature = "cuda")]
use super::hybrid::HybridPairs;
#[cfg(not(feature = "cuda"))]
use nigh_core::engine::DeviceError;
use nigh_core::engine::{EngineChoice, EngineError};

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
    if choice == EngineChoice::Reference {
        return Ok(Arc::new(ReferencePairs::new(objective, threads)));
    }
    #[cfg(not(feature = "cuda"))]
    let _ = expected;
    let cpu = CpuPairs::new(objective, threads).within(max_distance);
    Ok(match choice {
        EngineChoice::Reference | EngineChoice::Cpu => Arc::new(cpu),
        #[cfg(feature = "cuda")]
        EngineChoice::Cuda(devices, policy) => Arc::new(HybridPairs::forced(cpu, &devices, policy)?),
        #[cfg(feature = "cuda")]
        EngineChoice::Auto(devices, _) => Arc::new(HybridPairs::auto(cpu, devices, expected)),
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Cuda(..) | EngineChoice::Auto(Some(_), _) => return Err(DeviceError::NotBuilt.into()),
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Auto(..) => Arc::new(cpu),
    })
}
