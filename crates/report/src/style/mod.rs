//! Styles of output: colours, fields before lines, and escaping of names.

#[doc(hidden)]
pub mod alignment;
#[doc(hidden)]
pub mod colours;
pub(super) mod prefix;
#[doc(hidden)]
pub mod visible;
