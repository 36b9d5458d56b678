//! JSON Lines: an object for each hit, with the fields of the TSV table.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Serialize, Serializer};

use crate::fields::push_cigar;
use crate::{HitRow, Rows};

/// Formats a hit as a JSON object. Bytes that are not UTF-8 become `{"bytes": ...}` in base64, as in ripgrep.
pub struct JsonRows {
    /// Whether the first field is the name of the input.
    pub file: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<JsonBytes<'a>>,
    record: JsonBytes<'a>,
    start: u64,
    end: u64,
    pattern: JsonBytes<'a>,
    distance: usize,
    strand: char,
    cigar: JsonBytes<'a>,
    r#match: JsonBytes<'a>,
}

/// Bytes that are usually UTF-8, serialized as a string, or in base64 if they are not.
pub struct JsonBytes<'a>(pub Cow<'a, [u8]>);

/// The base64 code of bytes that are not UTF-8.
#[derive(Serialize)]
struct Encoded {
    bytes: String,
}

impl Serialize for JsonBytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Encoded { bytes: BASE64_STANDARD.encode(&self.0) }.serialize(serializer),
        }
    }
}

impl Rows for JsonRows {
    fn wants_alignment(&self) -> bool {
        true
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let (mut cigar, mut matched) = (Vec::new(), Vec::new());
        push_cigar(hit, &mut cigar);
        hit.push_match(&mut matched);
        let row = Row {
            file: self.file.then_some(JsonBytes(hit.label.into())),
            record: JsonBytes(hit.record.into()),
            start: hit.start,
            end: hit.end,
            pattern: JsonBytes(hit.pattern.into()),
            distance: hit.distance,
            strand: char::from(hit.strand.sign()),
            cigar: JsonBytes(cigar.into()),
            r#match: JsonBytes(matched.into()),
        };
        serde_json::to_writer(&mut *out, &row).expect("memory can be written to");
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{cigar, hit, row};

    #[test]
    fn an_object_has_the_fields_of_the_table() {
        let cigar = cigar("2=1X3=");
        let fields = r#""record":"chr1","start":10,"end":16,"pattern":"site 1","distance":1,"strand":"+","cigar":"2=1X3=","match":"ACCTAC"}"#;
        assert_eq!(row(&JsonRows { file: false }, &hit(&cigar)), format!("{{{fields}\n"));
        assert_eq!(row(&JsonRows { file: true }, &hit(&cigar)), format!("{{\"file\":\"in.fa\",{fields}\n"));
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_in_base64() {
        let cigar = cigar("6=");
        let printed = row(&JsonRows { file: false }, &HitRow { record: b"\xff", ..hit(&cigar) });
        assert!(printed.starts_with(r#"{"record":{"bytes":"/w=="},"start""#), "{printed}");
    }
}
