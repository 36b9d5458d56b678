//! Encodes symbols as dense codes. Symbols that no pattern distinguishes share a code.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::EngineError;
use nigh_pattern::{Pattern, PatternSet, SymbolSet};
use nigh_text::alphabet::{Alphabet, Symbol, count_residues, is_residue};
use nigh_text::batch::Batch;
use nigh_text::text::{first_character, symbol_boundary, symbols};

/// The code of a class of symbols. Codes of classes that some pattern matches are 1, 2, 3, ...
pub type Code = u16;

/// The class of all symbols that no pattern matches.
pub const OTHER: Code = 0;
/// The end of a line or record, which no match crosses. Not the code of a class.
pub const BREAK: Code = Code::MAX - 1;
/// A byte of a sequence file that is not a residue. Not the code of a class.
const BLANK: Code = Code::MAX;

/// The largest number of classes with a code, not counting [`OTHER`].
const MAX_CLASSES: usize = BREAK as usize - 1;

/// The largest number of bytes encoded at a time. The codes of a chunk stay in the L2 cache.
const CHUNK_BYTES: usize = 32 << 10;

/// The number of symbol sets in the fast list: enough for all sets of bases.
const FEW_SETS: usize = 16;

/// The classes of symbols that a pattern set distinguishes, and their codes.
pub struct Classes {
    alphabet: Alphabet,
    /// The code of each byte as a symbol by itself; [`BLANK`] for bytes of sequences that are not residues.
    byte_codes: [Code; 256],
    /// The ranges of symbols that some pattern matches, ascending: first symbol, last symbol, code.
    ranges: Vec<(Symbol, Symbol, Code)>,
    /// For each symbol set of the patterns, the codes of its classes.
    codes_by_set: HashMap<SymbolSet, Vec<Code>>,
    /// The codes of the first sets, at most [`FEW_SETS`], in a list that is searched faster.
    few_sets: Vec<(SymbolSet, Vec<Code>)>,
    count: usize,
}

impl Classes {
    pub fn new(patterns: &PatternSet) -> Result<Self, EngineError> {
        Classes::for_patterns(patterns.alphabet(), patterns.patterns().iter())
    }

