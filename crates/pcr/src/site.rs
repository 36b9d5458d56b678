//! Sites: hits of primers.

use crate::FileHit;
use nigh_pattern::Strand;
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::reverse_complement;

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
    /// The alignment, in the direction of the record.
    cigar: Cigar,
    /// The residues of the match, in the direction of the record.
    matched: Box<[u8]>,
}

impl Site {
    /// Makes the site of a hit.
    pub(super) fn new(hit: FileHit<'_>) -> Self {
        let FileHit { start, end, pattern, distance, strand, cigar, text, .. } = hit;
        Site { pattern, start, end, distance: distance as u64, strand, cigar: cigar.clone(), matched: text.into() }
    }

    /// Makes an exact match of one residue, without its text.
    #[cfg(test)]
    pub(super) fn of_residue(pattern: usize, strand: Strand, start: u64) -> Self {
        let cigar = crate::test_support::cigar("1=");
        Site { pattern, start, end: start + 1, distance: 0, strand, cigar, matched: Box::from(&b"N"[..]) }
    }

    /// Returns the alignment in the direction of the primer.
    pub(super) fn cigar(&self) -> String {
        match self.strand {
            Strand::Forward => self.cigar.to_string(),
            Strand::Reverse => {
                let runs: Vec<String> =
                    self.cigar.runs().map(|(length, edit)| format!("{length}{}", edit.letter() as char)).collect();
                runs.into_iter().rev().collect()
            }
        }
    }

    /// Returns the residues of the match in the direction of the primer.
    pub(super) fn matched(&self) -> Vec<u8> {
        let mut matched = self.matched.to_vec();
        if self.strand == Strand::Reverse {
            reverse_complement(&mut matched);
        }
        matched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit};
    use crate::{HitList, HitRow};

    #[test]
    fn a_site_on_the_reverse_strand_is_in_the_direction_of_its_primer() {
        let cigar = cigar("2=1X3=");
        for (strand, expected) in [(Strand::Forward, ("2=1X3=", "ACCTAC")), (Strand::Reverse, ("3=1X2=", "GTAGGT"))] {
            let mut found = HitList::default();
            found.push(None, &HitRow { strand, ..hit(&cigar) });
            let site = Site::new(found.iter().next().unwrap());
            assert_eq!((site.start, site.end, site.distance, site.strand), (10, 16, 1, strand));
            assert_eq!((site.cigar(), site.matched()), (expected.0.into(), expected.1.into()));
        }
    }
}
