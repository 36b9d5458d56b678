//! The tables that kernels take, on the host. Patterns are divided into groups whose symbols are encoded in the same
//! way, and each group into the patterns of each launch.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::automaton_tables::{AutomatonGroup, AutomatonPatterns};
use super::group_codes::GroupCodes;
use super::launch_geometry::{
    BandWork, BitslicedColumn, LaunchBlock, WordWork, slot_class, walk_shared_bytes, words_of_lane,
};
use super::seed_tables::SeedTables;
use super::slots::{CodedPattern, SlotGroups, SlotTable, Slots};
use super::table_memory::{HostMemory, TableMemory};
use nigh_device::abi::{
    BANDED_ROWS, BYTE_CODES, BandedPattern, CodeRange, SLICED_CODES, SLICED_ROWS, SlicedPattern, WARP, WordPattern,
};
use nigh_device::driver::Facts;
use nigh_device::modules::{BANDS, Module, QUADRANT, SLICED, WALK, WORD};
use nigh_pattern::{EdgeGroups, Pattern, PatternSet, SymbolSet};
use nigh_text::alignment::SearchEdits;
use nigh_verify::EngineError;
use nigh_verify::encoder::Classes;

/// Maximum number of groups in which each class of symbols has its own code. Each group costs an encoding and a
/// transposition of the text, about as much as the search for ten patterns, and a byte of memory for each byte of text.
const MAX_EXACT_GROUPS: usize = 4;
/// Minimum number of rows minus k of a pattern that is searched for in shared codes. For shorter patterns, false hits
/// cost more than the saved encodings.
const MIN_FILTERED: usize = 6;

impl TableMemory for HostMemory {
    type Table<T> = Vec<T>;
    type Seeds = SeedTables;
    type Traces = TracePatterns;
}

/// The tables of patterns whose symbols are encoded in the same way.
pub(super) struct CodeGroup<M: TableMemory = HostMemory> {
    /// The code of each byte that is a symbol by itself, indexed by byte.
    pub(super) codes_of_bytes: Vec<u8>,
    /// The codes of ranges of multi-byte symbols.
    pub(super) ranges: M::Table<CodeRange>,
    /// Number of bit planes, 2 to 8. Unused if no pattern is bit-sliced.
    pub(super) planes: usize,
    pub(super) seeds: Option<M::Seeds>,
    /// The patterns that are in none of the other tables.
    pub(super) sliced: Vec<SlicedPatterns<M>>,
    /// Maximum number of symbols that a match of a pattern in `sliced` covers.
    pub(super) sliced_max_match_len: usize,
    pub(super) banded: Vec<BandedPatterns<M>>,
    /// The patterns of `banded` in the same order, as tables for the word kernel. It searches parts with little text.
    pub(super) banded_words: Option<WordPatterns<M>>,
    pub(super) words: Vec<WordPatterns<M>>,
    /// The regular expressions. A group with any has no other patterns.
    pub(super) automata: Vec<AutomatonPatterns<M>>,
    pub(super) traces: Vec<M::Traces>,
    /// The indices in the pattern set, ascending, of the patterns whose hits are only candidates.
    pub(super) filtered: Vec<usize>,
}

/// The patterns of a group.
struct GroupPatterns<'a> {
    /// The indices of all patterns in the pattern set.
    all: &'a [usize],
    /// The seed index of some of the patterns, if it pays.
    seeds: Option<SeedTables>,
    traces: Vec<TracePatterns>,
}

/// The patterns whose hits one launch can trace together.
pub(super) struct TracePatterns {
    pub(super) module: Module,
    /// Maximum number of rows of a pattern for the module: 32 or 64 (one thread per hit), or 1,024 to 4,096 (one warp).
    pub(super) rows: usize,
    pub(super) classes: Arc<Classes>,
    /// The indices of the patterns in the pattern set, ascending.
    pub(super) patterns: Vec<usize>,
    /// The number of rows of each pattern.
    pub(super) lengths: Vec<u32>,
    /// The equality words, `[pattern][code]`: `rows` bits in 32-bit words. A bit is set if its row matches the code.
    pub(super) equal: Vec<u32>,
}

