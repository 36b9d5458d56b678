//! Tests that every engine passes. A test program that includes this module defines the function `tested`, which
//! returns the engines under test, and the constant `SLOWER`, by which the number of cases is divided.

mod constraints;
mod engines;
pub(crate) mod expressions;
mod overhang;
mod overhang_oracle;
