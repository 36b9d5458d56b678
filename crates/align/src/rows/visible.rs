//! Escapes control characters in the names of pairs that are printed on a terminal.

use std::sync::Arc;

use super::{PairRow, PairRows};
use nigh_report::{Controls, visible};

/// Wraps `rows` so that it receives names as [`Controls::show`] returns them.
pub fn shown_rows(controls: Controls, rows: Arc<dyn PairRows>) -> Arc<dyn PairRows> {
    match controls {
        Controls::Raw => rows,
        Controls::Escaped => Arc::new(VisiblePairRows(rows)),
    }
}

/// Formats rows of pairs with the inner formatter, after escaping control characters in names.
struct VisiblePairRows(Arc<dyn PairRows>);

impl PairRows for VisiblePairRows {
    fn wants_alignment(&self) -> bool {
        self.0.wants_alignment()
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let [query_name, target_name] = [pair.query_name, pair.target_name].map(visible);
        self.0.row(&PairRow { query_name: &query_name, target_name: &target_name, ..*pair }, out);
    }
}
