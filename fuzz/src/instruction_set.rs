//! The instruction set of a fuzz target.

use nigh_core::engine::cpu::Isa;

/// Environment variable: the instruction set that a target runs with; by default the best available.
pub const VARIABLE: &str = "NIGH_ISA";

/// Chooses the instruction set that the environment names.
pub fn choose() {
    if let Ok(name) = std::env::var(VARIABLE) {
        Isa::set_preferred(&name).expect("the processor has the instruction set");
    }
}
