//! What kernels are told of patterns: groups with codes of their own, and in each the patterns that are searched together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arguments::{BYTE_CODES, CodeRange, SLICED_CODES, SLICED_ROWS, SlicedPattern, WARP, WordPattern};
use super::device::Facts;
use super::module::{Module, QUADRANT, SLICED, WORD};
use super::tuning::{sliced_threads, slot_class, words_of_lane};
use crate::engine::EngineError;
use crate::engine::encode::Classes;
use crate::pattern::{Pattern, PatternSet, SymbolSet};

/// Patterns whose symbols have the same codes.
pub(super) struct Group {
    /// The code of each byte that is a symbol by itself.
    pub(super) codes_of_bytes: Vec<u8>,
    /// The codes of ranges of symbols of several bytes.
    pub(super) ranges: Vec<CodeRange>,
    /// How many planes the codes have, 2 to 6; of no interest without patterns in slices.
    pub(super) planes: usize,
    pub(super) sliced: Vec<SlicedPatterns>,
    pub(super) words: Vec<WordPatterns>,
    pub(super) traces: Vec<TracePatterns>,
}

/// Patterns whose hits are traced by one launch.
pub(super) struct TracePatterns {
    pub(super) module: Module,
    /// The most rows that one of them may have: 32 or 64.
    pub(super) rows: usize,
    pub(super) classes: Arc<Classes>,
    /// Their indices in the set, ascending, and how long each is.
    pub(super) patterns: Vec<usize>,
    pub(super) lengths: Vec<u32>,
    /// `[pattern][code]`, as many bits as there may be rows, in words of 32.
    pub(super) equal: Vec<u32>,
}

/// Patterns that are searched in slices by one launch.
pub(super) struct SlicedPatterns {
    pub(super) module: Module,
    pub(super) rows: usize,
    /// The most slots that one of them has.
    pub(super) slots: usize,
    /// Threads of a block.
    pub(super) threads: usize,
    pub(super) patterns: Vec<SlicedPattern>,
}

/// Patterns that are searched in words by one launch for each few bands.
pub(super) struct WordPatterns {
    pub(super) module: Module,
    /// Words of a lane.
    pub(super) words: usize,
    /// Bands of each.
    pub(super) bands: usize,
    pub(super) codes: usize,
    /// The most symbols that a match of one of them covers.
    pub(super) reach: usize,
    pub(super) patterns: Vec<WordPattern>,
    /// `[pattern][band][code][lane][word]`, a bit for each row that matches the code.
    pub(super) equal: Vec<u32>,
}

impl Group {
    /// Groups for all patterns of a set: as few as there can be codes for.
    pub(super) fn all(facts: &Facts, set: &PatternSet) -> Result<Vec<Group>, EngineError> {
        let mut groups = Vec::new();
        let mut open: Vec<Vec<usize>> = vec![(0..set.patterns().len()).collect()];
        while let Some(patterns) = open.pop() {
            if patterns.is_empty() {
                continue;
            }
            let classes = Classes::of(set.alphabet(), patterns.iter().map(|&index| &set.patterns()[index]));
            match classes {
                Ok(classes) if classes.plane_codes() <= SLICED_CODES => {
                    groups.push(Group::new(facts, set, Arc::new(classes), &patterns));
                }
                Ok(classes) if patterns.len() == 1 && classes.plane_codes() <= BYTE_CODES => {
                    groups.push(Group::new(facts, set, Arc::new(classes), &patterns));
                }
                Ok(classes) if patterns.len() == 1 => return Err(EngineError::TooManyClasses(classes.plane_codes())),
                Err(error) if patterns.len() == 1 => return Err(error),
                _ => open.extend(patterns.chunks(patterns.len().div_ceil(2)).rev().map(<[usize]>::to_vec)),
            }
        }
        Ok(groups)
    }

    fn new(facts: &Facts, set: &PatternSet, classes: Arc<Classes>, patterns: &[usize]) -> Group {
        let codes = classes.plane_codes();
        let mut sliced: BTreeMap<(usize, usize), SlicedPatterns> = BTreeMap::new();
        let mut words: BTreeMap<(usize, usize), WordPatterns> = BTreeMap::new();
        for &index in patterns {
            let pattern = &set.patterns()[index];
            match SlicedPatterns::take(facts, &classes, (index, pattern)) {
                Some((patterns, one)) => {
                    let of_launch = sliced.entry((patterns.rows, slot_class(patterns.slots))).or_insert(patterns);
                    of_launch.slots = of_launch.slots.max(slots_of(&one));
                    of_launch.patterns.push(one);
                }
                None => {
                    let lane = words_of_lane(facts, pattern.symbols().len(), codes);
                    let bands = pattern.symbols().len().div_ceil(lane * WARP * 32);
                    let of_launch = words.entry((lane, bands)).or_insert_with(|| WordPatterns::new(lane, bands, codes));
                    of_launch.add(&classes, (index, pattern));
                }
            }
        }
        let mut sliced: Vec<SlicedPatterns> = sliced.into_values().collect();
        for launch in &mut sliced {
            // Those of a class of slots have nearly as many.
            launch.threads = sliced_threads(facts, launch.slots).expect("each of them fits");
        }
        let ranges = classes.plane_ranges().filter(|&(_, last, _)| last >= 0x80);
        Group {
            codes_of_bytes: (0..=u8::MAX).map(|byte| classes.plane_code_of_byte(byte) as u8).collect(),
            ranges: ranges.map(|(first, last, code)| CodeRange { first, last, code: code as u32 }).collect(),
            planes: ((usize::BITS - (codes - 1).leading_zeros()) as usize).max(2),
            sliced,
            words: words.into_values().collect(),
            traces: TracePatterns::all(set, &classes, patterns),
        }
    }

