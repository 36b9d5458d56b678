//! Sites: hits of primers, as workers hand them to the writer.

use std::sync::Arc;

use memchr::memchr;

use crate::report::Rows;
use crate::report::style::colours::Colours;
use crate::report::tables::columns::TableColumn;
use crate::report::tables::tagged::{TaggedRow, TaggedRows};
use crate::report::tables::tsv::TsvRows;
use nigh_core::alphabet::reverse_complement;
use nigh_core::pattern::Strand;

/// A hit of a primer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    /// Index of the primer's pattern.
    pub(super) pattern: usize,
    /// Start of the match in the record.
    pub(super) start: u64,
    /// End of the match in the record.
    pub(super) end: u64,
    pub(super) distance: u64,
    pub(super) strand: Strand,
    /// The alignment and the residues of the match, in the direction of the record, separated by a tab.
    alignment: Box<[u8]>,
}

/// Returns the formatter whose rows are sites.
pub(super) fn site_rows() -> Arc<dyn Rows> {
    let columns = vec![TableColumn::Strand, TableColumn::Cigar, TableColumn::Match];
    Arc::new(TaggedRows(Arc::new(TsvRows::new(columns, Colours::off()))))
}

impl Site {
    /// Makes the site that a row of [`site_rows`] describes.
    pub(super) fn of_row(tagged: &TaggedRow<'_>) -> Self {
        let (strand, rest) = tagged.row.split_at(1);
        Site {
            pattern: tagged.pattern,
            start: tagged.start,
            end: tagged.end,
            distance: tagged.distance,
            strand: if strand == b"-" { Strand::Reverse } else { Strand::Forward },
            alignment: rest[1..rest.len() - 1].into(),
        }
    }

    /// Makes an exact match of one residue, without its text.
    #[cfg(test)]
    pub(super) fn of_residue(pattern: usize, strand: Strand, start: u64) -> Self {
        Site { pattern, start, end: start + 1, distance: 0, strand, alignment: Box::from(&b"1=\tN"[..]) }
    }

    fn columns(&self) -> (&[u8], &[u8]) {
        let tab = memchr(b'\t', &self.alignment).expect("the CIGAR ends with a tab");
        (&self.alignment[..tab], &self.alignment[tab + 1..])
    }

    /// Returns the alignment in the direction of the primer.
    pub(super) fn cigar(&self) -> Vec<u8> {
        let (cigar, _) = self.columns();
        match self.strand {
            Strand::Forward => cigar.to_vec(),
            Strand::Reverse => {
                let mut runs: Vec<&[u8]> = cigar.split_inclusive(|byte| !byte.is_ascii_digit()).collect();
                runs.reverse();
                runs.concat()
            }
        }
    }

    /// Returns the residues of the match in the direction of the primer.
    pub(super) fn matched(&self) -> Vec<u8> {
        let mut matched = self.columns().1.to_vec();
        if self.strand == Strand::Reverse {
            reverse_complement(&mut matched);
        }
        matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::HitRow;
    use crate::report::tables::tagged::Tagged;
    use crate::report::test_support::{cigar, hit};

    #[test]
    fn a_site_on_the_reverse_strand_is_in_the_direction_of_its_primer() {
        let cigar = cigar("2=1X3=");
        for (strand, expected) in [(Strand::Forward, ("2=1X3=", "ACCTAC")), (Strand::Reverse, ("3=1X2=", "GTAGGT"))] {
            let mut row = Vec::new();
            site_rows().row(&HitRow { strand, ..hit(&cigar) }, &mut row);
            let site = Site::of_row(&Tagged(&row).next().unwrap());
            assert_eq!((site.start, site.end, site.distance, site.strand), (10, 16, 1, strand));
            assert_eq!((site.cigar(), site.matched()), (expected.0.into(), expected.1.into()));
        }
    }
}
