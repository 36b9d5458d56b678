//! Lists of strings: each line of a text, compared with each line of another.
//!
//! The symbols of text are characters, of which there are more than bytes. Queries in a row that have few different
//! symbols form a group, which has a code for each of its symbols. The targets of a block are encoded once for each
//! group. A query with more symbols than there are codes is a group of its own, and its pairs are wide.

use std::ops::Range;

use super::lines::IndexedPair;
use super::sets::{ComparedSets, StrandedPairs};
use crate::findings::{BadLine, BadLines};
use crate::rows::PairText;
use nigh_pairs::pairs::{Pairs, Strings};
use nigh_pairs::symbols::{SymbolCodes, WidePair};
use nigh_pairs::{Objective, PairEngine};
use nigh_text::alphabet::Alphabet;
use nigh_text::batch::Batch;
use nigh_text::text::symbols;

/// The form of the lines of a list. Empty lines are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// A line is a string, which is also its name.
    Strings,
    /// A line has the columns name and string, separated by a tab. A line with one column is as in `Strings`.
    Named,
}

/// A string of a list.
#[derive(Debug, Clone, Copy)]
struct ListLine<'a> {
    name: &'a [u8],
    string: &'a [u8],
}

impl ListForm {
    /// Splits a line. Returns a message about the problem if the line is invalid.
    fn split(self, line: &[u8]) -> Result<ListLine<'_>, String> {
        let mut tabs = memchr::memchr_iter(b'\t', line).filter(|_| self == ListForm::Named);
        match (tabs.next(), tabs.next()) {
            (None, _) => Ok(ListLine { name: line, string: line }),
            (Some(tab), None) => Ok(ListLine { name: &line[..tab], string: &line[tab + 1..] }),
            (Some(_), Some(_)) => Err(format!("{} columns, but expected 2 (name, string)", tabs.count() + 3)),
        }
    }

    /// Returns the lines of a text that are not empty, each with its index.
    fn lines(self, text: &[u8]) -> impl Iterator<Item = Result<(u64, ListLine<'_>), BadLine>> {
        let lines = text.split_inclusive(|&byte| byte == b'\n').zip(0..).map(|(line, index)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            (line.strip_suffix(b"\r").unwrap_or(line), index)
        });
        let filled = lines.filter(|(line, _)| !line.is_empty());
        filled.map(move |(line, index)| match self.split(line) {
            Ok(line) => Ok((index, line)),
            Err(problem) => Err(BadLine { index, problem }),
        })
    }
}

/// The queries of a list, in memory.
#[derive(Debug, Clone, Default)]
pub struct QueryList {
    names: Vec<u8>,
    strings: Vec<u8>,
    /// For each query, the end of its name, of its string, and of its codes.
    ends: Vec<QueryEnds>,
    /// The codes of all queries.
    codes: Vec<u8>,
    groups: Vec<QueryGroup>,
}

#[derive(Debug, Clone, Copy, Default)]
struct QueryEnds {
    name: usize,
    string: usize,
    codes: usize,
}

/// Queries in a row that share codes.
#[derive(Debug, Clone)]
struct QueryGroup {
    /// Index just past the last query.
    end: usize,
    /// The codes; `None` for a single query with too many symbols.
    codes: Option<SymbolCodes>,
}

/// The parameters of the queries of a list.
#[derive(Clone, Copy)]
pub struct QueryListRules<'a> {
    /// The form of the lines.
    pub form: ListForm,
    /// The alphabet, which divides strings into symbols.
    pub alphabet: Alphabet,
    /// The value to compute for each pair.
    pub objective: &'a Objective,
}

impl QueryList {
    /// Makes the list of the lines of a text.
    ///
    /// # Errors
    /// The first line that is invalid.
    pub fn new(text: &[u8], rules: QueryListRules<'_>) -> Result<Self, BadLine> {
        let mut list = QueryList::default();
        for line in rules.form.lines(text) {
            let (_, line) = line?;
            list.push(line, rules);
        }
        Ok(list)
    }

