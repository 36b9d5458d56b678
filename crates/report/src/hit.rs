//! Hits: as the fields of a row, and as values.

use std::ops::Range;
use std::sync::Arc;

use nigh_pattern::{MatchGroups, PatternSet, Strand};
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::is_residue;

/// One hit, as the fields of a row.
pub struct HitRow<'a> {
    /// Name of the input.
    pub label: &'a [u8],
    /// Name of the record; empty in text.
    pub record: &'a [u8],
    /// Start of the match: an offset in residues of the record, or in bytes of the text. Equal to `end` if the hit was
    /// not aligned.
    pub start: u64,
    /// End of the match, in the same unit.
    pub end: u64,
    /// Offset in bytes of the text at which the line of the match starts, or its record of lines; 0 in sequences.
    pub line_start: u64,
    /// Column of an alignment in which the match starts: residues and gaps of the record count. Equal to `start` if gaps are
    /// searched.
    pub column_start: u64,
    /// Column just past the last residue of the match.
    pub column_end: u64,
    /// Number of residues of the record; `None` if the report does not need it, or if the record continues in the next
    /// batch.
    pub record_length: Option<u64>,
    /// The pattern's name or notation.
    pub pattern: &'a [u8],
    /// The pattern's name; `None` if it has none.
    pub name: Option<&'a [u8]>,
    /// The pattern as the user gave it.
    pub sequence: &'a [u8],
    /// Index of the pattern in the order in which the user gave the patterns, from 0.
    pub number: usize,
    /// Returns the pattern, one letter per symbol; on the reverse strand, its reverse complement. For an aligned regular
    /// expression, this is the string that the alignment uses, which takes a while to find.
    pub letters: &'a dyn Fn() -> String,
    /// The pattern in the set of all patterns; `None` if its groups are not wanted.
    pub alternative: Option<HitAlternative<'a>>,
    /// For each of these letters, whether it belongs to an exact group. Empty if the pattern has no such group.
    pub exact: &'a [bool],
    /// The distance of the hit.
    pub distance: usize,
    /// The strand of the pattern.
    pub strand: Strand,
    /// The alignment; `None` if the hit was not aligned.
    pub cigar: Option<&'a Cigar>,
    /// The bytes of the match in the input, including line breaks.
    pub matched: &'a [u8],
}

/// An alternative of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct HitAlternative<'a> {
    /// All patterns.
    pub patterns: &'a PatternSet,
    /// Index of the alternative in [`PatternSet::patterns`].
    pub index: usize,
}

impl HitRow<'_> {
    /// Returns the groups of the match; `None` if the hit was not aligned, or if the patterns were read without groups.
    pub fn groups(&self) -> Option<MatchGroups<'_>> {
        let HitAlternative { patterns, index } = self.alternative?;
        patterns.groups_of(index, self.matched, self.cigar?)
    }

    /// Appends the text of the match, without the line breaks of a sequence.
    pub fn push_match(&self, out: &mut Vec<u8>) {
        // Fast path: most matches are within one line, so they have as many bytes as residues.
        if self.matched.len() as u64 == self.end - self.start {
            out.extend_from_slice(self.matched);
        } else {
            // Lines are copied whole.
            self.matched.split(|&byte| !is_residue(byte)).for_each(|line| out.extend_from_slice(line));
        }
    }

    /// Returns the number of symbols of the pattern, or of the string of the regular expression that is aligned.
    pub fn pattern_symbols(&self) -> usize {
        let Some(cigar) = self.cigar else { return (self.letters)().chars().count() };
        let of_pattern = cigar.runs().filter(|(_, edit)| *edit != Edit::TextOnly);
        of_pattern.map(|(length, _)| length).sum()
    }
}

/// Formats hits as rows of a table, one at a time, on any thread.
pub trait Rows: Send + Sync {
    /// Returns whether rows show the start or the alignment of the match. If not, `row` receives neither.
    fn wants_alignment(&self) -> bool;
    /// Appends the row of one hit to `out`.
    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>);
}

/// The form in which a report receives hits.
#[derive(Clone)]
pub enum HitForm {
    /// Rows of bytes, which the workers format.
    Row(Arc<dyn Rows>),
    /// Values with alignments.
    Value,
    /// Values with rows, which the workers format, for reports that choose or order rows.
    RowValue(Arc<dyn Rows>),
}

impl HitForm {
    /// Returns whether hits are aligned.
    pub fn wants_alignment(&self) -> bool {
        match self {
            HitForm::Row(rows) | HitForm::RowValue(rows) => rows.wants_alignment(),
            HitForm::Value => true,
        }
    }
}

/// A hit in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileHit<'a> {
    /// Name of the record; `None` in text.
    pub record: Option<&'a [u8]>,
    /// Start of the match: the number of residues of the record, or of bytes of the file's text, before the match.
    pub start: u64,
    /// End of the match, in the same unit.
    pub end: u64,
    /// Index of the pattern.
    pub pattern: usize,
    /// Index of the alternative of the patterns that matches, for `Searcher::file_captures`; `None` if the searcher keeps no
    /// groups.
    #[doc(hidden)]
    pub alternative: Option<usize>,
    /// Smallest number of edits of a match with this end.
    pub distance: usize,
    /// Strand of the pattern.
    pub strand: Strand,
    /// The alignment, in text order.
    pub cigar: &'a Cigar,
    /// The matched text, without the line breaks of a sequence.
    pub text: &'a [u8],
}

