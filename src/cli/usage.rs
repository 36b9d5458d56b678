//! Formats errors in the arguments as one-line messages.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

/// A program whose arguments have errors.
pub(super) struct Usage {
    /// The definition of the program's arguments.
    pub(super) command: Command,
    /// The problem to report if required arguments are missing.
    pub(super) missing: &'static str,
    /// The usage line.
    pub(super) line: &'static str,
    /// The command that prints the short help.
    pub(super) help: &'static str,
    /// Options of similar programs, and what to use instead.
    pub(super) others: &'static [(&'static [&'static str], &'static str)],
}

impl Usage {
    /// Formats the problem, followed by advice if there is any.
    pub(super) fn message(&self, error: &clap::Error) -> String {
        let problem = self.problem(error);
        match self.advice(error) {
            Some(advice) => format!("{problem}; {advice}"),
            None => problem,
        }
    }

    /// Formats the problem without advice.
    pub(super) fn problem(&self, error: &clap::Error) -> String {
        let problem = match error.kind() {
            ErrorKind::MissingRequiredArgument => Some(self.missing.to_owned()),
            ErrorKind::UnknownArgument => self.unknown_option(error),
            ErrorKind::ArgumentConflict => conflict(error),
            ErrorKind::TooManyValues => option(error).map(|option| format!("{option} takes no value")),
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => invalid_value(error),
            _ => None,
        };
        problem.unwrap_or_else(|| first_paragraph(error))
    }

    /// Returns advice on how to correct the error; `None` if the problem says enough.
    fn advice(&self, error: &clap::Error) -> Option<String> {
        if let Some(options) = self.possible_options(error) {
            return Some(format!("possibilities: {}", options.join(", ")));
        }
        if let Some(advice) = self.advice_on_other(error) {
            return Some(advice.to_owned());
        }
        if let Some(name) = self.suggestion(error) {
            return Some(format!("did you mean '{name}'?"));
        }
        match error.kind() {
            ErrorKind::MissingRequiredArgument => Some(format!("usage: {} (for help: {})", self.line, self.help)),
            ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue)? {
                ContextValue::Strings(values) if !values.is_empty() => {
                    Some(format!("possible values: {}", values.join(", ")))
                }
                _ => None,
            },
            ErrorKind::UnknownArgument => Some(format!("for help: {}", self.help)),
            _ => None,
        }
    }

    /// Returns the advice for an option of a similar program.
    fn advice_on_other(&self, error: &clap::Error) -> Option<&'static str> {
        let unknown = context(error, ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
        self.others.iter().find(|(names, _)| names.contains(&unknown)).map(|(_, advice)| *advice)
    }

    fn unknown_option(&self, error: &clap::Error) -> Option<String> {
        let name = context(error, ContextKind::InvalidArg)?;
        Some(match self.possible_options(error) {
            Some(_) => format!("option '{name}' is ambiguous"),
            None => format!("unrecognized option '{name}'"),
        })
    }

    /// Returns the options that an ambiguous prefix may stand for; `None` unless the error is an ambiguous prefix.
    fn possible_options(&self, error: &clap::Error) -> Option<Vec<String>> {
        if error.kind() != ErrorKind::UnknownArgument {
            return None;
        }
        let prefix = context(error, ContextKind::InvalidArg)?.strip_prefix("--")?;
        let options = options_with(&self.command, prefix).filter_map(|arg| Some(format!("'--{}'", arg.get_long()?)));
        let options: Vec<String> = options.collect();
        (options.len() > 1).then_some(options)
    }

    /// Returns the option or value that is most similar to an unknown one, if they are similar enough.
    fn suggestion(&self, error: &clap::Error) -> Option<String> {
        if let Some(option) = context(error, ContextKind::SuggestedArg) {
            let given = context(error, ContextKind::InvalidArg)?;
            // A similar abbreviation suggests the full name.
            let name = option_named(&self.command, option.strip_prefix("--")?)?.get_long()?;
            return is_similar(given, option).then(|| format!("--{name}"));
        }
        let value = match error.get(ContextKind::SuggestedValue)? {
            ContextValue::String(value) => value,
            ContextValue::Strings(values) => values.last()?,
            _ => return None,
        };
        is_similar(context(error, ContextKind::InvalidValue)?, value).then(|| value.clone())
    }
}

/// Returns whether a word may be a misspelling of another. At most half of its symbols may be wrong.
fn is_similar(given: &str, meant: &str) -> bool {
    let symbols = |word: &str| word.trim_start_matches('-').to_owned();
    let (given, meant) = (symbols(given), symbols(meant));
    2 * nigh_pairs::distance(given.as_bytes(), meant.as_bytes()) <= meant.len()
}

fn conflict(error: &clap::Error) -> Option<String> {
    let others = match error.get(ContextKind::PriorArg)? {
        ContextValue::String(other) => name(other).to_owned(),
        ContextValue::Strings(others) => others.iter().map(|other| name(other)).collect::<Vec<_>>().join(" or "),
        _ => return None,
    };
    Some(format!("{} cannot be used with {others}", option(error)?))
}

fn invalid_value(error: &clap::Error) -> Option<String> {
    let (option, value) = (option(error)?, context(error, ContextKind::InvalidValue)?);
    Some(match error.source() {
        Some(problem) => format!("invalid value '{value}' for {option}: {problem}"),
        None if value.is_empty() => format!("{option} requires a value"),
        None => format!("invalid value '{value}' for {option}"),
    })
}

/// Returns the first paragraph of clap's message, on one line.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// Returns the name of the option that an error is about.
fn option(error: &clap::Error) -> Option<&str> {
    context(error, ContextKind::InvalidArg).map(name)
}

/// Strips the value from an option as clap shows it, such as `--max-count <NUM>`.
fn name(option: &str) -> &str {
    option.split([' ', '=', '[']).next().unwrap_or(option)
}

/// Returns one item of an error's context, if it is text.
fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Iterates over the options that have a name that begins with `prefix`.
fn options_with<'a>(command: &'a Command, prefix: &'a str) -> impl Iterator<Item = &'a Arg> {
    command.get_arguments().filter(move |arg| names(arg).any(|name| name.starts_with(prefix)))
}

/// Returns the option that has this long name, which may be a hidden alias.
fn option_named<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| names(arg).any(|other| other == name))
}

/// Iterates over the long names of an option, including aliases.
pub(super) fn names(arg: &Arg) -> impl Iterator<Item = &str> {
    arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default())
}