/// Patterns that one launch searches bit-sliced.
pub(super) struct SlicedPatterns<M: TableMemory = HostMemory> {
    pub(super) module: Module,
    pub(super) column: BitslicedColumn,
    /// The block for text that is long enough. With less text, the block is smaller.
    pub(super) block: LaunchBlock,
    /// Maximum number of slots of a block.
    pub(super) slots: usize,
    /// The patterns. Patterns of one block are adjacent.
    pub(super) patterns: M::Table<SlicedPattern>,
}

/// Patterns that one launch searches bit-sliced in bands.
pub(super) struct BandedPatterns<M: TableMemory = HostMemory> {
    /// The module of the kernel. It is loaded when a part of the text is first searched in bands.
    pub(super) module: Module,
    pub(super) work: BandWork,
    /// Maximum number of slots of a block.
    pub(super) slots: usize,
    /// The patterns. Patterns of one block are adjacent.
    pub(super) patterns: M::Table<BandedPattern>,
    /// Number of parts of the text that were searched in bands so far.
    pub(super) parts: AtomicUsize,
}

/// The patterns for the word kernel. A launch searches a few bands of them.
pub(super) struct WordPatterns<M: TableMemory = HostMemory> {
    /// The module of the kernel. It is loaded when it is first launched.
    pub(super) module: Module,
    /// Number of 32-row words per lane.
    pub(super) words: usize,
    /// Number of bands per pattern.
    pub(super) bands: usize,
    /// Number of codes.
    pub(super) codes: usize,
    /// Maximum number of symbols that a match of any pattern covers.
    pub(super) max_match_len: usize,
    pub(super) patterns: M::Table<WordPattern>,
    /// The equality words, `[pattern][band][code][lane][word]`. A bit is set if its row matches the code.
    pub(super) equal: M::Table<u32>,
}

impl CodeGroup {
    /// Divides the patterns of a set into groups. The patterns of a group have at most [`SLICED_CODES`] codes together.
    /// If there would be many groups, the patterns for which shared codes are a good filter form one group instead.
    /// `seeds` is the seed index of the set, if it pays; then there is one group. A set with regular expressions has no
    /// other patterns.
    ///
    /// # Errors
    /// Fails if a pattern has too many classes of symbols.
    pub(super) fn all(
        facts: &Facts,
        set: &PatternSet,
        seeds: Option<SeedTables>,
    ) -> Result<Vec<CodeGroup>, EngineError> {
        if set.has_expressions() {
            return Ok(AutomatonGroup::all(facts, set)?.into_iter().map(CodeGroup::of_automata).collect());
        }
        let all: Vec<usize> = (0..set.patterns().len()).collect();
        if let Some(seeds) = seeds {
            let classes = seeds.classes.clone();
            let traces = TracePatterns::all(facts, set, &classes, &all);
            let patterns = GroupPatterns { all: &all, seeds: Some(seeds), traces };
            return Ok(vec![CodeGroup::new(facts, set, &GroupCodes::exact(classes), patterns)]);
        }
        let divided = divide(set, &all)?;
        if divided.len() > MAX_EXACT_GROUPS {
            let (filtered, others): (Vec<usize>, Vec<usize>) =
                all.into_iter().partition(|&index| suits_shared_codes(&set.patterns()[index]));
            if let Some(group) = CodeGroup::shared(facts, set, &filtered) {
                let exact = divide(set, &others)?.into_iter().map(|group| CodeGroup::exact(facts, set, group));
                return Ok([group].into_iter().chain(exact).collect());
            }
        }
        Ok(divided.into_iter().map(|group| CodeGroup::exact(facts, set, group)).collect())
    }

    fn of_automata(group: AutomatonGroup) -> CodeGroup {
        CodeGroup {
            codes_of_bytes: group.codes_of_bytes(),
            ranges: group.ranges(),
            planes: group.planes,
            seeds: None,
            sliced: Vec::new(),
            sliced_max_match_len: 0,
            banded: Vec::new(),
            banded_words: None,
            words: Vec::new(),
            automata: group.launches,
            traces: Vec::new(),
            filtered: Vec::new(),
        }
    }

