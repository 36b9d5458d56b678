//! The expressions of a set, with the tables for each kind of simulation.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::line::{EncodedLine, ItemRange, LineEncoder};
use super::matches::lengths::LengthTables;
use super::search::bitsliced::{BitslicedTables, MIN_STEPS};
use super::search::gate::LineGate;
use super::simulation::automaton::ReadingDirection;
use super::simulation::costs::TalliedExpression;
use super::simulation::{Simulation, simulation};
use nigh_pattern::{BEYOND, EditConstraints, Expression, OrderedText, Overhang, Pattern, PatternSet, State, SymbolSet};
use nigh_simd::isa::Isa;
use nigh_tables::context::holds;
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_verify::EngineError;
use nigh_verify::encoder::{Classes, Code, OTHER};
use nigh_verify::tally::{Tallies, TallyLimits};

/// Reading a symbol bit-sliced, for each transition and each level. Picoseconds. One core of a Zen 4 server.
const TRANSITION: f64 = 20.0;

/// The number of bytes of a record between two hits, besides the length of a match, up to which both are in one part.
const MAX_GAP: usize = 1 << 10;

/// The expressions of a set of patterns.
pub(super) struct CompiledExpressions {
    pub(super) patterns: Arc<PatternSet>,
    classes: Arc<Classes>,
    has_conditions: bool,
    /// Whether matches of all expressions may lie anywhere in a line.
    pub(super) are_everywhere: bool,
    /// The expressions, in the order of the patterns.
    pub(super) expressions: Vec<CompiledExpression>,
    /// The instruction set for bit-sliced simulation; `None` if it is disabled.
    isa: Option<Isa>,
    /// The automata for bit-sliced simulation; `None` if it is disabled or does not suit the expressions. Like all other
    /// tables, they are made when they are first needed, since a search may need those of few expressions.
    bitsliced: OnceLock<Option<BitslicedTables>>,
    /// The filter for lines, chosen from the first batch of text; `None` if it does not pay.
    gate: OnceLock<Option<LineGate>>,
}

/// An expression. Its tables are made when one of them is first needed: there may be millions of expressions.
pub(super) struct CompiledExpression {
    /// The index of the pattern.
    pub(super) index: usize,
    patterns: Arc<PatternSet>,
    classes: Arc<Classes>,
    /// The codes of ambiguous letters, if an expression has a limit on their number.
    letters: Arc<[Code]>,
    /// The codes of symbols beyond the ends of the text; empty if no match hangs over.
    beyond: Arc<[Code]>,
    /// How its matches hang over, if they do.
    overhang: Option<Overhang>,
    tables: OnceLock<Box<ExpressionTables>>,
}

/// The tables of an expression.
pub(super) struct ExpressionTables {
    /// The simulation, and that of text read backward, which is made when it is first needed.
    pub(super) simulation: Box<dyn Simulation>,
    backward: OnceLock<Box<dyn Simulation>>,
    /// The tallies of its matches, without and with differences, made when they are first needed. If matches hang over, the
    /// costs are ranks of sums.
    tallies: [OnceLock<(Tallies, Vec<usize>)>; 2],
    /// The tallies of matches without ambiguous letters, with differences, made when they are first needed.
    without_letters: OnceLock<Tallies>,
    /// For each state, the index of the first transition into it; then the number of transitions. Made when first needed.
    into: OnceLock<Box<[u32]>>,
    /// The tables for the best matches of many ends, made when they are first needed; `None` if the expression does not
    /// allow them.
    lengths: OnceLock<Option<Box<LengthTables>>>,
}

impl Deref for CompiledExpression {
    type Target = ExpressionTables;

    fn deref(&self) -> &ExpressionTables {
        self.tables.get_or_init(|| {
            let simulation =
                simulation(expression_at(&self.patterns, self.index), &self.classes, ReadingDirection::Forward);
            Box::new(ExpressionTables {
                simulation,
                backward: OnceLock::new(),
                tallies: [const { OnceLock::new() }; 2],
                without_letters: OnceLock::new(),
                into: OnceLock::new(),
                lengths: OnceLock::new(),
            })
        })
    }
}

