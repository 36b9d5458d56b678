//! The man page and the completions, from the one definition of the arguments.

use std::io::{self, Write};

use clap::ValueEnum;
use clap_complete::Shell;

use super::args::command;

/// A text that is made of the definition of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// The manual page, as roff.
    Man,
    /// Completions for bash.
    CompleteBash,
    /// Completions for zsh.
    CompleteZsh,
    /// Completions for fish.
    CompleteFish,
}

impl Document {
    /// Each document, and the file of the project that holds it.
    pub const FILES: [(Document, &'static str); 4] = [
        (Document::Man, "man/nigh.1"),
        (Document::CompleteBash, "man/complete/nigh.bash"),
        (Document::CompleteZsh, "man/complete/_nigh"),
        (Document::CompleteFish, "man/complete/nigh.fish"),
    ];
}

/// Writes a document.
///
/// # Errors
/// What writing gave.
pub fn generate(document: Document, out: &mut dyn Write) -> io::Result<()> {
    let shell = match document {
        Document::Man => return clap_mangen::Man::new(command()).render(out),
        Document::CompleteBash => Shell::Bash,
        Document::CompleteZsh => Shell::Zsh,
        Document::CompleteFish => Shell::Fish,
    };
    // Completions are written to memory first: clap panics when writing fails.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "nigh", &mut text);
    out.write_all(&text)
}