    /// Makes one group of the patterns `filtered`. `divided` holds all patterns in groups with exact codes, which are
    /// not searched for. Returns `None` if there are no patterns, or too many classes.
    fn shared(facts: &Facts, set: &PatternSet, filtered: &[usize]) -> Option<CodeGroup> {
        let patterns = filtered.iter().map(|&index| &set.patterns()[index]);
        let classes = Classes::for_patterns(set.alphabet(), patterns.clone()).ok().filter(|_| !filtered.is_empty())?;
        let codes = GroupCodes::shared(Arc::new(classes), patterns);
        // A traceback needs exact codes.
        let patterns = GroupPatterns { all: filtered, seeds: None, traces: Vec::new() };
        Some(CodeGroup::new(facts, set, &codes, patterns))
    }

    fn exact(facts: &Facts, set: &PatternSet, (classes, patterns): ExactCodesGroup) -> CodeGroup {
        let traces = TracePatterns::all(facts, set, &classes, &patterns);
        let patterns = GroupPatterns { all: &patterns, seeds: None, traces };
        CodeGroup::new(facts, set, &GroupCodes::exact(classes), patterns)
    }

    fn new(facts: &Facts, set: &PatternSet, group_codes: &GroupCodes, patterns: GroupPatterns<'_>) -> CodeGroup {
        let GroupPatterns { all: patterns, seeds, traces } = patterns;
        let codes = group_codes.count();
        let mut sliced: BTreeMap<KernelShape, BTreeMap<usize, Vec<CodedPattern>>> = BTreeMap::new();
        let mut words: BTreeMap<(usize, usize), WordPatterns> = BTreeMap::new();
        let has_seeds = |index: usize| seeds.as_ref().is_some_and(|seeds| seeds.covered[index]);
        for &index in patterns.iter().filter(|&&index| !has_seeds(index)) {
            let pattern = &set.patterns()[index];
            match KernelShape::of(facts, group_codes, index, pattern) {
                Some((shape, coded)) => {
                    let of_shape = sliced.entry(shape).or_default();
                    of_shape.entry(slot_class(coded.slots.count())).or_default().push(coded);
                }
                None => {
                    let lane = words_of_lane(facts, pattern.symbols().len(), codes);
                    let bands = pattern.symbols().len().div_ceil(lane * WARP * 32);
                    let of_launch = words.entry((lane, bands)).or_insert_with(|| WordPatterns::new(lane, bands, codes));
                    of_launch.add(group_codes, index, pattern);
                }
            }
        }
        let banded = sliced.split_off(&KernelShape { bands: 2, rows: 0 });
        let banded: Vec<_> =
            banded.into_iter().flat_map(|(shape, all)| BandedPatterns::all(facts, shape, all)).collect();
        let sliced: Vec<_> =
            sliced.into_iter().flat_map(|(shape, all)| SlicedPatterns::all(facts, shape, all)).collect();
        let sliced_lengths = sliced.iter().flat_map(|launch| &launch.patterns).map(|pattern| pattern.rows + pattern.k);
        let ranges = group_codes.ranges().filter(|&(_, last, _)| last >= 0x80);
        CodeGroup {
            codes_of_bytes: (0..=u8::MAX).map(|byte| group_codes.code_of_byte(byte)).collect(),
            ranges: ranges.map(|(first, last, code)| CodeRange { first, last, code: u32::from(code) }).collect(),
            planes: ((usize::BITS - (codes - 1).leading_zeros()) as usize).max(2),
            seeds,
            sliced_max_match_len: sliced_lengths.max().unwrap_or(0) as usize,
            sliced,
            banded_words: BandedPatterns::in_words(set, group_codes, &banded),
            banded,
            words: words.into_values().collect(),
            automata: Vec::new(),
            filtered: patterns.iter().copied().filter(|&id| group_codes.are_shared_in(&set.patterns()[id])).collect(),
            traces,
        }
    }
}

/// The classes of a group of patterns that have few enough codes together, and the indices of the patterns in the
/// pattern set.
type ExactCodesGroup = (Arc<Classes>, Vec<usize>);

