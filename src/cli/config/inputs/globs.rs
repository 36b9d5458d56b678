//! Globs that select files and directories: `--include`, `--exclude`, `--exclude-from` and `--exclude-dir`, as in grep.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use bstr::ByteSlice;
use globset::{GlobBuilder, GlobMatcher};

use crate::cli::args::{Args, FileRule, bytes_of};
use crate::cli::bounded_file;

/// The rules for files, and the globs of directories that are skipped. The last file rule that matches a name applies.
#[derive(Debug)]
pub(super) struct Globs {
    files: Vec<(GlobVerdict, GlobMatcher)>,
    directories: Vec<GlobMatcher>,
}

/// Whether a file that a rule matches is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GlobVerdict {
    Searched,
    Skipped,
}

/// The kind of a path on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    File,
    Directory,
}

impl Globs {
    pub(super) fn new(args: &Args) -> Result<Self> {
        let mut files = Vec::new();
        for rule in &args.input.file_rules {
            match rule {
                FileRule::Include(glob) => files.push((GlobVerdict::Searched, matcher(&glob.to_string_lossy())?)),
                FileRule::Exclude(glob) => files.push((GlobVerdict::Skipped, matcher(&glob.to_string_lossy())?)),
                FileRule::ExcludeFrom(list) => {
                    let name = list.to_string_lossy();
                    let content = bounded_file::read(Path::new(list)).map_err(nigh_input::InputError::from);
                    let content = content.with_context(|| name.clone().into_owned())?;
                    let lines = content.lines().map(<[u8]>::trim_ascii_end).zip(1..);
                    for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
                        let matcher =
                            matcher(&line.to_str_lossy()).map_err(|error| anyhow!("{name}:{number}: {error}"))?;
                        files.push((GlobVerdict::Skipped, matcher));
                    }
                }
            }
        }
        let directory = |glob: &OsString| {
            let glob = glob.to_string_lossy();
            matcher(match glob.trim_end_matches('/') {
                "" => &glob,
                trimmed => trimmed,
            })
        };
        let directories = args.input.exclude_dir.iter().map(directory).collect::<Result<_>>()?;
        Ok(Globs { files, directories })
    }

    /// Returns true if a file that is found in a directory is skipped. `name` is its name without the directory.
    pub(super) fn skip_file(&self, name: &OsStr) -> bool {
        self.skips(|glob| glob.is_match(Path::new(name)))
    }

    /// Returns true if there are no rules.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.directories.is_empty()
    }

    /// Returns true if a file or directory named on the command line is skipped. A rule matches if its glob matches the
    /// path, or the part of the path after any slash. As in grep, a slash at the end of a directory is significant: a
    /// rule for `x` does not skip `x/`.
    pub(super) fn skip_operand(&self, path: &Path, kind: OperandKind) -> bool {
        match kind {
            OperandKind::Directory => self.directories.iter().any(|glob| fits_end(glob, path)),
            OperandKind::File => self.skips(|glob| fits_end(glob, path)),
        }
    }

    /// Returns true if a directory that is found in another directory is skipped. `name` is its last component.
    pub(super) fn skip_directory(&self, name: &OsStr) -> bool {
        self.directories.iter().any(|glob| glob.is_match(Path::new(name)))
    }

    /// Returns true if the file rules skip a file. `fits` tells whether a glob matches the file.
    fn skips(&self, fits: impl Fn(&GlobMatcher) -> bool) -> bool {
        let last = self.files.iter().rev().find(|(_, glob)| fits(glob));
        let verdict = match (last, self.files.first()) {
            (Some((verdict, _)), _) => *verdict,
            // If no rule matches, the file is skipped if the first rule is an --include.
            (None, Some((GlobVerdict::Searched, _))) => GlobVerdict::Skipped,
            (None, _) => GlobVerdict::Searched,
        };
        verdict == GlobVerdict::Skipped
    }
}

/// Returns true if a glob matches a path, or the part of the path after any slash.
fn fits_end(glob: &GlobMatcher, path: &Path) -> bool {
    let bytes = bytes_of(path.as_os_str());
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
    let mut ends = std::iter::once(0).chain(starts).map(|start| &bytes[start..]);
    ends.any(|end| !end.starts_with(b"/") && glob.is_match(end.to_path_lossy()) || end == bytes && glob.is_match(path))
}

fn matcher(glob: &str) -> Result<GlobMatcher> {
    let built = GlobBuilder::new(&translated(glob)).backslash_escape(true).build();
    Ok(built.map_err(|error| anyhow!("invalid glob '{glob}': {}", error.kind()))?.compile_matcher())
}

/// Translates a glob in the syntax of grep to the syntax of globset. Braces and unclosed brackets are literal, and
/// repeated stars become one star.
fn translated(glob: &str) -> String {
    let mut translation = String::with_capacity(glob.len());
    let mut rest = glob;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '[' => class_length(rest).unwrap_or(1),
            '*' => rest.len() - rest.trim_start_matches('*').len(),
            _ => first.len_utf8(),
        };
        match (first, length) {
            ('\\', 1) => translation.push_str("\\\\"),
            ('*', _) => translation.push('*'),
            ('{' | '}', _) | ('[', 1) => translation.extend(['[', first, ']']),
            _ => translation.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    translation
}

/// Returns the length in bytes of the character class at the start of `text`; `None` if it is not closed. A closing
/// bracket in first place is a member of the class.
fn class_length(text: &str) -> Option<usize> {
    let start = if text[1..].starts_with(['!', '^']) { 2 } else { 1 };
    let first = text[start..].chars().next()?.len_utf8();
    text[start + first..].find(']').map(|at| start + first + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_mean_what_they_mean_in_grep() {
        let fits = |glob: &str, name: &str| fits_end(&matcher(glob).unwrap(), Path::new(name));
        assert!(fits("*.c", "a.c") && fits("*.c", "dir/a.c") && fits("dir/*.c", "x/dir/sub/a.c") && fits("**c", "a.c"));
        assert!(!fits("a", "dir/ba") && fits("a", "dir/a") && !fits("dir", "dir/a"));
        assert!(fits("{a,b}", "{a,b}") && !fits("{a,b}", "a") && fits("[ab", "[ab") && fits("[]a]x", "]x"));
        assert!(
            fits("[!a]x", "bx") && !fits("[!a]x", "ax") && fits("\\*", "*") && !fits("\\*", "a") && fits("a\\", "a\\")
        );
        assert!(fits(".*", ".hidden") && fits("a?c", "abc") && fits("*", ".hidden"));
    }
}
