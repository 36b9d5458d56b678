//! The command line: turns arguments into a search, runs it, and turns its outcome into an exit status.

mod about;
pub mod align;
mod args;
mod bounded_file;
mod config;
mod config_file;
mod environment;
mod line_writer;
mod listeners;
mod messages;
mod pattern_advice;
pub mod pcr;
mod program_run;
mod progress;
mod run;
mod stdio;
mod terminal;
mod usage;

pub use args::command;
pub use messages::program;
pub use program_run::ERROR;
pub use run::{Answer, answer, run, stop_after_write_error, stop_without_streams};
pub use stdio::InheritedStreams;

/// The texts of the man page that do not describe options.
#[doc(hidden)]
pub mod manual {
    pub use super::about::{ENVIRONMENT, EXAMPLES, STATUS, STATUS_NOTE};

    /// The texts of the man page of `nigh-align` that do not describe options.
    pub mod align {
        pub use crate::cli::align::about::{ENVIRONMENT, EXAMPLES, STATUS};
    }

    /// The texts of the man page of `nigh-pcr` that do not describe options.
    pub mod pcr {
        pub use crate::cli::pcr::about::{ENVIRONMENT, EXAMPLES, STATUS};
    }
}
