//! The program.
//!
//! What the parent has closed has to be seen before `main`: Rust's runtime opens `/dev/null` in its place, and that cannot be told from one that the
//! parent has opened. The runtime also ignores SIGPIPE, whether the parent did or not.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use nigh::cli::{self, Inherited};

static STDIN_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static SIGPIPE_IS_IGNORED: AtomicBool = AtomicBool::new(false);

// SAFETY: it asks the system three questions and stores three flags, and needs nothing of Rust's runtime.
#[ctor::ctor(unsafe)]
fn look() {
    let is_closed = |stream| rustix::io::fcntl_getfd(stream).is_err();
    STDIN_IS_CLOSED.store(is_closed(rustix::stdio::stdin()), Ordering::Relaxed);
    STDOUT_IS_CLOSED.store(is_closed(rustix::stdio::stdout()), Ordering::Relaxed);
    SIGPIPE_IS_IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
}

fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call changes nothing; it writes the present one to `action`, which is large enough.
    let status = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, so `action` was written.
    status == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Closes standard output: some file systems report lost writes only then.
fn close_stdout() -> io::Result<()> {
    // SAFETY: everything is written, and nothing uses the descriptor before the process ends.
    match unsafe { libc::close(libc::STDOUT_FILENO) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn main() -> ExitCode {
    let inherited = Inherited {
        closed_stdin: STDIN_IS_CLOSED.load(Ordering::Relaxed),
        closed_stdout: STDOUT_IS_CLOSED.load(Ordering::Relaxed),
        ignored_sigpipe: SIGPIPE_IS_IGNORED.load(Ordering::Relaxed),
    };
    let status = cli::run(std::env::args_os(), inherited);
    match close_stdout() {
        Err(error) if !inherited.closed_stdout => cli::stop_after_write_error(error),
        _ => status,
    }
}
