//! Builds the engine that the user chose.

use std::sync::Arc;

#[cfg(not(feature = "cuda"))]
use super::DeviceError;
use super::expression::AutomatonEngine;
#[cfg(feature = "cuda")]
use super::hybrid::engine::HybridEngine;
use super::mixed::{EnginePart, MixedEngine};
use super::refine::constraints::ConstraintEngine;
use super::refine::near::{AutomatonPart, NearEngine};
use super::refine::overhang::OverhangEngine;
use super::refine::owners::StringEndsEngine;
use super::refine::windows::WindowedEngine;
#[cfg(feature = "cuda")]
use super::{Devices, Fallback, cuda, joint::join};
use super::{Engine, EngineChoice, EngineError, EngineKind, cpu::ambiguous, reference};
use crate::pattern::{EditConstraints, Pattern, PatternSet, RelaxedDistance};
use crate::simd::isa::Isa;

/// Builds the chosen engine for `patterns`, for `threads` workers on the processor.
///
/// # Errors
/// Fails if the patterns do not fit the engine, or the machine lacks the requested hardware.
pub fn engine(choice: EngineChoice, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    let choice = on_processor(choice, &patterns);
    let widening = match choice.kind() {
        // The reference engine verifies constrained costs by the matrix of the constraints alone.
        EngineKind::Reference => RelaxedDistance::Levenshtein,
        EngineKind::Cpu => RelaxedDistance::Narrowest,
        // No kernel supports transpositions.
        EngineKind::Cuda | EngineKind::Auto => RelaxedDistance::WithoutTranspositions,
    };
    let simulated = |patterns| simulated_expressions(choice.clone(), patterns, threads);
    let isa = Isa::preferred();
    with_expressions(patterns, widening, isa, simulated, |patterns| plain_engine(choice.clone(), patterns, threads))
}

impl EngineChoice {
    /// Opens the devices that the engine will certainly use while `work` runs, for example while the patterns are read.
    /// Returns the result of `work`. If a device cannot be opened, [`engine`] reports the error.
    pub fn opening_devices<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.kind() {
            #[cfg(feature = "cuda")]
            EngineKind::Cuda => join(|| cuda::open(&self.device_settings().0.unwrap_or(Devices::First)), work).1,
            _ => work(),
        }
    }
}

/// Replaces `auto` by the processor's engine if no device will be used: if this build has none, or if the patterns have
/// transpositions, which no kernel supports, and no device was named.
fn on_processor(choice: EngineChoice, patterns: &PatternSet) -> EngineChoice {
    let has_transpositions = |pattern: &Pattern| pattern.constraints().is_some_and(EditConstraints::has_transpositions);
    let names_no_device = choice.kind() == EngineKind::Auto && choice.device_settings().0.is_none();
    let needs_processor = || cfg!(not(feature = "cuda")) || patterns.patterns().iter().any(has_transpositions);
    if names_no_device && needs_processor() { EngineChoice::cpu() } else { choice }
}

/// Like [`engine`] with [`EngineChoice::cpu`], with the given instruction set.
///
/// # Errors
/// Fails if the patterns distinguish too many classes of symbols.
pub fn cpu_engine(isa: Isa, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    let expressions = |patterns| {
        let automata = Arc::new(AutomatonEngine::new(patterns, threads, Some(isa))?);
        Ok(SimulatedExpressions { engine: automata.clone(), automata })
    };
    with_expressions(patterns, RelaxedDistance::Narrowest, isa, expressions, |patterns| {
        ambiguous::cpu_engine(patterns, threads, isa)
    })
}

/// The automata of regular expressions, and an engine that searches for them without regard to constraints.
struct SimulatedExpressions {
    engine: Arc<dyn Engine>,
    automata: Arc<AutomatonEngine>,
}

/// Builds an engine for `patterns`. `simulated` builds engines for automata, and `plain` builds engines for
/// strings without constraints that match anywhere.
fn with_expressions(
    patterns: Arc<PatternSet>,
    widening: RelaxedDistance,
    isa: Isa,
    simulated: impl Fn(Arc<PatternSet>) -> Result<SimulatedExpressions, EngineError>,
    plain: impl Fn(Arc<PatternSet>) -> Result<Arc<dyn Engine>, EngineError>,
) -> Result<Arc<dyn Engine>, EngineError> {
    let strings_engine = |patterns| with_constraints(patterns, widening, isa, &plain);
    let proximity = patterns.proximity().cloned();
    let simulated_count = patterns.patterns().iter().filter(|pattern| pattern.is_simulated()).count();
    let (engine, part): (Arc<dyn Engine>, _) = if simulated_count == 0 {
        let automata = automata_of(patterns.expressions())?;
        (listed_engine(patterns, automata.as_ref(), strings_engine)?, automata)
    } else if simulated_count == patterns.patterns().len() {
        let indices = (0..simulated_count).collect();
        let SimulatedExpressions { engine, automata } = simulated(patterns)?;
        (automata.constrained(engine), Some(AutomatonPart { automata, indices }))
    } else {
        let (listed, of_listed) = patterns.listed();
        let automata_of_listed = automata_of(listed.expressions())?;
        let strings = listed_engine(Arc::new(listed), automata_of_listed.as_ref(), strings_engine)?;
        let strings = EnginePart { engine: strings, indices: of_listed };
        let (simulation, indices) = patterns.simulated_expressions();
        let SimulatedExpressions { engine, automata } = simulated(Arc::new(simulation))?;
        let simulated = EnginePart { engine: automata.constrained(engine), indices: indices.clone() };
        let part = match automata_of_listed {
            None => Some(AutomatonPart { automata, indices }),
            Some(_) => automata_of(patterns.expressions())?,
        };
        (Arc::new(MixedEngine::new(patterns, strings, simulated)), part)
    };
    Ok(match proximity {
        Some(proximity) => Arc::new(NearEngine::new(engine, part, proximity)),
        None => engine,
    })
}

