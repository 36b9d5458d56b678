//! How inputs are read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{ArgMatches, Args, ValueEnum};

use super::bytes_of;
use crate::input::Encoding;

/// How inputs are read.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "a command line is made of switches")]
pub(in crate::cli) struct InputArgs {
    /// Search the files in folders and below them; without FILE, in this folder
    ///
    /// Links are followed only where they are named.
    #[arg(short, long)]
    recursive: bool,
    /// The same, following all links
    #[arg(short = 'R', long)]
    dereference_recursive: bool,
    /// Search only files whose name fits GLOB; of all such rules that fit a name the last counts
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    include: Vec<OsString>,
    /// Pass over files whose name fits GLOB
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    exclude: Vec<OsString>,
    /// Pass over files whose name fits a line of FILE
    #[arg(long, value_name = "FILE")]
    exclude_from: Vec<PathBuf>,
    /// The rules of the three options above, as they were given
    #[arg(skip)]
    pub(in crate::cli) file_rules: Vec<FileRule>,
    /// Pass over folders whose name fits GLOB
    #[arg(long, value_name = "GLOB", value_parser = OsStringValueParser::new())]
    pub(in crate::cli) exclude_dir: Vec<OsString>,
    /// In folders, search only files whose path fits GLOB, or with '!' before it those whose path does not
    #[arg(short = 'g', long = "glob", value_name = "GLOB", allow_hyphen_values = true)]
    pub(in crate::cli) globs: Vec<String>,
    /// In folders, pass over what .gitignore and .ignore files name, and .git
    #[arg(long)]
    pub(in crate::cli) ignore_vcs: bool,
    /// Take all inputs for lines of text, also FASTA and binary files
    #[arg(short = 'a', long, overrides_with_all = ["binary_files", "without_binary"])]
    pub(in crate::cli) text: bool,
    /// Pass over binary files: the same as --binary-files=without-match
    #[arg(short = 'I', overrides_with_all = ["binary_files", "text"])]
    without_binary: bool,
    /// Search files with NUL bytes in this way
    #[arg(long, value_enum, value_name = "TYPE", default_value = "binary", overrides_with_all = ["text", "without_binary"])]
    pub(in crate::cli) binary_files: BinaryFiles,
    /// Decompress gzip, bgzf, zstd, xz, bzip2 and lz4, recognised by their first bytes; for sequences this is always done. Of damaged input, what comes before the damage is searched, and a line or record cut by it is not taken to end there
    #[arg(long, alias = "search-zip")]
    pub(in crate::cli) decompress: bool,
    /// Read text in this encoding: a label as 'latin1', 'auto' for UTF-8 and UTF-16 by their byte order mark, or 'none' for the bytes as they are
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = encoding)]
    pub(in crate::cli) encoding: Encoding,
    /// Lines end with NUL, in input and output
    #[arg(short = 'z', long)]
    pub(in crate::cli) null_data: bool,
    /// Lines end with STR, in input and output: '\n', '\t', '\r', '\0', '\xHH' and '\\' stand for a byte
    #[arg(long, value_name = "STR", value_parser = OsStringValueParser::new().try_map(delimiter), conflicts_with_all = ["null_data", "crlf"])]
    pub(in crate::cli) delimiter: Option<Delimiter>,
    /// A carriage return before the end of a line belongs to it: '$' matches before it
    #[arg(long, conflicts_with = "null_data")]
    pub(in crate::cli) crlf: bool,
    /// Say nothing about files that cannot be read
    #[arg(short = 's', long)]
    pub(in crate::cli) no_messages: bool,
}

/// How files with NUL bytes are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum BinaryFiles {
    /// Print their lines up to the first NUL byte, and then a message if a line matches
    Binary,
    /// Pass over those with a NUL byte in the first 32 KiB, and of others what follows the first NUL byte
    WithoutMatch,
    /// Search them as text: the same as --text
    Text,
}

/// How folders are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Recursion {
    /// Links in them are passed over.
    PassingLinks,
    /// Links in them are followed.
    FollowingLinks,
}

/// Which files are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum FileRule {
    /// Those whose name fits a glob.
    Include(OsString),
    /// Those whose name does not fit a glob.
    Exclude(OsString),
    /// Those whose name fits no glob in a file.
    ExcludeFrom(PathBuf),
}

impl InputArgs {
    /// Whether folders are searched, and how.
    pub(in crate::cli) fn recursion(&self) -> Option<Recursion> {
        match (self.recursive, self.dereference_recursive) {
            (_, true) => Some(Recursion::FollowingLinks),
            (true, false) => Some(Recursion::PassingLinks),
            (false, false) => None,
        }
    }

    /// Searches folders, as `-r` does.
    pub(super) fn recurse(&mut self) {
        self.recursive = true;
    }

    /// Makes one of the three options that say how binary files are searched.
    pub(super) fn unite_binary_options(&mut self) {
        match (self.text, self.without_binary) {
            (true, _) => self.binary_files = BinaryFiles::Text,
            (false, true) => self.binary_files = BinaryFiles::WithoutMatch,
            (false, false) => self.text = self.binary_files == BinaryFiles::Text,
        }
    }

    /// Puts the rules for files into the order in which they were given.
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

/// What ends a line, if it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Delimiter(pub(in crate::cli) Arc<[u8]>);

/// The bytes that some text with escapes stands for.
fn delimiter(text: OsString) -> Result<Delimiter, String> {
    const ESCAPES: &str = "an escape is one of \\n \\t \\r \\0 \\\\ or \\xHH";
    let mut bytes = Vec::new();
    let mut rest = bytes_of(&text);
    while let Some((&first, behind)) = rest.split_first() {
        (bytes, rest) = match (first, behind) {
            (b'\\', [b'x', high, low, behind @ ..]) => {
                let digits = String::from_utf8_lossy(&[*high, *low]).into_owned();
                let byte = u8::from_str_radix(&digits, 16).map_err(|_| ESCAPES)?;
                ([&bytes[..], &[byte]].concat(), behind)
            }
            (b'\\', [letter, behind @ ..]) => {
                let known = [(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'0', 0), (b'\\', b'\\')];
                let (_, byte) = known.iter().find(|(name, _)| name == letter).ok_or(ESCAPES)?;
                ([&bytes[..], &[*byte]].concat(), behind)
            }
            (b'\\', []) => return Err(ESCAPES.to_owned()),
            (byte, behind) => ([&bytes[..], &[byte]].concat(), behind),
        };
    }
    match bytes.is_empty() {
        true => Err("something must end a line".to_owned()),
        false => Ok(Delimiter(bytes.into())),
    }
}

fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::named(name).ok_or_else(|| "no encoding is known by this name".to_owned())
}
