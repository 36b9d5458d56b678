//! Alignments of a pattern and a match, padded with gaps to equal length. In CRISPR searches the pattern is called the
//! guide and the match the site.

use crate::HitRow;
use nigh_pattern::Strand;
use nigh_text::alignment::{Cigar, Edit};
use nigh_text::alphabet::{is_residue, reverse_complement};

/// The gap symbol in the pattern or in the match.
const GAP: u8 = b'-';
/// Separates the residues of two exact groups.
const BETWEEN_GROUPS: u8 = b',';

/// An alignment with gaps, in the direction of the forward strand.
pub(super) struct GappedAlignment {
    /// The letters of the pattern, with gaps.
    pattern: Vec<u8>,
    /// The residues of the match as they are in the text, with gaps.
    text: Vec<u8>,
    edits: Vec<Edit>,
    /// The residues that exact groups match.
    exact: Vec<u8>,
    strand: Strand,
}

impl GappedAlignment {
    /// Makes the alignment of a hit.
    pub(super) fn of(hit: &HitRow<'_>) -> Self {
        let runs = hit.cigar.into_iter().flat_map(Cigar::runs);
        let edits = runs.flat_map(|(length, edit)| std::iter::repeat_n(edit, length)).collect();
        let (pattern, text, exact) = (Vec::new(), Vec::new(), Vec::new());
        let mut gapped = GappedAlignment { pattern, text, edits, exact, strand: hit.strand };
        let letters = (hit.letters)();
        let mut letters = letters.bytes().enumerate();
        let mut residues = hit.matched.iter().copied().filter(|&byte| is_residue(byte));
        for &edit in &gapped.edits {
            let letter = if edit == Edit::TextOnly { None } else { letters.next() };
            let residue = if matches!(edit, Edit::PatternOnly | Edit::Overhang) { None } else { residues.next() };
            gapped.pattern.push(letter.map_or(GAP, |(_, letter)| letter));
            gapped.text.push(residue.unwrap_or(GAP));
            match (letter, residue) {
                (Some((index, _)), Some(residue)) if hit.exact.get(index) == Some(&true) => {
                    let begins = index > 0 && !hit.exact[index - 1];
                    if begins && !gapped.exact.is_empty() {
                        gapped.exact.push(BETWEEN_GROUPS);
                    }
                    gapped.exact.push(residue);
                }
                _ => {}
            }
        }
        gapped
    }

    /// Returns the letters of the pattern with gaps; on the reverse strand, those of its reverse complement.
    pub(super) fn pattern(&self) -> &[u8] {
        &self.pattern
    }

    /// Returns the residues of the match as they are in the text, with gaps.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the letters of the pattern with gaps, in the direction of the pattern.
    pub(super) fn guide(&self) -> Vec<u8> {
        self.in_direction(self.pattern.clone())
    }

    /// Returns the residues of the match with gaps, in the direction of the pattern. Mismatches are in lower case, all
    /// other residues in upper case.
    pub(super) fn site(&self) -> Vec<u8> {
        let shown = |(residue, edit): (&u8, &Edit)| match edit {
            Edit::Substitution => residue.to_ascii_lowercase(),
            Edit::Match | Edit::TextOnly | Edit::PatternOnly | Edit::Overhang => residue.to_ascii_uppercase(),
        };
        self.in_direction(self.text.iter().zip(&self.edits).map(shown).collect())
    }

    /// Returns the residues that exact groups match, in the direction of the pattern and in upper case. Several groups
    /// are separated by commas.
    pub(super) fn pam(&self) -> Vec<u8> {
        self.in_direction(self.exact.to_ascii_uppercase())
    }

    /// Returns the number of mismatches.
    pub(super) fn mismatches(&self) -> u64 {
        self.count(Edit::Substitution)
    }

    /// Returns the number of residues that are absent from the pattern.
    pub(super) fn dna_bulges(&self) -> u64 {
        self.count(Edit::TextOnly)
    }

    /// Returns the number of symbols of the pattern that are absent from the text.
    pub(super) fn rna_bulges(&self) -> u64 {
        self.count(Edit::PatternOnly)
    }

    fn count(&self, kind: Edit) -> u64 {
        self.edits.iter().filter(|&&edit| edit == kind).count() as u64
    }

    fn in_direction(&self, mut letters: Vec<u8>) -> Vec<u8> {
        if self.strand == Strand::Reverse {
            reverse_complement(&mut letters);
        }
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit};

    #[test]
    fn residues_of_two_groups_are_separated() {
        let cigar = cigar("1=1X2=1D2=");
        let exact = [true, false, false, true, true, false];
        let hit = HitRow { letters: &|| "ACGTAC".into(), exact: &exact, matched: b"aAGTGAC", ..hit(&cigar) };
        assert_eq!(GappedAlignment::of(&hit).pam(), b"A,TA");
        let reverse = HitRow { strand: Strand::Reverse, ..hit };
        assert_eq!(GappedAlignment::of(&reverse).pam(), b"TA,T");
        assert_eq!(GappedAlignment::of(&reverse).text(), b"aAGTGAC");
    }
}