/// Returns whether a search in shared codes is a good filter for a pattern.
fn suits_shared_codes(pattern: &Pattern) -> bool {
    let rows = pattern.symbols().len();
    rows <= SLICED_ROWS && rows >= MIN_FILTERED + pattern.k()
}

/// Divides patterns by halving until each group has at most [`SLICED_CODES`] codes. A group of one pattern may have up
/// to [`BYTE_CODES`] codes.
fn divide(set: &PatternSet, patterns: &[usize]) -> Result<Vec<ExactCodesGroup>, EngineError> {
    let mut groups = Vec::new();
    let mut open: Vec<&[usize]> = vec![patterns];
    while let Some(patterns) = open.pop() {
        let classes = Classes::for_patterns(set.alphabet(), patterns.iter().map(|&index| &set.patterns()[index]));
        match (classes, patterns.len()) {
            (_, 0) => {}
            (Ok(classes), _) if classes.count() <= SLICED_CODES => groups.push((Arc::new(classes), patterns.to_vec())),
            (Ok(classes), 1) if classes.count() <= BYTE_CODES => groups.push((Arc::new(classes), patterns.to_vec())),
            (Ok(classes), 1) => {
                return Err(EngineError::TooManyClasses { classes: classes.count(), max: BYTE_CODES });
            }
            (Err(error), 1) => return Err(error),
            (_, count) => open.extend(patterns.chunks(count.div_ceil(2)).rev()),
        }
    }
    Ok(groups)
}

/// The division of a pattern's rows into bands, in a bit-sliced kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KernelShape {
    /// The number of bands; 1 for `sliced.cu`.
    bands: usize,
    /// Maximum number of rows per band for the module.
    rows: usize,
}

impl KernelShape {
    /// Returns the shape of a pattern, and the pattern as codes. `id` is its index in the pattern set. Returns `None`
    /// if the pattern is too long, has too many codes or unions, or needs too much shared memory.
    fn of(facts: &Facts, codes: &GroupCodes, id: usize, pattern: &Pattern) -> Option<(Self, CodedPattern)> {
        let coded = coded_pattern(codes, id, pattern)?;
        let bands = coded.rows.len().div_ceil(SLICED_ROWS);
        let modules = if bands == 1 { &SLICED[..] } else { &BANDS[..] };
        let &(rows, _) = modules.iter().find(|(rows, _)| coded.rows.len() <= bands * rows)?;
        let shape = KernelShape { bands, rows };
        let is_possible = coded.rows.len() <= BANDED_ROWS
            && SlotGroups::best(facts, shape.column(), slice::from_ref(&coded)).is_some();
        is_possible.then_some((shape, coded))
    }

    fn column(self) -> BitslicedColumn {
        match self.bands {
            1 => BitslicedColumn::sliced(self.rows),
            _ => BitslicedColumn::banded(self.rows),
        }
    }

    fn module(self) -> Module {
        let modules = if self.bands == 1 { &SLICED[..] } else { &BANDS[..] };
        modules.iter().find(|(rows, _)| *rows == self.rows).expect("every shape has a module").1
    }

    /// Divides patterns into launches. `classes` maps each slot class to its patterns.
    fn launches(self, facts: &Facts, classes: BTreeMap<usize, Vec<CodedPattern>>) -> Vec<SlotGroups> {
        SlotGroups::of_launches(facts, self.column(), classes.into_values().collect())
    }
}

impl SlicedPatterns {
    fn all(facts: &Facts, shape: KernelShape, classes: BTreeMap<usize, Vec<CodedPattern>>) -> Vec<SlicedPatterns> {
        let (module, column) = (shape.module(), shape.column());
        let launch = |groups: SlotGroups| {
            let patterns = groups.with_slots(sliced_pattern);
            SlicedPatterns { module, column, block: groups.block, slots: groups.slots, patterns }
        };
        shape.launches(facts, classes).into_iter().map(launch).collect()
    }
}

