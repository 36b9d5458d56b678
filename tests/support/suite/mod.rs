//! Tests that every engine passes. A test program that includes them defines `tested`, the engines under test, and `SLOWER`, the
//! divisor of the number of cases.

mod constraints;
mod engines;
pub(crate) mod expressions;
mod overhang;
