//! `--format align`: prints alignments for people, the pattern above the text, with bars between equal symbols.

use std::io::{self, Write};

use crate::style::alignment::{AlignedText, AlignmentBlock, shown};
use crate::style::colours::ColouredPart;
use crate::{HitRow, Prefix, Rows};
use nigh_pattern::Strand;
use nigh_text::alphabet::Alphabet;
use nigh_text::text::symbols;

/// Maximum length in bytes of a printed pattern name. A longer name is replaced by the pattern's number.
const MAX_LABEL: usize = 40;

/// Formats a hit as a block of lines that ends with an empty line. Positions are 0-based and half-open on the forward
/// strand, in residues of the record or bytes of the text.
pub struct AlignRows {
    /// The alphabet, which divides the text into symbols.
    pub alphabet: Alphabet,
    /// The prefix. Only its file name and colours are used.
    pub prefix: Prefix,
    /// Width of a line in terminal columns.
    pub width: usize,
}

impl Rows for AlignRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        self.block(hit, out).expect("memory can be written to");
    }
}

impl AlignRows {
    /// Writes the block of a hit.
    fn block(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        let Some(cigar) = hit.cigar else { return Ok(()) };
        self.head(hit, out)?;
        let block = AlignmentBlock { upper: pattern(hit), lower: self.text(hit), cigar };
        block.write(self.width, &self.prefix.colours, out)
    }

    /// Writes the first line of a block: the names of the input and record, the range of the match, its strand, the
    /// pattern and the distance.
    fn head(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        if self.prefix.file {
            self.prefix.colours.write(ColouredPart::File, shown(hit.label).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        if self.alphabet.is_sequence() {
            self.prefix.colours.write(ColouredPart::File, shown(hit.record).as_bytes(), out)?;
            out.write_all(b" ")?;
        }
        write!(out, "{}-{} {} ", hit.start, hit.end, char::from(hit.strand.sign()))?;
        if hit.pattern.len() <= MAX_LABEL {
            out.write_all(shown(hit.pattern).as_bytes())?;
        } else {
            write!(out, "pattern {}", hit.number + 1)?;
        }
        writeln!(out, " distance {}", hit.distance)
    }

    /// Returns the text of a match. Its positions count residues or bytes.
    fn text(&self, hit: &HitRow<'_>) -> AlignedText {
        let (mut texts, mut positions) = (Vec::new(), vec![hit.start]);
        let mut position = hit.start;
        for placed in symbols(self.alphabet, hit.matched) {
            texts.push(shown(&hit.matched[placed.start..placed.end]));
            position += if self.alphabet.is_sequence() { 1 } else { (placed.end - placed.start) as u64 };
            positions.push(position);
        }
        AlignedText { label: "text", symbols: texts, positions }
    }
}

/// Returns the pattern of a hit. On the reverse strand, its positions descend.
fn pattern(hit: &HitRow<'_>) -> AlignedText {
    let symbols: Vec<String> =
        (hit.letters)().chars().map(|letter| shown(letter.encode_utf8(&mut [0; 4]).as_bytes())).collect();
    let length = symbols.len() as u64;
    let positions = match hit.strand {
        Strand::Forward => (0..=length).collect(),
        Strand::Reverse => (0..=length).rev().collect(),
    };
    AlignedText { label: "pattern", symbols, positions }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit, prefix, row};

    fn rows(width: usize) -> AlignRows {
        AlignRows { alphabet: Alphabet::Dna, prefix: prefix(), width }
    }

    #[test]
    fn bars_are_between_symbols_that_match() {
        let expected =
            "chr1 10-16 + site 1 distance 1\npattern  0 ACGTAC 6\n           || |||\ntext    10 ACCTAC 16\n\n";
        assert_eq!(row(&rows(80), &hit(&cigar("2=1X3="))), expected);
    }

    #[test]
    fn a_gap_is_a_dash_and_takes_no_position() {
        let cigar = cigar("2=1I3=");
        let printed = row(&rows(80), &HitRow { end: 15, matched: b"ACTAC", ..hit(&cigar) });
        assert!(printed.contains("pattern  0 ACGTAC 6\n           || |||\ntext    10 AC-TAC 15\n"), "{printed}");
    }

    #[test]
    fn positions_of_the_pattern_descend_on_the_reverse_strand() {
        let cigar = cigar("6=");
        let printed = row(&rows(80), &HitRow { strand: Strand::Reverse, ..hit(&cigar) });
        assert!(printed.contains("pattern  6 ACGTAC 0\n"), "{printed}");
    }

    #[test]
    fn a_long_alignment_continues_on_further_lines() {
        let cigar = cigar("12=");
        let hit = HitRow { end: 22, letters: &|| "ACGTACGTACGT".into(), matched: b"ACGTACGTACGT", ..hit(&cigar) };
        let printed = row(&rows(0), &hit);
        assert!(printed.contains("text    10 ACGTACGTAC 20\npattern 10 GT 12\n"), "{printed}");
        assert!(printed.ends_with("text    20 GT 22\n\n"), "{printed}");
    }
}
