//! Options that users of grep and ripgrep type by habit: nigh does the same by default, or can do it cheaply.

use clap::{Args, ValueEnum};

/// Options of grep and ripgrep that change little or nothing.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct CompatArgs {
    /// Accepted without effect: patterns are extended regular expressions anyway. Of -E, -F, -G and -P the last counts
    #[arg(short = 'E', long, overrides_with_all = ["basic_regexp", "perl_regexp", "fixed_strings"])]
    extended_regexp: bool,
    /// Take a pattern if it means the same in a basic regular expression, as 'a.b' does; refuse others
    #[arg(short = 'G', long, overrides_with_all = ["extended_regexp", "perl_regexp", "fixed_strings"])]
    pub(in crate::cli) basic_regexp: bool,
    /// Accepted without effect: '\d', '\w' and '\b' are known anyway, and what else Perl has is refused by name
    #[arg(short = 'P', long, overrides_with_all = ["extended_regexp", "basic_regexp", "fixed_strings"])]
    perl_regexp: bool,
    /// Accepted without effect, as in GNU grep on Unix; ripgrep's --multiline does not exist
    #[arg(short = 'U', long)]
    binary: bool,
    /// Accepted without effect: hidden files are searched anyway
    #[arg(long)]
    hidden: bool,
    /// Search also what ignore files name: takes back --ignore-vcs
    #[arg(short, long, alias = "no-ignore", overrides_with = "ignore_vcs")]
    unrestricted: bool,
    /// Set how a folder given as FILE is treated
    #[arg(short, long, value_name = "ACTION", value_enum, overrides_with_all = ["recursive", "dereference_recursive"])]
    pub(in crate::cli) directories: Option<DirectoryAction>,
    /// Set how a device, pipe or socket given as FILE is treated; those in folders are always skipped
    #[arg(short = 'D', long, value_name = "ACTION", value_enum)]
    pub(in crate::cli) devices: Option<DeviceAction>,
    /// Print no line numbers: takes back -n
    #[arg(short = 'N', long, overrides_with = "line_number")]
    no_line_number: bool,
    /// Use no colours: the same as --color=never
    #[arg(long, alias = "no-colour", overrides_with = "color")]
    pub(in crate::cli) no_color: bool,
}

/// Treatment of a folder given as FILE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DirectoryAction {
    /// Report an error (the default)
    Read,
    /// Search the files in it, as -r does
    Recurse,
    /// Pass over it silently
    Skip,
}

/// Treatment of a device given as FILE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DeviceAction {
    /// Search it as a file (the default)
    Read,
    /// Pass over it silently
    Skip,
}
