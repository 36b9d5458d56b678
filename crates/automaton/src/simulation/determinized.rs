//! A deterministic automaton whose states are made when text first reaches them.
//!
//! A state is the set of states that a simulation has reached, with their numbers of edits. Text reaches few such sets, so
//! most symbols take one look into a table instead of a step of the simulation. K. Thompson, "Regular expression search
//! algorithm", 1968; for edits, E. Ukkonen, "Finding approximate patterns in strings", 1985.
//!
//! When the table is full, all states are forgotten. If many symbols made a state until then, the next symbols are read by
//! the simulation, as are the first ones.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use nigh_text::interrupt;
use nigh_verify::encoder::Code;

/// The number of symbols for each state below which making states does not pay. One core of a busy AVX-512 server, `-o -k3
/// 'GGGC[AC].{0,10}TTG.{2,5}ACC'` in 1 MB of bases: 0.25, 0.24 and 0.33 s with 4, 16 and 64; other searches: no difference.
const SYMBOLS_PER_STATE: usize = 16;
/// The number of symbols that are read by the simulation before states are made again, for each state of a full table. The
/// same search: 0.30, 0.24 and 0.29 s with 16, 64 and 256.
const SIMULATED_PER_STATE: usize = 64;

/// The limits of a table of states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableLimits {
    /// The size up to which states are made, in bytes. There are at least two.
    pub(crate) max_bytes: usize,
    /// The number of symbols that are read by the simulation before the first state is made.
    pub(crate) first_simulated: usize,
}

/// A simulation, as a function from a set of states to the set after a symbol. A set is a row of words.
pub(crate) trait SetAutomaton: Send + Sync {
    /// Returns the number of words of a set.
    fn words(&self) -> usize;

    /// Writes the set at the first position of the text to `to`, which is empty. Returns the value of the set there, if it
    /// has one. `situation` is the context of the position, or says more about it.
    fn begin(&self, situation: u8, to: &mut [u64]) -> Option<u16>;

    /// Writes the set after a symbol to `to`. `situation` is that of the position after the symbol, in the direction in
    /// which text is read. Returns the value of the set there, if it has one.
    fn step(&self, from: &[u64], code: Code, situation: u8, to: &mut [u64]) -> Option<u16>;
}

/// The state at a position of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reached {
    /// Index of the first entry of the state; [`SIMULATED`] if the set has no state.
    row: u32,
    /// The value of the set, such as a number of edits; [`NO_VALUE`] if it has none.
    value: u16,
    /// Whether a state is in the set.
    is_open: bool,
}

const SIMULATED: u32 = u32::MAX - 1;
const NO_VALUE: u16 = u16::MAX;
/// An entry of the table that was not computed.
const UNKNOWN: Reached = Reached { row: u32::MAX, value: NO_VALUE, is_open: false };

impl Reached {
    #[inline]
    fn is_known(self) -> bool {
        self.row != UNKNOWN.row
    }

    /// Returns whether a state is in the set.
    pub(crate) fn is_open(self) -> bool {
        self.is_open
    }

    #[inline]
    pub(crate) fn value(self) -> Option<usize> {
        (self.value != NO_VALUE).then_some(usize::from(self.value))
    }
}

/// The deterministic automaton of a simulation. Reads one text at a time.
pub(crate) struct Determinized<'a> {
    automaton: Box<dyn SetAutomaton + 'a>,
    classes: usize,
    /// Number of situations of a position; 1 if they do not matter.
    situations: usize,
    max_states: usize,
    /// The row of each set.
    rows: FxHashMap<Arc<[u64]>, u32>,
    /// The set of each row.
    sets: Vec<Arc<[u64]>>,
    /// The next state, for each state, situation and class of the symbol.
    table: Vec<Reached>,
    /// The state at the first position of a text, for each situation.
    first: Vec<Reached>,
    /// Number of symbols read since the table was empty.
    symbols: usize,
    /// Number of symbols to read by the simulation.
    simulated: usize,
    /// The set that was reached last, if it has no state.
    current: Vec<u64>,
    /// The set that is computed.
    next: Vec<u64>,
}

impl<'a> Determinized<'a> {
    /// Makes an automaton without states. Text has a number of classes of symbols, and positions
    /// have a number of situations, which is 1 if the simulation does not depend on them.
    pub(crate) fn new(
        automaton: Box<dyn SetAutomaton + 'a>,
        (classes, situations): (usize, usize),
        limits: TableLimits,
    ) -> Self {
        let none = vec![0; automaton.words()];
        let bytes = size_of_val(none.as_slice()) + classes * situations * size_of::<Reached>();
        Determinized {
            automaton,
            classes,
            situations,
            max_states: (limits.max_bytes / bytes).max(2),
            rows: FxHashMap::default(),
            sets: Vec::new(),
            table: Vec::new(),
            first: vec![UNKNOWN; situations],
            symbols: 0,
            simulated: limits.first_simulated,
            current: none.clone(),
            next: none,
        }
    }