impl BandedPatterns {
    fn all(facts: &Facts, shape: KernelShape, classes: BTreeMap<usize, Vec<CodedPattern>>) -> Vec<BandedPatterns> {
        let launch = |groups: SlotGroups| {
            let max_match_len = groups.patterns.iter().map(|pattern| pattern.rows.len() + pattern.k).max().unwrap_or(0);
            let (column, block, patterns) = (shape.column(), groups.block, groups.patterns.len());
            let work = BandWork { column, block, bands: shape.bands, patterns, max_match_len };
            let patterns = groups.with_slots(banded_pattern);
            let parts = AtomicUsize::new(0);
            BandedPatterns { module: shape.module(), work, slots: groups.slots, patterns, parts }
        };
        shape.launches(facts, classes).into_iter().map(launch).collect()
    }

    /// Makes tables for the word kernel of all banded patterns; `None` if there are none.
    fn in_words(set: &PatternSet, codes: &GroupCodes, launches: &[BandedPatterns]) -> Option<WordPatterns> {
        let patterns = launches.iter().flat_map(|launch| &launch.patterns).map(|pattern| pattern.id as usize);
        let mut tables = WordPatterns::new(1, 1, codes.count());
        patterns.for_each(|id| tables.add(codes, id, &set.patterns()[id]));
        (!tables.patterns.is_empty()).then_some(tables)
    }
}

/// Returns a pattern with the codes of its rows; `None` if there are too many codes for bit-slicing.
fn coded_pattern(codes: &GroupCodes, id: usize, pattern: &Pattern) -> Option<CodedPattern> {
    if codes.count() > SLICED_CODES {
        return None;
    }
    let bits = |set: &SymbolSet| codes.codes_of(set).fold(0, |bits, code| bits | 1 << code);
    let rows: Vec<u64> = pattern.symbols().iter().map(bits).collect();
    Some(CodedPattern { id, k: pattern.k(), slots: Slots::of(&rows), rows })
}

/// Builds a pattern for `sliced.cu`.
fn sliced_pattern(pattern: &CodedPattern, table: &SlotTable) -> SlicedPattern {
    SlicedPattern {
        id: pattern.id as u32,
        rows: pattern.rows.len() as u32,
        k: pattern.k as u32,
        unions: table.unions(),
        until: table.until(),
        codes: table.codes(),
        slots: table.slots(&pattern.rows),
        members: table.members(),
    }
}

/// Builds a pattern for `bands.cu`.
fn banded_pattern(pattern: &CodedPattern, table: &SlotTable) -> BandedPattern {
    BandedPattern {
        id: pattern.id as u32,
        rows: pattern.rows.len() as u32,
        k: pattern.k as u32,
        unions: table.unions(),
        until: table.until(),
        codes: table.codes(),
        members: table.members(),
        slots: table.slots(&pattern.rows),
    }
}

impl<M: TableMemory> WordPatterns<M> {
    /// Returns the work of searching for `patterns` of the patterns.
    pub(super) fn work(&self, patterns: usize) -> WordWork {
        let &WordPatterns { words, codes, bands, max_match_len, .. } = self;
        WordWork { words, codes, bands, patterns, max_match_len }
    }

    /// Returns the number of 32-bit equality words per pattern.
    pub(super) fn equal_words(&self) -> usize {
        self.bands * self.codes * self.words * WARP
    }
}

impl WordPatterns {
    fn new(words: usize, bands: usize, codes: usize) -> Self {
        let &(_, module) = WORD.iter().find(|(of_module, _)| *of_module == words).expect("every shape has a module");
        WordPatterns { module, words, bands, codes, max_match_len: 0, patterns: Vec::new(), equal: Vec::new() }
    }

