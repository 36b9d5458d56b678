//! The CUDA engine: on devices if NIGH_REQUIRE_CUDA is 1, otherwise on a stand-in for the driver, which runs the kernels' source
//! on the host.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod automata;
mod layouts;
mod pairs;
mod sanitized;
mod seeds;
mod selection;
#[path = "../support/suite/mod.rs"]
mod suite;
#[path = "../support/mod.rs"]
mod support;

use crate::support::standin;
use nigh_device::Fallback;
use nigh_engine::EngineChoice;

/// Divisor of the number of cases. The smallest batch takes 0.1 ms on a device, and several milliseconds on the
/// stand-in.
const SLOWER: usize = 30;

/// Returns the engines under test; none if NIGH_NO_CXX=1 says that the stand-in cannot be built.
fn tested() -> Vec<EngineChoice> {
    match standin::is_on_devices() || standin::load::load() {
        true => vec![EngineChoice::cuda().fallback(Fallback::Refused)],
        false => Vec::new(),
    }
}
