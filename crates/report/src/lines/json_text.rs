//! Serializes bytes as JSON: as text, or in base64 if they are not UTF-8.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Serialize;

/// Bytes in ripgrep's format: `{"text": ...}` or `{"bytes": ...}`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JsonText<'a> {
    /// The bytes are UTF-8.
    Text(&'a str),
    /// The bytes, which are not UTF-8, in base64.
    Bytes(String),
}

impl<'a> From<&'a [u8]> for JsonText<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => JsonText::Text(text),
            Err(_) => JsonText::Bytes(BASE64_STANDARD.encode(bytes)),
        }
    }
}

impl<'a> From<&'a Vec<u8>> for JsonText<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        JsonText::from(&bytes[..])
    }
}