impl CompiledExpression {
    /// Returns the simulation of text read in a direction.
    pub(super) fn simulation(&self, direction: ReadingDirection) -> &dyn Simulation {
        let make = || simulation(expression_at(&self.patterns, self.index), &self.classes, direction);
        match direction {
            ReadingDirection::Forward => &*self.simulation,
            ReadingDirection::Backward => &**self.backward.get_or_init(make),
        }
    }

    /// Returns whether the ambiguous letters of a match have a limit, and the range of positions of a line has one.
    pub(super) fn has_counted_letters(&self, line: &EncodedLine<'_>) -> bool {
        let (pattern, _) = expression_at(&self.patterns, self.index);
        pattern.max_ambiguous().is_some()
            && line.codes[line.first..line.last].iter().any(|code| self.letters.contains(code))
    }

    /// Returns the expression with the tallies of its matches without ambiguous letters that cost at most `max_cost`.
    pub(super) fn without_letters(&self, max_cost: usize) -> TalliedExpression<'_> {
        let (pattern, _) = expression_at(&self.patterns, self.index);
        if pattern.max_ambiguous().is_none() {
            return self.tallied(max_cost, true);
        }
        let make = || Tallies::new(&TallyLimits::of_pattern(pattern).without_letters(), true);
        let tallies = self.without_letters.get_or_init(make).up_to(max_cost);
        TalliedExpression { tallies, letters: &[], ..self.tallied(0, false) }
    }

    /// Returns the expression with the tallies of its matches that cost at most `max_cost`.
    pub(super) fn tallied(&self, max_cost: usize, have_differences: bool) -> TalliedExpression<'_> {
        let (pattern, expression) = expression_at(&self.patterns, self.index);
        let tallies = self.tallies(have_differences).0.up_to(max_cost);
        let transitions = expression.transitions();
        let first = |state: usize| transitions.partition_point(|one| (one.to as usize) < state) as u32;
        let into = self.into.get_or_init(|| (0..=expression.states()).map(first).collect());
        let letters = pattern.max_ambiguous().map_or(&[][..], |_| &self.letters);
        TalliedExpression { expression, tallies, into, classes: self.classes.count(), letters, beyond: &self.beyond }
    }

    /// Returns the largest distance that the simulation finds: a number of edits, their cost, or an index of
    /// [`sums`](Self::sums).
    pub(super) fn max_distance(&self) -> usize {
        let (pattern, _) = expression_at(&self.patterns, self.index);
        match self.overhang {
            Some(_) => self.sums().len() - 1,
            None => pattern.constraints().map_or(pattern.k(), EditConstraints::max_cost),
        }
    }

    /// Returns the sums of edits and overhangs that a match may have, in units, ascending. If matches hang over, the distances
    /// that the simulation finds are indices of them.
    pub(super) fn sums(&self) -> &[usize] {
        &self.tallies(false).1
    }

    fn tallies(&self, have_differences: bool) -> &(Tallies, Vec<usize>) {
        self.tallies[usize::from(have_differences)].get_or_init(|| {
            let (pattern, _) = expression_at(&self.patterns, self.index);
            let limits = TallyLimits::of_pattern(pattern);
            match self.overhang {
                None => (Tallies::new(&limits, have_differences), Vec::new()),
                Some(overhang) => {
                    let limits = limits.hanging_over(pattern.overhang_limits(overhang));
                    Tallies::new(&limits, have_differences).ranked()
                }
            }
        })
    }
}

impl CompiledExpressions {
    /// Compiles the expressions of a set: for bit-sliced simulation with the instruction set `isa`, or for one line at
    /// a time if `isa` is `None`.
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub(super) fn new(patterns: Arc<PatternSet>, isa: Option<Isa>) -> Result<Self, EngineError> {
        CompiledExpressions::with_overhang(patterns, isa, None)
    }