/// Builds the automata of `expressions`, which are those of a set with these indices; `None` if there are none.
fn automata_of((expressions, indices): (PatternSet, Vec<usize>)) -> Result<Option<AutomatonPart>, EngineError> {
    if indices.is_empty() {
        return Ok(None);
    }
    Ok(Some(AutomatonPart { automata: Arc::new(AutomatonEngine::new(Arc::new(expressions), 1, None)?), indices }))
}

/// Builds an engine for strings, and for expressions that are searched for as strings. `automata` are those of the
/// expressions, and `strings_engine` builds engines for strings.
fn listed_engine(
    patterns: Arc<PatternSet>,
    automata: Option<&AutomatonPart>,
    strings_engine: impl Fn(Arc<PatternSet>) -> Result<Arc<dyn Engine>, EngineError>,
) -> Result<Arc<dyn Engine>, EngineError> {
    let Some(AutomatonPart { automata, indices }) = automata else { return strings_engine(patterns) };
    let (strings, owners) = patterns.all_strings();
    let engine = strings_engine(Arc::new(strings))?;
    let (_, of_strings) = patterns.strings();
    let strings = EnginePart { engine: engine.clone(), indices: of_strings };
    let expressions = EnginePart { engine: automata.clone(), indices: indices.clone() };
    let aligning = MixedEngine::new(patterns.clone(), strings, expressions);
    Ok(Arc::new(StringEndsEngine::new(patterns, engine, owners, aligning)))
}

/// Builds an engine for strings. `plain` builds engines for strings without constraints that match anywhere.
fn with_constraints(
    patterns: Arc<PatternSet>,
    widening: RelaxedDistance,
    isa: Isa,
    plain: impl Fn(Arc<PatternSet>) -> Result<Arc<dyn Engine>, EngineError>,
) -> Result<Arc<dyn Engine>, EngineError> {
    let overhang = patterns.overhang();
    let engine: Arc<dyn Engine> = match patterns.widened(widening) {
        Some((unconstrained, indices)) => {
            Arc::new(ConstraintEngine::new(patterns, indices, || plain(Arc::new(unconstrained)))?)
        }
        None => plain(patterns)?,
    };
    // The reference engine searches all text.
    let engine = if widening == RelaxedDistance::Levenshtein { engine } else { WindowedEngine::around(engine) };
    Ok(match overhang {
        Some(overhang) => Arc::new(OverhangEngine::new(engine, overhang, isa)?),
        None => engine,
    })
}

/// Builds an engine for patterns without constraints.
fn plain_engine(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<Arc<dyn Engine>, EngineError> {
    Ok(match choice.kind() {
        EngineKind::Reference => Arc::new(reference::ReferenceEngine::new(patterns, threads)),
        EngineKind::Cpu => ambiguous::cpu_engine(patterns, threads, Isa::preferred())?,
        #[cfg(feature = "cuda")]
        EngineKind::Cuda => {
            let cpu = || ambiguous::cpu_engine(patterns.clone(), threads, Isa::preferred());
            Arc::new(HybridEngine::forced(&patterns, named_devices(&choice), threads, cpu)?)
        }
        #[cfg(feature = "cuda")]
        EngineKind::Auto => {
            let cpu = ambiguous::cpu_engine(patterns, threads, Isa::preferred())?;
            Arc::new(HybridEngine::auto(cpu, choice.device_settings().0, threads, choice.expected_size()))
        }
        #[cfg(not(feature = "cuda"))]
        EngineKind::Cuda | EngineKind::Auto => return Err(DeviceError::NotBuilt.into()),
    })
}

/// Builds an engine for regular expressions without regard to constraints.
fn simulated_expressions(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<SimulatedExpressions, EngineError> {
    let isa = if choice.kind() == EngineKind::Reference { None } else { Some(Isa::preferred()) };
    let automata = Arc::new(AutomatonEngine::new(patterns, threads, isa)?);
    let engine: Arc<dyn Engine> = match choice.kind() {
        EngineKind::Reference | EngineKind::Cpu => automata.clone(),
        #[cfg(feature = "cuda")]
        EngineKind::Cuda => {
            let patterns = automata.patterns();
            Arc::new(HybridEngine::forced(patterns, named_devices(&choice), threads, || Ok(automata.clone()))?)
        }
        #[cfg(feature = "cuda")]
        EngineKind::Auto => {
            let devices = choice.device_settings().0;
            Arc::new(HybridEngine::auto(automata.clone(), devices, threads, choice.expected_size()))
        }
        #[cfg(not(feature = "cuda"))]
        EngineKind::Cuda | EngineKind::Auto => return Err(DeviceError::NotBuilt.into()),
    };
    Ok(SimulatedExpressions { engine, automata })
}

/// Returns the devices to use, and what happens if one fails.
#[cfg(feature = "cuda")]
fn named_devices(choice: &EngineChoice) -> (Devices, Fallback) {
    let (devices, fallback) = choice.device_settings();
    (devices.unwrap_or(Devices::First), fallback)
}
