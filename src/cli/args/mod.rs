//! Definition of the arguments: the single source of options, help, man page and completions.

mod bytes;
mod combinations;
mod compat;
mod digits;
mod engine;
mod forms;
mod fuzzy;
mod input;
mod names;
pub(super) mod numbers;
mod output;
mod pattern;
mod sequences;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::OsStringValueParser;
use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, Parser};

pub(super) use self::bytes::{bytes_of, label};
use self::combinations::GivenOption;
pub(super) use self::combinations::InapplicableOption;
pub(super) use self::compat::{CompatArgs, DeviceAction, DirectoryAction, OF_OTHERS};
use self::digits::{DIGITS, check_digits_stand_alone};
pub(super) use self::engine::{EngineArgs, EngineName, ShardChoice, ThreadArgs};
pub(super) use self::forms::Output;
pub(super) use self::fuzzy::{EditExpression, FuzzyArgs};
pub(super) use self::input::{FileRule, InputArgs, Recursion};
pub(super) use self::output::{DisplayArgs, OutputArgs, When};
pub(super) use self::pattern::PatternArgs;
pub(super) use self::sequences::SequenceArgs;
use super::about::{AFTER_SHORT_HELP, IN_SHORT_HELP, LONG_ABOUT, after_help};
use super::usage::Usage;
#[cfg(test)]
use crate::searcher::EditRange;
use nigh_pattern::MaxEdits;
use nigh_report::{BestScope, Binary};
use nigh_search::InputKind;

/// The arguments of the command line.
#[derive(Debug, Parser)]
#[command(
    name = "nigh",
    version,
    about = "Search text and sequences for patterns with at most k edits",
    long_about = LONG_ABOUT,
    after_help = AFTER_SHORT_HELP,
    after_long_help = after_help(),
    override_usage = "nigh [OPTIONS] PATTERN [FILE...]\n       nigh [OPTIONS] -e PATTERN [FILE...]\n       nigh [OPTIONS] -f FILE [FILE...]",
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true,
    max_term_width = 100
)]
pub(super) struct Args {
    /// Regular expression to search for
    ///
    /// Supported are literals, escapes, classes, '.', groups, alternatives, '*', '+', '?', '{3}', '{2,4}' and '{2,}', and
    /// '^', '$', '\b', '\B', '\<' and '\>'. A line matches if it has a part that is within -k edits of some string that
    /// the expression stands for, so an edit inside of '.*' costs nothing. Sequences need an upper bound: '{0,1000}'
    /// instead of '*'. A newline separates patterns. An empty pattern matches every line. With -e or -f, this argument is
    /// the first FILE instead.
    ///
    /// '\w', '\d', '\s', '\b' and -i follow Unicode; the named classes of POSIX, such as 'upper', hold ASCII only.
    #[arg(value_name = "PATTERN", value_parser = OsStringValueParser::new(), required_unless_present_any = ["regexps", "pattern_files", "help", "version"])]
    pub(super) pattern: Option<OsString>,
    /// Files to search (default: standard input, or '.' with -r)
    ///
    /// '-' is standard input. A file that is also the output is refused, except with -q, -l, -L, -c and -m 1.
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    #[command(flatten, next_help_heading = "Matching options")]
    pub(super) fuzzy: FuzzyArgs,
    #[command(flatten, next_help_heading = "Pattern options")]
    pub(super) patterns: PatternArgs,
    #[command(flatten, next_help_heading = "Sequence options")]
    pub(super) sequences: SequenceArgs,
    #[command(flatten, next_help_heading = "Input options")]
    pub(super) input: InputArgs,
    #[command(flatten, next_help_heading = "Output options")]
    pub(super) output: OutputArgs,
    #[command(flatten, next_help_heading = "Engine options")]
    pub(super) engine: EngineArgs,
    #[command(flatten, next_help_heading = "Compatibility options")]
    pub(super) compat: CompatArgs,

    /// The form of the output that is chosen, if one is.
    #[arg(skip)]
    form: Option<Output>,
    /// The options on the command line that do not suit all forms or inputs.
    #[arg(skip)]
    given: Vec<GivenOption>,
    /// The options on the command line or in the configuration file that do not suit all forms or inputs.
    #[arg(skip)]
    given_anywhere: Vec<GivenOption>,

