//! Reports of lines of text.

pub(super) mod grep;
pub(super) mod json;
pub(super) mod json_text;
pub(super) mod line;
pub(super) mod plain;
pub(super) mod printer;
