//! Generates the man pages and the completions from the definitions of the arguments.

use std::io::{self, Write};

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use nigh::cli::manual::{self, STATUS_NOTE};

use crate::bash;

/// A program and the texts of its man page.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) command: fn() -> Command,
    status: &'static [(&'static str, &'static str)],
    status_note: &'static str,
    environment: &'static [(&'static str, &'static str)],
    examples: &'static [(&'static str, &'static str)],
    see_also: &'static str,
}

pub(crate) const NIGH: Program = Program {
    name: "nigh",
    command: nigh::cli::command,
    status: &manual::STATUS,
    status_note: STATUS_NOTE,
    environment: &manual::ENVIRONMENT,
    examples: &manual::EXAMPLES,
    see_also: "nigh-align(1), nigh-pcr(1), grep(1), agrep(1), rg(1), samtools(1), bedtools(1), jq(1)",
};

pub(crate) const NIGH_ALIGN: Program = Program {
    name: "nigh-align",
    command: nigh::cli::align::command,
    status: &manual::align::STATUS,
    status_note: "",
    environment: &manual::align::ENVIRONMENT,
    examples: &manual::align::EXAMPLES,
    see_also: "nigh(1), nigh-pcr(1), samtools(1), minimap2(1), blastp(1), jq(1)",
};

pub(crate) const NIGH_PCR: Program = Program {
    name: "nigh-pcr",
    command: nigh::cli::pcr::command,
    status: &manual::pcr::STATUS,
    status_note: "",
    environment: &manual::pcr::ENVIRONMENT,
    examples: &manual::pcr::EXAMPLES,
    see_also: "nigh(1), nigh-align(1), samtools(1), bedtools(1), jq(1)",
};

/// All programs.
pub(crate) const PROGRAMS: [Program; 3] = [NIGH, NIGH_ALIGN, NIGH_PCR];

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
    /// All documents of a program.
    pub(crate) const ALL: [Document; 4] =
        [Document::Man, Document::CompleteBash, Document::CompleteZsh, Document::CompleteFish];

    /// Returns the file of a program's document in the project.
    pub(crate) fn file(self, program: Program) -> String {
        let name = program.name;
        match self {
            Document::Man => format!("man/{name}.1"),
            Document::CompleteBash => format!("man/complete/{name}.bash"),
            Document::CompleteZsh => format!("man/complete/_{name}"),
            Document::CompleteFish => format!("man/complete/{name}.fish"),
        }
    }
}

/// Returns the text of a document.
pub(crate) fn made(program: Program, document: Document) -> String {
    let mut made = Vec::new();
    generate(program, document, &mut made).unwrap();
    String::from_utf8(made).unwrap()
}

/// Writes a document.
///
/// # Errors
/// Fails if writing fails.
fn generate(program: Program, document: Document, out: &mut dyn Write) -> io::Result<()> {
    let script = match document {
        Document::Man => return man_page(program, out),
        Document::CompleteBash => bash::script(program.name, &completed_command(program)),
        Document::CompleteZsh => completion(program, Shell::Zsh),
        Document::CompleteFish => fish_script(program),
    };
    out.write_all(script.as_bytes())
}

/// Returns the definition of the arguments for completion. A value that is neither one of a list nor a file has no
/// completions.
fn completed_command(program: Program) -> Command {
    let mut command = (program.command)().mut_args(|arg| match arg.is_positional() || !takes_free_text(&arg) {
        true => arg,
        false => arg.value_hint(ValueHint::Other),
    });
    command.build();
    command
}

/// Returns whether an option takes a value that is neither one of a list nor a file.
fn takes_free_text(arg: &Arg) -> bool {
    let takes_value = arg.get_action().takes_values() && arg.get_possible_values().is_empty();
    takes_value && arg.get_value_hint() == ValueHint::Unknown
}

/// Returns the completion script that clap generates. It is generated in memory, because clap panics if writing fails.
fn completion(program: Program, shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed_command(program), program.name, &mut script);
    String::from_utf8(script).expect("names and help are UTF-8")
}

/// Returns clap's script for fish with two changes. Options that take a value only after `=` do not have `-r`, so that
/// no value is offered after a blank. The option `-?` is quoted, so that `?` is not a wildcard.
fn fish_script(program: Program) -> String {
    let command = completed_command(program);
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
    completion(program, Shell::Fish).lines().map(line).collect()
}

fn man_page(program: Program, out: &mut dyn Write) -> io::Result<()> {
    // The man page describes all options. Without this change, options that the short help hides would have no text.
    let command = (program.command)().mut_args(|arg| arg.hide_short_help(false));
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
    add_section("EXIT STATUS", program.status, program.status_note);
    add_section("ENVIRONMENT", program.environment, "");
    add_section("EXAMPLES", program.examples, "");
    rest.control("SH", ["SEE ALSO"]).text([roman(program.see_also)]);
    rest.to_writer(out)?;
    page.render_version_section(out)
}

/// Returns the section of the options, with a subsection for each group instead of clap's section.
fn options_section(page: &Man) -> io::Result<String> {
    let mut section = Vec::new();
    page.render_options_section(&mut section)?;
    let section = String::from_utf8(section).expect("names and help are UTF-8");
    let (options, groups) = section.split_once(".SH OPTIONS\n").expect("the arguments have no group of their own");
    Ok(format!("{options}.SH OPTIONS\n{}", groups.replace("\n.SH ", "\n.SS ")))
}
