//! From arguments to a search, and from its outcome to an exit status.

mod about;
mod args;
mod bash;
mod best;
mod config;
mod document;
mod each_line;
mod generate;
mod listeners;
mod messages;
mod preset;
mod progress;
mod run;
mod streams;
mod terminal;
mod usage;

pub use args::command;
pub use document::Document;
pub use generate::generate;
pub use run::{Answer, answer, run, stop_after_write_error};
pub use streams::Inherited;
