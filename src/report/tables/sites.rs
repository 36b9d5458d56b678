//! The table of sites: each match laid against its pattern, both in the direction of the pattern. For guides of CRISPR.

use crate::alignment::{Cigar, Edit};
use crate::alphabet::is_residue;
use crate::pattern::Strand;
use crate::report::fields::{push_field, push_number};
use crate::report::style::colours::{Colours, Part};
use crate::report::{HitRow, Rows};

/// Stands in the guide or in the site for a symbol that only the other has.
const GAP: u8 = b'-';

/// `record  start  end  pattern  strand  guide  site  mismatches  dna_bulges  rna_bulges`, where the positions are 0-based
/// and half-open on the forward strand.
pub struct SiteRows {
    /// Whether the input's name stands before the record's.
    pub file: bool,
    /// How names and sites are coloured.
    pub colours: Colours,
}

/// A match and its pattern, of one length and from the pattern's first symbol to its last.
#[derive(Debug, Default, PartialEq, Eq)]
struct Site {
    guide: Vec<u8>,
    /// Residues in upper case, but for mismatches.
    site: Vec<u8>,
    mismatches: u64,
    /// Residues that the pattern lacks.
    dna_bulges: u64,
    /// Symbols of the pattern that the text lacks.
    rna_bulges: u64,
}

impl SiteRows {
    /// The names of the columns, as a line.
    pub fn header(&self) -> &'static str {
        match self.file {
            true => "file\trecord\tstart\tend\tpattern\tstrand\tguide\tsite\tmismatches\tdna_bulges\trna_bulges\n",
            false => "record\tstart\tend\tpattern\tstrand\tguide\tsite\tmismatches\tdna_bulges\trna_bulges\n",
        }
    }
}

impl Rows for SiteRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        if self.file {
            self.colours.push(Part::File, out, |out| push_field(place.label, out));
            out.push(b'\t');
        }
        self.colours.push(Part::File, out, |out| out.extend_from_slice(place.record));
        for position in [place.start, place.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_field(place.pattern, out);
        out.extend_from_slice(&[b'\t', place.strand.sign(), b'\t']);
        let site = Site::of(place);
        out.extend_from_slice(&site.guide);
        out.push(b'\t');
        self.colours.push(Part::Match, out, |out| out.extend_from_slice(&site.site));
        for number in [site.mismatches, site.dna_bulges, site.rna_bulges] {
            out.push(b'\t');
            push_number(number, out);
        }
        out.push(b'\n');
    }
}

impl Site {
    fn of(place: &HitRow<'_>) -> Self {
        let mut letters = place.letters.bytes();
        let mut residues = place.matched.iter().filter(|&&byte| is_residue(byte)).map(u8::to_ascii_uppercase);
        let mut site = Site::default();
        let runs = place.cigar.map_or(&[][..], Cigar::runs);
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
        if place.strand == Strand::Reverse {
            [&mut site.guide, &mut site.site].into_iter().for_each(|letters| reverse_complement(letters));
        }
        site
    }
}

/// Turns letters of nucleotides round, in their case. What is no code stays as it is.
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
        // S, W and N are their own.
        own => own,
    };
    if letter.is_ascii_lowercase() { complement.to_ascii_lowercase() } else { complement }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::{Alphabet, complement};

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
}
