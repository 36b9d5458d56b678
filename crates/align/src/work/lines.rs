//! Pairs in the columns of a table.
//!
//! A line has two columns (query, target), three columns (name of the pair, query, target) or four columns (name of the
//! query, query, name of the target, target). Without names, the strings themselves are the names.

use std::ops::Range;

use crate::findings::{BadLine, BadLines};
use crate::rows::PairText;
use nigh_pairs::symbols::{EncodedPair, WidePair};
use nigh_pairs::{Objective, PairEngine};
use nigh_search::Strands;
use nigh_text::alphabet::{Alphabet, is_nucleotide};
use nigh_text::batch::Batch;
use nigh_text::text::symbols;

/// Number of lines that are compared at a time. It bounds memory, and is large enough to fill the groups of pairs that
/// an engine compares together.
const LINES_AT_A_TIME: usize = 1 << 12;

/// The pairs of some lines, with strings in which each byte is a symbol.
#[derive(Default)]
pub(super) struct LinePairs<'b> {
    pub(super) names: Vec<[&'b [u8]; 2]>,
    pub(super) texts: Vec<[PairText<'b>; 2]>,
    /// Encoded strings, in which a byte stands for a character.
    encoded: Vec<u8>,
    /// The pairs whose strings are in `encoded`. In all other pairs, the bytes of the input are the symbols.
    encoded_pairs: Vec<EncodedPlace>,
    /// The pairs with too many different characters to be encoded in bytes, in order. Their strings in `encoded` are
    /// empty.
    pub(super) wide: Vec<IndexedPair>,
}

/// A wide pair with its index.
pub(super) struct IndexedPair {
    /// Index of the pair.
    pub(super) index: usize,
    pub(super) pair: WidePair,
}

/// The encoded strings of a pair with characters that are not ASCII.
struct EncodedPlace {
    /// Index of the pair.
    index: usize,
    /// The ranges of the query and the target in the encoded bytes.
    ranges: [Range<usize>; 2],
}

/// The rules for the pairs of lines.
#[derive(Clone, Copy)]
pub(super) struct LineRules<'b> {
    /// The alphabet of the strings.
    pub(super) alphabet: Alphabet,
    /// The strands of the queries.
    pub(super) strands: Strands,
    /// The engine that will compare the pairs.
    pub(super) engine: &'b dyn PairEngine,
}

/// Reads the lines of a batch.
pub(super) struct LineReader<'b> {
    rest: &'b [u8],
    terminator: u8,
    rules: LineRules<'b>,
    /// Number of lines read.
    pub(super) lines: u64,
    pub(super) bad_lines: BadLines,
}

impl<'b> LineReader<'b> {
    /// Makes a reader of the lines that a batch owns.
    pub(super) fn new(batch: &'b Batch<'b>, rules: LineRules<'b>) -> Self {
        let terminator = batch.terminator().expect("pairs in columns are read as text");
        LineReader { rest: &batch.bytes()[batch.owned()], terminator, rules, lines: 0, bad_lines: BadLines::default() }
    }

