//! The automata of expressions for bit-sliced simulation.

use super::context::{NeighbourKind, contexts};
use crate::alphabet::Alphabet;
use crate::engine::EngineError;
use crate::engine::cpu::bitslice::automaton::{AutomatonParts, BitslicedAutomaton};
use crate::engine::cpu::bitslice::planes::ByteCodes;
use crate::engine::encoder::Classes;
use crate::input::Batch;
use crate::pattern::{Expression, Pattern, SymbolSet};
use crate::simd::isa::Isa;

/// The least number of steps of a stream for which bit-slicing pays.
const MIN_STEPS: usize = 64;
/// The automata for bit-sliced simulation.
pub(super) struct BitslicedTables {
    pub(super) isa: Isa,
    pub(super) classes: Classes,
    pub(super) codes: ByteCodes,
    has_conditions: bool,
    /// The automaton of each expression, with the largest number of symbols of a match; `None` if there is none.
    pub(super) automata: Vec<(BitslicedAutomaton, Option<usize>)>,
}

impl BitslicedTables {
    /// Makes the automata of the expressions of all patterns; `None` if they have too many classes of symbols.
    pub(super) fn new<'a, I: Iterator<Item = (usize, &'a Pattern, &'a Expression)>>(
        alphabet: Alphabet,
        expressions: impl Fn() -> I,
        isa: Isa,
    ) -> Result<Option<Self>, EngineError> {
        let has_conditions = expressions().any(|(_, _, expression)| expression.has_conditions());
        let words = has_conditions.then(word_characters);
        let sets = expressions().flat_map(|(_, _, expression)| expression.sets());
        let Ok(classes) = Classes::for_sets(alphabet, sets.chain(words.iter().flatten())) else { return Ok(None) };
        let Some(codes) = ByteCodes::with_own_ends(&classes) else { return Ok(None) };
        let automata = expressions().map(|(_, pattern, expression)| {
            let parts = AutomatonParts {
                k: pattern.k(),
                initial: expression.starts().iter().map(|&start| contexts(start)).collect(),
                readers: expression.sets().iter().map(|set| classes.codes_in(set)).collect(),
                transitions: expression
                    .transitions()
                    .iter()
                    .map(|transition| (transition.to, transition.from, contexts(transition.condition)))
                    .collect(),
                accepting: expression.ends().iter().map(|end| (end.state, contexts(end.condition))).collect(),
                words: words.as_ref().map(|words| words.each_ref().map(|set| classes.codes_in(set).to_vec())),
                classes: classes.count(),
                ends: codes.ends(),
            };
            let max_match_len = expression.longest().map(|_| pattern.max_match_len());
            (BitslicedAutomaton::new(&parts), max_match_len)
        });
        let automata = automata.collect();
        Ok(Some(BitslicedTables { isa, classes, codes, has_conditions, automata }))
    }

    /// Returns whether a batch suits bit-slicing: it holds whole lines, or records without conditions, and enough text.
    pub(super) fn suits(&self, batch: &Batch) -> bool {
        let steps = batch.bytes().len() / self.isa.streams();
        let are_known = match batch.lines() {
            Some(lines) => lines.opens && lines.closes && lines.terminator.is_ascii(),
            None => !self.has_conditions,
        };
        are_known && steps >= MIN_STEPS && u32::try_from(batch.bytes().len()).is_ok()
    }
}

/// Returns the word characters in ASCII, and the others.
fn word_characters() -> [SymbolSet; 2] {
    let is_ascii = |symbol: &u32| *symbol < 0x80;
    let all = (0..=u32::from(char::MAX))
        .filter(|&symbol| matches!(NeighbourKind::of(symbol), NeighbourKind::AsciiWord | NeighbourKind::Word));
    let (ascii, others): (Vec<u32>, Vec<u32>) = all.partition(is_ascii);
    [ascii, others].map(|symbols| SymbolSet::from_ranges(symbols.into_iter().map(|symbol| (symbol, symbol))))
}
