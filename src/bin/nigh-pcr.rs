//! The program `nigh-pcr`.
#![no_main]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use nigh::process::ProgramAllocator;

/// The allocator of the statically linked program. With musl's own allocator, some searches take twice as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<mimalloc::MiMalloc> = ProgramAllocator(mimalloc::MiMalloc);

#[cfg(not(target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: ProgramAllocator<std::alloc::System> = ProgramAllocator(std::alloc::System);

// SAFETY: no other function of the program is called `main`.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    // SAFETY: C passes to `main` the number of arguments and an array of that many pointers to strings.
    unsafe { nigh::process::start(count, arguments, nigh::cli::pcr::run) }
}