/// Hits in order, with their texts. The text of a hit is that of its match, without the line breaks of a sequence, or
/// its row.
#[derive(Debug, Clone, Default)]
pub struct HitList {
    hits: Vec<ListedHit>,
    texts: Vec<u8>,
    /// The alignment of each hit, in text order. Empty if the texts are rows.
    cigars: Vec<Cigar>,
    /// The alternative of each hit. Empty if the patterns were read without groups.
    alternatives: Vec<u32>,
    /// The names of the records of the hits; none in text.
    records: Vec<Box<[u8]>>,
    /// The alignment of all hits if the texts are rows.
    unaligned: Cigar,
}

/// The fields of a hit that have a fixed size.
#[derive(Debug, Clone)]
struct ListedHit {
    start: u64,
    end: u64,
    /// Offset in the texts of all hits where its text ends.
    text_end: usize,
    pattern: u32,
    distance: u32,
    /// Number of names of records up to that of its record; 0 in text.
    records: u32,
    strand: Strand,
}

impl HitList {
    /// Adds an aligned hit with the text of its match. `record` is the name of its record; `None` in text.
    pub fn push(&mut self, record: Option<&[u8]>, hit: &HitRow<'_>) {
        hit.push_match(&mut self.texts);
        self.cigars.push(hit.cigar.cloned().unwrap_or_default());
        let alternative = hit.alternative.filter(|one| !one.patterns.all_captures().is_empty());
        self.alternatives.extend(alternative.map(|one| one.index as u32));
        self.push_after_text(record, hit);
    }

    /// Adds a hit with its row. `record` is the name of its record; `None` in text.
    pub fn push_row(&mut self, record: Option<&[u8]>, hit: &HitRow<'_>, rows: &dyn Rows) {
        rows.row(hit, &mut self.texts);
        self.push_after_text(record, hit);
    }

    fn push_after_text(&mut self, record: Option<&[u8]>, hit: &HitRow<'_>) {
        if let Some(name) = record.filter(|&name| self.records.last().is_none_or(|last| **last != *name)) {
            self.records.push(name.into());
        }
        // A batch has less than 2^31 positions, records and patterns.
        self.hits.push(ListedHit {
            start: hit.start,
            end: hit.end,
            text_end: self.texts.len(),
            pattern: hit.number as u32,
            distance: hit.distance as u32,
            records: self.records.len() as u32,
            strand: hit.strand,
        });
    }

    /// Iterates over the hits.
    pub fn iter(&self) -> impl Iterator<Item = FileHit<'_>> {
        self.range(0..self.hits.len())
    }

    /// Iterates over the hits with these indices.
    pub fn range(&self, indices: Range<usize>) -> impl Iterator<Item = FileHit<'_>> {
        indices.map(|index| {
            let &ListedHit { start, end, text_end, pattern, distance, records, strand } = &self.hits[index];
            FileHit {
                record: (records as usize).checked_sub(1).map(|index| &*self.records[index]),
                start,
                end,
                pattern: pattern as usize,
                alternative: self.alternatives.get(index).map(|&index| index as usize),
                distance: distance as usize,
                strand,
                cigar: self.cigars.get(index).unwrap_or(&self.unaligned),
                text: &self.texts[self.text_start(index)..text_end],
            }
        })
    }

    /// Returns the number of hits.
    pub fn count(&self) -> usize {
        self.hits.len()
    }

    /// Returns an empty list with room for as many hits. Capacities are powers of two, so that lists of about the same
    /// length reuse the memory of each other.
    pub fn empty_like(&self) -> Self {
        let room = |length: usize| if length == 0 { 0 } else { length.next_power_of_two() };
        HitList {
            hits: Vec::with_capacity(room(self.hits.len())),
            texts: Vec::with_capacity(room(self.texts.len())),
            cigars: Vec::with_capacity(room(self.cigars.len())),
            alternatives: Vec::with_capacity(room(self.alternatives.len())),
            ..HitList::default()
        }
    }

    /// Removes all hits but the first `length`.
    pub fn truncate(&mut self, length: usize) {
        self.texts.truncate(self.text_start(length));
        self.hits.truncate(length);
        self.cigars.truncate(length);
        self.alternatives.truncate(length);
    }

    /// Returns the number of bytes that the hits take, about.
    pub fn bytes(&self) -> usize {
        self.hits.len() * size_of::<ListedHit>()
            + self.cigars.len() * size_of::<Cigar>()
            + self.alternatives.len() * size_of::<u32>()
            + self.texts.len()
    }

    /// Returns the offset in the texts where the text of the hit with this index starts.
    fn text_start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.hits[before].text_end)
    }
}
