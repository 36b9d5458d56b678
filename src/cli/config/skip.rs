//! `-d` and `-D`: folders and devices that are named as files.

use std::fs;

use anyhow::{Result, bail};

use crate::cli::args::{Args, DeviceAction, DirectoryAction};
use crate::input::Origin;
use crate::search::Input;

/// Refuses `-D read` where folders are searched.
pub(super) fn check(args: &Args) -> Result<()> {
    if args.compat.devices == Some(DeviceAction::Read) && args.input.recursion().is_some() {
        bail!("-D read: devices in folders are never searched; name them, and leave -r out");
    }
    Ok(())
}

/// Whether an input is a folder or a device that is to be passed over silently. As in GNU grep, standard input is not.
pub(super) fn is_skipped(args: &Args, input: &Input) -> bool {
    let folders = args.compat.directories == Some(DirectoryAction::Skip);
    let devices = args.compat.devices == Some(DeviceAction::Skip);
    let Origin::File(path) = &input.origin else { return false };
    if !folders && !devices {
        return false;
    }
    fs::metadata(path).is_ok_and(|metadata| match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => folders,
        (false, is_file) => devices && !is_file,
    })
}
