//! The CUDA engine: on devices where NIGH_REQUIRE_CUDA is 1, and otherwise on a stand-in for their driver, which runs the kernels' source on the host.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../cxx/mod.rs"]
mod cxx;
mod layouts;
#[path = "../suite/rules.rs"]
mod rules;
mod sanitized;
#[path = "../standin/mod.rs"]
mod standin;
#[path = "../suite/engines.rs"]
mod suite;

use nigh::engine::{Devices, EngineChoice, Fallback};

/// How many times longer a case takes: a device needs 0.1 ms for the least batch, the stand-in some.
const SLOWER: usize = 20;

/// The engines that the suite is for; none if somebody has said that the stand-in cannot be built.
fn tested() -> Vec<EngineChoice> {
    match standin::is_on_devices() || standin::load::load() {
        true => vec![EngineChoice::Cuda(Devices::First, Fallback::Refused)],
        false => Vec::new(),
    }
}
