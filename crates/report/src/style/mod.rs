//! Styles of output: colours, fields before lines, and escaping of names.

pub(super) mod alignment;
pub(super) mod colours;
pub(super) mod prefix;
pub(super) mod visible;
