//! The program `nigh-align`.
#![no_main]
#![allow(unsafe_code)]

nigh::program!(nigh::cli::align::run);
