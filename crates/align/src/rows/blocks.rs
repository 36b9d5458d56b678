//! Alignments for people: the query above the target, with bars between equal symbols.

use std::ops::Range;

use super::{Measure, PairRow, PairRows, ShownStrand};
use nigh_pairs::PairAlignment;
use nigh_pattern::Strand;
use nigh_report::Colours;
use nigh_report::style::alignment::{AlignedText, AlignmentBlock, shown};
use nigh_report::style::colours::ColouredPart;
use nigh_text::alphabet::Alphabet;
use nigh_text::text::symbols;

/// Formats a pair as a block of lines that ends with an empty line. Positions are 0-based and half-open, in symbols.
pub struct PairBlocks {
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
    /// Whether rows name the strand of the query.
    pub strand: ShownStrand,
    /// The alphabet, which divides the strings into symbols.
    pub alphabet: Alphabet,
    /// Colours of names and edits.
    pub colours: Colours,
    /// Width of a line in terminal columns.
    pub width: usize,
}

impl PairRows for PairBlocks {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let Some(alignment) = pair.alignment else { return };
        for name in [pair.query_name, pair.target_name] {
            self.colours.push(ColouredPart::File, out, |out| out.extend_from_slice(shown(name).as_bytes()));
            out.push(b' ');
        }
        if self.strand == ShownStrand::Named {
            out.extend_from_slice(&[pair.strand.sign(), b' ']);
        }
        out.extend_from_slice(format!("{} {}", self.measure.name(), pair.value).as_bytes());
        if let Some(bits) = pair.bits {
            out.extend_from_slice(format!(" bits {bits:.1}").as_bytes());
        }
        out.push(b'\n');
        let block = AlignmentBlock {
            upper: self.query(pair, alignment),
            lower: self.text("target", pair.target.bytes, &alignment.target),
            cigar: &alignment.cigar,
        };
        block.write(self.width, &self.colours, out).expect("memory can be written to");
    }
}

impl PairBlocks {
    /// Returns the aligned part of the query. On the reverse strand, its positions descend.
    fn query(&self, pair: &PairRow<'_>, alignment: &PairAlignment) -> AlignedText {
        let mut text = self.text("query", &pair.stranded_query(), &alignment.query);
        if pair.strand == Strand::Reverse {
            text.positions.iter_mut().for_each(|position| *position = pair.query.symbols as u64 - *position);
        }
        text
    }

    /// Returns the aligned part of a string.
    fn text(&self, label: &'static str, text: &[u8], range: &Range<usize>) -> AlignedText {
        let part = symbols(self.alphabet, text).skip(range.start).take(range.len());
        AlignedText {
            label,
            symbols: part.map(|placed| shown(&text[placed.start..placed.end])).collect(),
            positions: (range.start as u64..=range.end as u64).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{pair, pair_row};

    #[test]
    fn bars_are_between_symbols_that_match() {
        let measure = Measure::Score;
        let blocks =
            |strand| PairBlocks { measure, strand, alphabet: Alphabet::Bytes, colours: Colours::off(), width: 80 };
        let rows = blocks(ShownStrand::Implied);
        let expected = "q t score -5 bits 20.4\nquery  0 ACGTAC 6\n         || |||\ntarget 1 ACCTAC 7\n\n";
        assert_eq!(pair_row(&rows, &pair(&Some("2=1X3=")).row()), expected);
        let mut reverse = pair(&Some("1X5="));
        reverse.strand = Strand::Reverse;
        let expected = "q t - score -5 bits 20.4\nquery  6 GTACGT 0\n          |||||\ntarget 1 ACCTAC 7\n\n";
        assert_eq!(pair_row(&blocks(ShownStrand::Named), &reverse.row()), expected);
    }
}
