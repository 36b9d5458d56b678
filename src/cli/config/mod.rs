//! Turns parsed arguments into a search that is checked and ready to run.

mod cas_offinder;
mod division;
mod engines;
mod globs;
mod inputs;
mod kinds;
mod memory;
mod pattern_content;
mod pattern_records;
mod patterns;
mod reports;
mod route;
mod routes;
mod shard;
mod skip;
mod sources;
mod tables;
mod task;
mod walk;

pub(super) use cas_offinder::take_genome;
pub(super) use division::terminator;
pub(super) use engines::{engine_choice, thread_count};
pub(super) use kinds::{Content, ReadAs, extension_below_compression};
pub(super) use pattern_content::content;
pub(super) use pattern_records::{place, records};
pub(super) use patterns::check_sites;
pub(super) use tables::{command_line, width};
pub(super) use task::{Prepared, Stdin, Task, prepare, task};
