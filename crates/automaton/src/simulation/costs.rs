//! The simulation of an automaton whose edits are told apart, in both directions.
//!
//! There is one set of states for each [tally](nigh_verify::tally), so the step of `automaton` becomes, with F(t) the states that
//! follow the set of the tally t, and t - x the tally before an edit of the kind x:
//!
//! ```text
//! set'(t) = F(t) & states that read the symbol                      a match
//!         | set(t - insertion)                                      the symbol is inserted
//!         | F(t - substitution) & states that may be edited         the symbol is substituted
//!         | F'(t - deletion) & states that may be edited            a symbol of the pattern is deleted
//!         | F(F''(t - transposition) & states that read the symbol)
//!           & states that read the symbol before                    two symbols are transposed
//! ```
//!
//! F'' are the states that followed one symbol earlier. Backward, P are the states before those of a set:
//!
//! ```text
//! set'(t) = P(set(t) & states that read the symbol | set(t - substitution) & states that may be edited | ...)
//!         | set(t - insertion)
//! ```
//!
//! A path that inserted a symbol must not continue within an exact group, so such paths have sets of their own, whose
//! transitions are those between groups. If only the least cost of a match is asked for, and tallies are costs, a state is
//! left out of all sets but the first that has it. If the ambiguous letters of the text are counted, the step over such a letter
//! begins with the sets of the tallies with one letter less; likewise for a symbol beyond an end, which costs something. With t tallies and w words a set, n symbols take O(n t w) time.
//! Empty sets take little, and few sets are not empty if matches begin at a single position.
//!
//! S. Wu and U. Manber, "Fast text searching allowing errors", 1992, index such sets by the number of edits.

use smallvec::SmallVec;

use super::automaton::{Automaton, ReadingDirection, States, TransitionMasks, contains, insert, or};
use super::determinized::SetAutomaton;
use nigh_pattern::{Expression, State, Transition};
use nigh_tables::context::{CONTEXTS, holds};
use nigh_verify::encoder::{Code, OTHER};
use nigh_verify::tally::{EditStep, EditTally, has_transpositions};

/// What a simulation finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostQuery {
    /// The least cost of a match.
    Least,
    /// The least difference between insertions and deletions of a match with this cost.
    Difference(usize),
}

/// The positions at which matches may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartsAt {
    /// At the first position of the text.
    First,
    /// At each position.
    Anywhere,
}

/// An expression with the tallies of its matches, for text with a number of classes of symbols.
#[derive(Clone, Copy)]
pub(crate) struct TalliedExpression<'a> {
    pub(crate) expression: &'a Expression,
    pub(crate) tallies: &'a [EditTally],
    /// For each state, the index of the first transition into it; then the number of transitions.
    pub(crate) into: &'a [u32],
    pub(crate) classes: usize,
    /// The codes of ambiguous letters, if their number has a limit.
    pub(crate) letters: &'a [Code],
    /// The codes of the symbols beyond the ends of the text, if the expression hangs over.
    pub(crate) beyond: &'a [Code],
}

/// The simulation of the matches that have one of some tallies. The value of a set is the answer to a query about the
/// matches that end at the position, or, if text is read backward, about those that start there. A situation is a context,
/// plus [`CONTEXTS`] if no match begins at the position.
pub(crate) struct CostSets<'a, const W: usize> {
    automaton: &'a Automaton<W>,
    /// The codes of ambiguous letters, if their number has a limit.
    letters: &'a [Code],
    /// The codes of the symbols beyond the ends of the text, if the expression hangs over.
    beyond: &'a [Code],
    query: CostQuery,
    /// Where matches begin, in the direction of the text, unless a situation says that they do not.
    begins: StartsAt,
    tallies: &'a [EditTally],
    /// Whether a state of a tally is left out of the sets of all greater ones: if only the least cost is asked for, and
    /// tallies are costs, or costs and numbers of ambiguous letters.
    has_least_only: bool,
    layout: RowLayout,
    /// Whether there are no exact groups and no transpositions.
    is_plain: bool,
    /// The states that may be edited: those that are in no exact group.
    free: States<W>,
    /// The states and transitions between exact groups; `None` if the expression has no exact group.
    groups: Option<GroupSets<W>>,
    /// Whether edits lead from an initial state to an accepting one without a symbol of the text, which is no match.
    may_be_empty: bool,
    /// For each class of symbols, the free states with a transition to a free state that reads it; empty if there are no
    /// transpositions.
    before_readers: Vec<States<W>>,
}

