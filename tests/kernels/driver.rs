//! The stand-in for NVIDIA's driver behaves like a driver, and detects misuse that a driver would not. The scenarios
//! are described in `kernels/host/driver/scenarios.cpp`, which runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Output};

use nigh_device::modules::{Module, all};

use crate::support::cxx::{Product, build};
use crate::support::standin;

/// Runs a scenario with a module. Returns `None` if there is no C++ compiler.
fn play(scenario: &str, module: &Path, settings: &[(&str, &str)]) -> Option<Output> {
    let library = standin::library()?;
    let program = build(&Product {
        file: "scenarios",
        folders: &["host/driver"],
        sources: &["host/driver/scenarios.cpp"],
        options: &["-pthread", library.to_str().unwrap()],
    });
    let mut command = standin::command(program)?;
    command.arg(scenario).arg(module).envs(settings.iter().copied());
    Some(command.output().unwrap())
}

/// Writes the PTX of a module to a file.
fn ptx(name: &'static str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{}.ptx", process::id()));
    fs::write(&file, Module { name }.ptx()).unwrap();
    file
}

fn planes() -> PathBuf {
    ptx("planes")
}

fn passes(scenario: &str, settings: &[(&str, &str)]) {
    passes_with(scenario, &planes(), settings);
}

fn passes_with(scenario: &str, module: &Path, settings: &[(&str, &str)]) {
    if let Some(output) = play(scenario, module, settings) {
        let errors = String::from_utf8_lossy(&output.stderr);
        let module = module.display();
        assert!(output.status.success(), "{scenario} of {module} with {settings:?}, {}: {errors}", output.status);
    }
}

/// Checks that the stand-in ends the process of a scenario with this message.
fn is_stopped(scenario: &str, settings: &[(&str, &str)], why: &str) {
    if let Some(output) = play(scenario, &planes(), settings) {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{scenario}: {errors}");
        assert!(errors.contains(why), "{scenario}: {errors}");
    }
}

#[test]
fn a_kernel_runs_from_its_ptx() {
    passes("pack", &[]);
    passes("pack", &[("NIGH_STANDIN_EAGER", "1"), ("NIGH_STANDIN_SEED", "9")]);
}

#[test]
fn a_kernel_runs_from_several_threads() {
    passes("threads", &[("NIGH_STANDIN_DEVICES", "2")]);
}

#[test]
fn every_module_is_known() {
    for module in all() {
        passes_with("known", &ptx(module.name), &[]);
    }
}

#[test]
fn no_work_is_done_before_a_wait() {
    passes("late", &[]);
}

#[test]
fn streams_are_in_any_order_that_events_allow() {
    passes("order", &[]);
    passes("order", &[("NIGH_STANDIN_SEED", "2")]);
}

#[test]
fn too_little_work_in_flight_is_a_failure() {
    passes("events", &[("NIGH_STANDIN_IN_FLIGHT", "1")]);
    is_stopped("events", &[("NIGH_STANDIN_IN_FLIGHT", "2")], "no thread had work on more than 1 streams at once");
}

#[test]
fn events_are_done_when_their_work_is() {
    passes("events", &[]);
}

#[test]
fn copies_stay_inside_allocations() {
    passes("bounds", &[]);
}

#[test]
fn locked_memory_is_copied_before_it_changes() {
    passes("lock", &[]);
    is_stopped("lock_changed", &[], "changed before it was copied");
    is_stopped("lock_early", &[], "1 copies of the memory have not run");
}

#[test]
fn launches_keep_to_the_limits_of_their_kernel() {
    passes("limits", &[]);
}

#[test]
fn contexts_have_nothing_in_common() {
    passes("contexts", &[("NIGH_STANDIN_DEVICES", "2")]);
}

#[test]
fn kernels_that_leave_their_memory_are_stopped() {
    is_stopped("guards", &[], "wrote outside an allocation of 384 bytes");
    is_stopped("stranger", &[("NIGH_STANDIN_DEVICES", "2")], "memory of another context");
}

#[test]
fn requested_failures_occur() {
    let failures = [
        ("fail_init", "init"),
        ("fail_devices", "devices=0"),
        ("fail_driver", "driver=11000"),
        ("fail_load", "load"),
        ("fail_launch", "launch=2"),
        ("fail_copy", "copy=2"),
        ("fail_memory", "alloc=2,pinned=2,lock=1"),
        ("fail_unknown", "unknown=2"),
    ];
    for (scenario, failure) in failures {
        passes(scenario, &[("NIGH_STANDIN_FAIL", failure)]);
    }
    is_stopped("pack", &[("NIGH_STANDIN_FAIL", "lunch=2")], "knows no 'lunch=2'");
}

#[test]
fn a_test_runs_again_with_the_driver() {
    if standin::is_here() {
        assert_eq!(std::env::var("NIGH_STANDIN_SEED").unwrap(), "3");
    } else {
        standin::again("driver::a_test_runs_again_with_the_driver", &[("NIGH_STANDIN_SEED", "3")]);
    }
}
