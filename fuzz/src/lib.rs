//! Code shared by several fuzz targets: compressed streams, and command lines with their inputs.

pub mod contents;
pub mod packed;
pub mod program;
pub mod scene;
