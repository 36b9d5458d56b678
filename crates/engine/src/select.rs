//! Builds the engine that the user chose.

use std::sync::Arc;

use super::search::{Engine, EnginePart};
use crate::choice::{EngineChoice, EngineKind};
use crate::owners::{PatternOwner, PatternOwners};
use crate::windows::Windows;
use nigh_automaton::near::{AutomatonPart, Near};
use nigh_automaton::{AutomatonFinder, CandidateSource};
use nigh_cpu::CpuFinder;
#[cfg(feature = "cuda")]
use nigh_cuda::HybridFinder;
#[cfg(not(feature = "cuda"))]
use nigh_device::DeviceError;
#[cfg(feature = "cuda")]
use nigh_device::{Devices, Fallback};
use nigh_pattern::{EditConstraints, Pattern, PatternSet, RelaxedDistance};
use nigh_simd::isa::Isa;
#[cfg(feature = "cuda")]
use nigh_text::threads::join;
use nigh_verify::refine::Refinement;
use nigh_verify::refine::constraints::Constraints;
use nigh_verify::refine::overhang::Overhangs;
use nigh_verify::{EngineError, Finder, reference};

/// Builds the chosen engine for `patterns`, for `threads` workers on the processor.
///
/// # Errors
/// Fails if the patterns do not fit the engine, or the machine lacks the requested hardware.
pub fn engine(choice: EngineChoice, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<Engine>, EngineError> {
    let choice = on_processor(choice, &patterns);
    let widening = match choice.kind() {
        EngineKind::Reference => None,
        EngineKind::Cpu => Some(RelaxedDistance::Narrowest),
        // No kernel supports transpositions.
        EngineKind::Cuda | EngineKind::Auto => Some(RelaxedDistance::WithoutTranspositions),
    };
    let simulated = |patterns| simulated_expressions(choice.clone(), patterns, threads);
    let isa = Isa::preferred();
    let plain = |patterns| plain_finder(choice.clone(), patterns, threads);
    refined_engine(patterns, widening, isa, simulated, plain).map(Arc::new)
}

impl EngineChoice {
    /// Opens the devices that the engine will certainly use while `work` runs, for example while the patterns are read.
    /// Returns the result of `work`. If a device cannot be opened, [`engine`] reports the error.
    pub fn opening_devices<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.kind() {
            #[cfg(feature = "cuda")]
            EngineKind::Cuda => {
                join(|| nigh_cuda::open_devices(&self.device_settings().0.unwrap_or(Devices::First)), work).1
            }
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
pub fn cpu_engine(isa: Isa, patterns: Arc<PatternSet>, threads: usize) -> Result<Arc<Engine>, EngineError> {
    let expressions = |patterns| {
        let automata = Arc::new(AutomatonFinder::new(patterns, threads, Some(isa))?);
        Ok(SimulatedExpressions { finder: automata.clone(), automata })
    };
    let plain = |patterns| Ok(Arc::new(CpuFinder::with_isa(patterns, threads, isa)?) as Arc<dyn Finder>);
    refined_engine(patterns, Some(RelaxedDistance::Narrowest), isa, expressions, plain).map(Arc::new)
}

/// The automata of regular expressions, and a finder that searches for them without regard to constraints.
struct SimulatedExpressions {
    finder: Arc<dyn Finder>,
    automata: Arc<AutomatonFinder>,
}

/// Builds an engine for `patterns`. `simulated` makes finders of automata, and `strings` makes finders of strings: with
/// `widening` of strings without constraints that match anywhere, which are refined, otherwise of all strings.
fn refined_engine(
    patterns: Arc<PatternSet>,
    widening: Option<RelaxedDistance>,
    isa: Isa,
    simulated: impl Fn(Arc<PatternSet>) -> Result<SimulatedExpressions, EngineError>,
    plain: impl FnOnce(Arc<PatternSet>) -> Result<Arc<dyn Finder>, EngineError>,
) -> Result<Engine, EngineError> {
    let all = patterns.patterns();
    let simulated_count = all.iter().filter(|pattern| pattern.is_simulated()).count();
    let listed = automata_of(patterns.listed_expressions())?;
    let mut parts = Vec::new();
    if simulated_count < all.len() || all.is_empty() {
        parts.push(match all.iter().any(|pattern| pattern.expression().is_some()) {
            false => string_part((patterns.clone(), all.len()), widening, isa, plain)?,
            true => listed_part(&patterns, widening, isa, plain)?,
        });
    }
    let mut automata = None;
    if simulated_count > 0 {
        let (searched, indices) = match simulated_count == all.len() {
            true => (patterns.clone(), (0..simulated_count).collect()),
            false => {
                let (set, indices) = patterns.simulated_expressions();
                (Arc::new(set), indices)
            }
        };
        let windows = widening.and_then(|_| Windows::of(&searched));
        let of_these = simulated(searched)?;
        let mut part = EnginePart { windows, ..EnginePart::new(of_these.finder, indices.clone()) };
        part.refinements.extend(of_these.automata.constraints(CandidateSource::Automata).map(boxed));
        if let Some(overhang) = patterns.overhang() {
            part.refinements.push(boxed(of_these.automata.overhangs(overhang)?));
        }
        if !parts.is_empty() {
            let owners = indices.iter().map(|&index| PatternOwner { index, is_listed: false });
            part.refinements.push(Box::new(PatternOwners::new(owners.collect())));
        }
        parts.push(part);
        automata = Some(AutomatonPart { automata: of_these.automata, indices });
    }
    let near = match patterns.proximity() {
        Some(proximity) => {
            let expressions = match (&listed, automata) {
                (Some(_), Some(_)) => automata_of(patterns.expressions())?,
                (listed, automata) => automata.or(listed.clone()),
            };
            Some(Near::new(patterns.clone(), proximity.clone(), expressions))
        }
        None => None,
    };
    let listed_overhangs = match (&listed, patterns.overhang()) {
        (Some(part), Some(overhang)) => Some(boxed(part.automata.overhangs(overhang)?)),
        _ => None,
    };
    Ok(Engine::new(patterns, parts, (listed, listed_overhangs), near))
}

/// Makes a finder of the patterns that are strings, and of those strings that expressions are searched for as.
fn listed_part(
    patterns: &Arc<PatternSet>,
    widening: Option<RelaxedDistance>,
    isa: Isa,
    plain: impl FnOnce(Arc<PatternSet>) -> Result<Arc<dyn Finder>, EngineError>,
) -> Result<EnginePart, EngineError> {
    let indices = patterns.strings().1;
    // Automata verify the hits of the strings of expressions, but not those that hang over.
    let are_constrained = patterns.listed_expressions().0.patterns().iter().any(Pattern::has_constraints);
    let have_automata = are_constrained && widening.is_some() && patterns.overhang().is_none();
    let (strings, owners) = patterns.all_strings(!have_automata);
    let verified = if have_automata { indices.len() } else { owners.len() };
    let mut part = string_part((Arc::new(strings), verified), widening, isa, plain)?;
    let is_listed = |index: usize| patterns.patterns()[index].expression().is_some();
    let owners = owners.into_iter().map(|index| PatternOwner { index, is_listed: is_listed(index) });
    part.refinements.push(Box::new(PatternOwners::new(owners.collect())));
    if have_automata {
        let automata = AutomatonFinder::new(patterns.clone(), 1, None)?;
        part.refinements.extend(automata.constraints(CandidateSource::Strings).map(boxed));
    }
    Ok(EnginePart { indices, ..part })
}

fn boxed<R: Refinement + 'static>(refinement: R) -> Box<dyn Refinement> {
    Box::new(refinement)
}

/// Builds the automata of `expressions`, which are those of a set with these indices; `None` if there are none.
fn automata_of((expressions, indices): (PatternSet, Vec<usize>)) -> Result<Option<AutomatonPart>, EngineError> {
    if indices.is_empty() {
        return Ok(None);
    }
    Ok(Some(AutomatonPart { automata: Arc::new(AutomatonFinder::new(Arc::new(expressions), 1, None)?), indices }))
}

/// Makes a finder of strings, and its refinements if there is a `widening`; see [`refined_engine`]. Constraints on edits are
/// verified for the first `verified` patterns; the others are strings of expressions, whose automata verify their hits.
fn string_part(
    (patterns, verified): (Arc<PatternSet>, usize),
    widening: Option<RelaxedDistance>,
    isa: Isa,
    plain: impl FnOnce(Arc<PatternSet>) -> Result<Arc<dyn Finder>, EngineError>,
) -> Result<EnginePart, EngineError> {
    let indices = (0..patterns.patterns().len()).collect();
    let Some(widening) = widening else { return Ok(EnginePart::new(plain(patterns)?, indices)) };
    let mut part = match patterns.widened(widening) {
        Some((searched, of_searched)) => {
            let searched = Arc::new(searched);
            let constraints = Constraints::new(patterns.clone(), (&searched, of_searched), verified);
            EnginePart { in_windows: vec![boxed(constraints)], ..EnginePart::new(plain(searched)?, indices) }
        }
        None => EnginePart::new(plain(patterns.clone())?, indices),
    };
    part.windows = Windows::of(&patterns);
    if let Some(overhang) = patterns.overhang() {
        let of_parts = |parts| Ok(Arc::new(CpuFinder::with_isa(parts, 1, isa)?) as Arc<dyn Finder>);
        part.refinements.push(boxed(Overhangs::new(patterns, overhang, (isa, &of_parts))?));
    }
    Ok(part)
}

/// Makes a finder of strings.
fn plain_finder(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<Arc<dyn Finder>, EngineError> {
    if choice.kind() == EngineKind::Reference {
        return Ok(Arc::new(reference::ReferenceFinder::new(patterns, threads)));
    }
    let cpu = || Ok(Arc::new(CpuFinder::new(patterns.clone(), threads)?) as Arc<dyn Finder>);
    on_hardware(&choice, &patterns, threads, cpu)
}

/// Makes a finder of regular expressions, without regard to constraints.
fn simulated_expressions(
    choice: EngineChoice,
    patterns: Arc<PatternSet>,
    threads: usize,
) -> Result<SimulatedExpressions, EngineError> {
    let is_reference = choice.kind() == EngineKind::Reference;
    let isa = if is_reference { None } else { Some(Isa::preferred()) };
    let automata = Arc::new(AutomatonFinder::new(patterns, threads, isa)?);
    let finder: Arc<dyn Finder> = match is_reference {
        true => automata.clone(),
        false => on_hardware(&choice, automata.patterns(), threads, || Ok(automata.clone()))?,
    };
    Ok(SimulatedExpressions { finder, automata })
}

/// Makes a finder for the chosen hardware. `cpu` makes the one for the processor.
#[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "only devices need them"))]
fn on_hardware(
    choice: &EngineChoice,
    patterns: &Arc<PatternSet>,
    threads: usize,
    cpu: impl FnOnce() -> Result<Arc<dyn Finder>, EngineError> + Send,
) -> Result<Arc<dyn Finder>, EngineError> {
    Ok(match choice.kind() {
        EngineKind::Reference | EngineKind::Cpu => cpu()?,
        #[cfg(feature = "cuda")]
        EngineKind::Cuda => Arc::new(HybridFinder::forced(patterns, named_devices(choice), threads, cpu)?),
        #[cfg(feature = "cuda")]
        EngineKind::Auto => {
            Arc::new(HybridFinder::auto(cpu()?, choice.device_settings().0, threads, choice.expected_size()))
        }
        #[cfg(not(feature = "cuda"))]
        EngineKind::Cuda | EngineKind::Auto => return Err(DeviceError::NotBuilt.into()),
    })
}

/// Returns the devices to use, and what happens if one fails.
#[cfg(feature = "cuda")]
fn named_devices(choice: &EngineChoice) -> (Devices, Fallback) {
    let (devices, fallback) = choice.device_settings();
    (devices.unwrap_or(Devices::First), fallback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{Edits, MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;
    use nigh_text::batch::{Batch, Layout, RecordName, Segment};
    use nigh_verify::refine::constraints::MANY_HITS;

    /// Returns the ends and distances of the hits of a pattern of one symbol, which is tried at every end position.
    fn hits(alphabet: Alphabet, symbol: &str, batch: &Batch) -> Vec<(usize, usize)> {
        let edits: Edits = "s<=1".parse().unwrap();
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(1)).edit_costs(edits.costs());
        let set = Arc::new(builder.build(&[PatternSource::new(symbol)]).unwrap());
        let engine = engine(EngineChoice::cpu(), set, 1).unwrap();
        assert!(
            engine.description().iter().any(|line| line.ends_with("1 at every end position")),
            "{:?}",
            engine.description()
        );
        let mut hits = Vec::new();
        engine.scanner().unwrap().scan(batch, &mut hits).unwrap();
        hits.iter().map(|hit| (hit.end, hit.distance)).collect()
    }

    #[test]
    fn parts_of_the_text_cut_no_symbol() {
        let batch = Batch::of_lines("€".repeat(MANY_HITS) + "\n", b'\n');
        let found = hits(Alphabet::Text, "x", &batch);
        assert!(found.into_iter().eq((1..=MANY_HITS).map(|end| (3 * end, 1))));
    }

    #[test]
    fn parts_of_the_text_may_end_between_records() {
        let segment = |bytes: std::ops::Range<usize>| Segment {
            name: RecordName::NONE,
            record: bytes.clone(),
            bytes,
            position: 0,
            continues: false,
            opens: true,
            closes: true,
        };
        let records = [0..MANY_HITS - 10, MANY_HITS + 10..MANY_HITS + 20];
        let text = vec![b'A'; MANY_HITS + 20];
        let all = 0..text.len();
        let batch = Batch::new(text, all.clone(), all, Layout::Records(records.clone().map(segment).into()));
        let expected = records.into_iter().flat_map(|record| record.start + 1..=record.end).map(|end| (end, 0));
        assert_eq!(hits(Alphabet::Dna, "A", &batch), expected.collect::<Vec<_>>());
    }
}
