//! Options for reading inputs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::OsStringValueParser;
use clap::{ArgMatches, Args};

use nigh_input::{Compression, Encoding};
use nigh_report::Binary;

/// Options for reading inputs.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(crate) struct InputArgs {
    /// Search the files in directories, recursively
    ///
    /// Without FILE, the current directory is searched. Symbolic links are followed only if they are named on the
    /// command line. Files are searched in the order of their names. A path that is longer than the system allows
    /// (4096 bytes on Linux) is reported, and not searched.
    #[arg(short, long)]
    recursive: bool,
    /// Search directories like -r, but follow all symbolic links
    #[arg(short = 'R', long)]
    dereference_recursive: bool,
    /// Search only files whose name matches GLOB
    ///
    /// Of all --include, --exclude and --exclude-from globs that match a name, the last one decides. A name that none
    /// of them matches is skipped if the first glob is an --include, and searched otherwise.
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    include: Vec<OsString>,
    /// Skip files whose name matches GLOB
    ///
    /// See --include.
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    exclude: Vec<OsString>,
    /// Skip files whose name matches a glob in FILE, one per line
    ///
    /// See --include.
    #[arg(long, value_name = "FILE")]
    exclude_from: Vec<PathBuf>,
    /// The rules of the three options above, in the order in which they were given
    #[arg(skip)]
    pub(crate) file_rules: Vec<FileRule>,
    /// Skip directories whose name matches GLOB
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    pub(crate) exclude_dir: Vec<OsString>,
    /// Search only files whose path matches GLOB, or skip those that match !GLOB
    ///
    /// This applies to files found in directories, not to files named on the command line. The syntax is that of
    /// .gitignore, as in ripgrep.
    #[arg(short = 'g', long = "glob", value_name = "GLOB", allow_hyphen_values = true)]
    pub(crate) globs: Vec<String>,
    /// Respect .gitignore and .ignore files in directories, and skip .git
    #[arg(long)]
    pub(crate) ignore_vcs: bool,
    /// Treat every input as lines of text, including FASTA and binary files
    #[arg(short = 'a', long, overrides_with_all = ["binary_files", "without_binary"])]
    pub(crate) text: bool,
    /// Skip binary files (same as --binary-files=without-match)
    #[arg(short = 'I', overrides_with_all = ["binary_files", "text"])]
    without_binary: bool,
    /// Set how to search files with NUL bytes: 'binary' (default), 'text' or 'without-match'
    ///
    /// 'binary' prints lines, or with -o matches, up to the first NUL byte, then a message if there are more matches. 'text'
    /// searches them like text. 'without-match' skips files with a NUL byte in the first 32 KiB, and the rest of other files
    /// after the first NUL byte.
    #[arg(long, value_enum, hide_possible_values = true, hide_default_value = true, value_name = "TYPE", default_value = "binary", overrides_with_all = ["text", "without_binary"])]
    pub(crate) binary_files: Binary,
    /// Search the bytes of compressed input as they are
    ///
    /// By default, input and pattern files that begin like gzip, bgzf, zstd, xz, lzma, bzip2 or lz4 data are
    /// decompressed. If compressed input is damaged, everything before the damage is searched; a line or record that the
    /// damage cuts short is not treated as ending there, and printed without a line end.
    ///
    /// Files named .zip and .Z are not decompressed but refused, with the command that does.
    #[arg(long, alias = "no-search-zip", overrides_with = "decompress")]
    no_decompress: bool,
    /// Print escape sequences of terminals, such as colours, but do not search them
    ///
    /// A pattern matches across them: control sequences (ESC [) and commands such as links (ESC ]). Columns and the offsets of
    /// --format ends do not count them; -b and 'absolute_offset' of --json are offsets in the input. --json leaves them out.
    /// With --replace, those inside of a match come after its replacement.
    ///
    /// In control sequences that end with a letter, such as colours, ESC may be spelled as rsyslog and JSON do, '#033' and
    /// '\u001b', or as '\x1b', '\033' or '\e'.
    #[arg(long)]
    pub(crate) ignore_ansi: bool,
    /// Search records of several lines; one begins with each line that EXPR matches exactly
    ///
    /// A record is selected, printed, counted and inverted as a whole, such as a log message with its stack trace. Each
    /// match is inside of a line. -A, -B, -C and -m count records. The lines before the first record are a record too.
    ///
    /// EXPR is a regular expression like PATTERN. Options for patterns, such as -i, do not apply to it: use '(?i)'. A
    /// record is reported when the next one begins or the input ends. Only if the output is a terminal, or with
    /// --line-buffered, a record also ends when no input comes for a second, and what follows is a record of its own.
    /// A record that is printed may have 8 MiB, or the bytes that --memory allows.
    #[arg(long, value_name = "EXPR", value_parser = OsStringValueParser::new(), allow_hyphen_values = true)]
    pub(crate) record_start: Option<OsString>,
    /// Read text in this encoding
    ///
    /// NAME is a label such as 'latin1'; 'auto', which recognizes UTF-8, UTF-16 and UTF-32 by their byte order mark;
    /// or 'none', which leaves the bytes as they are.
    ///
    /// With 'auto', UTF-16 and UTF-32 without a mark are recognized by the zero bytes among the first 4 KiB, unless -z
    /// is given. A message on standard error names the encoding. Text is not decoded in parts: if the encoding changes
    /// within a file, a message says from which byte on, and how to search the rest.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = encoding)]
    pub(crate) encoding: Encoding,
    /// End lines with NUL instead of a newline, in input and output
    #[arg(short = 'z', long)]
    pub(crate) null_data: bool,
    /// Treat a carriage return before a newline as part of the line end
    ///
    /// '$' then matches before the carriage return.
    #[arg(long)]
    pub(crate) crlf: bool,
    /// Suppress messages about files that cannot be read
    ///
    /// Notices about skipped files, about decoded text, about text that looks like FASTA or FASTQ, and about long
    /// searches are suppressed too. The exit status does not change.
    #[arg(short = 's', long)]
    pub(crate) no_messages: bool,
}

