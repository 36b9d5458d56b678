//! Instruction sets, and the choice among them at run time.
//!
//! The only way to run vector code is [`Isa::run`], and an [`Isa`] is made only after detection: see the parent module.
//!
//! Code that is generic over vectors must not wrap their operations in closures: a closure that is not inlined is
//! compiled without the instructions, which halved the speed.
#![allow(unsafe_code)]

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::portable::Portable;
use super::vector::{Simd, SimdOp};

/// The instruction set that [`Isa::set_preferred`] chose for the process.
static PREFERRED: OnceLock<Isa> = OnceLock::new();

/// An instruction set that this processor lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{wanted}' is not supported by this processor; use one of {present}")]
pub struct MissingIsa {
    /// The requested instruction set.
    pub wanted: String,
    /// The instruction sets that the processor has, separated by commas.
    pub present: String,
}

/// An instruction set that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

impl Isa {
    /// Returns all instruction sets of this processor, the fastest first.
    pub fn all() -> Vec<Isa> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vbmi2");
            let has_256 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            if has_512 && has_256 {
                all.push(Isa(Kind::Avx512));
            }
            if has_256 {
                all.push(Isa(Kind::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            all.push(Isa(Kind::Neon));
        }
        all.push(Isa(Kind::Portable));
        all
    }

    /// Returns the instruction set that [`Isa::set_preferred`] chose, or else the fastest.
    pub fn preferred() -> Isa {
        PREFERRED.get().copied().unwrap_or_else(|| Isa::all()[0])
    }

    /// Makes the instruction set of that name the one that new engines use, for the rest of the process. Only the first call
    /// has an effect.
    ///
    /// # Errors
    /// Fails if this processor lacks the instruction set.
    pub fn set_preferred(name: &str) -> Result<(), MissingIsa> {
        let all = Isa::all();
        let Some(isa) = all.iter().find(|isa| isa.name() == name) else {
            let present = all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ");
            return Err(MissingIsa { wanted: name.to_owned(), present });
        };
        PREFERRED.get_or_init(|| *isa);
        Ok(())
    }

    /// Returns the name of the instruction set: `avx512`, `avx2`, `neon` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            Kind::Portable => "portable",
        }
    }

    /// Returns the number of bits in a vector, which is the number of streams.
    pub fn streams(self) -> usize {
        64 * match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Avx512::WORDS,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Avx2::WORDS,
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => Neon::WORDS,
            Kind::Portable => Portable::WORDS,
        }
    }

    /// Returns whether the instruction set has a byte shuffle, which Teddy needs.
    pub fn shuffles_bytes(self) -> bool {
        self.0 != Kind::Portable
    }

    /// Runs an operation on vectors of this instruction set.
    pub fn run<T: SimdOp>(self, task: T) -> T::Output {
        match self.0 {
            // SAFETY: `Isa::all` alone makes this kind, after it detected every feature that `run_avx512` enables.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { run_avx512(task) },
            // SAFETY: `Isa::all` alone makes this kind, after it detected every feature that `run_avx2` enables.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: `Isa::all` alone makes this kind, after it detected every feature that `run_neon` enables.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { run_neon(task) },
            Kind::Portable => task.run::<Portable>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt")]
fn run_avx512<T: SimdOp>(task: T) -> T::Output {
    task.run::<Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_avx2<T: SimdOp>(task: T) -> T::Output {
    task.run::<Avx2>()
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn run_neon<T: SimdOp>(task: T) -> T::Output {
    task.run::<Neon>()
}

/// Defines methods that compute in registers: `fn name(a, b) = intrinsic(a, b);`.
///
/// Parameters and results without a type are vectors, and the first such parameter is `self`; the expression works on
/// their registers. The expression is the body of a safe function with the features of the vectors. So the compiler
/// refuses an intrinsic that needs another feature, or that reads or writes memory.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! register_ops {
    ([$features:literal, $register:ty]) => {};
    ([$features:literal, $register:ty] $(#[$doc:meta])*
     fn $name:ident $(<const $n:ident: $kind:ty>)? ($first:ident $(, $other:ident)*) = $value:expr; $($rest:tt)*) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name $(<const $n: $kind>)? (self $(, $other: Self)*) -> Self {
            #[target_feature(enable = $features)]
            #[inline]
            fn operation $(<const $n: $kind>)? ($first: $register $(, $other: $register)*) -> $register { $value }
            // SAFETY: the type of `self` proves that the features are present: see `super`.
            Self(unsafe { operation $(::<$n>)? (self.0 $(, $other.0)*) })
        }
        register_ops! { [$features, $register] $($rest)* }
    };
    ([$features:literal, $register:ty] $(#[$doc:meta])*
     fn $name:ident ($first:ident $(, $other:ident)*) -> $result:ty = $value:expr; $($rest:tt)*) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name(self $(, $other: Self)*) -> $result {
            #[target_feature(enable = $features)]
            #[inline]
            fn operation($first: $register $(, $other: $register)*) -> $result { $value }
            // SAFETY: the type of `self` proves that the features are present: see `super`.
            unsafe { operation(self.0 $(, $other.0)*) }
        }
        register_ops! { [$features, $register] $($rest)* }
    };
    ([$features:literal, $register:ty] $(#[$doc:meta])*
     fn $name:ident ($($plain:ident: $type:ty)?) = $value:expr; $($rest:tt)*) => {
        $(#[$doc])*
        #[inline(always)]
        fn $name($($plain: $type)?) -> Self {
            #[target_feature(enable = $features)]
            #[inline]
            fn operation($($plain: $type)?) -> $register { $value }
            // SAFETY: the type of the result proves that the features are present: see `super`.
            Self(unsafe { operation($($plain)?) })
        }
        register_ops! { [$features, $register] $($rest)* }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use register_ops;

/// Starts to load the cache line of an element, on processors that can. Does nothing past the end of `elements`.
#[inline]
pub fn prefetch<T>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which accepts any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, at);
}
