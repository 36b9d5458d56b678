//! `-o` in sequences: prints the residues of each match on a line of their own.

use crate::style::colours::ColouredPart;
use crate::{HitRow, Prefix, Rows};

/// Formats a hit as the residues of its match, without line breaks.
pub struct MatchRows {
    /// The prefix. Only its file name and colours are used.
    pub prefix: Prefix,
}

impl Rows for MatchRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let mut residues = Vec::with_capacity(hit.matched.len());
        hit.push_match(&mut residues);
        let written = self.prefix.file(hit.label, b":", out);
        let written = written.and_then(|()| self.prefix.colours.write(ColouredPart::Match, &residues, out));
        written.expect("memory can be written to");
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit, named, prefix, row};

    #[test]
    fn a_match_follows_the_name_of_its_file_on_one_line() {
        let cigar = cigar("2=1X3=");
        assert_eq!(row(&MatchRows { prefix: prefix() }, &hit(&cigar)), "ACCTAC\n");
        assert_eq!(row(&MatchRows { prefix: named() }, &hit(&cigar)), "in.fa:ACCTAC\n");
    }
}
