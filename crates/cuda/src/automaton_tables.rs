//! The programs of the kernel `automaton`, on the host.
//!
//! A symbol set is a union of *cubes*. A cube is a set of codes that agree in some bits and are arbitrary in the
//! others. Neighbouring symbols have neighbouring codes, so a range such as `a-z` takes few cubes even if each letter
//! has a code of its own.

use std::collections::BTreeMap;

use super::table_memory::{HostMemory, TableMemory};
use nigh_device::abi::{CodeRange, DeviceAutomaton, WARP};
use nigh_device::driver::Facts;
use nigh_pattern::PatternSet;
use nigh_tables::coded_automata::CodedAutomata;
use nigh_tables::coded_automaton::CodedAutomaton;
use nigh_text::alphabet::Symbol;
use nigh_verify::EngineError;
use nigh_verify::encoder::{Code, OTHER};

/// Steps whose masks are in shared memory at a time.
const MASKED: usize = 4;
/// States that the kernel advances together.
const GROUP: usize = 4;
/// The flag of a set that is stored as the codes that it lacks.
const INVERTED: u32 = 1 << 31;
/// The numbers of bit planes for which the kernel is compiled.
const PLANES: [usize; 3] = [4, 6, 8];
/// Maximum number of symbols that a stream reads before its start. If a match may be longer, the stream begins at the
/// start of a line or record instead, or reads a whole stream if that is longer than a match.
const MAX_WARM_UP: usize = 256;
/// The smallest symbol that takes several bytes.
const FIRST_MULTIBYTE: Symbol = 0x80;
/// Size of a column of a warp, in bytes.
const COLUMN: usize = WARP * size_of::<u32>();

/// Memory in which a block of the kernel keeps the columns of its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StateMemory {
    /// In shared memory. A block needs this size in bytes, masks included.
    Shared(usize),
    /// In the memory of the device.
    Global,
}

/// The automata that one launch simulates.
pub(super) struct AutomatonPatterns<M: TableMemory = HostMemory> {
    pub(super) memory: StateMemory,
    /// Shared memory of a block, in bytes.
    pub(super) shared: usize,
    /// Maximum number of columns of states of an automaton.
    pub(super) columns: usize,
    pub(super) automata: M::Table<DeviceAutomaton>,
    pub(super) programs: M::Table<u32>,
}

/// The automata of some expressions whose symbols are encoded in the same way.
pub(super) struct AutomatonGroup {
    pub(super) coded: CodedAutomata,
    pub(super) planes: usize,
    pub(super) launches: Vec<AutomatonPatterns>,
}

impl AutomatonGroup {
    /// Divides the expressions of a set into groups. Each group has few enough codes for the kernel.
    ///
    /// # Errors
    /// Fails if one expression has too many classes of symbols, or too many sets of symbols for shared memory.
    pub(super) fn all(facts: &Facts, set: &PatternSet) -> Result<Vec<Self>, EngineError> {
        let mut groups = Vec::new();
        let all: Vec<usize> = (0..set.patterns().len()).collect();
        let mut open = vec![&all[..]];
        while let Some(indices) = open.pop() {
            let patterns = indices.iter().map(|&index| &set.patterns()[index]);
            match CodedAutomata::new(set.alphabet(), patterns) {
                Ok(coded) => groups.push(AutomatonGroup::new(facts, indices, coded)?),
                Err(error) if indices.len() == 1 => return Err(error),
                Err(_) => open.extend(indices.chunks(indices.len().div_ceil(2)).rev()),
            }
        }
        Ok(groups)
    }