    /// Computes the classes of symbols that `patterns` distinguish.
    pub fn for_patterns<'a>(
        alphabet: Alphabet,
        patterns: impl Iterator<Item = &'a Pattern>,
    ) -> Result<Self, EngineError> {
        Classes::for_sets(alphabet, patterns.flat_map(Pattern::sets))
    }

    /// Computes the classes of symbols that `sets` distinguish.
    pub fn for_sets<'a>(alphabet: Alphabet, sets: impl Iterator<Item = &'a SymbolSet>) -> Result<Self, EngineError> {
        let mut ids: HashMap<&SymbolSet, usize> = HashMap::new();
        let mut first: Vec<&SymbolSet> = Vec::new();
        for set in sets {
            if first.iter().any(|known| known.is_same(set)) {
                continue;
            }
            let next = ids.len();
            ids.entry(set).or_insert(next);
            if first.len() < FEW_SETS {
                first.push(set);
            }
        }
        let mut classes = Classes {
            alphabet,
            byte_codes: [OTHER; 256],
            ranges: Vec::new(),
            codes_by_set: HashMap::new(),
            few_sets: Vec::new(),
            count: 0,
        };
        let mut members = classes.divide(&ids)?;
        classes.put_single_residues_first(&mut members);
        classes.codes_by_set = ids.into_iter().map(|(set, id)| (set.clone(), members[id].clone())).collect();
        let few = classes.codes_by_set.iter().take(FEW_SETS);
        classes.few_sets = few.map(|(set, codes)| (set.clone(), codes.clone())).collect();
        for byte in 0..=u8::MAX {
            classes.byte_codes[usize::from(byte)] = if classes.alphabet.is_sequence() && !is_residue(byte) {
                BLANK
            } else {
                classes.code(classes.alphabet.symbol_of_byte(byte))
            };
        }
        Ok(classes)
    }

    /// Divides all symbols into the coarsest classes such that every set is a union of classes. Returns the codes of
    /// each set, indexed by the id that `ids` gives the set.
    fn divide(&mut self, ids: &HashMap<&SymbolSet, usize>) -> Result<Vec<Vec<Code>>, EngineError> {
        // Sweep line: at each border a range of one set begins or ends, so all symbols between two neighbouring borders
        // are in the same sets.
        let mut borders: Vec<(Symbol, usize)> = Vec::new();
        for (set, &id) in ids {
            borders.extend(set.ranges().iter().flat_map(|&(first, last)| [(first, id), (last + 1, id)]));
        }
        borders.sort_unstable();
        let mut members = vec![Vec::new(); ids.len()];
        let mut codes: HashMap<Vec<usize>, Code> = HashMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (index, &(symbol, id)) in borders.iter().enumerate() {
            match open.binary_search(&id) {
                Ok(at) => drop(open.remove(at)),
                Err(at) => open.insert(at, id),
            }
            let next = borders.get(index + 1).map_or(symbol, |&(next, _)| next);
            if next == symbol || open.is_empty() {
                continue;
            }
            let new = 1 + codes.len();
            let code = match codes.entry(open.clone()) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(vacant) => {
                    let code = Code::try_from(new).unwrap_or(BLANK);
                    open.iter().for_each(|&id| members[id].push(code));
                    *vacant.insert(code)
                }
            };
            self.ranges.push((symbol, next - 1, code));
        }
        if codes.len() > MAX_CLASSES {
            return Err(EngineError::TooManyClasses { classes: codes.len(), max: MAX_CLASSES });
        }
        self.count = codes.len() + 1;
        Ok(members)
    }

    /// Gives the lowest codes to the classes of single residues. The seed index distinguishes residues by the two
    /// lowest bits of their codes, so A, C, G and T should differ there. `members` has the codes of each set.
    fn put_single_residues_first(&mut self, members: &mut [Vec<Code>]) {
        if !self.alphabet.is_sequence() {
            return;
        }
        let mut order: Vec<Code> = Vec::new();
        let singles = self.alphabet.single_residues().iter();
        let singles = singles.map(|&residue| self.code(self.alphabet.symbol_of_byte(residue)));
        for code in singles.chain(1..self.count as Code).filter(|&code| code != OTHER) {
            if !order.contains(&code) {
                order.push(code);
            }
        }
        let mut moved = vec![OTHER; self.count];
        for (new, &old) in (1..).zip(&order) {
            moved[usize::from(old)] = new;
        }
        self.ranges.iter_mut().for_each(|(_, _, code)| *code = moved[usize::from(*code)]);
        members.iter_mut().flatten().for_each(|code| *code = moved[usize::from(*code)]);
    }

    /// Returns the alphabet of the patterns.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// Returns the number of codes, including [`OTHER`].
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the code of a byte that is a symbol by itself; [`OTHER`] for blanks.
    pub fn code_of_byte(&self, byte: u8) -> Code {
        match self.byte_codes[usize::from(byte)] {
            BLANK => OTHER,
            code => code,
        }
    }

    /// Returns the ranges of symbols that some pattern matches, ascending: first symbol, last symbol, code.
    pub fn ranges(&self) -> &[(Symbol, Symbol, Code)] {
        &self.ranges
    }

    /// Returns the code of a symbol.
    pub fn code(&self, symbol: Symbol) -> Code {
        let after = self.ranges.partition_point(|&(first, _, _)| first <= symbol);
        match self.ranges[..after].last() {
            Some(&(_, last, code)) if symbol <= last => code,
            _ => OTHER,
        }
    }

    /// Appends the codes of the symbols in `part`, a range of one line or record in `bytes`, to `codes`, and the offset
    /// in `bytes` at which each symbol starts to `starts`.
    pub fn encode(&self, bytes: &[u8], part: std::ops::Range<usize>, codes: &mut Vec<Code>, starts: &mut Vec<usize>) {
        let text = &bytes[part.clone()];
        if self.has_plain_symbols(text) {
            self.encode_plain(text, codes);
            starts.extend(part);
            return;
        }
        if self.alphabet == Alphabet::Text {
            for placed in symbols(self.alphabet, text) {
                codes.push(self.code(placed.symbol));
                starts.push(part.start + placed.start);
            }
            return;
        }
        for (at, &byte) in part.zip(text).filter(|&(_, &byte)| is_residue(byte)) {
            codes.push(self.byte_codes[usize::from(byte)]);
            starts.push(at);
        }
    }

    /// Returns whether each byte of a text is a symbol.
    pub fn has_plain_symbols(&self, text: &[u8]) -> bool {
        match self.alphabet {
            Alphabet::Text => text.is_ascii(),
            Alphabet::Bytes => true,
            Alphabet::Dna | Alphabet::Protein => count_residues(text) == text.len(),
        }
    }

    /// Appends the codes of a text in which each byte is a symbol.
    pub fn encode_plain(&self, text: &[u8], codes: &mut Vec<Code>) {
        codes.reserve_exact(text.len());
        codes.extend(text.iter().map(|&byte| self.byte_codes[usize::from(byte)]));
    }

    /// Returns the code of each byte as a symbol by itself; [`BREAK`] for the line terminator, [`BLANK`] for blanks of
    /// sequences.
    pub fn codes_of_bytes(&self, terminator: Option<u8>) -> [Code; 256] {
        let mut codes = self.byte_codes;
        if let Some(terminator) = terminator {
            codes[usize::from(terminator)] = BREAK;
        }
        codes
    }

    /// Returns the codes of the classes in `set`, which must be a symbol set of the patterns.
    #[inline]
    pub fn codes_in(&self, set: &SymbolSet) -> &[Code] {
        match self.few_sets.iter().find(|(few, _)| few.is_same(set)) {
            Some((_, codes)) => codes,
            None => &self.codes_by_set[set],
        }
    }
}

