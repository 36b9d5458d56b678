//! The parts of tests/support that the cases of the kernels use.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/support/random.rs"]
pub(crate) mod random;