/// The states and transitions between exact groups.
struct GroupSets<const W: usize> {
    /// The states with transitions within a group.
    inner: States<W>,
    /// For each context, the transitions between groups.
    between: Vec<TransitionMasks<W>>,
}

/// A set of states of a tally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TallySet {
    /// The states whose transitions all may be taken.
    States,
    /// The states in exact groups in which a symbol was inserted. Only an expression with exact groups has this set.
    Inserted,
    /// The states that follow either. Text that is read backward needs no such set.
    Following,
    /// The states that followed one symbol earlier and may be the first of a transposition. Only a pattern with
    /// transpositions has this set.
    Earlier,
}

/// The order of the sets in a row: all sets of a tally, then those of the next one. If there are transpositions, the last
/// word is the symbol that was read last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLayout {
    tallies: usize,
    /// The number of sets of a tally.
    sets: usize,
    /// The index of each kind of set; `None` if there is no such set.
    index: [Option<usize>; 4],
}

impl RowLayout {
    /// Returns the layout of the rows of a simulation.
    pub(crate) fn new(one: TalliedExpression<'_>, direction: ReadingDirection) -> Self {
        let has_groups = one.expression.transitions().iter().any(|transition| transition.joined);
        let has_following = direction == ReadingDirection::Forward;
        let mut sets = 0;
        let index = [true, has_groups, has_following, has_transpositions(one.tallies)].map(|has_set| {
            sets += usize::from(has_set);
            has_set.then_some(sets - 1)
        });
        RowLayout { tallies: one.tallies.len(), sets, index }
    }

    fn has(&self, set: TallySet) -> bool {
        self.index[set as usize].is_some()
    }

    /// Returns the number of words of a row, if a set has `words` words.
    fn words(&self, words: usize) -> usize {
        self.tallies * self.sets * words + usize::from(self.has(TallySet::Earlier))
    }

    /// Returns a set of a tally from the sets of a row. It is empty if there is no such set.
    #[inline]
    fn get<'r, const W: usize>(&self, row: &'r [States<W>], tally: usize, set: TallySet) -> &'r States<W> {
        match self.index[set as usize] {
            Some(index) => &row[tally * self.sets + index],
            None => const { &[0; W] },
        }
    }

    #[inline]
    fn put<const W: usize>(&self, row: &mut [States<W>], tally: usize, set: TallySet, states: &States<W>) {
        if let Some(index) = self.index[set as usize] {
            row[tally * self.sets + index] = *states;
        }
    }

    /// Returns whether a state is in a set of a tally.
    pub(crate) fn contains(&self, row: &[u64], tally: usize, set: TallySet, state: State) -> bool {
        let Some(index) = self.index[set as usize] else { return false };
        let words = row.len() / (self.tallies * self.sets);
        let (at, state) = ((tally * self.sets + index) * words, state as usize);
        row[at + state / 64] >> (state % 64) & 1 == 1
    }
}

/// The symbol that was read last: its code, and the context of the position after it. A transposition depends on both.
#[derive(Clone, Copy)]
struct LastSymbol {
    code: Code,
    context: u8,
}

impl LastSymbol {
    fn to_word(self) -> u64 {
        1 << 63 | u64::from(self.context) << 32 | u64::from(self.code)
    }

    fn from_word(word: u64) -> Self {
        LastSymbol { code: word as Code, context: (word >> 32) as u8 }
    }
}

