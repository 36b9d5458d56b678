//! Scans sections of batches by block-based Myers: chunk by chunk, and one pattern after the other in each chunk. A single
//! word without edits is searched for as bytes.

use std::ops::ControlFlow;

use memchr::memmem;

use super::Column;
use crate::compiled::Compiled;
use crate::sections::BatchSection;
use nigh_pattern::{PatternSet, SymbolSet};
use nigh_text::hit::{Hit, HitSink};
use nigh_text::interrupt;
use nigh_verify::distance::verify_unless_free;
use nigh_verify::encoder::{Chunk, Encoder};

/// The number of hits of all patterns that one chunk should not exceed, which bounds memory. [`MIN_CHUNK`] takes
/// precedence.
const CHUNK_HITS: usize = 1 << 16;
/// Minimum chunk length in bytes: in shorter chunks, switching between patterns costs more than scanning.
const MIN_CHUNK: usize = 1 << 10;

/// Scans batches for compiled patterns, and owns the buffers for it.
pub(crate) struct BlockScanner<'a> {
    compiled: &'a Compiled,
    /// One column per pattern; empty until the first batch arrives.
    columns: Vec<Column>,
    chunk: Chunk,
    hits: Vec<Hit>,
    /// The only pattern, if it is a word without edits.
    word: Option<memmem::Finder<'static>>,
}

