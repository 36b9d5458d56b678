//! Vectors of bytes and bits for each instruction set, and the choice among them at run time.
//!
//! Read `vector` (the trait) and `isa` (the choice) first; the other files implement the trait.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod isa;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
pub(super) mod portable;
pub(super) mod vector;
