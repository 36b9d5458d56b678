//! The program.
//!
//! What the parent has closed has to be seen before `main`: Rust's runtime opens `/dev/null` in its place, and that cannot be told from one that the
//! parent has opened.
#![allow(unsafe_code)]

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use nigh::cli::{self, Closed};

static STDIN_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: it asks the system for two numbers and stores two flags, and needs nothing of Rust's runtime.
#[ctor::ctor(unsafe)]
fn look() {
    let is_closed = |stream| rustix::io::fcntl_getfd(stream).is_err();
    STDIN_IS_CLOSED.store(is_closed(rustix::stdio::stdin()), Ordering::Relaxed);
    STDOUT_IS_CLOSED.store(is_closed(rustix::stdio::stdout()), Ordering::Relaxed);
}

fn main() -> ExitCode {
    let closed =
        Closed { stdin: STDIN_IS_CLOSED.load(Ordering::Relaxed), stdout: STDOUT_IS_CLOSED.load(Ordering::Relaxed) };
    cli::run(std::env::args_os(), closed)
}
