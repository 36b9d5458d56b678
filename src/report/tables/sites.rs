//! `--format sites`: a table for CRISPR guides. It shows each match aligned with its pattern, both in the direction of
//! the pattern.

use crate::alignment::{Cigar, Edit};
use crate::alphabet::is_residue;
use crate::pattern::Strand;
use crate::report::fields::{push_field, push_number};
use crate::report::style::colours::{ColouredPart, Colours};
use crate::report::{HitRow, Rows};

/// The gap symbol in the guide or in the site.
const GAP: u8 = b'-';

/// Rows `record  start  end  pattern  strand  guide  site  mismatches  dna_bulges  rna_bulges`. Positions are 0-based
/// and half-open on the forward strand.
pub(crate) struct SiteRows {
    /// Whether the first column is the name of the input.
    pub file: bool,
    /// Colours of names and sites.
    pub colours: Colours,
}

/// An alignment of a pattern with a match. Gaps pad both to equal length. Both run from the pattern's first symbol to
/// its last.
#[derive(Debug, Default, PartialEq, Eq)]
struct Site {
    /// The letters of the pattern.
    guide: Vec<u8>,
    /// The residues of the match, in upper case, but mismatches in lower case.
    site: Vec<u8>,
    mismatches: u64,
    /// Number of residues that are absent from the pattern.
    dna_bulges: u64,
    /// Number of symbols of the pattern that are absent from the text.
    rna_bulges: u64,
}

impl SiteRows {
    /// Returns the header line with the names of the columns.
    pub(crate) fn header(&self) -> &'static str {
        if self.file {
            "file\trecord\tstart\tend\tpattern\tstrand\tguide\tsite\tmismatches\tdna_bulges\trna_bulges\n"
        } else {
            "record\tstart\tend\tpattern\tstrand\tguide\tsite\tmismatches\tdna_bulges\trna_bulges\n"
        }
    }
}

impl Rows for SiteRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        if self.file {
            self.colours.push(ColouredPart::File, out, |out| push_field(hit.label, out));
            out.push(b'\t');
        }
        self.colours.push(ColouredPart::File, out, |out| out.extend_from_slice(hit.record));
        for position in [hit.start, hit.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_field(hit.pattern, out);
        out.extend_from_slice(&[b'\t', hit.strand.sign(), b'\t']);
        let site = Site::of(hit);
        out.extend_from_slice(&site.guide);
        out.push(b'\t');
        self.colours.push(ColouredPart::Match, out, |out| out.extend_from_slice(&site.site));
        for number in [site.mismatches, site.dna_bulges, site.rna_bulges] {
            out.push(b'\t');
            push_number(number, out);
        }
        out.push(b'\n');
    }
}

impl Site {
    /// Makes the alignment of a hit.
    fn of(hit: &HitRow<'_>) -> Self {
        let mut letters = hit.letters.bytes();
        let mut residues = hit.matched.iter().filter(|&&byte| is_residue(byte)).map(u8::to_ascii_uppercase);
        let mut site = Site::default();
        let runs = hit.cigar.map_or(&[][..], Cigar::runs);
        for edit in runs.iter().flat_map(|&(length, edit)| std::iter::repeat_n(edit, length as usize)) {
            let letter = if edit == Edit::TextOnly { None } else { letters.next() };
            let residue = if edit == Edit::PatternOnly { None } else { residues.next() };
            site.guide.push(letter.unwrap_or(GAP));
            site.site.push(residue.unwrap_or(GAP));
            match edit {
                Edit::Match => {}
                Edit::Substitution => {
                    site.mismatches += 1;
                    site.site.last_mut().expect("it was pushed").make_ascii_lowercase();
                }
                Edit::TextOnly => site.dna_bulges += 1,
                Edit::PatternOnly => site.rna_bulges += 1,
            }
        }
        if hit.strand == Strand::Reverse {
            [&mut site.guide, &mut site.site].into_iter().for_each(|letters| reverse_complement(letters));
        }
        site
    }
}

/// Reverse-complements nucleotide letters and keeps their case. Letters that stand for no nucleotides, and gaps, are
/// only moved.
fn reverse_complement(letters: &mut [u8]) {
    letters.reverse();
    letters.iter_mut().for_each(|letter| *letter = complement_letter(*letter));
}

fn complement_letter(letter: u8) -> u8 {
    let upper = letter.to_ascii_uppercase();
    let complement = match upper {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' | b'U' => b'A',
        b'R' => b'Y',
        b'Y' => b'R',
        b'K' => b'M',
        b'M' => b'K',
        b'B' => b'V',
        b'V' => b'B',
        b'D' => b'H',
        b'H' => b'D',
        // S, W and N are their own complements. Gaps stay gaps.
        other => other,
    };
    if letter.is_ascii_lowercase() { complement.to_ascii_lowercase() } else { complement }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::{Alphabet, complement};
    use crate::report::test_support::{cigar, hit, row};

    #[test]
    fn letters_have_the_complements_of_their_symbols() {
        for letter in b'A'..=b'Z' {
            let symbol = |letter: u8| Alphabet::Dna.symbol_of_byte(letter);
            if symbol(letter) != 0 {
                assert_eq!(symbol(complement_letter(letter)), complement(symbol(letter)), "{}", char::from(letter));
                assert_eq!(
                    complement_letter(letter.to_ascii_lowercase()),
                    complement_letter(letter).to_ascii_lowercase()
                );
            }
        }
    }

    #[test]
    fn guide_and_site_are_aligned_with_gaps_and_mismatches_in_lower_case() {
        let rows = SiteRows { file: false, colours: Colours::off() };
        let cases = [
            ("2=1X3=", &b"ACC\nTAC"[..], "ACGTAC\tACcTAC\t1\t0\t0"),
            ("2=1D4=", b"ACTGTAC", "AC-GTAC\tACTGTAC\t0\t1\t0"),
            ("2=1I3=", b"ACTAC", "ACGTAC\tAC-TAC\t0\t0\t1"),
        ];
        for (edits, matched, expected) in cases {
            let cigar = cigar(edits);
            let printed = row(&rows, &HitRow { matched, ..hit(&cigar) });
            assert_eq!(printed, format!("chr1\t10\t16\tsite 1\t+\t{expected}\n"));
        }
    }

    #[test]
    fn on_the_reverse_strand_both_are_in_the_direction_of_the_pattern() {
        let cigar = cigar("1X5=");
        let hit = HitRow { letters: "AAACCC", matched: b"GAACCC", strand: Strand::Reverse, ..hit(&cigar) };
        let printed = row(&SiteRows { file: true, colours: Colours::off() }, &hit);
        assert_eq!(printed, "in.fa\tchr1\t10\t16\tsite 1\t-\tGGGTTT\tGGGTTc\t1\t0\t0\n");
    }
}
