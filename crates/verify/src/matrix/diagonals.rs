//! The symbols of a pattern and of a text that match, by the diagonals of their matrix.

use smallvec::SmallVec;

use super::problem::MatrixProblem;

/// The number of bits of a word.
const BITS: usize = u64::BITS as usize;

/// For each diagonal that was read, the rows whose symbols match the text. A bit is a row.
#[derive(Default)]
pub(super) struct Diagonals {
    /// The number of words of the rows.
    words: usize,
    /// For each diagonal that was read, its words: the rows whose next symbol is that of the text, then the rows whose next
    /// two symbols are those of the text swapped, if a transposition is one edit.
    rows: Vec<u64>,
    /// The index in `rows` of the words of each diagonal; `None` if it was not read. Differences of 0 and up come at even
    /// places, and negative ones at odd places.
    read: SmallVec<[Option<usize>; 16]>,
    /// The rows whose next symbol may be edited.
    free: SmallVec<[u64; 1]>,
    /// The rows at which a text symbol may be inserted.
    insertable: SmallVec<[u64; 1]>,
}

impl Diagonals {
    /// Begins a problem.
    pub(super) fn begin(&mut self, problem: &MatrixProblem<'_>) {
        let (length, constraints) = (problem.symbols.len(), problem.constraints);
        self.words = problem.words();
        self.rows.clear();
        self.read.clear();
        self.free.clear();
        self.insertable.clear();
        for word in 0..self.words {
            self.free.push(first_rows(length as isize, word));
            self.insertable.push(first_rows(length as isize + 1, word));
        }
        if constraints.has_groups() {
            for row in 0..length {
                // The symbol after the row, and the one before it in the direction of the reading.
                let next = length - row - 1;
                if constraints.is_locked(next) {
                    self.free[row / BITS] &= !(1 << (row % BITS));
                }
                if row > 0 && constraints.is_joined(next + 1) {
                    self.insertable[row / BITS] &= !(1 << (row % BITS));
                }
            }
        }
    }

    /// Returns the rows of a word whose next symbol may be edited.
    #[inline]
    pub(super) fn free(&self, word: usize) -> u64 {
        self.free[word]
    }

    /// Returns the rows of a word at which a text symbol may be inserted.
    #[inline]
    pub(super) fn insertable(&self, word: usize) -> u64 {
        self.insertable[word]
    }

    /// Returns the diagonal of a difference between insertions and deletions, which was read before.
    #[inline]
    pub(super) fn known(&self, difference: isize) -> usize {
        self.read[place(difference)].expect("the diagonal was read")
    }

    /// Reads the diagonal of a difference between insertions and deletions, unless it was read before.
    #[inline]
    pub(super) fn read(&mut self, problem: &MatrixProblem<'_>, difference: isize) -> usize {
        let place = place(difference);
        match self.read.get(place) {
            Some(&Some(known)) => known,
            _ => {
                self.read.resize(self.read.len().max(place + 1), None);
                self.read[place] = Some(self.rows.len());
                self.add(problem, difference)
            }
        }
    }

    fn add(&mut self, problem: &MatrixProblem<'_>, difference: isize) -> usize {
        let (symbols, text, first) = (problem.symbols, problem.backward, self.rows.len());
        let rows = difference.min(0).unsigned_abs()..symbols.len().min(text.len().saturating_add_signed(-difference));
        let has_swaps = problem.constraints.has_transpositions();
        self.rows.resize(first + self.words * if has_swaps { 2 } else { 1 }, 0);
        if rows.is_empty() {
            return first;
        }
        let text = &text[rows.start.wrapping_add_signed(difference)..][..rows.len()];
        let mut at = rows.start;
        while at < rows.end {
            let end = rows.end.min((at / BITS + 1) * BITS);
            // The symbols of the pattern in the direction of the reading.
            let pattern = symbols[symbols.len() - end..symbols.len() - at].iter().rev();
            let pairs = pattern.zip(&text[at - rows.start..end - rows.start]);
            let is_equal = pairs.map(|(set, placed)| u64::from(set.contains(placed.symbol)));
            self.rows[first + at / BITS] =
                is_equal.enumerate().fold(0, |bits, (nth, bit)| bits | bit << nth) << (at % BITS);
            at = end;
        }
        if has_swaps {
            let free = |row: usize| self.free[row / BITS] >> (row % BITS) & 1 == 1;
            for (row, pair) in rows.zip(text.windows(2)) {
                let Some(second) = symbols.len().checked_sub(row + 2) else { break };
                let is_swapped =
                    symbols[second].contains(pair[0].symbol) && symbols[second + 1].contains(pair[1].symbol);
                if is_swapped && free(row) && free(row + 1) {
                    self.rows[first + self.words + row / BITS] |= 1 << (row % BITS);
                }
            }
        }
        first
    }

    /// Returns the rows of a word whose next symbol is that of the text.
    #[inline]
    pub(super) fn matches(&self, diagonal: usize, word: usize) -> u64 {
        self.rows[diagonal + word]
    }

    /// Returns the rows of a word whose next two symbols may be edited and are those of the text, swapped. The constraints
    /// must have transpositions.
    #[inline]
    pub(super) fn swaps(&self, diagonal: usize, word: usize) -> u64 {
        self.rows[diagonal + self.words + word]
    }
}

/// Returns the place of a difference.
fn place(difference: isize) -> usize {
    2 * difference.unsigned_abs() - usize::from(difference < 0)
}

/// Returns the rows of a word that are below `count`.
#[inline]
pub(super) fn first_rows(count: isize, word: usize) -> u64 {
    let count = count - (word * BITS) as isize;
    match count {
        ..=0 => 0,
        64.. => !0,
        _ => (1 << count) - 1,
    }
}
