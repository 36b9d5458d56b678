//! The instruction set of a fuzz target.

use nigh_cpu::Isa;

/// Environment variable with the instruction set that a target uses; by default it uses the best available.
pub const VARIABLE: &str = "NIGH_ISA";

/// Selects the instruction set that the environment variable names. Panics if the processor does not have it.
pub fn choose() {
    if let Ok(name) = std::env::var(VARIABLE) {
        Isa::set_preferred(&name).expect("the processor must have the instruction set that NIGH_ISA names");
    }
}
