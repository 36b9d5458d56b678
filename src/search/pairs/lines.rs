//! Pairs in the columns of a table.
//!
//! A line has two columns, the query and the target; three, a name and the strings; or four, a name before each string.
//! A string without a name is its own name.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::alphabet::{Alphabet, Symbol};
use crate::input::Batch;
use crate::report::{BadLine, BadLines, PairText};
use crate::text::symbols;

/// Number of lines that are compared at a time. It bounds memory, and is enough for full groups of pairs.
const LINES_AT_A_TIME: usize = 1 << 12;

/// The pairs of some lines. Their strings are bytes of which each is a symbol.
#[derive(Default)]
pub(super) struct LinePairs<'b> {
    pub(super) names: Vec<[&'b [u8]; 2]>,
    pub(super) texts: Vec<[PairText<'b>; 2]>,
    /// Strings in which a byte stands for a character.
    encoded: Vec<u8>,
    /// The pairs whose strings are in `encoded`. Of all others, the bytes of the input are symbols themselves.
    encoded_pairs: Vec<EncodedPair>,
}

/// A pair with characters that are not ASCII.
struct EncodedPair {
    /// Index of the pair.
    index: usize,
    /// The ranges of its strings in the encoded bytes.
    ranges: [Range<usize>; 2],
}

/// Reads the lines of a batch.
pub(super) struct LineReader<'b> {
    rest: &'b [u8],
    terminator: u8,
    alphabet: Alphabet,
    /// Number of lines read.
    pub(super) lines: u64,
    pub(super) bad_lines: BadLines,
}

impl<'b> LineReader<'b> {
    /// Makes a reader of the lines that a batch owns.
    pub(super) fn new(batch: &'b Batch, alphabet: Alphabet) -> Self {
        let terminator = batch.terminator().expect("pairs in columns are read as text");
        LineReader {
            rest: &batch.bytes()[batch.owned()],
            terminator,
            alphabet,
            lines: 0,
            bad_lines: BadLines::default(),
        }
    }

    /// Reads the next pairs into `pairs`. Returns false if there are none left.
    pub(super) fn read(&mut self, pairs: &mut LinePairs<'b>) -> bool {
        pairs.clear();
        while pairs.texts.len() < LINES_AT_A_TIME && !self.rest.is_empty() {
            let end = memchr::memchr(self.terminator, self.rest).unwrap_or(self.rest.len());
            let line = self.rest[..end].strip_suffix(b"\r").unwrap_or(&self.rest[..end]);
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            if let Err(problem) = pairs.add(line, self.alphabet) {
                self.bad_lines.count += 1;
                self.bad_lines.first.get_or_insert(BadLine { index: self.lines, problem });
            }
            self.lines += 1;
        }
        !pairs.texts.is_empty()
    }
}

impl<'b> LinePairs<'b> {
    fn clear(&mut self) {
        self.names.clear();
        self.texts.clear();
        self.encoded.clear();
        self.encoded_pairs.clear();
    }

    /// Adds the pair of a line, or returns what is wrong with the line.
    fn add(&mut self, line: &'b [u8], alphabet: Alphabet) -> Result<(), String> {
        let mut tabs = memchr::memchr_iter(b'\t', line);
        let (names, strings) = match (tabs.next(), tabs.next(), tabs.next(), tabs.next()) {
            (Some(tab), None, ..) => {
                let strings = [&line[..tab], &line[tab + 1..]];
                (strings, strings)
            }
            (Some(first), Some(second), None, _) => {
                let name = &line[..first];
                ([name, name], [&line[first + 1..second], &line[second + 1..]])
            }
            (Some(first), Some(second), Some(third), None) => {
                let names = [&line[..first], &line[second + 1..third]];
                (names, [&line[first + 1..second], &line[third + 1..]])
            }
            _ => {
                let count = memchr::memchr_iter(b'\t', line).count() + 1;
                let columns = if count == 1 { "column" } else { "columns" };
                return Err(format!(
                    "has {count} {columns}; expected 2 (query, target), 3 (name, query, target) or 4 (name, query, name, target)"
                ));
            }
        };
        if alphabet == Alphabet::Text && !strings.iter().all(|string| string.is_ascii()) {
            return self.add_characters(names, strings);
        }
        self.names.push(names);
        self.texts.push(strings.map(|bytes| PairText { bytes, symbols: bytes.len() }));
        Ok(())
    }