    /// Compiles the expressions of a set. With an `overhang`, they are those of
    /// [matches that hang over](PatternSet::hanging).
    ///
    /// # Errors
    /// Fails if the expressions distinguish too many classes of symbols.
    pub(super) fn with_overhang(
        patterns: Arc<PatternSet>,
        isa: Option<Isa>,
        overhang: Option<Overhang>,
    ) -> Result<Self, EngineError> {
        let all = || patterns.patterns().iter().enumerate();
        let expressions = || all().filter_map(|(index, pattern)| Some((index, pattern, pattern.expression()?)));
        let alphabet = patterns.alphabet();
        let letters = expressions()
            .any(|(_, pattern, _)| pattern.max_ambiguous().is_some())
            .then(|| SymbolSet::from_ranges(alphabet.ambiguous_symbols().into_iter().map(|symbol| (symbol, symbol))));
        let sets = expressions().flat_map(|(_, pattern, _)| pattern.sets()).chain(&letters);
        let classes = Arc::new(Classes::for_sets(alphabet, sets)?);
        let letters: Arc<[Code]> = letters.as_ref().map_or(&[][..], |letters| classes.codes_in(letters)).into();
        // No expression has a symbol beyond an end if none hangs over it.
        let beyond: Arc<[Code]> =
            BEYOND.map(|symbol| classes.code(symbol)).into_iter().filter(|&code| code != OTHER).collect();
        let compiled = expressions().map(|(index, ..)| {
            let (patterns, classes) = (patterns.clone(), classes.clone());
            let (letters, beyond) = (letters.clone(), beyond.clone());
            CompiledExpression { index, patterns, classes, letters, beyond, overhang, tables: OnceLock::new() }
        });
        Ok(CompiledExpressions {
            has_conditions: expressions().any(|(_, _, expression)| expression.has_conditions()),
            are_everywhere: expressions().all(|(_, pattern, _)| pattern.within().is_all()),
            expressions: compiled.collect(),
            isa,
            bitsliced: OnceLock::new(),
            gate: OnceLock::new(),
            patterns,
            classes,
        })
    }

    /// Returns whether lines may be simulated in pieces: if no position of the line has a condition.
    pub(super) fn suit_pieces(&self) -> bool {
        !self.has_conditions && self.are_everywhere
    }