    fn push(&mut self, line: ListLine<'_>, QueryListRules { alphabet, objective, .. }: QueryListRules<'_>) {
        let string: Vec<u32> = symbols(alphabet, line.string).map(|placed| placed.symbol).collect();
        let codes = self.groups.last_mut().and_then(|group| group.codes.as_mut());
        if !codes.is_some_and(|codes| codes.add(&string)) {
            let mut codes = SymbolCodes::new(objective);
            let is_encoded = codes.add(&string);
            self.groups.push(QueryGroup { end: 0, codes: is_encoded.then_some(codes) });
        }
        let group = self.groups.last_mut().expect("the query has a group");
        group.end = self.ends.len() + 1;
        let code = |&symbol: &u32| group.codes.as_ref().map_or(0, |codes| codes.code(symbol));
        self.codes.extend(string.iter().map(code));
        self.names.extend_from_slice(line.name);
        self.strings.extend_from_slice(line.string);
        self.ends.push(QueryEnds { name: self.names.len(), string: self.strings.len(), codes: self.codes.len() });
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the number of symbols of all queries.
    pub fn symbol_count(&self) -> usize {
        self.codes.len()
    }

    /// Returns the number of symbols of the longest query.
    fn longest(&self) -> usize {
        (0..self.len()).map(|query| self.codes_of(query).len()).max().unwrap_or(0)
    }

    fn range(&self, query: usize, end: impl Fn(&QueryEnds) -> usize) -> Range<usize> {
        query.checked_sub(1).map_or(0, |before| end(&self.ends[before]))..end(&self.ends[query])
    }

    fn name(&self, query: usize) -> &[u8] {
        &self.names[self.range(query, |ends| ends.name)]
    }

    fn string(&self, query: usize) -> &[u8] {
        &self.strings[self.range(query, |ends| ends.string)]
    }

    fn codes_of(&self, query: usize) -> &[u8] {
        &self.codes[self.range(query, |ends| ends.codes)]
    }

    /// Returns the index of the group of a query.
    fn group(&self, query: usize) -> usize {
        self.groups.partition_point(|group| group.end <= query)
    }
}

/// The targets of a batch, beside the queries.
pub(super) struct ListSets<'b> {
    queries: &'b QueryList,
    alphabet: Alphabet,
    lines: Vec<ListLine<'b>>,
    encoded: EncodedBlock,
    /// Number of lines of the batch.
    pub(super) line_count: u64,
    pub(super) bad_lines: BadLines,
}

/// Some targets with the codes of a group of queries.
#[derive(Default)]
struct EncodedBlock {
    /// The group and the targets; `None` at first.
    content: Option<BlockContent>,
    codes: Vec<u8>,
    /// The end of the codes of each target.
    ends: Vec<usize>,
    /// The pairs of a query with too many symbols.
    wide: Vec<IndexedPair>,
}

#[derive(Clone, PartialEq, Eq)]
struct BlockContent {
    group: usize,
    targets: Range<usize>,
}

impl<'b> ListSets<'b> {
    /// Reads the lines that a batch owns. A line that cannot be compared with the longest query is invalid.
    pub(super) fn new(
        batch: &'b Batch<'b>,
        list: &'b ComparedList,
        alphabet: Alphabet,
        engine: &dyn PairEngine,
    ) -> Self {
        let text = &batch.bytes()[batch.owned()];
        let longest = list.queries.longest();
        let mut sets = ListSets {
            queries: &list.queries,
            alphabet,
            lines: Vec::new(),
            encoded: EncodedBlock::default(),
            line_count: text.split_inclusive(|&byte| byte == b'\n').count() as u64,
            bad_lines: BadLines::default(),
        };
        for line in list.targets.lines(text) {
            let checked = line.and_then(|(index, line)| {
                let fits = engine.check(longest, symbols(alphabet, line.string).count());
                fits.map(|()| line).map_err(|error| BadLine { index, problem: error.to_string() })
            });
            match checked {
                Ok(line) => sets.lines.push(line),
                Err(bad) => {
                    sets.bad_lines.count += 1;
                    sets.bad_lines.first.get_or_insert(bad);
                }
            }
        }
        sets
    }