    /// Returns the number of entries for a state.
    fn entries(&self) -> usize {
        self.classes * self.situations
    }

    #[inline]
    fn index_of(&self, situation: u8) -> usize {
        if self.situations == 1 { 0 } else { usize::from(situation) }
    }

    /// Reaches the first position of a text.
    pub(crate) fn begin(&mut self, situation: u8) -> Reached {
        let index = self.index_of(situation);
        if self.first[index].is_known() {
            return self.first[index];
        }
        self.next.fill(0);
        let value = self.automaton.begin(situation, &mut self.next);
        let reached = self.reached(value);
        if reached.row != SIMULATED {
            self.first[index] = reached;
        }
        reached
    }

    /// Reads symbols, each given by the position after it, its code, and the situation of this position. Passes each position
    /// whose set has a value, or is empty, to `found`. Ends when `found` returns `false`. Returns the state reached.
    #[inline]
    pub(crate) fn read(
        &mut self,
        from: Reached,
        symbols: impl Iterator<Item = (usize, Code, u8)>,
        mut found: impl FnMut(usize, Reached) -> bool,
    ) -> Reached {
        let (mut reached, mut count) = (from, 0);
        for (position, code, situation) in symbols {
            interrupt::check_at(position);
            count += 1;
            reached = self.next(reached, code, situation);
            if (reached.value != NO_VALUE || !reached.is_open) && !found(position, reached) {
                break;
            }
        }
        self.symbols += count;
        reached
    }

    /// Reads a symbol. `situation` is that of the position after it.
    pub(crate) fn step(&mut self, from: Reached, code: Code, situation: u8) -> Reached {
        self.symbols += 1;
        self.next(from, code, situation)
    }

    #[inline]
    fn next(&mut self, from: Reached, code: Code, situation: u8) -> Reached {
        let entry = from.row as usize + self.index_of(situation) * self.classes + usize::from(code);
        match self.table.get(entry) {
            Some(&known) if known.is_known() => known,
            _ => self.make(from, (code, situation), entry),
        }
    }

    /// Goes on from a set that a text has reached.
    pub(crate) fn enter(&mut self, set: &[u64]) -> Reached {
        self.next.copy_from_slice(set);
        self.reached(None)
    }

    /// Returns the set that was reached last.
    pub(crate) fn set(&self, reached: Reached) -> &[u64] {
        match reached.row {
            SIMULATED => &self.current,
            row => &self.sets[row as usize / self.entries()],
        }
    }

    /// Reads a symbol by the simulation.
    #[cold]
    fn make(&mut self, from: Reached, (code, situation): (Code, u8), entry: usize) -> Reached {
        let set: &[u64] = match from.row {
            SIMULATED => &self.current,
            row => &self.sets[row as usize / self.entries()],
        };
        let value = self.automaton.step(set, code, situation, &mut self.next);
        let states = self.sets.len();
        let reached = self.reached(value);
        // Unless the states were forgotten, or there is none.
        if self.sets.len() >= states && from.row != SIMULATED && reached.row != SIMULATED {
            self.table[entry] = reached;
        }
        reached
    }

    /// Returns the state of the set `next`, which is made if it is new.
    fn reached(&mut self, value: Option<u16>) -> Reached {
        let (value, is_open) = (value.unwrap_or(NO_VALUE), self.next.iter().any(|&word| word != 0));
        if self.simulated == 0
            && let Some(&row) = self.rows.get(self.next.as_slice())
        {
            return Reached { row, value, is_open };
        }
        if self.sets.len() == self.max_states {
            if self.symbols < SYMBOLS_PER_STATE * self.max_states {
                self.simulated = SIMULATED_PER_STATE * self.max_states;
            }
            self.forget();
        }
        if self.simulated > 0 {
            self.simulated -= 1;
            std::mem::swap(&mut self.current, &mut self.next);
            return Reached { row: SIMULATED, value, is_open };
        }
        let (set, row) = (Arc::<[u64]>::from(self.next.as_slice()), self.table.len() as u32);
        self.sets.push(set.clone());
        self.rows.insert(set, row);
        self.table.resize(self.table.len() + self.entries(), UNKNOWN);
        Reached { row, value, is_open }
    }

    fn forget(&mut self) {
        self.rows.clear();
        self.sets.clear();
        self.table.clear();
        self.first.fill(UNKNOWN);
        self.symbols = 0;
    }
}