    /// Reads the next pairs into `pairs`. Returns false if there are none left.
    pub(super) fn read(&mut self, pairs: &mut LinePairs<'b>) -> bool {
        pairs.clear();
        while pairs.texts.len() < LINES_AT_A_TIME && !self.rest.is_empty() {
            let end = memchr::memchr(self.terminator, self.rest).unwrap_or(self.rest.len());
            let line = self.rest[..end].strip_suffix(b"\r").unwrap_or(&self.rest[..end]);
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            if let Err(problem) = pairs.add(line, self.rules) {
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
        self.wide.clear();
    }

    /// Adds the pair of a line. If the line is invalid, returns a message about the problem.
    fn add(&mut self, line: &'b [u8], rules: LineRules<'_>) -> Result<(), String> {
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
                    "{count} {columns}, but expected 2 (query, target), 3 (name, query, target) or 4 (name, query, name, target)"
                ));
            }
        };
        let has_characters = rules.alphabet == Alphabet::Text && !strings.iter().all(|string| string.is_ascii());
        let lengths = strings.map(|string| match has_characters {
            true => symbols(Alphabet::Text, string).count(),
            false => string.len(),
        });
        if rules.strands != Strands::Forward && !strings[0].iter().copied().all(is_nucleotide) {
            return Err("the query has symbols that are not nucleotides; use --strand forward".to_owned());
        }
        rules.engine.check(lengths[0], lengths[1]).map_err(|error| error.to_string())?;
        if has_characters {
            self.encode(rules.engine.objective(), strings);
        }
        self.names.push(names);
        self.texts.push([0, 1].map(|side| PairText { bytes: strings[side], symbols: lengths[side] }));
        Ok(())
    }

    /// Encodes the strings of the next pair to add, of which at least one is not ASCII.
    fn encode(&mut self, objective: &Objective, strings: [&'b [u8]; 2]) {
        let [query, target] =
            strings.map(|string| symbols(Alphabet::Text, string).map(|placed| placed.symbol).collect());
        let index = self.texts.len();
        let encoded = match EncodedPair::new(objective, query, target) {
            EncodedPair::Bytes { query, target } => [query, target],
            EncodedPair::Wide(pair) => {
                self.wide.push(IndexedPair { index, pair });
                <[Vec<u8>; 2]>::default()
            }
        };
        let ranges = encoded.map(|string| {
            let start = self.encoded.len();
            self.encoded.extend(string);
            start..self.encoded.len()
        });
        self.encoded_pairs.push(EncodedPlace { index, ranges });
    }

    /// Returns the queries (`side` is 0) or the targets (`side` is 1) of all pairs, with one byte for each symbol.
    pub(super) fn side(&self, side: usize) -> Vec<&[u8]> {
        let mut strings: Vec<&[u8]> = self.texts.iter().map(|texts| texts[side].bytes).collect();
        for EncodedPlace { index, ranges } in &self.encoded_pairs {
            strings[*index] = &self.encoded[ranges[side].clone()];
        }
        strings
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use nigh_engine::EngineChoice;
    use nigh_pairs::scoring::{GapCosts, Scoring, Substitution};
    use nigh_pairs::{PairEngineTask, pair_engine};

    fn engine(objective: Objective) -> Arc<dyn PairEngine> {
        let task = PairEngineTask { objective, max_distance: None, expected: None };
        pair_engine(EngineChoice::cpu(), task, 1).unwrap()
    }

    fn rules(engine: &dyn PairEngine) -> LineRules<'_> {
        LineRules { alphabet: Alphabet::Text, strands: Strands::Forward, engine }
    }

    fn read(table: &str) -> (Vec<String>, BadLines) {
        let (batch, engine) = (Batch::of_lines(table, b'\n'), engine(Objective::Distance));
        let mut reader = LineReader::new(&batch, rules(engine.as_ref()));
        let mut pairs = LinePairs::default();
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
    fn lines_with_a_wrong_number_of_columns_are_bad() {
        let (pairs, bad) = read("a\tb\nab\n1\t2\t3\t4\t5\nc\td");
        assert_eq!(pairs, ["a a b b", "c c d d"]);
        let first = bad.first.unwrap();
        assert_eq!((first.index, bad.count), (1, 2));
        assert!(first.problem.starts_with("1 column, but expected 2"), "{}", first.problem);
    }

    #[test]
    fn a_character_is_one_symbol() {
        let batch = Batch::of_lines("Jäger\tJager\n", b'\n');
        let engine = engine(Objective::Distance);
        let mut reader = LineReader::new(&batch, rules(engine.as_ref()));
        let mut pairs = LinePairs::default();
        assert!(reader.read(&mut pairs));
        assert_eq!((pairs.side(0)[0].len(), pairs.side(1)[0].len(), pairs.texts[0][0].symbols), (5, 5, 5));
        assert_eq!(pairs.side(0)[0][2..], pairs.side(1)[0][2..]);
    }

    #[test]
    fn a_pair_whose_scores_do_not_fit_is_a_bad_line() {
        let gaps = GapCosts { open: 0, extend: 1000 };
        let scoring = Scoring::new(Substitution::Equality { equal: 1, different: -1 }, gaps).unwrap();
        let engine = engine(Objective::Global(scoring));
        let long = "a".repeat(1_100_000);
        let batch = Batch::of_lines(format!("a\tb\n{long}\tb\nc\td\n"), b'\n');
        let mut reader = LineReader::new(&batch, rules(engine.as_ref()));
        let mut pairs = LinePairs::default();
        assert!(reader.read(&mut pairs));
        let first = reader.bad_lines.first.unwrap();
        assert_eq!((pairs.texts.len(), first.index), (2, 1));
        assert!(first.problem.starts_with("strings of 1100000 and 1 symbols are too long"), "{}", first.problem);
    }
}