    /// Makes the tables of the automata of the patterns with these indices in the set.
    fn new(facts: &Facts, indices: &[usize], coded: CodedAutomata) -> Result<Self, EngineError> {
        let codes = coded.classes.count() + 1;
        let planes = PLANES.into_iter().find(|planes| codes <= 1 << planes).expect("a code is one byte");
        let mut launches: BTreeMap<StateMemory, AutomatonPatterns> = BTreeMap::new();
        for (&id, (automaton, longest)) in indices.iter().zip(&coded.automata) {
            let (without, columns) = (masks_bytes(automaton), columns_of(automaton));
            if without > facts.shared_bytes {
                let max = facts.shared_bytes / (MASKED * COLUMN);
                return Err(EngineError::TooManyClasses { classes: automaton.sets.count(), max });
            }
            let memory = StateMemory::of(facts, without + columns * COLUMN);
            let launch = launches.entry(memory).or_insert_with(|| AutomatonPatterns {
                memory,
                shared: 0,
                columns: 0,
                automata: Vec::new(),
                programs: Vec::new(),
            });
            let shared = if memory == StateMemory::Global { without } else { without + columns * COLUMN };
            launch.shared = launch.shared.max(shared);
            launch.columns = launch.columns.max(columns);
            launch.add(automaton, ProgramFacts { id, codes, planes, longest: *longest });
        }
        Ok(AutomatonGroup { coded, planes, launches: launches.into_values().collect() })
    }

    /// Returns the code of each byte that is a symbol by itself. Code 0 is the end of a line or record.
    pub(super) fn codes_of_bytes(&self) -> Vec<u8> {
        (0..=u8::MAX).map(|byte| code(self.coded.classes.code_of_byte(byte))).collect()
    }

    /// Returns the codes of all ranges of multi-byte symbols, ascending.
    pub(super) fn ranges(&self) -> Vec<CodeRange> {
        let mut ranges = Vec::new();
        let mut next = FIRST_MULTIBYTE;
        let mut add = |first: Symbol, last: Symbol, class: Code| {
            if first <= last {
                ranges.push(CodeRange { first, last, code: u32::from(code(class)) });
            }
        };
        for &(first, last, class) in self.coded.classes.ranges().iter().filter(|&&(_, last, _)| last >= FIRST_MULTIBYTE)
        {
            let first = first.max(next);
            add(next, first.saturating_sub(1), OTHER);
            add(first, last, class);
            next = last + 1;
        }
        add(next, Symbol::MAX, OTHER);
        ranges
    }
}

/// Returns the code of a class on the device.
fn code(class: Code) -> u8 {
    (class + 1) as u8
}

impl StateMemory {
    /// Returns the memory for blocks that need `bytes` bytes of shared memory.
    fn of(facts: &Facts, bytes: usize) -> Self {
        let sizes = [8, 16, 24, 32, 48, 64, 96].map(|size| size << 10);
        let fits = |&size: &usize| bytes <= size && size <= facts.shared_bytes;
        match sizes.into_iter().chain([facts.shared_bytes]).find(fits) {
            Some(size) => StateMemory::Shared(size),
            None => StateMemory::Global,
        }
    }
}

/// The values from which a program is made, in addition to its automaton.
#[derive(Clone, Copy)]
struct ProgramFacts {
    id: usize,
    /// Number of codes, including the code of ends of lines and records.
    codes: usize,
    planes: usize,
    /// Maximum number of symbols of a match; `None` if there is none.
    longest: Option<usize>,
}

