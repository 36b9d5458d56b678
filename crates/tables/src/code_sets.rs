//! The codes of sets of symbols.

use nigh_verify::encoder::Code;

/// The codes of each distinct symbol set of a pattern. It makes only two allocations, because there may be millions of
/// patterns.
pub struct CodeSets {
    codes: Box<[u16]>,
    /// The index in `codes` just past the codes of each set.
    ends: Box<[u32]>,
}

impl CodeSets {
    pub fn new(sets: &[&[Code]]) -> Self {
        let ends = sets.iter().scan(0, |end, set| {
            *end += set.len() as u32;
            Some(*end)
        });
        CodeSets { ends: ends.collect(), codes: sets.concat().into() }
    }

    pub fn count(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u16]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.codes[start as usize..end as usize])
    }
}
