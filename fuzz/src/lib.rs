//! Code shared by several fuzz targets: compressed streams, instruction sets, and command lines with their inputs.

pub mod contents;
pub mod instruction_set;
pub mod packed;
pub mod program;
pub mod scene;
