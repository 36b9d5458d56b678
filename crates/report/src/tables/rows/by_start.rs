//! Puts the rows of a record in order of the starts of their matches, as `bedtools merge` expects.
//!
//! Rows arrive in order of the ends of matches. A later match of the record therefore starts no earlier than the last
//! end minus the length of the longest match. Rows that start before this bound are printed; the few others wait,
//! however long the record is.

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::FileHit;

/// Prints rows in order of their starts. Rows with the same start stay in order of their ends.
pub(super) struct StartSorter {
    /// Length of the longest match, in the unit of the positions.
    longest: u64,
    /// Name of the record of the waiting rows.
    record: Vec<u8>,
    /// Start and bytes of each waiting row, in order.
    waiting: VecDeque<(u64, Box<[u8]>)>,
}

impl StartSorter {
    /// Makes a stage for matches of at most `longest` symbols.
    pub(super) fn new(longest: usize) -> Self {
        StartSorter { longest: longest as u64, record: Vec::new(), waiting: VecDeque::new() }
    }

    /// Takes the row of the next hit, and prints the rows that no later row can precede.
    pub(super) fn take(&mut self, hit: &FileHit<'_>, out: &mut dyn Write) -> io::Result<()> {
        if let Some(record) = hit.record.filter(|&record| record != self.record) {
            self.finish(out)?;
            self.record = record.to_vec();
        }
        while let Some((start, first)) = self.waiting.front() {
            if start + self.longest > hit.end {
                break;
            }
            out.write_all(first)?;
            self.waiting.pop_front();
        }
        let place = self.waiting.iter().rposition(|(start, _)| *start <= hit.start).map_or(0, |before| before + 1);
        self.waiting.insert(place, (hit.start, hit.text.into()));
        Ok(())
    }

    /// Drops all waiting rows.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Prints all waiting rows. Call it at the end of a record or input at the latest.
    pub(super) fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.waiting.drain(..).try_for_each(|(_, row)| out.write_all(&row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::Strand;
    use nigh_text::alignment::Cigar;

    /// Passes the row of a match to `stage`.
    fn take(stage: &mut StartSorter, (record, start, end): (u8, u64, u64), row: &str, out: &mut Vec<u8>) {
        let (cigar, strand) = (&Cigar::default(), Strand::Forward);
        let text = row.as_bytes();
        let (record, alternative) = (Some(&[record][..]), None);
        let hit = FileHit { record, start, end, pattern: 0, alternative, distance: 0, strand, cigar, text };
        stage.take(&hit, out).unwrap();
    }

    /// Prints rows of matches `(record, start, end)` of up to 5 symbols. A row is the index of its match.
    fn printed(matches: &[(u8, u64, u64)]) -> String {
        let (mut stage, mut out) = (StartSorter::new(5), Vec::new());
        for (index, &place) in matches.iter().enumerate() {
            take(&mut stage, place, &index.to_string(), &mut out);
        }
        stage.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_of_a_record_are_in_order_of_starts() {
        assert_eq!(printed(&[(1, 2, 5), (1, 1, 6), (1, 2, 6), (1, 3, 7)]), "1023");
        assert_eq!(printed(&[(1, 9, 10), (2, 4, 9), (2, 7, 10), (2, 5, 10)]), "0132");
    }

    #[test]
    fn rows_wait_only_for_matches_that_may_start_before_them() {
        let (mut stage, mut out) = (StartSorter::new(5), Vec::new());
        for (end, expected) in [(4, ""), (7, ""), (8, "4"), (20, "478")] {
            take(&mut stage, (1, end - 1, end), &end.to_string(), &mut out);
            assert_eq!(out, expected.as_bytes(), "{end}");
        }
    }
}
