//! Generates the man page and the completions from the definition of the arguments.

use std::io::{self, Write};

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use nigh::cli::command;
use nigh::cli::manual::{ENVIRONMENT, EXAMPLES, STATUS, STATUS_NOTE};

use crate::bash;

/// A document generated from the definition of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
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
    /// Each document, with its file in the project and the content of that file.
    pub(crate) const FILES: [(Document, &'static str, &'static str); 4] = [
        (Document::Man, "man/nigh.1", include_str!("../../man/nigh.1")),
        (Document::CompleteBash, "man/complete/nigh.bash", include_str!("../../man/complete/nigh.bash")),
        (Document::CompleteZsh, "man/complete/_nigh", include_str!("../../man/complete/_nigh")),
        (Document::CompleteFish, "man/complete/nigh.fish", include_str!("../../man/complete/nigh.fish")),
    ];
}

/// Returns the text of a document.
pub(crate) fn made(document: Document) -> String {
    let mut made = Vec::new();
    generate(document, &mut made).unwrap();
    String::from_utf8(made).unwrap()
}

/// Writes a document.
///
/// # Errors
/// Fails if writing fails.
fn generate(document: Document, out: &mut dyn Write) -> io::Result<()> {
    let script = match document {
        Document::Man => return man_page(out),
        Document::CompleteBash => bash::script(&completed_command()),
        Document::CompleteZsh => completion(Shell::Zsh),
        Document::CompleteFish => fish_script(),
    };
    out.write_all(script.as_bytes())
}

/// Returns the definition of the arguments for completion. Values that are neither possible values nor files have no
/// completions.
fn completed_command() -> Command {
    let mut command = command().mut_args(|arg| match arg.is_positional() || !takes_free_text(&arg) {
        true => arg,
        false => arg.value_hint(ValueHint::Other),
    });
    command.build();
    command
}

/// Returns true if an option's value is neither a possible value nor a file.
fn takes_free_text(arg: &Arg) -> bool {
    let takes_value = arg.get_action().takes_values() && arg.get_possible_values().is_empty();
    takes_value && arg.get_value_hint() == ValueHint::Unknown
}

/// Returns a script of clap. It is written to memory, because clap panics if writing fails.
fn completion(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed_command(), "nigh", &mut script);
    String::from_utf8(script).expect("names and help are UTF-8")
}

/// Returns clap's script for fish with two changes: options that take a value only after `=` do not require one (`-r`), so
/// that no value is offered after a blank, and `?` is not a wildcard.
fn fish_script() -> String {
    let command = completed_command();
    let joined: Vec<String> = command
        .get_arguments()
        .filter(|arg| arg.is_require_equals_set())
        .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
        .map(|name| format!(" -l {name} "))
        .collect();
    let line = |line: &str| match joined.iter().any(|name| line.contains(name)) {
        true => line.replace(" -r -f -a ", " -f -a ") + "\n",
        false => line.replace(" -s ? ", " -s '?' ") + "\n",
    };
    completion(Shell::Fish).lines().map(line).collect()
}

fn man_page(out: &mut dyn Write) -> io::Result<()> {
    // The page has all options; options hidden in the short help would have no text in it.
    let command = command().mut_args(|arg| arg.hide_short_help(false));
    let page = Man::new(command.after_long_help(""));
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    out.write_all(options_section(&page)?.as_bytes())?;
    let mut rest = Roff::new();
    let mut add_section = |title: &str, pairs: &[(&str, &str)], note: &str| {
        rest.control("SH", [title]);
        for (name, text) in pairs {
            rest.control("TP", []).text([bold(*name)]).text([roman(*text)]);
        }
        if !note.is_empty() {
            rest.control("PP", []).text([roman(note)]);
        }
    };
    add_section("EXIT STATUS", &STATUS, STATUS_NOTE);
    add_section("ENVIRONMENT", &ENVIRONMENT, "");
    add_section("EXAMPLES", &EXAMPLES, "");
    rest.control("SH", ["SEE ALSO"]).text([roman("grep(1), agrep(1), rg(1), samtools(1), bedtools(1), jq(1)")]);
    rest.to_writer(out)?;
    page.render_version_section(out)
}

/// Writes the options with a subsection for each group, where clap writes a section.
fn options_section(page: &Man) -> io::Result<String> {
    let mut section = Vec::new();
    page.render_options_section(&mut section)?;
    let section = String::from_utf8(section).expect("names and help are UTF-8");
    let (options, groups) = section.split_once(".SH OPTIONS\n").expect("the arguments have no group of their own");
    Ok(format!("{options}.SH OPTIONS\n{}", groups.replace("\n.SH ", "\n.SS ")))
}