    /// The most symbols that a match of one that is searched in slices covers.
    pub(super) fn sliced_reach(&self) -> usize {
        let patterns = self.sliced.iter().flat_map(|launch| &launch.patterns);
        patterns.map(|pattern| (pattern.rows + pattern.k) as usize).max().unwrap_or(0)
    }
}

/// How many slots a pattern has.
fn slots_of(pattern: &SlicedPattern) -> usize {
    (pattern.until[7] + pattern.unions) as usize
}

impl SlicedPatterns {
    /// A pattern as the kernel wants it, and an empty launch for such patterns; nothing if it is too long or has too many sets of symbols.
    fn take(facts: &Facts, classes: &Classes, (id, pattern): (usize, &Pattern)) -> Option<(Self, SlicedPattern)> {
        let &(rows, module) = SLICED.iter().find(|(rows, _)| pattern.symbols().len() <= *rows)?;
        let sets: Vec<Vec<u8>> = pattern.symbols().iter().map(|set| codes_of(classes, set)).collect();
        if classes.plane_codes() > SLICED_CODES {
            return None;
        }
        let made = sliced_pattern(id, pattern.k(), &sets);
        let slots = slots_of(&made);
        sliced_threads(facts, slots)?;
        Some((SlicedPatterns { module, rows, slots, threads: 0, patterns: Vec::new() }, made))
    }
}

/// The codes in planes of the symbols in a set.
fn codes_of(classes: &Classes, set: &SymbolSet) -> Vec<u8> {
    classes.codes_in(set).iter().map(|&code| classes.plane_of(code) as u8).collect()
}

/// A pattern of rows that match these codes: a slot for each code, by the lowest three bits, and one for each set of several.
fn sliced_pattern(id: usize, k: usize, rows: &[Vec<u8>]) -> SlicedPattern {
    let mut codes: Vec<u8> = rows.iter().flatten().copied().collect();
    codes.sort_unstable_by_key(|&code| (code % 8, code));
    codes.dedup();
    let slot_of = |code: u8| codes.iter().position(|&other| other == code).expect("every code has a slot");
    let mut made = SlicedPattern {
        id: id as u32,
        rows: rows.len() as u32,
        k: k as u32,
        unions: 0,
        until: std::array::from_fn(|low| codes.iter().filter(|&&code| usize::from(code % 8) <= low).count() as u32),
        codes: [0; SLICED_CODES],
        slots: [0; SLICED_ROWS],
        members: [0; SLICED_ROWS],
    };
    made.codes[..codes.len()].copy_from_slice(&codes);
    for (slot, row) in made.slots.iter_mut().zip(rows) {
        *slot = match row[..] {
            [code] => slot_of(code),
            _ => {
                let members = row.iter().fold(0, |members, &code| members | 1 << slot_of(code));
                let unions = made.unions as usize;
                let known = made.members[..unions].iter().position(|&other| other == members);
                let index = known.unwrap_or(unions);
                made.members[index] = members;
                made.unions += u32::from(known.is_none());
                codes.len() + index
            }
        } as u8;
    }
    made
}

impl WordPatterns {
    fn new(words: usize, bands: usize, codes: usize) -> Self {
        let &(_, module) = WORD.iter().find(|(of_module, _)| *of_module == words).expect("there is a module for it");
        WordPatterns { module, words, bands, codes, reach: 0, patterns: Vec::new(), equal: Vec::new() }
    }

    /// Adds a pattern. The rows before its first match every code, as they change nothing.
    fn add(&mut self, classes: &Classes, (id, pattern): (usize, &Pattern)) {
        let band_words = self.words * WARP;
        let rows = self.bands * band_words * 32;
        let neutral = rows - pattern.symbols().len();
        let first = self.equal.len();
        self.equal.resize(first + self.bands * self.codes * band_words, 0);
        let table = &mut self.equal[first..];
        let mut set = |row: usize, code: usize| {
            let (band, word) = (row / (band_words * 32), row / 32 % band_words);
            table[(band * self.codes + code) * band_words + word] |= 1 << (row % 32);
        };
        for row in 0..neutral {
            (0..self.codes).for_each(|code| set(row, code));
        }
        for (row, symbols) in (neutral..).zip(pattern.symbols()) {
            codes_of(classes, symbols).into_iter().for_each(|code| set(row, usize::from(code)));
        }
        let (length, k) = (pattern.symbols().len() as u32, pattern.k() as u32);
        self.reach = self.reach.max(pattern.reach());
        self.patterns.push(WordPattern { id: id as u32, rows: length, k, unused: 0 });
    }
}

