//! A stand-in for the driver of NVIDIA's GPUs: `libcuda.so.1`, which runs the kernels' source on the host.
//!
//! The dynamic loader reads `LD_LIBRARY_PATH` when a process starts, so code that needs the driver runs in a new process: a
//! program by [`command`], or a test of the same test program by [`again`]. A process that needs no settings in the
//! environment can use [`load`](load::load). `kernels/host/driver/settings.h` documents the settings.

pub(crate) mod load;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use crate::support::cxx::{Product, build, is_skipped};

/// Environment variable that marks a process in which the stand-in is the driver.
const IS_HERE: &str = "NIGH_STANDIN";

/// Returns the path of the library; `None` if NIGH_NO_CXX=1 says that there is no compiler.
pub(crate) fn library() -> Option<PathBuf> {
    if is_skipped() {
        return None;
    }
    let library = build(&Product {
        file: "libcuda.so.1",
        folders: &[".", "host", "host/driver"],
        sources: &["devices", "streams", "memory", "launches", "kernels"]
            .map(|name| format!("host/driver/{name}.cpp"))
            .each_ref()
            .map(String::as_str),
        options: &["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-soname,libcuda.so,-z,defs,-z,nodelete"],
    });
    // A search for the library by its name without a version number must not find a real driver.
    let other = library.with_file_name("libcuda.so");
    if !other.exists() {
        let _ = fs::hard_link(&library, &other);
        assert!(other.exists(), "the link {} cannot be made", other.display());
    }
    Some(library)
}

/// Returns a command for a program that finds the stand-in; `None` if there is no C++ compiler, so that the test is
/// skipped.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Option<Command> {
    let folder = library()?.parent().unwrap().to_owned();
    let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let others = env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", env::join_paths([folder].into_iter().chain(others)).unwrap()).env(IS_HERE, "1");
    Some(command)
}

/// Returns whether tests run on real devices.
pub(crate) fn is_on_devices() -> bool {
    env::var_os("NIGH_REQUIRE_CUDA").is_some_and(|value| value == "1")
}

/// Returns whether this process was started with the stand-in.
pub(crate) fn is_here() -> bool {
    env::var_os(IS_HERE).is_some()
}

/// Runs one test of this test program in a new process with the stand-in. Panics if the test fails.
pub(crate) fn again(test: &str, settings: &[(&str, &str)]) {
    let Some(mut command) = command(env::current_exe().unwrap()) else { return };
    let output = command.args(["--exact", test, "--nocapture"]).envs(settings.iter().copied()).output().unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test} with {settings:?}, {}\n{printed}\n{errors}", output.status);
    assert!(printed.contains("1 passed"), "there is no test {test}\n{printed}");
}