impl<'a, const W: usize> CostSets<'a, W> {
    /// Makes the simulation of an expression from its automaton.
    pub(crate) fn new(
        automaton: &'a Automaton<W>,
        one: TalliedExpression<'a>,
        (query, begins): (CostQuery, StartsAt),
    ) -> Self {
        let TalliedExpression { expression, tallies, classes, letters, beyond, .. } = one;
        let direction = automaton.direction();
        let layout = RowLayout::new(one, direction);
        let states = expression.states();
        let bit = |state: State| direction.bit(state, states);
        let mut free = [u64::MAX; W];
        for exact in (0..states as State).filter(|&state| expression.is_exact(state)).map(bit) {
            free[exact / 64] &= !(1 << (exact % 64));
        }
        let ends_of = |one: &Transition| match direction {
            ReadingDirection::Forward => (bit(one.from), bit(one.to)),
            ReadingDirection::Backward => (bit(one.to), bit(one.from)),
        };
        let transitions = expression.transitions();
        let contexts = if expression.has_conditions() { CONTEXTS } else { 1 };
        let groups = layout.has(TallySet::Inserted).then(|| {
            let mut inner = [0; W];
            transitions.iter().filter(|one| one.joined).for_each(|one| insert(&mut inner, bit(one.from)));
            let between = |context: usize| {
                let is_taken = |one: &&Transition| !one.joined && holds(one.condition, context as u8);
                TransitionMasks::new(transitions.iter().filter(is_taken).map(ends_of))
            };
            GroupSets { inner, between: (0..contexts).map(between).collect() }
        });
        let before_readers = |code: usize| {
            let (readers, mut before) = (automaton.readers(code as Code), [0; W]);
            for (from, to) in transitions.iter().map(ends_of) {
                if contains(&free, from) && contains(&free, to) && contains(readers, to) {
                    insert(&mut before, from);
                }
            }
            before
        };
        let coded = if layout.has(TallySet::Earlier) { 0..classes } else { 0..0 };
        let before_readers = coded.map(before_readers).collect();
        let has_costs_only = tallies.is_sorted_by(|a, b| (a.cost, a.letters) < (b.cost, b.letters));
        let mut sets = CostSets {
            automaton,
            letters,
            beyond,
            query,
            begins,
            tallies,
            has_least_only: query == CostQuery::Least && has_costs_only,
            layout,
            is_plain: free == [u64::MAX; W] && groups.is_none() && !layout.has(TallySet::Earlier),
            free,
            groups,
            may_be_empty: false,
            before_readers,
        };
        let mut row = vec![0; sets.words()];
        sets.may_be_empty = (0..contexts).any(|context| sets.enter(context as u8, &mut row).is_some());
        sets
    }

    /// Computes the sets of a text without symbols. Returns the value of a match without a symbol.
    fn enter(&self, context: u8, to: &mut [u64]) -> Option<u16> {
        // There is no symbol before this position, so its code is of no consequence.
        self.advance((&vec![0; to.len()], OTHER), context, true, to)
    }

    /// Computes the sets after a symbol, in the direction in which text is read. `context` is that of the position after it,
    /// and `enters` tells whether matches begin there. Returns the value of the sets. With `PLAIN`, the compiler leaves out
    /// what is for exact groups and transpositions.
    fn advance(&self, (from, code): (&[u64], Code), context: u8, enters: bool, to: &mut [u64]) -> Option<u16> {
        let after = match self.beyond.contains(&code) {
            true => Some(self.after(from, |tally| tally.before(EditStep::Overhang))),
            false => self.letters.contains(&code).then(|| self.after(from, |tally| tally.fewer_letters)),
        };
        let from = (after.as_deref().unwrap_or(from), code);
        match (self.automaton.direction(), self.is_plain) {
            (ReadingDirection::Forward, true) => self.forward::<true>(from, context, enters, to),
            (ReadingDirection::Forward, false) => self.forward::<false>(from, context, enters, to),
            (ReadingDirection::Backward, true) => self.backward::<true>(from, context, enters, to),
            (ReadingDirection::Backward, false) => self.backward::<false>(from, context, enters, to),
        }
    }

