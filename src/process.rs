//! The start of a program at C's `main`, and its allocator.
//!
//! Before Rust's `main`, the Rust runtime would open `/dev/null` for closed standard streams and ignore SIGPIPE, and a
//! program could no longer tell what its parent had set up. As in grep, a closed standard output is an error, and a
//! broken pipe ends the process by SIGPIPE unless the parent ignores that signal.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;

use nigh_text::batch::handles_allocation_failure;

use crate::cli::{self, InheritedStreams};

/// Defines the `main` and the allocator of a program with this command line.
#[doc(hidden)]
#[macro_export]
macro_rules! program {
    ($command_line:path) => {
        /// The allocator of the statically linked program. With musl's own allocator, some searches take twice as long.
        #[cfg(target_env = "musl")]
        #[global_allocator]
        static ALLOCATOR: $crate::process::ProgramAllocator<mimalloc::MiMalloc> =
            $crate::process::ProgramAllocator(mimalloc::MiMalloc);

        #[cfg(not(target_env = "musl"))]
        #[global_allocator]
        static ALLOCATOR: $crate::process::ProgramAllocator<std::alloc::System> =
            $crate::process::ProgramAllocator(std::alloc::System);

        // SAFETY: no other function of the program is called `main`.
        #[unsafe(no_mangle)]
        extern "C" fn main(count: std::ffi::c_int, arguments: *const *const std::ffi::c_char) -> std::ffi::c_int {
            // SAFETY: C passes to `main` the number of arguments and an array of that many pointers to strings.
            unsafe { $crate::process::start(count, arguments, $command_line) }
        }
    };
}

/// The exit status after a panic, the same as that of Rust's runtime.
const PANICKED: u8 = 101;

/// A command line: takes the arguments, which begin with the program's name, and returns the exit status.
pub type CommandLine = fn(Vec<OsString>, InheritedStreams) -> u8;

/// Runs a program with the parameters of C's `main`. Returns the exit status.
///
/// # Safety
/// `arguments` points to `count` pointers to strings that end with a NUL byte.
pub unsafe fn start(count: c_int, arguments: *const *const c_char, command_line: CommandLine) -> c_int {
    // SAFETY: the caller guarantees the same.
    let arguments = unsafe { strings(count, arguments) };
    // A panic must not unwind out of a function that C calls.
    let status = std::panic::catch_unwind(|| run(arguments, command_line)).unwrap_or(PANICKED);
    c_int::from(status)
}

fn run(arguments: Vec<OsString>, command_line: CommandLine) -> u8 {
    let inherited =
        InheritedStreams { closed_stdin: is_closed(libc::STDIN_FILENO), closed_stdout: is_closed(libc::STDOUT_FILENO) };
    if let Err(error) = open_closed_streams() {
        return cli::stop_without_streams(&error);
    }
    let status = command_line(arguments, inherited);
    match close_stdout() {
        Err(error) if !inherited.closed_stdout => cli::stop_after_write_error(error),
        _ => status,
    }
}

/// Copies the `count` strings of an array of pointers.
///
/// # Safety
/// `first` points to `count` pointers to strings that end with a NUL byte.
unsafe fn strings(count: c_int, first: *const *const c_char) -> Vec<OsString> {
    let string = |index: usize| {
        // SAFETY: the caller guarantees `count` pointers, and `index` is less than `count`.
        let place = unsafe { first.add(index) };
        // SAFETY: `place` is inside the array, so it points to one of the pointers.
        let pointer = unsafe { *place };
        // SAFETY: the caller guarantees that each pointer points to a string that ends with a NUL byte.
        let string = unsafe { CStr::from_ptr(pointer) };
        OsStr::from_bytes(string.to_bytes()).to_owned()
    };
    (0..usize::try_from(count).unwrap_or(0)).map(string).collect()
}

fn is_closed(descriptor: c_int) -> bool {
    // SAFETY: the call only asks for the flags of a descriptor, which may be any number.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) == -1 }
}

/// Opens `/dev/null` for each standard stream that is closed, so that no file opened later gets its descriptor.
fn open_closed_streams() -> io::Result<()> {
    while is_closed(libc::STDIN_FILENO) || is_closed(libc::STDOUT_FILENO) || is_closed(libc::STDERR_FILENO) {
        // The system assigns the lowest free descriptor.
        let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        if null.as_raw_fd() > libc::STDERR_FILENO {
            break;
        }
        std::mem::forget(null);
    }
    Ok(())
}

/// Closes standard output. Some file systems report lost writes only when a file is closed.
fn close_stdout() -> io::Result<()> {
    // SAFETY: everything is written, and nothing uses the descriptor before the process ends.
    match unsafe { libc::close(libc::STDOUT_FILENO) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// An allocator that ends the process with a message if there is not enough memory. Without it, Rust would print a
/// backtrace and abort. A caller that handles the failure gets a null pointer.
pub struct ProgramAllocator<A>(pub A);

// SAFETY: the blocks are those of the wrapped allocator, which is used with the arguments of the caller.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ProgramAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the same.
        available(unsafe { self.0.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the same.
        available(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees the same.
        available(unsafe { self.0.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees the same.
        unsafe { self.0.dealloc(block, layout) }
    }
}

/// Returns a block of `size` bytes. Ends the process if it is null and the caller does not handle that.
#[inline]
fn available(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() && !handles_allocation_failure() {
        stop_without_memory(size);
    }
    block
}

/// Prints a message and ends the process, without an allocation.
#[cold]
fn stop_without_memory(size: usize) -> ! {
    let mut message = [0; 160];
    let mut rest = &mut message[..];
    let name = cli::program();
    // A message that is too long is cut.
    _ = writeln!(rest, "{name}: not enough memory for another {size} bytes; use fewer threads (-j)");
    let unused = rest.len();
    let length = message.len() - unused;
    // SAFETY: `message` has `length` bytes.
    unsafe { libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), length) };
    // SAFETY: the call ends the process at once. Output that is not written yet is lost, as in an abort.
    unsafe { libc::_exit(c_int::from(cli::ERROR)) }
}
