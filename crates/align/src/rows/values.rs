//! The values of pairs, one on each line.

use super::{PairRow, PairRows, push_value};

/// Rows that consist of the value alone.
pub struct PairValues;

impl PairRows for PairValues {
    fn wants_alignment(&self) -> bool {
        false
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        push_value(pair.value, out);
        out.push(b'\n');
    }
}
