//! What the tests share that the kernels' cases use.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../../tests/support/random.rs"]
pub(crate) mod random;
