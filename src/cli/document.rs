//! The texts that are made of the definition of the arguments.

use clap::ValueEnum;

/// A text that is made of the definition of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// The man page, as roff.
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
