//! The host's tables for the kernels of scored alignment: codes of symbols, tables of scores, strips of a query,
//! and the CIGAR of downloaded edits. `kernels/README.md` describes the layouts.

use crate::pairs::Pair;
use crate::scoring::{Scoring, Substitution};
use nigh_text::alignment::{BackwardRuns, Cigar, Edit};

/// The score of the rows after a query, of the columns after a target, and of the code that no target has.
const PADDING: i8 = i8::MIN;
/// Maximum number of bytes of the scores of a strip (`local.cu`).
const STRIP_BYTES: usize = 65_535;
/// Maximum number of lanes that share a strip: a warp.
const MAX_LANES: usize = 32;
/// Rows of a tile (`score_tiles.cu`).
pub(crate) const TILE_ROWS: usize = 256;
/// Columns of a thread (`score_rows.cu`).
pub(crate) const THREAD_COLUMNS: usize = 8;

/// The string whose scores with each code are in a table. The other string is uploaded as codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TabledString {
    /// The query.
    Query,
    /// The target.
    Target,
}

/// The scores of the symbols of one string, the tabled string, with each code of the other string. Symbols of the other
/// string with the same scores share a code.
pub(crate) struct ScoreCodes<'a> {
    scoring: &'a Scoring,
    tabled: TabledString,
    /// The code of each byte.
    codes: Box<[u8; 256]>,
    /// A representative byte of each code.
    members: Vec<u8>,
}

impl<'a> ScoreCodes<'a> {
    /// Assigns codes for the scores with `string`.
    pub(crate) fn new(scoring: &'a Scoring, tabled: TabledString, string: &[u8]) -> Self {
        let mut codes = Box::new([0; 256]);
        let members = match scoring.substitution() {
            Substitution::Equality { .. } => {
                let mut is_present = [false; 256];
                string.iter().for_each(|&byte| is_present[usize::from(byte)] = true);
                let of_string = |wanted| (0..=u8::MAX).filter(move |&byte| is_present[usize::from(byte)] == wanted);
                // All bytes that are not in the string share code 0.
                let members: Vec<u8> = of_string(false).take(1).chain(of_string(true)).collect();
                for (code, &byte) in (0..=u8::MAX).zip(&members) {
                    codes[usize::from(byte)] = code;
                }
                members
            }
            Substitution::Matrix(matrix) => {
                *codes = *matrix.classes();
                let member = |class| matrix.classes().iter().position(|&other| usize::from(other) == class);
                // A class without bytes has a code that no string contains.
                (0..matrix.class_count()).map(|class| member(class).unwrap_or(0) as u8).collect()
            }
        };
        ScoreCodes { scoring, tabled, codes, members }
    }

    /// Returns the number of codes, at most 256.
    pub(crate) fn count(&self) -> usize {
        self.members.len()
    }

    /// Returns the code of a byte.
    #[inline(always)]
    pub(crate) fn code(&self, byte: u8) -> u8 {
        self.codes[usize::from(byte)]
    }

    /// Returns the score of a symbol of the tabled string with the symbols of a code.
    fn score(&self, symbol: u8, code: usize) -> i8 {
        let member = self.members[code];
        let score = match self.tabled {
            TabledString::Query => self.scoring.score(symbol, member),
            TabledString::Target => self.scoring.score(member, symbol),
        };
        i8::try_from(score).expect("the score of two symbols is a signed byte")
    }

    /// Returns the scores of a strip of a query for `local.cu`, followed by those of the padding.
    pub(crate) fn local_profile(&self, query: &[u8], strip: Strip, first_row: usize) -> Vec<i8> {
        let mut profile = vec![PADDING; (self.count() + 1) * strip.height()];
        for (row, &symbol) in query[first_row..].iter().take(strip.height()).enumerate() {
            let (lane, in_lane) = (row / strip.rows, row % strip.rows);
            for code in 0..self.count() {
                let chunk = code * (strip.rows / 16) + in_lane / 16;
                profile[(chunk * strip.lanes + lane) * 16 + in_lane % 16] = self.score(symbol, code);
            }
        }
        profile
    }

