//! Settings of the engines that the programs read from the environment, for tests and measurements.

use std::ffi::OsString;

use anyhow::{Context, Result};

use nigh_cpu::Isa;

/// The environment variable that names the instruction set.
const INSTRUCTION_SET: &str = "NIGH_ISA";

/// Applies the settings in the environment to the engines of this process.
///
/// # Errors
/// Fails if a variable has an unknown value, or names an instruction set that the processor lacks.
pub(super) fn apply() -> Result<()> {
    if let Some(name) = value(INSTRUCTION_SET) {
        Isa::set_preferred(&name.to_string_lossy()).context(INSTRUCTION_SET)?;
    }
    Ok(())
}

/// Returns the value of a variable, unless it is empty.
fn value(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}
