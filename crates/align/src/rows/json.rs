//! JSON Lines: an object for each pair.

use serde::Serialize;

use super::{Measure, PairRow, PairRows, ShownStrand};
use nigh_report::fields::push_runs;
use nigh_report::tables::json::JsonBytes;

/// Formats a pair as a JSON object with the fields of the table.
pub struct PairJson {
    /// The kind of value that is computed for a pair.
    pub measure: Measure,
    /// Whether objects name the strand of the query.
    pub strand: ShownStrand,
    /// Whether objects show the alignment.
    pub alignment: super::tsv::ShownAlignment,
}

#[derive(Serialize)]
struct PairObject<'a> {
    query: JsonBytes<'a>,
    target: JsonBytes<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strand: Option<char>,
    #[serde(flatten)]
    alignment: Option<AlignmentFields<'a>>,
}

#[derive(Serialize)]
struct AlignmentFields<'a> {
    query_start: usize,
    query_end: usize,
    target_start: usize,
    target_end: usize,
    cigar: JsonBytes<'a>,
}

impl PairRows for PairJson {
    fn wants_alignment(&self) -> bool {
        self.alignment == super::tsv::ShownAlignment::Cigar
    }

    fn row(&self, pair: &PairRow<'_>, out: &mut Vec<u8>) {
        let alignment = pair.alignment.map(|alignment| {
            let mut cigar = Vec::new();
            push_runs(&alignment.cigar, &mut cigar);
            let query = pair.query_range(alignment);
            AlignmentFields {
                query_start: query.start,
                query_end: query.end,
                target_start: alignment.target.start,
                target_end: alignment.target.end,
                cigar: JsonBytes(cigar.into()),
            }
        });
        let value = |measure| (self.measure == measure).then_some(pair.value);
        let object = PairObject {
            query: JsonBytes(pair.query_name.into()),
            target: JsonBytes(pair.target_name.into()),
            distance: value(Measure::Distance),
            length: value(Measure::Length),
            score: value(Measure::Score),
            // As in the table, one digit after the point.
            bits: pair.bits.map(|bits| (bits * 10.0).round() / 10.0),
            strand: (self.strand == ShownStrand::Named).then(|| char::from(pair.strand.sign())),
            alignment,
        };
        serde_json::to_writer(&mut *out, &object).expect("memory can be written to");
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tsv::ShownAlignment;
    use crate::test_support::{pair, pair_row};

    #[test]
    fn an_object_has_the_fields_of_the_table() {
        let rows =
            PairJson { measure: Measure::Distance, strand: ShownStrand::Implied, alignment: ShownAlignment::None };
        let mut row = pair(&None);
        row.value = 3;
        assert_eq!(
            pair_row(&rows, &PairRow { bits: None, ..row.row() }),
            "{\"query\":\"q\",\"target\":\"t\",\"distance\":3}\n"
        );
        let rows = PairJson { measure: Measure::Score, strand: ShownStrand::Named, alignment: ShownAlignment::Cigar };
        let expected = "{\"query\":\"q\",\"target\":\"t\",\"score\":-5,\"bits\":20.4,\"strand\":\"+\",\"query_start\":0,\"query_end\":6,\
                        \"target_start\":1,\"target_end\":7,\"cigar\":\"2=1X3=\"}\n";
        assert_eq!(pair_row(&rows, &pair(&Some("2=1X3=")).row()), expected);
    }
}