    /// Returns the scores of a query for `score_tiles.cu`.
    pub(crate) fn tile_profile(&self, query: &[u8]) -> Vec<i8> {
        let tiles = query.len().div_ceil(TILE_ROWS);
        let mut profile = vec![PADDING; tiles * TILE_ROWS * self.count()];
        for (row, &symbol) in query.iter().enumerate() {
            for code in 0..self.count() {
                profile[(row / TILE_ROWS * self.count() + code) * TILE_ROWS + row % TILE_ROWS] =
                    self.score(symbol, code);
            }
        }
        profile
    }

    /// Returns the scores of a target for `score_rows.cu`.
    pub(crate) fn row_profile(&self, target: &[u8]) -> Vec<i8> {
        let columns = target.len().next_multiple_of(THREAD_COLUMNS);
        let mut profile = vec![PADDING; columns * self.count()];
        for (code, scores) in profile.chunks_exact_mut(columns.max(1)).enumerate() {
            scores.iter_mut().zip(target).for_each(|(score, &symbol)| *score = self.score(symbol, code));
        }
        profile
    }
}

/// The rows of a query that a group of lanes compares with a target at once (`local.cu`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strip {
    /// Number of rows of a lane, which determines the module.
    pub(crate) rows: usize,
    /// Number of lanes of a group.
    pub(crate) lanes: usize,
}

impl Strip {
    /// Returns the strip with the least work for a query of `query` rows, of the modules with `rows_of_modules` rows
    /// per lane. `target` is the mean length of the targets; `codes` is the number of codes without the padding.
    ///
    /// # Panics
    /// Panics if there is no module, or if there are more than 256 codes.
    pub(crate) fn choose(rows_of_modules: &[usize], query: usize, target: usize, codes: usize) -> Self {
        let lanes = (0..=MAX_LANES.ilog2()).map(|log| 1 << log);
        let strips = rows_of_modules.iter().flat_map(|&rows| lanes.clone().map(move |lanes| Strip { rows, lanes }));
        strips
            .filter(|strip| strip.height() * (codes + 1) <= STRIP_BYTES)
            .min_by_key(|strip| strip.work(query, target))
            .expect("a strip of one lane has room for the scores of 256 codes")
    }

    /// Returns the number of rows.
    pub(crate) fn height(self) -> usize {
        self.rows * self.lanes
    }

    /// Returns the approximate number of instructions of a group for a target. A lane takes about 8 for a row and 40
    /// for a column, and the last lane starts `lanes - 1` columns after the first. A column of a border takes as long
    /// as 1000 instructions.
    fn work(self, query: usize, target: usize) -> usize {
        let strips = query.div_ceil(self.height()).max(1);
        strips * self.lanes * (8 * self.rows + 40) * (target + self.lanes - 1) + (strips - 1) * 1000 * target
    }
}

/// Returns the largest score that `local_halves` reports. A target with a higher one needs `local_words`. It may be
/// negative: then 16 bits never suffice.
pub(crate) fn max_half_score(scoring: &Scoring) -> i32 {
    let gaps = scoring.gaps();
    i32::from(i16::MAX) - scoring.max_score().max(0) - gaps.open - gaps.extend
}