    /// Returns the sets of a row after a step that takes no symbol. `before` returns the tally before this step.
    fn after(&self, row: &[u64], before: impl Fn(&EditTally) -> Option<usize>) -> Vec<u64> {
        let words = self.layout.sets * W;
        let mut more = row.to_vec();
        for (tally, sets) in self.tallies.iter().zip(more.chunks_exact_mut(words)) {
            match before(tally) {
                Some(fewer) => sets.copy_from_slice(&row[fewer * words..][..words]),
                None => sets.fill(0),
            }
        }
        more
    }

    /// Returns the states to which transitions between exact groups lead from `states`; `groups` are those of the automaton.
    #[inline]
    fn between(groups: &GroupSets<W>, states: &States<W>, context: u8) -> States<W> {
        groups.between[if groups.between.len() == 1 { 0 } else { usize::from(context) }].of(states)
    }

    /// Returns the states that are the second of two transposed ones, of which `first` have read the second symbol. The
    /// symbol before was `last`.
    #[inline]
    fn transposed(&self, first: &States<W>, last: LastSymbol) -> States<W> {
        if is_empty(first) {
            return [0; W];
        }
        let after = self.automaton.follow(first, last.context);
        and(&and(&after, self.automaton.readers(last.code)), &self.free)
    }

    /// Returns the states that a tally may be entered in.
    #[inline]
    fn entered(&self, index: usize, context: u8, enters: bool) -> &States<W> {
        if index == 0 && enters { self.automaton.initial(context) } else { const { &[0; W] } }
    }

    /// Computes the sets after a symbol, read forward.
    fn forward<const PLAIN: bool>(
        &self,
        (from, code): (&[u64], Code),
        context: u8,
        enters: bool,
        row: &mut [u64],
    ) -> Option<u16> {
        let last = self.last_symbol(from);
        let groups = self.groups.as_ref().filter(|_| !PLAIN);
        let before_readers = self.before_readers.get(usize::from(code)).filter(|_| !PLAIN);
        let editable = |states: &States<W>| if PLAIN { *states } else { and(states, &self.free) };
        // A symbol beyond an end is read without edits.
        let is_beyond = !PLAIN && self.beyond.contains(&code);
        let edited = |tally: &EditTally, step: EditStep| if is_beyond { None } else { tally.before(step) };
        let readers = self.automaton.readers(code);
        let (from, to) = (from.as_chunks::<W>().0, row.as_chunks_mut::<W>().0);
        let get = |index: usize, set: TallySet| self.layout.get(from, index, set);
        let mut has_earlier = false;
        let mut value = QueryValue::new(self.query);
        let mut smaller = [SmallerTallies::new(), SmallerTallies::new()];
        for (index, tally) in self.tallies.iter().enumerate() {
            let old_following = get(index, TallySet::Following);
            let mut states = or(&and(old_following, readers), self.entered(index, context, enters));
            let mut inserted = [0; W];
            if let Some(fewer) = edited(tally, EditStep::Insertion) {
                let before = get(fewer, TallySet::States);
                match groups {
                    Some(groups) => {
                        let before = or(before, get(fewer, TallySet::Inserted));
                        states = or(&states, &and_not(&before, &groups.inner));
                        inserted = and(&before, &groups.inner);
                    }
                    None => states = or(&states, before),
                }
            }
            if let Some(fewer) = edited(tally, EditStep::Substitution) {
                states = or(&states, &editable(get(fewer, TallySet::Following)));
            }
            if !PLAIN && let Some(fewer) = edited(tally, EditStep::Transposition) {
                states = or(&states, &self.transposed(&and(get(fewer, TallySet::Earlier), readers), last));
            }
            if let Some(fewer) = tally.before(EditStep::Deletion) {
                states = or(&states, &editable(self.layout.get(to, fewer, TallySet::Following)));
            }
            if self.has_least_only {
                smaller[0].leave_out(tally.letters, &mut states);
                smaller[1].leave_out(tally.letters, &mut inserted);
            }
            let mut following = if is_empty(&states) { [0; W] } else { self.automaton.follow(&states, context) };
            if let Some(groups) = groups {
                following = or(&following, &Self::between(groups, &inserted, context));
            }
            if let Some(before) = before_readers {
                let earlier = and(old_following, before);
                has_earlier |= !is_empty(&earlier);
                self.layout.put(to, index, TallySet::Earlier, &earlier);
            }
            value.add(tally, || self.automaton.accepts(&or(&states, &inserted), context));
            self.layout.put(to, index, TallySet::States, &states);
            if !PLAIN {
                self.layout.put(to, index, TallySet::Inserted, &inserted);
            }
            self.layout.put(to, index, TallySet::Following, &following);
        }
        self.set_last_symbol(row, has_earlier.then_some(LastSymbol { code, context }));
        value.least
    }

