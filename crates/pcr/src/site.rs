//! Sites: hits of primers.

use nigh_pattern::Strand;
use nigh_report::FileHit;
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::reverse_complement;

/// A hit of a primer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// Index of the primer's pattern.
    pub(crate) pattern: usize,
    /// Start of the match in the record.
    pub(crate) start: u64,
    /// End of the match in the record.
    pub(crate) end: u64,
    pub(crate) distance: u64,
    pub(crate) strand: Strand,
    /// The alignment, in the direction of the record.
    cigar: Cigar,
    /// The residues of the match, in the direction of the record.
    matched: Box<[u8]>,
}

impl Site {
    /// Makes the site of a hit.
    pub(crate) fn new(hit: FileHit<'_>) -> Self {
        let FileHit { start, end, pattern, distance, strand, cigar, text, .. } = hit;
        Site { pattern, start, end, distance: distance as u64, strand, cigar: cigar.clone(), matched: text.into() }
    }

    /// Makes an exact match of one residue, without its text.
    #[cfg(test)]
    pub(crate) fn of_residue(pattern: usize, strand: Strand, start: u64) -> Self {
        let cigar = Cigar::from_backward([nigh_text::alignment::Edit::Match]);
        Site { pattern, start, end: start + 1, distance: 0, strand, cigar, matched: Box::from(&b"N"[..]) }
    }

    /// Returns the alignment in the direction of the primer.
    pub(crate) fn cigar(&self) -> String {
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
    pub(crate) fn matched(&self) -> Vec<u8> {
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
    use nigh_report::{HitList, HitRow};
    use nigh_text::alignment::Edit;

    /// Returns a hit of the pattern `ACGTAC` from the residue 10 to the residue 16.
    fn hit(strand: Strand, cigar: &Cigar) -> HitRow<'_> {
        HitRow {
            label: b"in.fa",
            record: b"chr1",
            start: 10,
            end: 16,
            line_start: 0,
            column_start: 10,
            column_end: 16,
            record_length: None,
            pattern: b"site 1",
            number: 0,
            name: None,
            sequence: b"ACGTAC",
            letters: &|| "ACGTAC".into(),
            alternative: None,
            exact: &[],
            distance: cigar.distance(),
            strand,
            cigar: Some(cigar),
            matched: b"ACC\nTAC",
        }
    }

    #[test]
    fn a_site_on_the_reverse_strand_is_in_the_direction_of_its_primer() {
        let edits = [Edit::Match, Edit::Match, Edit::Substitution, Edit::Match, Edit::Match, Edit::Match];
        let cigar = Cigar::from_backward(edits.into_iter().rev());
        for (strand, expected) in [(Strand::Forward, ("2=1X3=", "ACCTAC")), (Strand::Reverse, ("3=1X2=", "GTAGGT"))] {
            let mut found = HitList::default();
            found.push(None, &hit(strand, &cigar));
            let site = Site::new(found.iter().next().unwrap());
            assert_eq!((site.start, site.end, site.distance, site.strand), (10, 16, 1, strand));
            assert_eq!((site.cigar(), site.matched()), (expected.0.into(), expected.1.into()));
        }
    }
}