    /// Adds a pattern. Padding rows before its first row fill the first band. They match every code, so they do not
    /// change the distances.
    fn add(&mut self, codes: &GroupCodes, id: usize, pattern: &Pattern) {
        let band_words = self.words * WARP;
        let rows = self.bands * band_words * 32;
        let neutral = rows - pattern.symbols().len();
        let first = self.equal.len();
        self.equal.resize(first + self.equal_words(), 0);
        let table = &mut self.equal[first..];
        let mut set = |row: usize, code: usize| {
            let (band, word) = (row / (band_words * 32), row / 32 % band_words);
            table[(band * self.codes + code) * band_words + word] |= 1 << (row % 32);
        };
        for row in 0..neutral {
            (0..self.codes).for_each(|code| set(row, code));
        }
        for (row, symbols) in (neutral..).zip(pattern.symbols()) {
            codes.codes_of(symbols).for_each(|code| set(row, usize::from(code)));
        }
        let (length, k) = (pattern.symbols().len() as u32, pattern.k() as u32);
        self.max_match_len = self.max_match_len.max(pattern.max_match_len());
        self.patterns.push(WordPattern { id: id as u32, rows: length, k, unused: 0 });
    }
}

impl TracePatterns {
    /// Divides patterns by length among the traceback modules. Leaves out patterns that are too long for all modules
    /// that fit the device, patterns with conditions, and patterns whose hits are not aligned: those that replace one with
    /// exact groups, and those with other edits.
    fn all(facts: &Facts, set: &PatternSet, classes: &Arc<Classes>, patterns: &[usize]) -> Vec<TracePatterns> {
        let mut shorter = 0;
        let fits = |&&(rows, _): &&(usize, Module)| walk_shared_bytes(rows, classes.count()) <= facts.shared_bytes;
        let of_module = QUADRANT.iter().chain(WALK.iter().filter(fits)).map(|&(rows, module)| {
            let is_in = |pattern: &Pattern| {
                let is_aligned =
                    pattern.edit_model() == SearchEdits::Levenshtein && pattern.edge_groups() == EdgeGroups::default();
                is_aligned && pattern.is_free() && (shorter + 1..=rows).contains(&pattern.symbols().len())
            };
            let mut tables = TracePatterns::new(module, rows, classes);
            for &index in patterns.iter().filter(|&&index| is_in(&set.patterns()[index])) {
                tables.add(index, &set.patterns()[index]);
            }
            shorter = rows;
            tables
        });
        of_module.filter(|tables| !tables.patterns.is_empty()).collect()
    }

    fn new(module: Module, rows: usize, classes: &Arc<Classes>) -> Self {
        let (patterns, lengths, equal) = (Vec::new(), Vec::new(), Vec::new());
        TracePatterns { module, rows, classes: classes.clone(), patterns, lengths, equal }
    }