    /// Adds a pair of strings that are not ASCII. Each character that occurs in both becomes a byte of its own; all that
    /// occur only in the query become one byte, and all that occur only in the target another.
    fn add_characters(&mut self, names: [&'b [u8]; 2], strings: [&'b [u8]; 2]) -> Result<(), String> {
        let [query, target] = strings.map(|string| symbols(Alphabet::Text, string).map(|placed| placed.symbol));
        let in_query: HashSet<Symbol> = query.collect();
        let common: HashSet<Symbol> = target.filter(|symbol| in_query.contains(symbol)).collect();
        if common.len() > usize::from(u8::MAX) - 1 {
            return Err(format!(
                "has {} different characters in both strings, but at most 254 are supported; use --bytes to compare bytes",
                common.len()
            ));
        }
        let codes: HashMap<Symbol, u8> = common.into_iter().zip(2..=u8::MAX).collect();
        let ranges = [0, 1].map(|side| {
            let start = self.encoded.len();
            let string = symbols(Alphabet::Text, strings[side]);
            self.encoded.extend(string.map(|placed| codes.get(&placed.symbol).copied().unwrap_or(side as u8)));
            start..self.encoded.len()
        });
        let lengths = [ranges[0].len(), ranges[1].len()];
        self.encoded_pairs.push(EncodedPair { index: self.texts.len(), ranges });
        self.names.push(names);
        self.texts.push([0, 1].map(|side| PairText { bytes: strings[side], symbols: lengths[side] }));
        Ok(())
    }

    /// Returns the strings of all pairs on one side, as symbols: 0 is the side of the queries, 1 that of the targets.
    pub(super) fn side(&self, side: usize) -> Vec<&[u8]> {
        let mut strings: Vec<&[u8]> = self.texts.iter().map(|texts| texts[side].bytes).collect();
        for EncodedPair { index, ranges } in &self.encoded_pairs {
            strings[*index] = &self.encoded[ranges[side].clone()];
        }
        strings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> (Vec<String>, BadLines) {
        let batch = Batch::of_lines(table, b'\n');
        let (mut reader, mut pairs) = (LineReader::new(&batch, Alphabet::Text), LinePairs::default());
        let mut read = Vec::new();
        while reader.read(&mut pairs) {
            let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            for (names, texts) in pairs.names.iter().zip(&pairs.texts) {
                let words = [names[0], texts[0].bytes, names[1], texts[1].bytes].map(shown);
                read.push(words.join(" "));
            }
        }
        (read, reader.bad_lines)
    }

    #[test]
    fn names_are_optional() {
        let (pairs, bad) = read("ab\tb\r\nn\tab\tb\nn\tab\tm\tb\n\t\n");
        assert_eq!(pairs, ["ab ab b b", "n ab n b", "n ab m b", "   "]);
        assert_eq!(bad, BadLines::default());
    }

    #[test]
    fn lines_with_other_numbers_of_columns_are_bad() {
        let (pairs, bad) = read("a\tb\nab\n1\t2\t3\t4\t5\nc\td");
        assert_eq!(pairs, ["a a b b", "c c d d"]);
        let first = bad.first.unwrap();
        assert_eq!((first.index, bad.count), (1, 2));
        assert!(first.problem.starts_with("has 1 column; expected 2"), "{}", first.problem);
    }

    #[test]
    fn a_character_is_one_symbol() {
        let batch = Batch::of_lines("Jäger\tJager\n", b'\n');
        let (mut reader, mut pairs) = (LineReader::new(&batch, Alphabet::Text), LinePairs::default());
        assert!(reader.read(&mut pairs));
        assert_eq!((pairs.side(0)[0].len(), pairs.side(1)[0].len(), pairs.texts[0][0].symbols), (5, 5, 5));
        assert_eq!(pairs.side(0)[0][2..], pairs.side(1)[0][2..]);
    }

    #[test]
    fn a_pair_has_at_most_254_common_characters() {
        let letters = |count: u32| -> String { (0x4e00..0x4e00 + count).filter_map(char::from_u32).collect() };
        let table = format!("{0}\t{0}\n{1}\t{1}\n{1}\tü\n", letters(254), letters(255));
        let (pairs, bad) = read(&table);
        assert_eq!((pairs.len(), bad.count, bad.first.unwrap().index), (2, 1, 1));
    }
}
