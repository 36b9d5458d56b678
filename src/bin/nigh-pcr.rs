//! The program `nigh-pcr`.
#![no_main]
#![allow(unsafe_code)]

nigh::program!(nigh::cli::pcr::run);
