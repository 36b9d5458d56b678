//! Vectors of bytes and bits for each instruction set, and the choice among them at run time.
//!
//! Read `vector` (the trait) and `isa` (the choice) first; the other files implement the trait.
//!
//! # Safety
//! An intrinsic must only run on a processor that has its instruction. The methods of [`Simd`](vector::Simd) are safe
//! all the same, because the type of a vector proves that the processor has its instructions:
//!
//! - `Avx2`, `Avx512` and `Neon` are private to this folder, and only their own files call their methods by name.
//! - All other code is generic over [`Simd`](vector::Simd). Such code gets one of these types only as the type
//!   parameter of [`SimdOp::run`](vector::SimdOp::run), which [`Isa::run`](isa::Isa::run) calls.
//! - [`Isa::run`](isa::Isa::run) chooses the type for an [`Isa`](isa::Isa), and [`Isa::all`](isa::Isa::all) makes an
//!   [`Isa`](isa::Isa) only after it detected every feature that the type needs.
//!
//! This is what a SAFETY comment means by "AVX2 is present". The processor has the instructions in every thread,
//! whether or not a method is inlined. So only the speed depends on how the code is compiled.
//!
//! `register_ops` in `isa` defines the methods that compute in registers: a line each, which is checked as safe code.
//! Loads, stores and a few others have their own SAFETY comments.
//!
//! The vectors of integers (`int_lanes`) follow the same rule: code that is generic over [`Simd`](vector::Simd) gets them
//! as its associated types. Plain arrays, which the compiler vectorises, were 1.2 to 5 times slower than AVX-512
//! intrinsics in the inter-sequence kernel (2.9, 7.6 and 11.9 against 14.8, 16.3 and 14.7 thousand million cells a second
//! for queries of 64, 256 and 1024 symbols), and 1.8 times in the striped kernel with 16 bits (3.8 against 6.8).
//!
//! The operations that touch memory are loads and stores. Each takes an array or a slice of at least the length that it
//! loads or stores, and allows unaligned addresses.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_lanes;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_lanes;
#[doc(hidden)]
pub mod int_lanes;
#[doc(hidden)]
pub mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[doc(hidden)]
pub mod transpose;
#[doc(hidden)]
pub mod vector;
