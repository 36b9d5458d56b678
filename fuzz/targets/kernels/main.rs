//! Random batches for the source of the CUDA kernels, compiled for the host. The hits equal those of the reference.
//!
//! The cases are those of `tests/kernels`, with an arbitrary seed. `NIGH_KERNELS` names the program that runs them; `ci/fuzz`
//! builds it.
#![no_main]

#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../../tests/kernels/cases.rs"]
mod cases;
mod program;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../../tests/kernels/sliced.rs"]
mod sliced;
mod support;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../../tests/kernels/symbols.rs"]
mod symbols;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../../tests/kernels/trace.rs"]
mod trace;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../../tests/kernels/word.rs"]
mod word;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

use crate::program::Build;

/// Number of random cases in one run of the program.
const CASES: usize = 4;

/// A batch of random cases.
#[derive(Debug, Arbitrary)]
enum Batch {
    Symbols {
        seed: u64,
    },
    Sliced {
        seed: u64,
    },
    /// A pattern that the kernel computes in several bands of rows.
    Bands {
        seed: u64,
        length: u16,
    },
    Word {
        seed: u64,
    },
    /// A pattern of many words.
    LongWord {
        seed: u64,
        length: u16,
    },
    Trace {
        seed: u64,
    },
    LongTrace {
        seed: u64,
        length: u16,
    },
}

fuzz_target!(|batch: Batch| {
    // Each thread of a kernel runs as a fiber, so longer patterns take seconds.
    let length = |length: u16| usize::from(length % 450) + 65;
    let compared = match batch {
        Batch::Symbols { seed } => {
            symbols::check(Build::Plain, seed, CASES);
            0
        }
        Batch::Sliced { seed } => sliced::check(Build::Plain, &sliced::random_cases(seed, CASES)),
        Batch::Bands { seed, length: rows } => {
            sliced::check(Build::Plain, &sliced::banded_cases(seed, &[length(rows)]))
        }
        Batch::Word { seed } => word::check(Build::Plain, &word::random_cases(seed, CASES)),
        Batch::LongWord { seed, length: rows } => word::check(Build::Plain, &word::long_cases(seed, &[length(rows)])),
        Batch::Trace { seed } => trace::check(Build::Plain, seed, trace::short_questions(seed, CASES)),
        Batch::LongTrace { seed, length: rows } => {
            trace::check(Build::Plain, seed, trace::long_questions(seed, &[(length(rows), 1024)], 2))
        }
    };
    assert!(compared < usize::MAX, "the program must run");
});