/// A chunk of text as codes.
#[derive(Default)]
pub struct Chunk {
    codes: Vec<Code>,
    /// Offset in the batch just past the symbol of each code; empty if every byte is a symbol.
    ends: Vec<usize>,
    /// Offset in the batch of the first byte; used only for text.
    base: usize,
}

impl Chunk {
    pub fn codes(&self) -> &[Code] {
        &self.codes
    }

    /// Returns the offset in the batch just past the symbol with the index `index` in the chunk.
    #[inline]
    pub fn end(&self, index: usize) -> usize {
        if self.ends.is_empty() { self.base + index + 1 } else { self.ends[index] }
    }
}

/// Encodes the text of a batch chunk by chunk, with a [`BREAK`] for each line terminator and before each segment of a
/// record.
pub struct Encoder<'a> {
    classes: &'a Classes,
    batch: &'a Batch<'a>,
    /// The runs of text after `run`.
    runs: Box<dyn Iterator<Item = std::ops::Range<usize>> + 'a>,
    /// The part of the current run that is not encoded yet.
    run: std::ops::Range<usize>,
    byte_codes: [Code; 256],
    chunk_bytes: usize,
}

impl<'a> Encoder<'a> {
    /// Encodes a batch in chunks of at most `max_bytes` or [`CHUNK_BYTES`] bytes, whichever is less.
    pub(super) fn new(classes: &'a Classes, batch: &'a Batch<'a>, max_bytes: usize) -> Self {
        let byte_codes = classes.codes_of_bytes(batch.terminator());
        let chunk_bytes = CHUNK_BYTES.min(max_bytes);
        Encoder { classes, batch, runs: Box::new(batch.runs()), run: 0..0, byte_codes, chunk_bytes }
    }

    /// Encodes only the text inside `part` of the batch.
    pub fn within(classes: &'a Classes, batch: &'a Batch<'a>, part: std::ops::Range<usize>) -> Self {
        let clipped = batch.runs().map(move |run| run.start.max(part.start)..run.end.min(part.end));
        let runs = Box::new(clipped.filter(|run| run.start < run.end));
        Encoder { runs, ..Encoder::new(classes, batch, usize::MAX) }
    }

    /// Limits the chunks to `max_bytes` bytes.
    pub fn with_max_bytes(self, max_bytes: usize) -> Self {
        Encoder { chunk_bytes: self.chunk_bytes.min(max_bytes), ..self }
    }

    /// Fills the chunk with the next codes. Returns `false` at the end of the batch.
    pub fn next_chunk(&mut self, chunk: &mut Chunk) -> bool {
        chunk.codes.clear();
        chunk.ends.clear();
        match self.classes.alphabet {
            Alphabet::Text | Alphabet::Bytes => self.next_lines(chunk),
            Alphabet::Dna | Alphabet::Protein => self.next_records(chunk),
        }
        !chunk.codes.is_empty()
    }

