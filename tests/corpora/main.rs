//! The fuzz targets on the inputs of their corpora and on random changes of these inputs, without coverage feedback.
//!
//! This program compiles the sources of the targets in `fuzz/` with the features and the profile of the other tests.
//! Each target runs in a process of its own, because a target may change the current folder.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unreachable_pub, unused_attributes, dead_code, reason = "the sources of fuzz/ are those of other crates")]

// The sources of `fuzz/` name these crates.
extern crate self as libfuzzer_sys;
extern crate self as nigh_fuzz;
pub use arbitrary;

#[path = "../../fuzz/src/contents.rs"]
mod contents;
#[path = "../../fuzz/targets/decompressors.rs"]
mod decompressors;
#[path = "../../fuzz/targets/differential.rs"]
mod differential;
mod inputs;
#[path = "../../fuzz/src/instruction_set.rs"]
mod instruction_set;
#[path = "../../fuzz/src/packed.rs"]
mod packed;
#[path = "../../fuzz/targets/pairs.rs"]
mod pairs;
#[path = "../../fuzz/targets/parsers.rs"]
mod parsers;
#[path = "../../fuzz/targets/pipeline.rs"]
mod pipeline;
#[path = "../../fuzz/src/program.rs"]
mod program;
#[path = "../../fuzz/targets/reports/main.rs"]
mod reports;
#[path = "../../fuzz/src/scene.rs"]
mod scene;
#[path = "../support/mod.rs"]
mod support;

use inputs::{check, check_instruction_sets};

/// Defines `fuzz`, which decodes an input and passes it to the target, as the macro of libfuzzer-sys does.
macro_rules! fuzz_target {
    (|$input:ident: $type:ty| $body:block) => {
        pub(crate) fn fuzz(bytes: &[u8]) {
            let decoded = <$type>::arbitrary_take_rest(libfuzzer_sys::arbitrary::Unstructured::new(bytes));
            let Ok($input) = decoded else { return };
            $body
        }
    };
}
pub(crate) use fuzz_target;

#[test]
fn decompressors() {
    check("decompressors", decompressors::fuzz, 500);
}

#[test]
fn differential() {
    check_instruction_sets("differential", differential::fuzz, 100);
}

#[test]
fn pairs() {
    check_instruction_sets("pairs", pairs::fuzz, 500);
}

#[test]
fn parsers() {
    check("parsers", parsers::fuzz, 1000);
}

#[test]
fn pipeline() {
    check("pipeline", pipeline::fuzz, 200);
}

#[test]
fn reports() {
    check("reports", reports::fuzz, 200);
}
