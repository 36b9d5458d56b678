//! `-d` and `-D`: skip directories and devices named on the command line.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::cli::args::{Args, DeviceAction, DirectoryAction};

/// The kinds of operands that are skipped silently. As in GNU grep, standard input is never skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SkippedOperands {
    directories: bool,
    devices: bool,
}

impl SkippedOperands {
    /// Reads the options. Refuses `-D read` with a recursive search.
    pub(super) fn new(args: &Args) -> Result<Self> {
        if args.compat.devices == Some(DeviceAction::Read) && args.input.recursion().is_some() {
            bail!(
                "-D read cannot be used with -r: devices in directories are never searched; name the devices and omit -r"
            );
        }
        Ok(SkippedOperands {
            directories: args.compat.directories == Some(DirectoryAction::Skip),
            devices: args.compat.devices == Some(DeviceAction::Skip),
        })
    }

    /// Returns true if the operand `file` is skipped.
    pub(super) fn has(self, file: &Path) -> bool {
        let is_skipped = |metadata: fs::Metadata| match (metadata.is_dir(), metadata.is_file()) {
            (true, _) => self.directories,
            (false, is_file) => self.devices && !is_file,
        };
        (self.directories || self.devices) && fs::metadata(file).is_ok_and(is_skipped)
    }
}
