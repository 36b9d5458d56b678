//! Searches short windows of text for whole patterns, four windows at a time.
//!
//! Each step of Myers' recurrence depends on the one before it. Four independent windows keep the processor busy.

use crate::myers::{Block, BlockPattern, ROWS};
use crate::recurrence::{CellRecurrence, IndelEdits, LevenshteinEdits, StringAlignmentEdits};
use nigh_text::alignment::SearchEdits;
use nigh_verify::encoder::{BREAK, Code};

/// The number of windows searched at a time.
const LANES: usize = 4;
/// The largest number of symbols in a window: those of the longest match of a pattern of one block, plus k before it.
pub(crate) const MAX_WINDOW: usize = 3 * ROWS;

/// A window of text to search for one pattern of at most [`ROWS`] symbols.
#[derive(Clone)]
pub(crate) struct CandidateWindow {
    pattern: usize,
    /// The position of the first symbol of the window: an offset or a symbol index, as the caller chooses.
    first: usize,
    length: usize,
    codes: [Code; MAX_WINDOW],
}

/// The pattern to search a window for, and the position at which the window begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowPlace {
    /// Index of the pattern.
    pub(crate) pattern: usize,
    /// The position of the first symbol of the window: an offset or a symbol index, as the caller chooses.
    pub(crate) first: usize,
}

/// A hit in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WindowHit {
    /// Index of the pattern.
    pub(crate) pattern: usize,
    /// The position of the last symbol of the match, in the unit of [`WindowPlace::first`].
    pub(crate) last: usize,
    pub(crate) distance: usize,
}

/// Windows collected until there are [`LANES`] of them.
pub(crate) struct CandidateWindows {
    windows: Box<[CandidateWindow; LANES]>,
    filled: usize,
    /// The edit model of the patterns of all collected windows.
    edit_model: SearchEdits,
}

impl CandidateWindows {
    pub(crate) fn new() -> Self {
        let none = CandidateWindow { pattern: 0, first: 0, length: 0, codes: [BREAK; MAX_WINDOW] };
        CandidateWindows {
            windows: Box::new(std::array::from_fn(|_| none.clone())),
            filled: 0,
            edit_model: SearchEdits::Levenshtein,
        }
    }

    /// Adds a window at `place`. `fill` writes the codes of the window and returns their number. Searches the collected
    /// windows once there are [`LANES`] of them, or if their patterns have another edit model.
    #[inline]
    pub(crate) fn add(
        &mut self,
        patterns: &[BlockPattern],
        place: WindowPlace,
        fill: impl FnOnce(&mut [Code; MAX_WINDOW]) -> usize,
        found: &mut Vec<WindowHit>,
    ) {
        let edit_model = patterns[place.pattern].edit_model();
        if edit_model != self.edit_model {
            self.search(patterns, found);
            self.edit_model = edit_model;
        }
        let window = &mut self.windows[self.filled];
        window.length = fill(&mut window.codes);
        window.pattern = place.pattern;
        window.first = place.first;
        self.filled += 1;
        if self.filled == LANES {
            self.search(patterns, found);
        }
    }

    /// Searches the collected windows. Distances are the least among matches that begin inside the window.
    #[inline(never)]
    pub(crate) fn search(&mut self, patterns: &[BlockPattern], found: &mut Vec<WindowHit>) {
        match self.edit_model {
            SearchEdits::Levenshtein => self.search_edits::<LevenshteinEdits>(patterns, found),
            SearchEdits::Indel => self.search_edits::<IndelEdits>(patterns, found),
            SearchEdits::StringAlignment => self.search_edits::<StringAlignmentEdits>(patterns, found),
        }
    }

    #[inline(always)]
    fn search_edits<R: CellRecurrence>(&mut self, patterns: &[BlockPattern], found: &mut Vec<WindowHit>) {
        // Unused windows have no symbols.
        self.windows[self.filled..].iter_mut().for_each(|window| window.length = 0);
        self.filled = 0;
        let steps = self.windows.iter().map(|window| window.length).max().unwrap_or(0);
        for window in self.windows.iter_mut() {
            window.codes[window.length..steps].fill(BREAK);
        }
        let windows = self.windows.each_ref();
        let patterns = windows.map(|window| &patterns[window.pattern]);
        let mut blocks = patterns.map(Block::initial_single);
        for step in 0..steps {
            let mut within = false;
            for at in 0..LANES {
                blocks[at] = blocks[at].advance_single::<R>(patterns[at], windows[at].codes[step]);
                within |= blocks[at].last <= patterns[at].k();
            }
            if within {
                for at in (0..LANES).filter(|&at| blocks[at].last <= patterns[at].k()) {
                    let CandidateWindow { pattern, first, .. } = *windows[at];
                    found.push(WindowHit { pattern, last: first + step, distance: blocks[at].last });
                }
            }
        }
    }
}
