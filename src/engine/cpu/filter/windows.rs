//! Searches short windows of text for whole patterns, four windows at a time.
//!
//! Each step of Myers' recurrence depends on the one before it. Four independent windows keep the processor busy.

use crate::engine::cpu::myers::{BlockPattern, ROWS, Word};
use crate::engine::encoder::{BREAK, Code};

/// Windows searched at a time.
const AT_ONCE: usize = 4;
/// The largest number of symbols in a window: the longest match of a pattern of one block, and k symbols before it.
pub(crate) const MAX_WINDOW: usize = 3 * ROWS;

/// A window of text to search for one pattern of at most [`ROWS`] symbols.
#[derive(Clone)]
pub(crate) struct Window {
    pattern: usize,
    /// The position of the first symbol, as the caller counts.
    first: usize,
    length: usize,
    codes: [Code; MAX_WINDOW],
}

/// A hit in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WindowHit {
    /// Index of the pattern.
    pub(crate) pattern: usize,
    /// The position of its last symbol, as the caller counts.
    pub(crate) last: usize,
    pub(crate) distance: usize,
}

/// Windows collected until there are [`AT_ONCE`] of them.
pub(crate) struct Windows {
    windows: Box<[Window; AT_ONCE]>,
    filled: usize,
}

impl Windows {
    pub(crate) fn new() -> Self {
        let none = Window { pattern: 0, first: 0, length: 0, codes: [BREAK; MAX_WINDOW] };
        Windows { windows: Box::new(std::array::from_fn(|_| none.clone())), filled: 0 }
    }

    /// Adds a window that begins at `first`. `fill` writes its codes and returns their number. Searches the collected
    /// windows once there are enough.
    #[inline]
    pub(crate) fn add(
        &mut self,
        (patterns, pattern): (&[BlockPattern], usize),
        first: usize,
        fill: impl FnOnce(&mut [Code; MAX_WINDOW]) -> usize,
        found: &mut Vec<WindowHit>,
    ) {
        let window = &mut self.windows[self.filled];
        window.length = fill(&mut window.codes);
        window.pattern = pattern;
        window.first = first;
        self.filled += 1;
        if self.filled == AT_ONCE {
            self.search(patterns, found);
        }
    }

    /// Searches the collected windows. Distances are the least among matches that begin inside the window.
    #[inline(never)]
    pub(crate) fn search(&mut self, patterns: &[BlockPattern], found: &mut Vec<WindowHit>) {
        // Unused windows have no symbols.
        self.windows[self.filled..].iter_mut().for_each(|window| window.length = 0);
        self.filled = 0;
        let steps = self.windows.iter().map(|window| window.length).max().unwrap_or(0);
        for window in self.windows.iter_mut() {
            window.codes[window.length..steps].fill(BREAK);
        }
        let windows = self.windows.each_ref();
        let patterns = windows.map(|window| &patterns[window.pattern]);
        let mut blocks = patterns.map(Word::start_alone);
        for step in 0..steps {
            let mut within = false;
            for at in 0..AT_ONCE {
                blocks[at] = blocks[at].advance_alone(patterns[at], windows[at].codes[step]);
                within |= blocks[at].last <= patterns[at].k();
            }
            if within {
                for at in (0..AT_ONCE).filter(|&at| blocks[at].last <= patterns[at].k()) {
                    let Window { pattern, first, .. } = *windows[at];
                    found.push(WindowHit { pattern, last: first + step, distance: blocks[at].last });
                }
            }
        }
    }
}
