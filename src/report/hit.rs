//! Hits: as the fields of a row, and as values.

use std::ops::Range;
use std::sync::Arc;

use nigh_core::alignment::{Cigar, Edit};
use nigh_core::alphabet::is_residue;
use nigh_core::pattern::Strand;

/// One hit, as the fields of a row.
pub(crate) struct HitRow<'a> {
    /// Name of the input.
    pub label: &'a [u8],
    /// Name of the record; empty in text.
    pub record: &'a [u8],
    /// Start of the match: an offset in residues of the record, or in bytes of the text. Equal to `end` if the hit was
    /// not aligned.
    pub start: u64,
    /// End of the match, in the same unit.
    pub end: u64,
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

impl HitRow<'_> {
    /// Appends the text of the match, without the line breaks of a sequence.
    pub(crate) fn push_match(&self, out: &mut Vec<u8>) {
        // Fast path: most matches are within one line, so they have as many bytes as residues.
        if self.matched.len() as u64 == self.end - self.start {
            out.extend_from_slice(self.matched);
        } else {
            // Lines are copied whole.
            self.matched.split(|&byte| !is_residue(byte)).for_each(|line| out.extend_from_slice(line));
        }
    }

    /// Returns the number of symbols of the pattern, or of the string of the regular expression that is aligned.
    pub(crate) fn pattern_symbols(&self) -> usize {
        let Some(cigar) = self.cigar else { return (self.letters)().chars().count() };
        let of_pattern = cigar.runs().filter(|(_, edit)| *edit != Edit::TextOnly);
        of_pattern.map(|(length, _)| length).sum()
    }
}

/// Hits in order, with their texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct HitList {
    hits: Vec<FoundHit>,
    texts: Vec<u8>,
}

/// A hit with its place in the input and its alignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundHit {
    /// Name of the record; `None` in text.
    pub record: Option<Arc<[u8]>>,
    /// Start of the match: an offset in residues of the record, or in bytes of the text.
    pub start: u64,
    /// End of the match, in the same unit.
    pub end: u64,
    /// Index of the pattern in the order in which the user gave the patterns, from 0.
    pub pattern: usize,
    pub distance: usize,
    pub strand: Strand,
    /// The alignment, in text order.
    pub cigar: Cigar,
    /// The range of its text in that of all hits.
    text: Range<usize>,
}

impl HitList {
    /// Adds an aligned hit. `record` is the name of its record; `None` in text.
    pub(crate) fn push(&mut self, record: Option<Arc<[u8]>>, hit: &HitRow<'_>) {
        let start = self.texts.len();
        hit.push_match(&mut self.texts);
        self.hits.push(FoundHit {
            record,
            start: hit.start,
            end: hit.end,
            pattern: hit.number,
            distance: hit.distance,
            strand: hit.strand,
            cigar: hit.cigar.cloned().unwrap_or_default(),
            text: start..self.texts.len(),
        });
    }

    /// Iterates over the hits, each with the text of its match without the line breaks of a sequence.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&FoundHit, &[u8])> {
        self.hits.iter().map(|hit| (hit, &self.texts[hit.text.clone()]))
    }

    /// Returns whether there is no hit.
    pub(crate) fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// Returns the number of bytes that the hits take, about.
    pub(crate) fn bytes(&self) -> usize {
        self.hits.len() * size_of::<FoundHit>() + self.texts.len()
    }
}
