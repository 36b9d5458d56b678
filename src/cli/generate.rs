//! The man page and the completions, from the one definition of the arguments.

use std::io::{self, Write};

use clap::ValueEnum;
use clap_complete::Shell;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use super::about::{ENVIRONMENT, EXAMPLES, STATUS};
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
        Document::Man => return man_page(out),
        Document::CompleteBash => Shell::Bash,
        Document::CompleteZsh => Shell::Zsh,
        Document::CompleteFish => Shell::Fish,
    };
    // Completions are written to memory first: clap panics when writing fails.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "nigh", &mut text);
    out.write_all(&text)
}

fn man_page(out: &mut dyn Write) -> io::Result<()> {
    let page = Man::new(command().after_long_help(""));
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    let mut rest = Roff::new();
    for (title, pairs) in [("EXIT STATUS", &STATUS[..]), ("ENVIRONMENT", &ENVIRONMENT), ("EXAMPLES", &EXAMPLES)] {
        rest.control("SH", [title]);
        for (name, what) in pairs {
            rest.control("TP", []).text([bold(*name)]).text([roman(*what)]);
        }
    }
    rest.control("SH", ["SEE ALSO"]).text([roman("grep(1), agrep(1), rg(1), samtools(1), bedtools(1), jq(1)")]);
    rest.to_writer(out)?;
    page.render_version_section(out)
}