    /// Do not read the file that NIGH_CONFIG_PATH names
    #[arg(long, help_heading = "Other options")]
    no_config: bool,
    /// Print a short help with the most common options
    #[arg(short = '?', action = ArgAction::HelpShort, help_heading = "Other options")]
    short_help: Option<bool>,
    /// Print the full help
    ///
    /// -h is --no-filename, as in GNU grep.
    #[arg(long, action = ArgAction::HelpLong, help_heading = "Other options")]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "Other options")]
    version: Option<bool>,
}

impl Args {
    /// Parses `arguments`, which begin with the program's name.
    pub(super) fn parse_from(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        Args::parse_with_defaults(Vec::new(), arguments.into_iter().collect())
    }

    /// Parses `defaults` and then `arguments`, which begin with the program's name. Later options override earlier ones.
    /// Defaults that have no effect are ignored.
    pub(super) fn parse_with_defaults(defaults: Vec<OsString>, arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut command = command();
        let on_command_line = match defaults.is_empty() {
            true => None,
            false => Some(command.clone().ignore_errors(true).try_get_matches_from(&arguments)?),
        };
        let mut words = arguments.into_iter();
        let all: Vec<OsString> = words.next().into_iter().chain(defaults).chain(words).collect();
        check_digits_stand_alone(&command, &all)?;
        let matches = command.try_get_matches_from_mut(all)?;
        let mut args = Args::from_arg_matches(&matches)?;
        args.take_form(&command, &matches, on_command_line.as_ref())?;
        args.take_bound(&matches);
        args.place_near(&matches);
        if args.compat.directories == Some(DirectoryAction::Recurse) {
            args.input.recurse();
        }
        args.input.order_file_rules(&matches);
        args.input.unite_binary_options();
        if !args.patterns.regexps.is_empty() || !args.patterns.pattern_files.is_empty() {
            args.files.splice(0..0, args.pattern.take().map(PathBuf::from));
        }
        Ok(args)
    }

    /// Takes the form of the output, and checks the options on the command line. `on_command_line` has them if there is a
    /// configuration file; otherwise `matches` has no others.
    fn take_form(
        &mut self,
        command: &Command,
        matches: &ArgMatches,
        on_command_line: Option<&ArgMatches>,
    ) -> Result<(), clap::Error> {
        self.given_anywhere = combinations::given_options(command, matches);
        self.given = match on_command_line {
            Some(matches) => combinations::given_options(command, matches),
            None => self.given_anywhere.clone(),
        };
        self.form = Output::chosen(matches).or(combinations::implied_form(&self.given));
        if self.fuzzy.best == Some(BestScope::Record) {
            combinations::add_value(&mut self.given, "best", "record");
        }
        if self.input.binary_files == Binary::Text {
            combinations::add_value(&mut self.given, "binary_files", "text");
        }
        let refused = |error: InapplicableOption| clap::Error::raw(ErrorKind::ArgumentConflict, error);
        combinations::check(self.form, &self.given).map_err(refused)
    }

    /// Returns whether an option is given for the form of printed lines.
    pub(super) fn asks_for_lines(&self) -> bool {
        self.form.is_none() && combinations::asks_for_lines(&self.given)
    }

    /// Returns messages about the options that have no effect where inputs of these kinds are searched.
    pub(super) fn ignored(&self, kinds: &[InputKind]) -> Vec<String> {
        combinations::ignored(self.form, &self.given, &self.given_anywhere, kinds)
    }

    /// Returns the form of the output for inputs of this kind.
    pub(super) fn form(&self, kind: InputKind) -> Output {
        self.form.unwrap_or(Output::default_for(kind))
    }

    /// Returns whether this form of output is chosen.
    pub(super) fn has_form(&self, form: Output) -> bool {
        self.form == Some(form)
    }

    /// Checks that the form and the options suit inputs of this kind.
    pub(super) fn check_kind(&self, kind: InputKind) -> Result<(), InapplicableOption> {
        combinations::check_kind(self.form, &self.given, kind)
    }