impl AutomatonPatterns {
    fn add(&mut self, automaton: &CodedAutomaton, ProgramFacts { id, codes, planes, longest }: ProgramFacts) {
        let program = self.programs.len();
        let sets = automaton.sets.count();
        let mut words: Vec<u32> = vec![0; sets];
        for (set, (codes_of_set, &is_inverted)) in automaton.sets.iter().zip(&automaton.is_inverted).enumerate() {
            let mut is_member = vec![false; codes];
            codes_of_set.iter().for_each(|&code| is_member[(usize::from(code) + 1) % codes] = true);
            add_cubes(&is_member, 0, planes, planes, &mut words);
            words[set] = words.len() as u32 | if is_inverted { INVERTED } else { 0 };
        }
        let contexts = words.len();
        words.extend(automaton.conditions[1..].iter().map(|&contexts| u32::from(contexts)));
        let starts = words.len();
        words.extend(&automaton.initial);
        words.resize(words.len().next_multiple_of(GROUP), 0);
        let readers = words.len();
        let mut further: Vec<u32> = Vec::new();
        let states = states_of(automaton);
        for group in predecessors(automaton).chunks(GROUP) {
            // Unused states of the last group read ends of lines, which clear all states.
            let heads = group.iter().map(|(set, before)| set | (before.len() as u32 - 1) << 16);
            words.extend(heads.chain(std::iter::repeat(0)).take(GROUP));
            words.extend(group.iter().map(|(_, before)| before[0]).chain(std::iter::repeat(0)).take(GROUP));
            further.extend(group.iter().flat_map(|(_, before)| &before[1..]));
        }
        let first_further = words.len();
        words.extend(further);
        let ends = words.len();
        words.extend(automaton.accepting.iter().map(|&(state, condition)| state | condition << 16));
        words.resize(words.len().next_multiple_of(GROUP), 0);
        // One symbol more, for the conditions at the start of a match.
        let warm_up = longest.map_or(0, |longest| longest + 1);
        self.automata.push(DeviceAutomaton {
            id: id as u32,
            k: automaton.k as u32,
            states: states as u32,
            initial: automaton.initial.len() as u32,
            sets: sets as u32,
            conditions: automaton.conditions.len() as u32 - 1,
            accepting: automaton.accepting.len() as u32,
            warm_up: if warm_up > MAX_WARM_UP { 0 } else { warm_up as u32 },
            program: program as u32,
            cubes: sets as u32,
            contexts: contexts as u32,
            starts: starts as u32,
            readers: readers as u32,
            further: first_further as u32,
            ends: ends as u32,
            unused: 0,
        });
        self.programs.extend(words);
    }
}

/// Returns the set and the predecessors of each state that is not initial. The upper half of a predecessor is its
/// condition.
fn predecessors(automaton: &CodedAutomaton) -> Vec<(u32, Vec<u32>)> {
    let ends = automaton.ends_of_before.iter().map(|&end| end as usize);
    let starts = std::iter::once(0).chain(ends.clone());
    let mut states: Vec<(u32, Vec<u32>)> = automaton
        .readers
        .iter()
        .zip(starts.zip(ends))
        .map(|(&set, (start, end))| (set, automaton.before[start..end].to_vec()))
        .collect();
    for &(to, from, condition) in &automaton.guarded {
        states[to as usize - automaton.initial.len()].1.push(from | condition << 16);
    }
    states
}

/// Returns the number of states on the device: those that are not initial are in whole groups.
fn states_of(automaton: &CodedAutomaton) -> usize {
    automaton.initial.len() + automaton.readers.len().next_multiple_of(GROUP)
}

/// Returns the number of columns of states of an automaton: k + 2 arrays, and one that passes from level to level.
fn columns_of(automaton: &CodedAutomaton) -> usize {
    (automaton.k + 2 + usize::from(automaton.k > 0)) * states_of(automaton)
}

/// Returns the shared memory of a block for all but the columns of states, in bytes.
fn masks_bytes(automaton: &CodedAutomaton) -> usize {
    (automaton.sets.count() * MASKED + automaton.conditions.len() - 1) * COLUMN
}

/// Appends the cubes of the codes from `first` on that differ in the lowest `bits` bits. Codes that do not exist may be
/// in any cube. The lowest byte of a cube holds the bits of its codes, and the next byte marks the bits in which they
/// agree.
fn add_cubes(is_member: &[bool], first: usize, bits: usize, planes: usize, cubes: &mut Vec<u32>) {
    let block = is_member.get(first..is_member.len().min(first + (1 << bits))).unwrap_or_default();
    if block.iter().any(|&is_member| is_member) {
        if block.iter().all(|&is_member| is_member) {
            let given = ((1_u32 << planes) - 1) & !((1 << bits) - 1);
            cubes.push(first as u32 | given << 8);
        } else {
            add_cubes(is_member, first, bits - 1, planes, cubes);
            add_cubes(is_member, first + (1 << (bits - 1)), bits - 1, planes, cubes);
        }
    }
}
