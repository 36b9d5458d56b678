//! The instruction sets: lanes in the registers each has, and the choice among them at run time.
//!
//! This file has `unsafe` code, because an intrinsic may only run on a processor that has its instruction. The only way
//! to run a task in lanes is [`Isa::run`], and the only way to an [`Isa`] is a check that the processor has it.
//!
//! Code that is generic over lanes has no closures around their operations: a closure that is not inlined is engine
//! without the instructions, and was seen to cost half of the speed.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::portable::Portable;
use super::vector::{Simd, SimdOp};
use crate::engine::EngineError;

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
    /// All that this processor has, the fastest first.
    pub fn all() -> Vec<Isa> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi");
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

    /// The one that the environment variable NIGH_ISA names, or else the fastest.
    ///
    /// # Errors
    /// When this processor does not have the one that is named.
    pub(crate) fn chosen() -> Result<Isa, EngineError> {
        let all = Isa::all();
        let Some(wanted) = std::env::var_os("NIGH_ISA").filter(|name| !name.is_empty()) else { return Ok(all[0]) };
        let named = all.iter().find(|isa| wanted == isa.name());
        named.copied().ok_or_else(|| EngineError::NoIsa {
            wanted: wanted.to_string_lossy().into_owned(),
            present: all.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Its name: `avx512`, `avx2`, `neon` or `portable`.
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

    /// How many streams its lanes have.
    pub(crate) fn streams(self) -> usize {
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

    /// Whether it looks up many bytes in a table of sixteen at a time.
    pub(crate) fn shuffles_bytes(self) -> bool {
        self.0 != Kind::Portable
    }

    /// Does a task in the lanes of this instruction set.
    pub(crate) fn run<T: SimdOp>(self, task: T) -> T::Output {
        match self.0 {
            // SAFETY: an `Isa` of this kind is only made by `all`, which saw that the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { run_avx512(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { run_neon(task) },
            Kind::Portable => task.run::<Portable>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx2,bmi1,bmi2,popcnt")]
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
