//! Builds the engine that the user chose.

use std::sync::Arc;

#[cfg(not(feature = "cuda"))]
use super::DeviceError;
use super::constraints::ConstraintEngine;
use super::expression::AutomatonEngine;
#[cfg(feature = "cuda")]
use super::hybrid::engine::HybridEngine;
use super::mixed::{EnginePart, MixedEngine};
use super::near::{AutomatonPart, NearEngine};
use super::overhang::OverhangEngine;
use super::windowed::WindowedEngine;
use super::{Engine, EngineChoice, EngineError, ambiguous, reference};
use crate::pattern::{EditConstraints, Pattern, PatternSet, RelaxedDistance};
use crate::simd::isa::Isa;

/// Builds the chosen engine for `patterns`, for `threads` workers on the processor.
///
/// # Errors
/// Fails if the patterns do not fit the engine, or the machine lacks the requested hardware.
pub fn engine(choice: EngineChoice, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    let choice = on_processor(choice, &patterns);
    let widening = match choice {
        // The reference engine verifies constrained costs by the matrix of the constraints alone.
        EngineChoice::Reference => RelaxedDistance::Levenshtein,
        EngineChoice::Cpu => RelaxedDistance::Narrowest,
        // No kernel supports transpositions.
        EngineChoice::Cuda(..) | EngineChoice::Auto(..) => RelaxedDistance::WithoutTranspositions,
    };
    let expressions = |patterns| expression_engine(choice.clone(), patterns, threads);
    let isa = Isa::preferred();
    with_expressions(patterns, widening, isa, expressions, |patterns| plain_engine(choice.clone(), patterns, threads))
}

/// Replaces `auto` by the processor's engine if no device will be used: if this build has none, or if the patterns have
/// transpositions, which no kernel supports, and no device was named.
fn on_processor(choice: EngineChoice, patterns: &PatternSet) -> EngineChoice {
    let has_transpositions = |pattern: &Pattern| pattern.constraints().is_some_and(EditConstraints::has_transpositions);
    match choice {
        EngineChoice::Auto(None, _)
            if cfg!(not(feature = "cuda")) || patterns.patterns().iter().any(has_transpositions) =>
        {
            EngineChoice::Cpu
        }
        choice => choice,
    }
}

/// Like [`engine`] with [`EngineChoice::Cpu`], with the given instruction set.
///
/// # Errors
/// Fails if the patterns distinguish too many classes of symbols.
pub fn cpu_engine(isa: Isa, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<dyn Engine>, EngineError> {
    let expressions = |patterns| {
        let automata = Arc::new(AutomatonEngine::new(patterns, threads, Some(isa))?);
        Ok(ExpressionEngine { engine: automata.constrained(automata.clone()), automata })
    };
    with_expressions(patterns, RelaxedDistance::Narrowest, isa, expressions, |patterns| {
        ambiguous::cpu_engine(patterns, threads, isa)
    })
}

/// An engine for regular expressions, and their automata.
struct ExpressionEngine {
    engine: Arc<dyn Engine>,
    automata: Arc<AutomatonEngine>,
}

/// Builds an engine for `patterns`. `expressions` builds engines for regular expressions; `plain` builds engines for
/// strings without constraints that match anywhere.
fn with_expressions(
    patterns: Arc<PatternSet>,
    widening: RelaxedDistance,
    isa: Isa,
    expressions: impl FnOnce(Arc<PatternSet>) -> Result<ExpressionEngine, EngineError>,
    plain: impl FnOnce(Arc<PatternSet>) -> Result<Arc<dyn Engine>, EngineError>,
) -> Result<Arc<dyn Engine>, EngineError> {
    let proximity = patterns.proximity().cloned();
    let has_strings = patterns.patterns().iter().any(|pattern| pattern.expression().is_none());
    let (engine, part): (Arc<dyn Engine>, _) = match (patterns.has_expressions(), has_strings) {
        (false, _) => (with_constraints(patterns, widening, isa, plain)?, None),
        (true, false) => {
            let indices = (0..patterns.patterns().len()).collect();
            let ExpressionEngine { engine, automata } = expressions(patterns)?;
            (engine, Some(AutomatonPart { automata, indices }))
        }
        (true, true) => {
            let (strings, of_strings) = patterns.strings();
            let (of_set, indices) = patterns.expressions();
            let strings = with_constraints(Arc::new(strings), widening, isa, plain)?;
            let strings = EnginePart { engine: strings, indices: of_strings };
            let ExpressionEngine { engine, automata } = expressions(Arc::new(of_set))?;
            let expressions = EnginePart { engine, indices: indices.clone() };
            let engine = Arc::new(MixedEngine::new(patterns, strings, expressions));
            (engine, Some(AutomatonPart { automata, indices }))
        }
    };
    Ok(match proximity {
        Some(proximity) => Arc::new(NearEngine::new(engine, part, proximity)),
        None => engine,
    })
}

/// Builds an engine for strings. `plain` builds engines for strings without constraints that match anywhere.
fn with_constraints(
    patterns: Arc<PatternSet>,
    widening: RelaxedDistance,
    isa: Isa,
    plain: impl FnOnce(Arc<PatternSet>) -> Result<Arc<dyn Engine>, EngineError>,
) -> Result<Arc<dyn Engine>, EngineError> {
    let overhang = patterns.overhang();
    let engine: Arc<dyn Engine> = match patterns.widened(widening) {
        Some((unconstrained, indices)) => {
            let inner = plain(Arc::new(unconstrained))?;
            Arc::new(ConstraintEngine::new(patterns, inner, indices))
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
    Ok(match choice {
        EngineChoice::Reference => Arc::new(reference::ReferenceEngine::new(patterns, threads)),
        EngineChoice::Cpu => ambiguous::cpu_engine(patterns, threads, Isa::preferred())?,
        #[cfg(feature = "cuda")]
        EngineChoice::Cuda(devices, policy) => {
            let cpu = ambiguous::cpu_engine(patterns, threads, Isa::preferred())?;
            Arc::new(HybridEngine::forced(cpu, devices, policy, threads)?)
        }
        #[cfg(feature = "cuda")]
        EngineChoice::Auto(devices, bytes) => {
            let cpu = ambiguous::cpu_engine(patterns, threads, Isa::preferred())?;
            Arc::new(HybridEngine::auto(cpu, devices, threads, bytes))
        }
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Cuda(..) | EngineChoice::Auto(..) => return Err(DeviceError::NotBuilt.into()),
    })
}

/// Builds an engine for regular expressions.
fn expression_engine(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<ExpressionEngine, EngineError> {
    let isa = if choice == EngineChoice::Reference { None } else { Some(Isa::preferred()) };
    let automata = Arc::new(AutomatonEngine::new(patterns, threads, isa)?);
    let candidates: Arc<dyn Engine> = match choice {
        EngineChoice::Reference | EngineChoice::Cpu => automata.clone(),
        #[cfg(feature = "cuda")]
        EngineChoice::Cuda(devices, policy) => {
            Arc::new(HybridEngine::forced(automata.clone(), devices, policy, threads)?)
        }
        #[cfg(feature = "cuda")]
        EngineChoice::Auto(devices, bytes) => Arc::new(HybridEngine::auto(automata.clone(), devices, threads, bytes)),
        #[cfg(not(feature = "cuda"))]
        EngineChoice::Cuda(..) | EngineChoice::Auto(..) => return Err(DeviceError::NotBuilt.into()),
    };
    Ok(ExpressionEngine { engine: automata.constrained(candidates), automata })
}