    /// Computes the sets before a symbol, read backward.
    fn backward<const PLAIN: bool>(
        &self,
        (from, code): (&[u64], Code),
        context: u8,
        enters: bool,
        row: &mut [u64],
    ) -> Option<u16> {
        let last = self.last_symbol(from);
        let groups = self.groups.as_ref().filter(|_| !PLAIN);
        let before_readers = self.before_readers.get(usize::from(code)).filter(|_| !PLAIN);
        let editable = |states: &States<W>| if PLAIN { *states } else { and(states, &self.free) };
        // A symbol beyond an end is read without edits.
        let is_beyond = !PLAIN && self.beyond.contains(&code);
        let edited = |tally: &EditTally, step: EditStep| if is_beyond { None } else { tally.before(step) };
        let readers = self.automaton.readers(code);
        let (from, to) = (from.as_chunks::<W>().0, row.as_chunks_mut::<W>().0);
        let get = |index: usize, set: TallySet| self.layout.get(from, index, set);
        let mut has_earlier = false;
        let mut value = QueryValue::new(self.query);
        let mut smaller = [SmallerTallies::new(), SmallerTallies::new()];
        for (index, tally) in self.tallies.iter().enumerate() {
            let after = get(index, TallySet::States);
            let mut read = and(after, readers);
            if let Some(fewer) = edited(tally, EditStep::Substitution) {
                read = or(&read, &editable(get(fewer, TallySet::States)));
            }
            if !PLAIN && let Some(fewer) = edited(tally, EditStep::Transposition) {
                read = or(&read, &self.transposed(&and(get(fewer, TallySet::Earlier), readers), last));
            }
            if let Some(fewer) = tally.before(EditStep::Deletion) {
                read = or(&read, &editable(self.layout.get(to, fewer, TallySet::States)));
            }
            let mut states = if is_empty(&read) { [0; W] } else { self.automaton.follow(&read, context) };
            let entered = self.entered(index, context, enters);
            states = or(&states, entered);
            let mut inserted = [0; W];
            let fewer = edited(tally, EditStep::Insertion);
            match groups {
                Some(groups) => {
                    inserted = and(&or(&Self::between(groups, &read, context), entered), &groups.inner);
                    if let Some(fewer) = fewer {
                        let inserted_before = get(fewer, TallySet::Inserted);
                        let outer = and_not(get(fewer, TallySet::States), &groups.inner);
                        inserted = or(&inserted, inserted_before);
                        states = or(&states, &or(inserted_before, &outer));
                    }
                }
                None => states = or(&states, fewer.map_or(const { &[0; W] }, |fewer| get(fewer, TallySet::States))),
            }
            if self.has_least_only {
                smaller[0].leave_out(tally.letters, &mut states);
                smaller[1].leave_out(tally.letters, &mut inserted);
            }
            if let Some(before) = before_readers {
                let earlier = and(after, before);
                has_earlier |= !is_empty(&earlier);
                self.layout.put(to, index, TallySet::Earlier, &earlier);
            }
            value.add(tally, || self.automaton.accepts(&states, context));
            self.layout.put(to, index, TallySet::States, &states);
            if !PLAIN {
                self.layout.put(to, index, TallySet::Inserted, &inserted);
            }
        }
        self.set_last_symbol(row, has_earlier.then_some(LastSymbol { code, context }));
        value.least
    }