/// Returns the CIGAR of the first `count` edits in `words`, which a kernel wrote last to first. The alignment ends at
/// the end of both strings of `pair`.
pub(crate) fn cigar(words: &[u32], count: usize, pair: Pair<'_>) -> Cigar {
    let (mut row, mut column) = (pair.query.len(), pair.target.len());
    let mut runs = BackwardRuns::default();
    for at in 0..count {
        let edit = match words[at / 16] >> (at % 16 * 2) & 3 {
            2 => Edit::PatternOnly,
            3 => Edit::TextOnly,
            _ if pair.query[row - 1] == pair.target[column - 1] => Edit::Match,
            _ => Edit::Substitution,
        };
        row -= usize::from(edit != Edit::TextOnly);
        column -= usize::from(edit != Edit::PatternOnly);
        runs.push(1, edit);
    }
    runs.cigar()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, SubstitutionMatrix};

    fn equality() -> Scoring {
        Scoring::new(Substitution::Equality { equal: 2, different: -3 }, GapCosts { open: 5, extend: 1 }).unwrap()
    }

    /// Returns a matrix of three classes, which is not symmetric.
    fn matrix() -> Scoring {
        let classes = Box::new(std::array::from_fn(|byte| (byte % 3) as u8));
        let matrix = SubstitutionMatrix::new(classes, [1, 2, 3, 4, 5, 6, 7, 8, 9].into());
        Scoring::new(Substitution::Matrix(matrix), GapCosts { open: 0, extend: 1 }).unwrap()
    }

    #[test]
    fn codes_have_the_scores_of_their_symbols() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        for scoring in [equality(), matrix()] {
            for string in [&b"ACGTA"[..], b"", &all] {
                let (of_query, of_target) = (TabledString::Query, TabledString::Target);
                let [query, target] = [of_query, of_target].map(|tabled| ScoreCodes::new(&scoring, tabled, string));
                for (&symbol, &byte) in string.iter().flat_map(|symbol| all.iter().map(move |byte| (symbol, byte))) {
                    let score = query.score(symbol, usize::from(query.code(byte)));
                    assert_eq!(i32::from(score), scoring.score(symbol, byte));
                    let score = target.score(symbol, usize::from(target.code(byte)));
                    assert_eq!(i32::from(score), scoring.score(byte, symbol));
                }
            }
        }
    }

    #[test]
    fn tables_have_each_score_in_its_place() {
        let scoring = equality();
        let query: Vec<u8> = (0..700).map(|at| b"ACGT"[at * at / 3 % 4]).collect();
        let codes = ScoreCodes::new(&scoring, TabledString::Query, &query);
        let strip = Strip { rows: 32, lanes: 4 };
        let local = codes.local_profile(&query, strip, 640);
        let (tiles, rows) = (codes.tile_profile(&query), codes.row_profile(&query));
        for (at, &symbol) in query.iter().enumerate() {
            for code in 0..codes.count() {
                let score = codes.score(symbol, code);
                assert_eq!(tiles[(at / 256 * codes.count() + code) * 256 + at % 256], score);
                assert_eq!(rows[code * 704 + at], score);
                if let Some(row) = at.checked_sub(640) {
                    let (lane, chunk) = (row / 32, row % 32 / 16);
                    assert_eq!(local[((code * 2 + chunk) * 4 + lane) * 16 + row % 16], score);
                }
            }
        }
        let padded = local.iter().filter(|&&score| score == PADDING).count();
        assert_eq!(padded, 128 + codes.count() * (128 - 60));
    }

    #[test]
    fn strips_fit_the_query_and_the_shared_memory() {
        let choose = |query, codes| Strip::choose(&[16, 32, 48], query, 360, codes);
        assert_eq!(choose(1024, 24), Strip { rows: 32, lanes: 32 });
        assert_eq!(choose(768, 24), Strip { rows: 48, lanes: 16 });
        assert_eq!(choose(10, 24), Strip { rows: 16, lanes: 1 });
        for query in [0, 1, 100, 5000] {
            let strip = choose(query, 256);
            assert!(strip.height() * 257 <= STRIP_BYTES, "{strip:?}");
        }
    }

    #[test]
    fn edits_become_a_cigar() {
        let word = |edits: [u32; 5]| edits.into_iter().rev().fold(0, |word, edit| word << 2 | edit);
        let pair = Pair { query: b"ACGT", target: b"AGTT" };
        assert_eq!(cigar(&[word([3, 0, 0, 2, 0])], 5, pair).to_string(), "1=1I2=1D");
        assert_eq!(cigar(&[0], 4, pair).to_string(), "1=2X1=");
        assert_eq!(cigar(&[], 0, pair).to_string(), "");
    }
}
