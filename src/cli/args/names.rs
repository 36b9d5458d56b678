//! Abbreviations of long options: any unique prefix, and the abbreviations of GNU grep.

use clap::{Command, Id};

use crate::cli::usage::names;

/// Long options of GNU grep.
const OF_GREP: [&str; 46] = [
    "after-context",
    "basic-regexp",
    "before-context",
    "binary",
    "binary-files",
    "byte-offset",
    "color",
    "colour",
    "context",
    "count",
    "dereference-recursive",
    "devices",
    "directories",
    "exclude",
    "exclude-dir",
    "exclude-from",
    "extended-regexp",
    "file",
    "files-with-matches",
    "files-without-match",
    "fixed-strings",
    "group-separator",
    "help",
    "ignore-case",
    "include",
    "initial-tab",
    "invert-match",
    "label",
    "line-buffered",
    "line-number",
    "line-regexp",
    "max-count",
    "no-filename",
    "no-group-separator",
    "no-ignore-case",
    "no-messages",
    "null",
    "null-data",
    "only-matching",
    "perl-regexp",
    "quiet",
    "recursive",
    "regexp",
    "text",
    "with-filename",
    "word-regexp",
];

/// Enables abbreviations of long options. A prefix that is unique among the options of GNU grep stands for grep's
/// option, even if other options of nigh begin with it.
pub(super) fn with_abbreviations(command: Command) -> Command {
    let named = |arg| names(arg).map(move |name| (name, arg.get_id()));
    let mut options: Vec<(&str, &Id)> = command.get_arguments().flat_map(named).collect();
    options.sort_unstable();
    let added: Vec<(&str, Vec<&str>)> = OF_GREP.iter().map(|&name| (name, unclear_prefixes(&options, name))).collect();
    let command = command.mut_args(|arg| match added.iter().find(|(name, _)| arg.get_long() == Some(name)) {
        Some((_, prefixes)) => arg.aliases(prefixes),
        None => arg,
    });
    command.infer_long_args(true)
}

/// Returns the prefixes of the option `name` of grep that are unique in grep but ambiguous in nigh. `options` holds the
/// names of nigh's options, sorted.
fn unclear_prefixes(options: &[(&str, &Id)], name: &'static str) -> Vec<&'static str> {
    let shared = |other: &str| other.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let longest = OF_GREP.iter().filter(|&&other| !is_same(name, other)).map(|other| shared(other)).max();
    let prefixes = (longest.unwrap_or(0) + 1..name.len()).map(|length| &name[..length]);
    let is_unclear = |prefix: &&str| {
        let from = options.partition_point(|(other, _)| other < prefix);
        let mut with = options[from..].iter().take_while(|(other, _)| other.starts_with(prefix));
        let first = with.next();
        first.is_some_and(|(other, option)| other != prefix && with.any(|(_, next)| next != option))
    };
    prefixes.filter(is_unclear).collect()
}

/// Returns true if two names of grep stand for the same option.
fn is_same(name: &str, other: &str) -> bool {
    name == other || name.starts_with("colo") && other.starts_with("colo")
}