/// Treatment of symbolic links in a recursive search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recursion {
    /// Links in directories are skipped.
    PassingLinks,
    /// Links in directories are followed.
    FollowingLinks,
}

/// Rule that selects files by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileRule {
    /// `--include`: files whose name matches a glob.
    Include(OsString),
    /// `--exclude`: files whose name does not match a glob.
    Exclude(OsString),
    /// `--exclude-from`: files whose name matches no glob in a file.
    ExcludeFrom(PathBuf),
}

impl InputArgs {
    /// Returns whether compressed input is decompressed.
    pub(crate) fn compression(&self) -> Compression {
        if self.no_decompress { Compression::Ignored } else { Compression::ByMagic }
    }

    /// Returns the treatment of symbolic links in directories; `None` if directories are not searched.
    pub(crate) fn recursion(&self) -> Option<Recursion> {
        match (self.recursive, self.dereference_recursive) {
            (_, true) => Some(Recursion::FollowingLinks),
            (true, false) => Some(Recursion::PassingLinks),
            (false, false) => None,
        }
    }

    /// Enables the search of directories, like `-r`.
    pub(crate) fn recurse(&mut self) {
        self.recursive = true;
    }

    /// Reconciles `-a`, `-I` and `--binary-files`.
    pub(super) fn unite_binary_options(&mut self) {
        match (self.text, self.without_binary) {
            (true, _) => self.binary_files = Binary::Text,
            (false, true) => self.binary_files = Binary::PassedOver,
            (false, false) => self.text = self.binary_files == Binary::Text,
        }
    }

    /// Merges the rules of `--include`, `--exclude` and `--exclude-from` in the order of the command line.
    pub(super) fn order_file_rules(&mut self, matches: &ArgMatches) {
        let indices = |name: &str| matches.indices_of(name).into_iter().flatten().collect::<Vec<_>>();
        let includes = indices("include").into_iter().zip(self.include.iter().cloned().map(FileRule::Include));
        let excludes = indices("exclude").into_iter().zip(self.exclude.iter().cloned().map(FileRule::Exclude));
        let lists =
            indices("exclude_from").into_iter().zip(self.exclude_from.iter().cloned().map(FileRule::ExcludeFrom));
        let mut rules: Vec<(usize, FileRule)> = includes.chain(excludes).chain(lists).collect();
        rules.sort_by_key(|(index, _)| *index);
        self.file_rules = rules.into_iter().map(|(_, rule)| rule).collect();
    }
}

fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::named(name).ok_or_else(|| "unknown encoding; use a label such as 'latin1', 'auto' or 'none'".to_owned())
}
