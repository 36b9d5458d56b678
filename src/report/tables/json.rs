//! JSON Lines: an object for each hit, with the fields of the table.

use std::borrow::Cow;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Serialize, Serializer};

use crate::report::fields::{push_cigar, push_match};
use crate::report::{HitRow, Rows};

/// An object a row. What is not UTF-8 is `{"bytes": ...}` in base 64, as ripgrep has it.
pub struct JsonRows {
    /// Whether the input's name is the first field.
    pub file: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Text<'a>>,
    record: Text<'a>,
    start: u64,
    end: u64,
    pattern: Text<'a>,
    distance: usize,
    strand: char,
    cigar: Text<'a>,
    r#match: Text<'a>,
}

/// Some bytes, which are text more often than not.
struct Text<'a>(Cow<'a, [u8]>);

/// What stands for bytes that are no text.
#[derive(Serialize)]
struct Encoded {
    bytes: String,
}

impl Serialize for Text<'_> {
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

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        let (mut cigar, mut matched) = (Vec::new(), Vec::new());
        push_cigar(place, &mut cigar);
        push_match(place, &mut matched);
        let row = Row {
            file: self.file.then_some(Text(place.label.into())),
            record: Text(place.record.into()),
            start: place.start,
            end: place.end,
            pattern: Text(place.pattern.into()),
            distance: place.distance,
            strand: char::from(place.strand.sign()),
            cigar: Text(cigar.into()),
            r#match: Text(matched.into()),
        };
        serde_json::to_writer(&mut *out, &row).expect("memory can be written to");
        out.push(b'\n');
    }
}
