//! Turns parsed arguments into a search that is checked and ready to run.
//!
//! Reading order: `task` (from arguments to a task, from a task to a search), `inputs` (the files), `routes` and
//! `route` (the engine, report and format for text and for sequences), `patterns`, `engines`, `reports` and `tables`
//! (reports on lines and on sequences), `division` (lines and batches), then `memory` and `shard` (two options).

mod division;
mod engines;
mod inputs;
mod memory;
mod patterns;
mod reports;
mod route;
mod routes;
mod shard;
mod tables;
mod task;

pub(super) use division::terminator;
pub(super) use engines::{engine_choice, thread_count};
pub(super) use inputs::kinds::{Content, ReadAs, extension_below_compression, sequence_extension};
pub(super) use patterns::cas_offinder::take_genome;
pub(super) use patterns::check_sites;
pub(super) use patterns::content::content;
pub(super) use patterns::records::records;
pub(super) use tables::{command_line, width};
pub(super) use task::{Prepared, Stdin, Task, prepare, task};
