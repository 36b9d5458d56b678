//! The automata of some expressions, over codes of one byte.

use regex_syntax::hir::{Class, HirKind};

use crate::coded_automaton::{AutomatonParts, CodedAutomaton};
use crate::context::contexts;
use nigh_pattern::{Expression, Pattern, SymbolSet};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::interrupt;
use nigh_verify::EngineError;
use nigh_verify::encoder::{Classes, Code};

/// The number of codes that one byte can hold.
const BYTE_CODES: usize = 256;

/// The automata of some expressions, and the classes of their symbols.
pub struct CodedAutomata {
    /// The classes of symbols.
    pub classes: Classes,
    pub has_conditions: bool,
    /// The automaton of each expression, with the largest number of symbols of a match; `None` if matches have no
    /// largest length.
    pub automata: Vec<(CodedAutomaton, Option<usize>)>,
}

impl CodedAutomata {
    /// Makes the automata of the expressions among `patterns`. Ends of lines and records have a code of their own,
    /// which is the number of classes.
    ///
    /// # Errors
    /// Fails if there are too many classes of symbols.
    pub fn new<'a>(
        alphabet: Alphabet,
        patterns: impl Iterator<Item = &'a Pattern> + Clone,
    ) -> Result<Self, EngineError> {
        let expressions = patterns.filter_map(|pattern| Some((pattern, pattern.expression()?)));
        let has_conditions = expressions.clone().any(|(_, expression)| expression.has_conditions());
        let words = has_conditions.then(word_characters);
        let sets = expressions.clone().flat_map(|(_, expression)| expression.sets());
        let classes = Classes::for_sets(alphabet, sets.chain(words.iter().flatten()))?;
        if classes.count() >= BYTE_CODES {
            return Err(EngineError::TooManyClasses { classes: classes.count(), max: BYTE_CODES - 1 });
        }
        let automaton = |(pattern, expression): (&Pattern, &Expression)| {
            interrupt::check();
            let parts = AutomatonParts {
                k: pattern.k(),
                initial: expression.starts().iter().map(|&start| contexts(start)).collect(),
                readers: expression.sets().iter().map(|set| classes.codes_in(set)).collect(),
                transitions: expression
                    .transitions()
                    .iter()
                    .map(|one| (one.to.into(), one.from.into(), contexts(one.condition)))
                    .collect(),
                accepting: expression.ends().iter().map(|end| (end.state.into(), contexts(end.condition))).collect(),
                words: words.as_ref().map(|words| words.each_ref().map(|set| classes.codes_in(set).to_vec())),
                classes: classes.count(),
                ends: classes.count() as Code,
            };
            (CodedAutomaton::new(&parts), expression.longest().map(|_| pattern.max_match_len()))
        };
        let automata = expressions.map(automaton).collect();
        Ok(CodedAutomata { classes, has_conditions, automata })
    }

    /// Returns whether the streams of a batch hold the symbols that conditions depend on: if lines and records are whole, or
    /// records are searched without conditions.
    pub fn suits(has_conditions: bool, batch: &Batch) -> bool {
        match batch.lines() {
            Some(lines) => lines.opens && lines.closes && lines.terminator.is_ascii(),
            None => !has_conditions || batch.segments().iter().all(|segment| segment.opens && segment.closes),
        }
    }
}

/// Returns the word characters in ASCII, and the other word characters.
fn word_characters() -> [SymbolSet; 2] {
    let hir = regex_syntax::parse(r"\w").expect("the class is known");
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { unreachable!("the class has many characters") };
    let ranges = || class.iter().map(|range| (u32::from(range.start()), u32::from(range.end())));
    let within = |(first, last): (u32, u32), least: u32, most: u32| {
        let (first, last) = (first.max(least), last.min(most));
        (first <= last).then_some((first, last))
    };
    let of = |least: u32, most: u32| SymbolSet::from_ranges(ranges().filter_map(|range| within(range, least, most)));
    [of(0, 0x7f), of(0x80, u32::MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::NeighbourKind;

    #[test]
    fn word_characters_are_those_of_contexts() {
        let [ascii, others] = word_characters();
        for symbol in 0..=u32::from(char::MAX) {
            let kind = NeighbourKind::of(symbol);
            assert_eq!(ascii.contains(symbol), kind == NeighbourKind::AsciiWord, "{symbol:#x}");
            assert_eq!(others.contains(symbol), kind == NeighbourKind::Word, "{symbol:#x}");
        }
    }
}
