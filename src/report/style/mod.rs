//! How parts of output look: colours, prefixes of lines, names on a terminal.

pub(super) mod colours;
pub(super) mod prefix;
pub(super) mod visible;