    /// Encodes targets with the codes of a group of queries. If the group is a query with too many symbols, makes its
    /// wide pairs too.
    fn encode(&mut self, content: BlockContent) {
        let BlockContent { group, ref targets } = content;
        let EncodedBlock { codes, ends, wide, .. } = &mut self.encoded;
        codes.clear();
        ends.clear();
        wide.clear();
        let QueryGroup { end, codes: group_codes } = &self.queries.groups[group];
        let symbols_of = |string: &[u8]| symbols(self.alphabet, string).map(|placed| placed.symbol).collect::<Vec<_>>();
        let query = if group_codes.is_none() { symbols_of(self.queries.string(end - 1)) } else { Vec::new() };
        for (index, line) in self.lines[targets.clone()].iter().enumerate() {
            let target = symbols_of(line.string);
            match group_codes {
                Some(group_codes) => codes.extend(target.iter().map(|&symbol| group_codes.code(symbol))),
                None => codes.extend(target.iter().map(|_| 1)),
            }
            ends.push(codes.len());
            if group_codes.is_none() && !target.is_empty() {
                wide.push(IndexedPair { index, pair: WidePair::new(query.clone(), target) });
            }
        }
        self.encoded.content = Some(content);
    }
}

impl ComparedSets for ListSets<'_> {
    fn query_count(&self) -> usize {
        self.queries.len()
    }

    fn target_count(&self) -> usize {
        self.lines.len()
    }

    fn pairs(&mut self, query: usize, targets: Range<usize>) -> StrandedPairs<'_> {
        let content = BlockContent { group: self.queries.group(query), targets };
        if self.encoded.content.as_ref() != Some(&content) {
            self.encode(content);
        }
        let EncodedBlock { codes, ends, wide, .. } = &self.encoded;
        let targets = Strings::Packed { bytes: codes, ends };
        let forward = Pairs::OneToMany { query: self.queries.codes_of(query), targets };
        StrandedPairs { forward, reverse: None, first: 0, wide }
    }

    fn names(&self, query: usize, target: usize) -> [&[u8]; 2] {
        [self.queries.name(query), self.lines[target].name]
    }

    fn texts(&self, query: usize, target: usize) -> [PairText<'_>; 2] {
        let string = self.lines[target].string;
        [
            PairText { bytes: self.queries.string(query), symbols: self.queries.codes_of(query).len() },
            PairText { bytes: string, symbols: symbols(self.alphabet, string).count() },
        ]
    }
}

/// A list of queries, and the form of the list of targets.
#[derive(Debug, Clone)]
pub struct ComparedList {
    /// The queries.
    pub queries: QueryList,
    /// The form of the lines with the targets.
    pub targets: ListForm,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_in_a_row_with_few_different_symbols_share_codes() {
        let letters = |first: u32, count: u32| (first..first + count).filter_map(char::from_u32).collect::<String>();
        let text = [letters(1000, 200), letters(1100, 155), letters(1000, 1), letters(2000, 256), letters(3000, 2)];
        let rules =
            QueryListRules { form: ListForm::Strings, alphabet: Alphabet::Text, objective: &Objective::Distance };
        let list = QueryList::new(text.join("\n\r\n").as_bytes(), rules).unwrap();
        let groups: Vec<(usize, bool)> = list.groups.iter().map(|group| (group.end, group.codes.is_some())).collect();
        assert_eq!(groups, [(3, true), (4, false), (5, true)]);
        assert_eq!((0..5).map(|query| list.group(query)).collect::<Vec<_>>(), [0, 0, 0, 1, 2]);
        assert_eq!((list.len(), list.symbol_count(), list.longest()), (5, 614, 256));
        assert_eq!(list.codes_of(2), &list.codes_of(0)[..1]);
        assert_eq!((list.name(3), list.string(4)), (text[3].as_bytes(), text[4].as_bytes()));
    }

    #[test]
    fn a_line_of_a_table_has_a_name() {
        let lines = |form: ListForm| -> Vec<_> {
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let line = |line: Result<(u64, ListLine<'_>), BadLine>| match line {
                Ok((index, line)) => format!("{index} {} {}", shown(line.name), shown(line.string)),
                Err(bad) => format!("{} {}", bad.index, bad.problem),
            };
            form.lines(b"a\tb\r\n\nc\n1\t2\t3").map(line).collect()
        };
        assert_eq!(lines(ListForm::Named), ["0 a b", "2 c c", "3 3 columns, but expected 2 (name, string)"]);
        assert_eq!(lines(ListForm::Strings), ["0 a\tb a\tb", "2 c c", "3 1\t2\t3 1\t2\t3"]);
    }
}