impl TracePatterns {
    /// Those of some patterns that are short enough.
    fn all(set: &PatternSet, classes: &Arc<Classes>, patterns: &[usize]) -> Vec<TracePatterns> {
        let mut least = 0;
        let of_module = QUADRANT.iter().map(|&(rows, module)| {
            let length = |index: usize| set.patterns()[index].symbols().len();
            let mut made = TracePatterns::new(module, rows, classes);
            for &index in patterns.iter().filter(|&&index| (least + 1..=rows).contains(&length(index))) {
                made.add(index, &set.patterns()[index]);
            }
            least = rows;
            made
        });
        of_module.filter(|made| !made.patterns.is_empty()).collect()
    }

    fn new(module: Module, rows: usize, classes: &Arc<Classes>) -> Self {
        let (patterns, lengths, equal) = (Vec::new(), Vec::new(), Vec::new());
        TracePatterns { module, rows, classes: classes.clone(), patterns, lengths, equal }
    }

    fn add(&mut self, index: usize, pattern: &Pattern) {
        let words = self.rows / 32;
        let first = self.equal.len();
        self.equal.resize(first + self.classes.plane_codes() * words, 0);
        for (row, symbols) in pattern.symbols().iter().enumerate() {
            for code in codes_of(&self.classes, symbols) {
                self.equal[first + usize::from(code) * words + row / 32] |= 1 << (row % 32);
            }
        }
        self.patterns.push(index);
        self.lengths.push(pattern.symbols().len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;
    use crate::pattern::{MaxErrors, PatternSource};

    fn facts(shared_bytes: usize) -> Facts {
        Facts { ordinal: 0, name: String::new(), capability: (7, 5), multiprocessors: 40, shared_bytes }
    }

    fn groups(alphabet: Alphabet, patterns: &[&str], shared_bytes: usize) -> Vec<Group> {
        let sources: Vec<PatternSource> = patterns.iter().map(|&pattern| PatternSource::new(pattern)).collect();
        let set = PatternSet::builder(alphabet).max_errors(MaxErrors::Count(1)).build(&sources).unwrap();
        Group::all(&facts(shared_bytes), &set).unwrap()
    }

    #[test]
    fn patterns_of_like_length_are_searched_together() {
        let groups = groups(Alphabet::Dna, &["ACGT", "ACGTACGTA", "TTTTTTTTTTTT", "ACG"], 64 << 10);
        assert_eq!(groups.len(), 1);
        let launches: Vec<_> = groups[0].sliced.iter().map(|of| (of.rows, of.patterns.len(), of.slots)).collect();
        assert_eq!(launches, [(4, 2, 4), (12, 2, 4)]);
        assert_eq!((groups[0].planes, groups[0].sliced_reach()), (3, 13));
    }

    #[test]
    fn sets_of_several_codes_share_a_slot() {
        let made = sliced_pattern(7, 1, &[vec![1], vec![2, 9], vec![9], vec![9, 2], vec![], vec![1]]);
        assert_eq!((&made.codes[..3], made.until), (&[1, 9, 2][..], [0, 2, 3, 3, 3, 3, 3, 3]));
        let shared = made.slots[1];
        assert_eq!(made.slots[..6], [0, shared, 1, shared, 4, 0]);
        assert_ne!(made.members[0], made.members[1]);
        assert_eq!((made.unions, made.members[usize::from(shared) - 3]), (2, 0b110));
    }

    #[test]
    fn too_many_symbols_for_one_code_make_groups() {
        let letters: String = ('\u{100}'..'\u{15f}').collect();
        let (first, second) = (&letters[..100], &letters[100..]);
        assert_eq!(groups(Alphabet::Text, &[first, second], 227 << 10).len(), 2);
        let alone = groups(Alphabet::Text, &[&letters], 227 << 10);
        assert_eq!((alone[0].sliced.len(), alone[0].words.len()), (0, 1));
    }

    #[test]
    fn rows_before_a_long_pattern_match_everything() {
        let pattern = "AC".repeat(50);
        let groups = groups(Alphabet::Dna, &[&pattern], 64 << 10);
        let words = &groups[0].words[0];
        assert_eq!((words.words, words.bands, words.reach), (1, 1, 101));
        let ones: Vec<u32> =
            words.equal.chunks(32).map(|of_code| of_code.iter().map(|word| word.count_ones()).sum()).collect();
        assert_eq!(ones, [924, 974, 974], "what no pattern has, A, C");
    }
}
