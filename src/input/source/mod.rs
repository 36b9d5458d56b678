//! Where bytes come from: files and standard input, decoded.

pub(super) mod encoding;
pub(super) mod foreign;
pub(super) mod head;
pub(super) mod open;
pub(super) mod retry;