impl<'a> BlockScanner<'a> {
    /// Makes a scanner for compiled patterns.
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        let word = only_word(&compiled.patterns);
        BlockScanner { compiled, columns: Vec::new(), chunk: Chunk::default(), hits: Vec::new(), word }
    }

    /// Passes every hit of the section to the sink, as [`Scanner::scan`](nigh_verify::Scanner::scan) does.
    pub(crate) fn scan(&mut self, section: &BatchSection<'_>, hits: &mut dyn HitSink) -> ControlFlow<()> {
        if let Some(word) = &self.word {
            return scan_word(word, &self.compiled.patterns, section, hits);
        }
        if self.columns.is_empty() {
            self.columns.extend(self.compiled.blocks.iter().map(Column::new));
        }
        for (column, pattern) in self.columns.iter_mut().zip(self.compiled.blocks.iter()) {
            column.reset(pattern);
        }
        let max_bytes = (CHUNK_HITS / self.columns.len().max(1)).max(MIN_CHUNK);
        let mut encoder =
            Encoder::within(&self.compiled.classes, section.batch, section.text()).with_max_bytes(max_bytes);
        while encoder.next_chunk(&mut self.chunk) {
            self.scan_chunk(section);
            if !self.hits.is_empty() {
                hits.accept(&self.hits)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn scan_chunk(&mut self, section: &BatchSection<'_>) {
        self.hits.clear();
        let chunk = &self.chunk;
        for (index, (column, blocks)) in self.columns.iter_mut().zip(self.compiled.blocks.iter()).enumerate() {
            interrupt::check();
            let found = &mut self.hits;
            column.scan(blocks, chunk.codes(), |at, distance| {
                let end = chunk.end(at);
                if section.owns(end) {
                    found.push(Hit { end, pattern: index, distance, start: None });
                }
            });
        }
        // The hits form one or two ascending runs per pattern, which a stable sort merges fast.
        self.hits.sort();
        verify(&self.compiled.patterns, section, &mut self.hits);
    }
}

/// Passes the occurrences of a word, the only pattern of a set, to the sink.
fn scan_word(
    word: &memmem::Finder<'_>,
    set: &PatternSet,
    section: &BatchSection<'_>,
    hits: &mut dyn HitSink,
) -> ControlFlow<()> {
    // A match lies in one line.
    if section.batch.terminator().is_some_and(|terminator| word.needle().contains(&terminator)) {
        return ControlFlow::Continue(());
    }
    let mut deliver_verified = |found: &mut Vec<Hit>| {
        verify(set, section, found);
        let flow = if found.is_empty() { ControlFlow::Continue(()) } else { hits.accept(found) };
        found.clear();
        flow
    };
    let (text, mut found) = (section.text(), Vec::new());
    let mut start = text.start;
    while let Some(before) = word.find(&section.bytes()[start..text.end]) {
        interrupt::check_at(found.len());
        let end = start + before + word.needle().len();
        if section.owns(end) {
            found.push(Hit { end, pattern: 0, distance: 0, start: None });
        }
        if found.len() >= CHUNK_HITS {
            deliver_verified(&mut found)?;
        }
        // Occurrences may overlap.
        start += before + 1;
    }
    deliver_verified(&mut found)
}

/// Drops the hits without a match at the edges of their patterns.
fn verify(set: &PatternSet, section: &BatchSection<'_>, hits: &mut Vec<Hit>) {
    if set.has_edges() {
        hits.retain_mut(|hit| {
            let verified = verify_unless_free(set.alphabet(), section.batch, &set.patterns()[hit.pattern], *hit);
            *hit = verified.unwrap_or(*hit);
            verified.is_some()
        });
    }
}

/// Returns the only pattern of a set if it is a word of ASCII characters without edits, so that its occurrences are those of
/// its bytes.
fn only_word(set: &PatternSet) -> Option<memmem::Finder<'static>> {
    let [pattern] = set.patterns() else { return None };
    let is_plain = pattern.k() == 0 && pattern.expression().is_none() && pattern.constraints().is_none();
    if !is_plain || set.alphabet().is_sequence() {
        return None;
    }
    let letter = |set: &SymbolSet| match set.ranges() {
        &[(first, last)] if first == last => u8::try_from(first).ok().filter(u8::is_ascii),
        _ => None,
    };
    let letters: Option<Vec<u8>> = pattern.symbols().iter().map(letter).collect();
    letters.filter(|letters| !letters.is_empty()).map(|letters| memmem::Finder::new(&letters).into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::CpuFinder;
    use nigh_pattern::{MatchExtent, MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;
    use nigh_text::batch::Batch;
    use nigh_verify::Finder;

    #[test]
    fn occurrences_of_a_word_are_those_of_its_bytes() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut found = 0;
        for case in 0..2_000 {
            let (alphabet, other) = *rng.choice(&[(Alphabet::Text, 'é'), (Alphabet::Bytes, '-')]).unwrap();
            let (are_words, terminator) = (rng.bool(), if rng.bool() { b'\n' } else { 0 });
            let word: String = (0..rng.usize(1..4)).map(|_| *rng.choice(&['a', 'b', '\0']).unwrap()).collect();
            let text: String =
                (0..rng.usize(0..60)).map(|_| *rng.choice(&['a', 'b', other, '\n', '\0']).unwrap()).collect();
            let extent = if are_words { MatchExtent::Words } else { MatchExtent::Anything };
            let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(0)).whole(extent);
            let set = Arc::new(builder.build(&[PatternSource::new(word.as_bytes())]).unwrap());
            assert!(only_word(&set).is_some());
            let batch = Batch::of_lines(text.as_bytes(), terminator);
            let mut hits: Vec<Hit> = Vec::new();
            let finder = CpuFinder::new(set, 1).unwrap();
            finder.scanner().unwrap().scan(&batch, &mut hits).unwrap();
            let is_word = |character: char| character.is_alphanumeric();
            let occurs = |&end: &usize| {
                let Some(start) = end.checked_sub(word.len()) else { return false };
                let is_inside =
                    text.as_bytes()[start..end] == *word.as_bytes() && !word.as_bytes().contains(&terminator);
                let is_free = || !text[..start].ends_with(is_word) && !text[end..].starts_with(is_word);
                is_inside && (!are_words || is_free())
            };
            let expected: Vec<usize> = (1..=text.len()).filter(occurs).collect();
            let ends: Vec<usize> = hits.iter().map(|hit| hit.end).collect();
            assert_eq!(ends, expected, "case {case}, {word:?} in {text:?}, {alphabet:?}, {extent:?}");
            found += ends.len();
        }
        assert!(found > 1_000, "{found} hits");
    }
}
