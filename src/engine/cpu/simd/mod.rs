//! Vectors of bytes and bits in the registers of each instruction set, and the choice among them at run time.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod isa;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
pub(super) mod portable;
pub(super) mod vector;
