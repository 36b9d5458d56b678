//! Options of grep and ripgrep for compatibility. Most match nigh's defaults.

use clap::{Args, ValueEnum};

/// Options of grep and ripgrep that change little or nothing.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct CompatArgs {
    /// No effect: patterns are extended regular expressions
    ///
    /// Of -E, -F, -G and -P, the last one applies.
    #[arg(hide = true, short = 'E', long, overrides_with_all = ["basic_regexp", "perl_regexp", "fixed_strings"])]
    extended_regexp: bool,
    /// Refuse patterns that mean something else in a basic regular expression
    ///
    /// 'a.b' is accepted, 'a|b' is refused.
    #[arg(short = 'G', long, overrides_with_all = ["extended_regexp", "perl_regexp", "fixed_strings"])]
    pub(crate) basic_regexp: bool,
    /// No effect: '\d', '\w' and '\b' are always supported
    ///
    /// Other syntax of Perl is refused with a message.
    #[arg(hide = true, short = 'P', long, overrides_with_all = ["extended_regexp", "basic_regexp", "fixed_strings"])]
    perl_regexp: bool,
    /// No effect, as in GNU grep on Unix
    ///
    /// ripgrep's -U (--multiline) is not supported.
    #[arg(hide = true, short = 'U', long)]
    binary: bool,
    /// No effect: hidden files are always searched
    #[arg(hide = true, long)]
    hidden: bool,
    /// Decompress input, which is the default; overrides --no-decompress
    #[arg(hide = true, long, alias = "search-zip", overrides_with = "no_decompress")]
    decompress: bool,
    /// Do not respect ignore files; overrides --ignore-vcs
    #[arg(hide = true, short, long, alias = "no-ignore", overrides_with = "ignore_vcs")]
    unrestricted: bool,
    /// Set what to do with a directory named as FILE: report it as an error ('read', default), search the files in it like -r
    /// ('recurse'), or 'skip' it silently
    #[arg(short, long, hide_possible_values = true, value_name = "ACTION", value_enum, overrides_with_all = ["recursive", "dereference_recursive"])]
    pub(crate) directories: Option<DirectoryAction>,
    /// Set what to do with a device, FIFO or socket named as FILE: 'read' it like a file (default), or 'skip' it silently
    ///
    /// Devices, FIFOs and sockets inside directories are always skipped.
    #[arg(short = 'D', long, hide_possible_values = true, value_name = "ACTION", value_enum)]
    pub(crate) devices: Option<DeviceAction>,
    /// Do not print line numbers; overrides -n
    #[arg(hide = true, short = 'N', long, overrides_with = "line_number")]
    no_line_number: bool,
    /// Do not use colours (same as --color=never)
    #[arg(hide = true, long, alias = "no-colour", overrides_with = "color")]
    pub(crate) no_color: bool,
}

/// Options of ripgrep, and former options of nigh, that nigh does not have, and what to use instead.
pub(crate) const OF_OTHERS: [(&[&str], &str); 25] = [
    (&["--max-ambiguous"], "use --ambiguous, as in --ambiguous any:1"),
    (&["--ends"], "use --format ends"),
    (&["--align"], "use --format align"),
    (&["--histogram"], "use --format histogram"),
    (&["--count-patterns"], "use --format count-patterns"),
    (&["--products", "--pool", "--inner", "--primer-bases"], "use nigh-pcr, as in nigh-pcr pairs.tsv genome.fa"),
    (&["--delimiter"], "use -z, and tr to replace the delimiter by NUL"),
    (&["--partial"], "with --shard, counts are those of the part; omit it"),
    (&["--no-progress"], "use --progress=never"),
    (&["--max-ins", "--max-del", "--max-sub"], "use --edits, as in --edits 'i<=1,d<=1,s<=2'"),
    (&["--ins-cost", "--del-cost", "--sub-cost"], "use --edits, as in --edits '2i+2d+s<=4'"),
    (&["--min-errors"], "use -k, as in -k 1..2"),
    (&["-t", "--type", "--type-not", "--type-list", "--type-add"], "choose files by their names, as in -g '*.py'"),
    (&["--sort", "--sortr", "--sort-files"], "files are always searched in the order of their names"),
    (&["-p", "--pretty"], "use --color=always --heading -n"),
    (&["--multiline", "--multiline-dotall"], "use -z to search a file as one line"),
    (&["--max-depth", "--maxdepth"], "use --exclude-dir, or name the files with find"),
    (&["--follow"], "use -R to follow links"),
    (&["--pcre2", "--no-pcre2", "--auto-hybrid-regex"], "look-around and backreferences are not supported; omit it"),
    (&["--pre", "--pre-glob"], "pipe the output of the other program into nigh"),
    (&["--context-separator", "--no-context-separator"], "use --group-separator"),
    (&["--max-filesize"], "choose the files with find -size"),
    (&["--ignore-file"], "use --exclude-from"),
    (&["--no-unicode"], "use --bytes"),
    (
        &["-.", "--mmap", "--no-mmap", "--no-ignore-vcs", "--no-ignore-parent", "--no-ignore-dot", "--include-zero"],
        "it is the default; omit it",
    ),
];

/// Treatment of a directory given as FILE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectoryAction {
    /// Report an error (default)
    Read,
    /// Search the files in it, like -r
    Recurse,
    /// Skip it silently
    Skip,
}

/// Treatment of a device given as FILE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceAction {
    /// Search it like a file (default)
    Read,
    /// Skip it silently
    Skip,
}