    /// Returns the symbol that was read last, if there are transpositions.
    fn last_symbol(&self, row: &[u64]) -> LastSymbol {
        let word = if self.layout.has(TallySet::Earlier) { row.last() } else { None };
        LastSymbol::from_word(word.copied().unwrap_or(0))
    }

    /// Keeps the symbol that was read last, if a transposition may begin with it.
    fn set_last_symbol(&self, row: &mut [u64], last: Option<LastSymbol>) {
        if self.layout.has(TallySet::Earlier)
            && let Some(word) = row.last_mut()
        {
            *word = last.map_or(0, LastSymbol::to_word);
        }
    }
}

impl<const W: usize> SetAutomaton for CostSets<'_, W> {
    fn words(&self) -> usize {
        self.layout.words(W)
    }

    fn begin(&self, situation: u8, to: &mut [u64]) -> Option<u16> {
        let (context, is_beginning) = context_of(situation);
        if is_beginning {
            self.enter(context, to);
        }
        // A match covers at least one symbol.
        None
    }

    fn step(&self, from: &[u64], code: Code, situation: u8, to: &mut [u64]) -> Option<u16> {
        let (context, is_beginning) = context_of(situation);
        let enters = self.begins == StartsAt::Anywhere && is_beginning;
        if enters && self.may_be_empty {
            let value = self.advance((from, code), context, false, to);
            self.advance((from, code), context, true, to);
            return value;
        }
        self.advance((from, code), context, enters, to)
    }
}

/// Returns the context of a position, and whether a match may begin there.
#[inline]
fn context_of(situation: u8) -> (u8, bool) {
    (situation % CONTEXTS as u8, usize::from(situation) < CONTEXTS)
}

/// The answer to a query, from the tallies of the accepting states. Tallies are added in the order of their costs.
struct QueryValue {
    query: CostQuery,
    least: Option<u16>,
}

impl QueryValue {
    fn new(query: CostQuery) -> Self {
        QueryValue { query, least: None }
    }

    /// Adds a tally, of which `accepts` tells whether it has an accepting state.
    #[inline]
    fn add(&mut self, tally: &EditTally, accepts: impl FnOnce() -> bool) {
        let value = match self.query {
            CostQuery::Least => tally.cost,
            CostQuery::Difference(cost) if cost == tally.cost => tally.difference.unsigned_abs(),
            CostQuery::Difference(_) => return,
        } as u16;
        if self.least.is_none_or(|least| value < least) && accepts() {
            self.least = Some(value);
        }
    }
}

/// The states of the tallies so far, which have lower costs or fewer ambiguous letters: for each number of letters, the
/// states of the tallies with this number.
struct SmallerTallies<const W: usize>(SmallVec<[States<W>; 1]>);

impl<const W: usize> SmallerTallies<W> {
    fn new() -> Self {
        SmallerTallies(SmallVec::new())
    }

    /// Leaves out of the set of a tally the states of tallies with at most as many letters, and adds its states to these.
    #[inline]
    fn leave_out(&mut self, letters: usize, states: &mut States<W>) {
        if self.0.len() <= letters {
            self.0.push([0; W]);
        }
        for smaller in &self.0[..=letters] {
            *states = and_not(states, smaller);
        }
        self.0[letters] = or(&self.0[letters], states);
    }
}

#[inline]
fn is_empty<const W: usize>(states: &States<W>) -> bool {
    states.iter().all(|&word| word == 0)
}

/// Returns the states that are in both sets.
#[inline]
fn and<const W: usize>(a: &States<W>, b: &States<W>) -> States<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

/// Returns the states of `a` that are not in `b`.
#[inline]
fn and_not<const W: usize>(a: &States<W>, b: &States<W>) -> States<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}
