//! BED with six columns, for bedtools and genome browsers.

use crate::report::fields::{push_name, push_number};
use crate::report::{HitRow, Rows};

/// `chrom  start  end  name  score  strand`: the name is the pattern, and the score 1000 for a match without an edit, less
/// the part of the pattern's symbols that are edited: 900 for two edits in twenty.
pub struct BedRows;

impl Rows for BedRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        push_name(place.record, |byte| byte > b' ', out);
        for position in [place.start, place.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_name(place.pattern, |byte| byte > b' ', out);
        out.push(b'\t');
        let symbols = place.letters.len().max(1);
        let right = symbols.saturating_sub(place.distance);
        push_number((1000 * right / symbols) as u64, out);
        out.extend_from_slice(&[b'\t', place.strand.sign(), b'\n']);
    }
}