    /// Counts the patterns before `--near`.
    fn place_near(&mut self, matches: &ArgMatches) {
        let indices = |name: &str| matches.indices_of(name).into_iter().flatten();
        let near = indices("near").next().unwrap_or(0);
        self.patterns.regexps_before_near = indices("regexps").filter(|&index| index < near).count();
    }

    /// Returns the setting of `--color`, which `--no-color` overrides.
    pub(super) fn color(&self) -> When {
        if self.compat.no_color { When::Never } else { self.output.color }
    }

    /// Sets the bound from the last of `-k`, `-0` to `-9` and `--edits` on the command line.
    fn take_bound(&mut self, matches: &ArgMatches) {
        let last = |name: &str| matches.indices_of(name).and_then(Iterator::last).unwrap_or(0);
        let mut latest = last("max_edits");
        for (k, digit) in DIGITS.iter().enumerate() {
            if matches.get_flag(digit) && last(digit) > latest {
                latest = last(digit);
                self.fuzzy.max_edits = Some(MaxEdits::Count(k).into());
            }
        }
        match &self.fuzzy.edits {
            Some(edits) if last("edits") > latest => self.fuzzy.max_edits = Some(edits.range()),
            _ => self.fuzzy.edits = None,
        }
    }
}

/// Returns the texts that messages about wrong arguments use.
pub(super) fn usage() -> Usage {
    Usage {
        command: command(),
        missing: "no pattern given",
        line: "nigh [OPTIONS] PATTERN [FILE...]",
        help: "nigh '-?'",
        others: &OF_OTHERS,
    }
}

/// Returns the definition of all arguments.
pub fn command() -> Command {
    let command = Args::command().args(digits::options());
    let command = command.mut_args(|arg| {
        let is_shown = IN_SHORT_HELP.contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_shown)
    });
    names::with_abbreviations(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nigh_pattern::EditCosts;

    fn parse(arguments: &[&str]) -> Args {
        let all = ["nigh"].iter().chain(arguments).map(OsString::from);
        Args::parse_from(all).unwrap()
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_last_bound_counts_however_it_is_written() {
        assert_eq!(parse(&["-3", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(3).into()));
        assert_eq!(parse(&["-k2", "-4", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(4).into()));
        assert_eq!(parse(&["-4", "-k", "2", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(2).into()));
        assert_eq!(parse(&["-in5", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(5).into()));
        assert_eq!(parse(&["-ink2", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(2).into()));
        assert_eq!(parse(&["-k10%", "x"]).fuzzy.max_edits, Some(MaxEdits::Percent(10).into()));
        assert_eq!(parse(&["x"]).fuzzy.max_edits, None);
        let range = parse(&["-2", "-k1..3s", "x"]).fuzzy;
        assert_eq!((range.min_edits(), range.bound(InputKind::Text)), (1, "3s".parse().unwrap()));
        assert_eq!(parse(&["-k1..3", "-2", "x"]).fuzzy.max_edits, Some(MaxEdits::Count(2).into()));
        let range = parse(&["-k9", "--edits=2<=e<=3", "x"]).fuzzy;
        assert_eq!((range.min_edits(), range.bound(InputKind::Text)), (2, "3".parse().unwrap()));
        let fuzzy = parse(&["--edits=s<=2", "-k1", "x"]).fuzzy;
        assert_eq!((fuzzy.bound(InputKind::Text), fuzzy.edit_costs()), ("1".parse().unwrap(), EditCosts::default()));
        assert!(["1..", "..2", "3..2", "1...2", "-1..2"].iter().all(|wrong| wrong.parse::<EditRange>().is_err()));
    }

    #[test]
    fn with_patterns_as_options_every_other_word_is_a_file() {
        let args = parse(&["-e", "-x", "a", "b"]);
        assert_eq!(args.patterns.regexps, ["-x"]);
        assert_eq!(args.files, [PathBuf::from("a"), PathBuf::from("b")]);
        assert!(args.pattern.is_none());
    }
}