    /// Makes an encoder of lines for the simulation.
    pub(super) fn encoder(&self) -> LineEncoder<'_> {
        LineEncoder::new(&self.classes, self.has_conditions)
    }

    /// Returns the codes of the symbols before the start and after the end of the text.
    pub(super) fn beyond(&self) -> [Code; 2] {
        BEYOND.map(|symbol| self.classes.code(symbol))
    }

    /// Returns the classes of symbols.
    pub(super) fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Returns the pattern with the index `index`, and its expression.
    pub(super) fn pattern(&self, index: usize) -> (&Pattern, &Expression) {
        expression_at(&self.patterns, index)
    }

    /// Returns the number among the expressions of the pattern with the index `index`; `None` if it is a string.
    pub(super) fn nth(&self, index: usize) -> Option<usize> {
        self.expressions.binary_search_by_key(&index, |one| one.index).ok()
    }

    /// Returns the automata for bit-sliced simulation of a batch; `None` if it is disabled, does not suit the expressions
    /// or the batch, or if there is little text.
    pub(super) fn bitsliced_for(&self, batch: &Batch) -> Option<&BitslicedTables> {
        let isa = self.isa.filter(|isa| batch.bytes().len() / isa.streams() >= MIN_STEPS)?;
        let tables = self.bitsliced.get_or_init(|| BitslicedTables::new(&self.patterns, isa)).as_ref();
        tables.filter(|tables| tables.can_hold(batch))
    }

    /// Returns the end of the match of an expression that Perl finds in a range of positions, from its start on. The
    /// expression must [end as in Perl](Expression::ends_as_in_perl).
    pub(super) fn first_end(
        &self,
        one: &CompiledExpression,
        line: &EncodedLine<'_>,
        positions: Range<usize>,
    ) -> Option<usize> {
        let (_, expression) = self.pattern(one.index);
        let first = expression.starts().len() as State;
        let reads = |position, at: usize| one.simulation.reads(first + position, line.codes[at]);
        let holds = |condition, at| holds(condition, line.context(at));
        expression.first_end(&OrderedText { positions, reads, holds })
    }

    /// Returns the tables for a pass over a line that finds the best matches of all ends; `None` if the expression or the
    /// ambiguous letters of the line do not allow one.
    pub(super) fn lengths<'a>(&self, one: &'a CompiledExpression, line: &EncodedLine<'_>) -> Option<&'a LengthTables> {
        let make = || {
            let (pattern, expression) = self.pattern(one.index);
            let reads = |state, code| one.simulation.reads(state, code);
            LengthTables::new(expression, pattern.max_match_len(), (self.classes.count(), &reads)).map(Box::new)
        };
        if one.has_counted_letters(line) { None } else { one.lengths.get_or_init(make).as_deref() }
    }

    /// Encodes, for each expression, the lines of a batch that have hits of the expression, or the parts of records that
    /// contain the matches of these hits. Two hits of a record are in one part if there are few bytes between them, or at
    /// most `gap`. Calls `each` for each line or part, with the number of the expression and the indices of the hits of the
    /// line or part in `hits`, ordered by end.
    pub(super) fn for_each_item<'a>(
        &'a self,
        encoder: &mut LineEncoder<'a>,
        (batch, hits): (&Batch, &[Hit]),
        gap: usize,
        mut each: impl FnMut(usize, &LineEncoder<'a>, &[usize]),
    ) {
        let mut order: Vec<usize> = (0..hits.len()).collect();
        // The hits are nearly always ordered by end, and there are few patterns.
        order.sort_by_key(|&at| hits[at].end);
        order.sort_by_key(|&at| hits[at].pattern);
        for own in order.chunk_by(|&a, &b| hits[a].pattern == hits[b].pattern) {
            let pattern = hits[own[0]].pattern;
            let Some(nth) = self.nth(pattern) else { continue };
            let longest = self.pattern(pattern).0.max_match_len();
            let mut own = own.iter().copied().peekable();
            while let Some(&first) = own.peek() {
                let first = hits[first].end;
                let (item_end, mut last) = (ItemRange::around(batch, first).bytes.end, first);
                let mut in_item = Vec::new();
                let reach = if batch.lines().is_some() { usize::MAX } else { longest.saturating_add(MAX_GAP).max(gap) };
                while let Some(at) = own.next_if(|&at| hits[at].end <= item_end && hits[at].end - last <= reach) {
                    last = hits[at].end;
                    in_item.push(at);
                }
                encoder.encode(batch, &ItemRange::around_matches(batch, (first, last), longest));
                each(nth, encoder, &in_item);
            }
        }
    }

    /// Returns whether the edits of any expression have costs or limits, or its ambiguous letters a limit.
    pub(super) fn have_constraints(&self) -> bool {
        self.expressions.iter().any(|one| self.pattern(one.index).0.has_constraints())
    }

    /// Returns the filter for lines, if one pays. Chooses it from `batch` at the first call.
    pub(super) fn gate(&self, isa: Isa, batch: &Batch) -> Option<&LineGate> {
        self.gate.get_or_init(|| LineGate::new(&self.patterns, isa, batch.bytes())).as_ref()
    }

    /// Describes the search for display, one element per line.
    pub(super) fn description(&self) -> Vec<String> {
        let states = self.expressions.iter().map(|one| self.pattern(one.index).1.states());
        let mut lines = vec![format!(
            "automata on the processor: {} regular expressions, up to {} states each",
            self.expressions.len(),
            states.max().unwrap_or(0)
        )];
        lines.extend(self.gate.get().and_then(Option::as_ref).map(LineGate::description));
        lines
    }

    /// Estimates the time for a batch, within a small factor.
    pub(super) fn estimate(&self, batch: &Batch) -> Duration {
        let transitions = self.expressions.iter().map(|one| {
            let (pattern, expression) = self.pattern(one.index);
            (pattern.k() + 1) * expression.transitions().len()
        });
        let picoseconds = transitions.sum::<usize>() as f64 * TRANSITION * batch.owned().len() as f64;
        Duration::try_from_secs_f64(picoseconds / 1e12).unwrap_or(Duration::MAX)
    }
}

/// Returns the pattern with the index `index`, and its expression.
fn expression_at(patterns: &PatternSet, index: usize) -> (&Pattern, &Expression) {
    let pattern = &patterns.patterns()[index];
    (pattern, pattern.expression().expect("the pattern is an expression"))
}
