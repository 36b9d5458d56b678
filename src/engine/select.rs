//! Builds the engine that the user chose.

use std::sync::Arc;

#[cfg(not(feature = "cuda"))]
use super::DeviceError;
use super::constraints::ConstraintEngine;
#[cfg(feature = "cuda")]
use super::hybrid::engine::HybridEngine;
use super::{Engine, EngineChoice, EngineError, cpu, reference};
use crate::pattern::PatternSet;

/// Builds the chosen engine for `patterns`, for `threads` workers on the processor.
///
/// # Errors
/// Fails if the patterns do not fit the engine, or the machine lacks the requested hardware.
pub fn engine(choice: EngineChoice, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match patterns.widened() {
        Some((unconstrained, indices)) => {
            let inner = plain_engine(choice, Arc::new(unconstrained), threads)?;
            Arc::new(ConstraintEngine::new(patterns, inner, indices))
        }
        None => plain_engine(choice, patterns, threads)?,
    })
}

/// Builds an engine for patterns without constraints.
fn plain_engine(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match choice {
        EngineChoice::Reference => Arc::new(reference::ReferenceEngine::new(patterns, threads)),
        EngineChoice::Cpu => Arc::new(cpu::CpuEngine::new(patterns, threads)?),
        #[cfg(feature = "cuda")]
        EngineChoice::Cuda(devices, policy) => {
            let cpu = Arc::new(cpu::CpuEngine::new(patterns, threads)?);
            Arc::new(HybridEngine::forced(cpu, devices, policy, threads)?)
        }
        #[cfg(feature = "cuda")]
        EngineChoice::Auto(devices, bytes) => {
            let cpu = Arc::new(cpu::CpuEngine::new(patterns, threads)?);
            Arc::new(HybridEngine::auto(cpu, devices, threads, bytes))
        }
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Cuda(..) | EngineChoice::Auto(Some(_), _) => return Err(DeviceError::NotBuilt.into()),
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Auto(..) => Arc::new(cpu::CpuEngine::new(patterns, threads)?),
    })
}