    fn next_lines(&mut self, chunk: &mut Chunk) {
        if self.run.is_empty() {
            let Some(run) = self.runs.next() else { return };
            self.run = run;
        }
        let bytes = self.batch.bytes();
        let limit = self.run.start + self.chunk_bytes;
        let end = if limit < self.run.end {
            symbol_boundary(self.classes.alphabet, bytes, limit).max(self.run.start + 1)
        } else {
            self.run.end
        };
        let text = &bytes[self.run.start..end];
        chunk.base = self.run.start;
        self.run.start = end;
        if self.classes.alphabet == Alphabet::Bytes || text.is_ascii() {
            chunk.codes.extend(text.iter().map(|&byte| self.byte_codes[usize::from(byte)]));
        } else {
            self.encode_characters(text, chunk);
        }
    }

    fn encode_characters(&self, text: &[u8], chunk: &mut Chunk) {
        let mut at = 0;
        while at < text.len() {
            let (code, length) = match text[at] {
                ascii @ 0..0x80 => (self.byte_codes[usize::from(ascii)], 1),
                _ => {
                    let (symbol, length) = first_character(&text[at..]).expect("the slice is not empty");
                    (self.classes.code(symbol), length)
                }
            };
            at += length;
            chunk.codes.push(code);
            chunk.ends.push(chunk.base + at);
        }
    }

    fn next_records(&mut self, chunk: &mut Chunk) {
        let bytes = self.batch.bytes();
        while chunk.codes.len() < self.chunk_bytes {
            if self.run.is_empty() {
                let Some(run) = self.runs.next() else { return };
                self.run = run;
                chunk.codes.push(BREAK);
                chunk.ends.push(self.run.start);
            }
            let end = self.run.end.min(self.run.start + self.chunk_bytes);
            for (at, &byte) in (self.run.start..end).zip(&bytes[self.run.start..end]) {
                let code = self.byte_codes[usize::from(byte)];
                if code != BLANK {
                    chunk.codes.push(code);
                    chunk.ends.push(at + 1);
                }
            }
            self.run.start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::{MaxEdits, PatternSource};

    fn classes(alphabet: Alphabet, pattern: &str) -> Classes {
        let builder = PatternSet::builder(alphabet).max_edits(MaxEdits::Count(0));
        Classes::new(&builder.build(&[PatternSource::new(pattern)]).unwrap()).unwrap()
    }

    #[test]
    fn symbols_that_no_pattern_distinguishes_share_a_code() {
        let classes = classes(Alphabet::Text, "[a-m][k-z]é");
        let code = |character: char| classes.code(character as Symbol);
        assert_eq!(code('a'), code('j'));
        assert_eq!(code('k'), code('m'));
        assert_eq!(code('n'), code('z'));
        assert_eq!(classes.count(), 1 + 4);
        assert!([code('A'), code('è'), code('😀')].iter().all(|&other| other == OTHER));
    }

    #[test]
    fn codes_of_sequences_skip_line_breaks() {
        let classes = classes(Alphabet::Dna, "ACGT");
        let batch = Batch::of_record("AC\r\ngt\nN");
        let mut chunk = Chunk::default();
        let mut encoder = Encoder::new(&classes, &batch, usize::MAX);
        assert!(encoder.next_chunk(&mut chunk));
        let code = |letter: u8| classes.code(Alphabet::Dna.symbol_of_byte(letter));
        assert_eq!(chunk.codes(), [BREAK, code(b'A'), code(b'C'), code(b'G'), code(b'T'), OTHER]);
        assert_eq!(chunk.end(3), 5);
        assert!(!encoder.next_chunk(&mut chunk));
    }

    #[test]
    fn a_chunk_never_ends_inside_a_character() {
        let classes = classes(Alphabet::Text, "日本");
        let batch = Batch::of_lines("日本x日本\n", b'\n');
        let mut encoder = Encoder::new(&classes, &batch, 4);
        let mut chunk = Chunk::default();
        let mut ends = Vec::new();
        while encoder.next_chunk(&mut chunk) {
            ends.extend((0..chunk.codes().len()).map(|index| chunk.end(index)));
        }
        assert_eq!(ends, [3, 6, 7, 10, 13, 14]);
    }
}