    fn add(&mut self, index: usize, pattern: &Pattern) {
        let words = self.rows / 32;
        let first = self.equal.len();
        self.equal.resize(first + self.classes.count() * words, 0);
        for (row, symbols) in pattern.symbols().iter().enumerate() {
            for &code in self.classes.codes_in(symbols) {
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
    use nigh_pattern::{Groups, MaxEdits, PatternSource, RelaxedDistance};
    use nigh_text::alphabet::Alphabet;

    fn facts(shared_bytes: usize) -> Facts {
        Facts { ordinal: 0, name: String::new(), capability: (7, 5), multiprocessors: 40, shared_bytes }
    }

    fn groups(alphabet: Alphabet, patterns: &[&str], shared_bytes: usize) -> Vec<CodeGroup> {
        let sources: Vec<PatternSource> = patterns.iter().map(|&pattern| PatternSource::new(pattern)).collect();
        let set = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(1)).build(&sources).unwrap();
        CodeGroup::all(&facts(shared_bytes), &set, SeedTables::new(&set, 1)).unwrap()
    }

    #[test]
    fn patterns_of_similar_length_share_a_launch() {
        let groups = groups(Alphabet::Dna, &["ACGT", "ACGTACGTA", "TTTTTTTTTTTT", "ACG"], 64 << 10);
        assert_eq!(groups.len(), 1);
        let launches: Vec<_> =
            groups[0].sliced.iter().map(|of| (of.column.rows, of.patterns.len(), of.slots)).collect();
        assert_eq!(launches, [(4, 2, 4), (12, 2, 4)]);
        assert_eq!((groups[0].planes, groups[0].sliced_max_match_len), (3, 13));
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
    fn many_groups_are_one_with_shared_codes() {
        let letters: Vec<char> = ('\u{100}'..'\u{300}').collect();
        let mut patterns: Vec<String> = letters.chunks(8).map(|letters| letters.iter().collect()).collect();
        // These patterns are too short to be filtered.
        patterns.push("\u{100}\u{101}\u{102}".into());
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let groups = groups(Alphabet::Text, &patterns, 227 << 10);
        assert_eq!(groups.len(), 2);
        let sliced = |group: &CodeGroup| group.sliced.iter().map(|of| of.patterns.len()).sum::<usize>();
        assert_eq!((sliced(&groups[0]), groups[0].filtered.len(), groups[0].planes), (64, 64, 6));
        assert_eq!((sliced(&groups[1]), groups[1].filtered.len()), (1, 0));
        // A traceback needs exact codes.
        let traced: Vec<usize> = groups.iter().flat_map(|of| &of.traces).flat_map(|of| of.patterns.clone()).collect();
        assert_eq!(traced, [64]);
    }

    #[test]
    fn longer_patterns_are_in_bands_of_nearly_as_many_rows() {
        let pattern = "ACGTTGCAAGGC".repeat(90);
        let patterns: Vec<&str> = [65, 80, 81, 128, 129, 1024, 1025].map(|length| &pattern[..length]).to_vec();
        let groups = groups(Alphabet::Dna, &patterns, 227 << 10);
        let group = &groups[0];
        let shapes = group
            .banded
            .iter()
            .map(|of| (of.work.bands, of.work.column.rows, of.patterns.len(), of.work.max_match_len));
        let expected = [(2, 40, 2, 81), (2, 48, 1, 82), (2, 64, 1, 129), (3, 48, 1, 130), (16, 64, 1, 1025)];
        assert_eq!(shapes.collect::<Vec<_>>(), expected);
        let ids = group.banded.iter().flat_map(|of| &of.patterns).map(|pattern| pattern.id);
        let in_words = group.banded_words.as_ref().unwrap();
        assert!(ids.eq(in_words.patterns.iter().map(|pattern| pattern.id)));
        assert_eq!((group.words.len(), group.words[0].patterns[0].id), (1, 6));
    }

    #[test]
    fn hits_are_traced_where_the_pattern_fits() {
        let patterns = [30, 64, 65, 1025, 4097].map(|length| "A".repeat(length));
        let patterns = patterns.each_ref().map(String::as_str);
        let traced = |shared_bytes: usize| {
            let groups = groups(Alphabet::Dna, &patterns, shared_bytes);
            groups[0].traces.iter().map(|of| (of.rows, of.patterns.clone(), of.equal.len())).collect::<Vec<_>>()
        };
        let short = [(32, vec![0], 2), (64, vec![1], 4), (1024, vec![2], 64)];
        assert_eq!(traced(64 << 10), [&short[..], &[(2048, vec![3], 128)]].concat());
        assert_eq!(traced(16 << 10), short, "little shared memory");
    }

    #[test]
    fn hits_of_a_pattern_in_place_of_one_with_exact_groups_are_not_traced() {
        let builder = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(1)).groups(Groups::Exact);
        let set = builder.build(&["ACGTACGTAA<NGG>", "ACGTACGTAA"].map(PatternSource::new)).unwrap();
        let (set, _) = set.widened(RelaxedDistance::WithoutTranspositions).unwrap();
        let groups = CodeGroup::all(&facts(64 << 10), &set, None).unwrap();
        assert_eq!(groups[0].traces.iter().map(|of| of.patterns.clone()).collect::<Vec<_>>(), [[1]]);
    }

    #[test]
    fn rows_before_a_long_pattern_match_everything() {
        let pattern = "AC".repeat(50);
        let groups = groups(Alphabet::Dna, &[&pattern], 64 << 10);
        let words = groups[0].banded_words.as_ref().unwrap();
        assert_eq!((words.words, words.bands, words.max_match_len), (1, 1, 101));
        let ones: Vec<u32> =
            words.equal.chunks(32).map(|of_code| of_code.iter().map(|word| word.count_ones()).sum()).collect();
        assert_eq!(ones, [924, 974, 974], "what no pattern has, A, C");
    }
}
