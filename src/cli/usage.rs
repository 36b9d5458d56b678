//! What is wrong with the arguments, in one line.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::{command, option_named, options_with};

/// What is wrong, and what to do.
pub(super) fn message(error: &clap::Error) -> String {
    let problem = problem(error);
    match suggestion(error) {
        Some(name) if ambiguity(error).is_none() => format!("{problem}; did you mean '{name}'?"),
        _ => format!("{problem}; see 'nigh --help'"),
    }
}

/// What is wrong: the first paragraph of clap's message.
pub(super) fn problem(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::MissingRequiredArgument {
        return "no pattern is given; usage: nigh [OPTIONS] PATTERN [FILE...]".to_owned();
    }
    if let Some(message) = ambiguity(error) {
        return message;
    }
    let text = error.to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// The text of a context of an error.
fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// What is said of the beginning of several options.
fn ambiguity(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let prefix = context(error, ContextKind::InvalidArg)?;
    let command = command();
    let options = options_with(&command, prefix.strip_prefix("--")?);
    let names: Vec<String> = options.filter_map(|arg| Some(format!("'--{}'", arg.get_long()?))).collect();
    (names.len() > 1).then(|| format!("option '{prefix}' is ambiguous: it may be {}", names.join(", ")))
}

/// The option or value that is most like the one that is not known.
fn suggestion(error: &clap::Error) -> Option<String> {
    if let Some(option) = context(error, ContextKind::SuggestedArg) {
        let command = command();
        // What is like an abbreviation is like the whole name.
        let name = option_named(&command, option.strip_prefix("--")?)?.get_long()?;
        return Some(format!("--{name}"));
    }
    match error.get(ContextKind::SuggestedValue)? {
        ContextValue::String(value) => Some(value.clone()),
        ContextValue::Strings(values) => values.last().cloned(),
        _ => None,
    }
}
