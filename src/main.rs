//! The program `nigh`.
#![no_main]
#![allow(unsafe_code)]

nigh::program!(nigh::cli::run);
