//! Walks recursively through directories, sorted by name.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, Error, Walk, WalkBuilder};

use super::globs::Globs;
use crate::cli::args::{Args, Recursion, bytes_of};
use nigh_search::SkipReason;

/// The directory of the version control system, which `--ignore-vcs` skips.
const GIT: &str = ".git";

/// The rules for walking through directories.
pub(super) struct Walker {
    recursion: Recursion,
    /// Whether rules in files such as .gitignore are followed.
    ignores: bool,
    globs: Arc<Globs>,
    overrides: Override,
}

/// A walk through one directory. A subdirectory is read when the walk reaches it, so memory grows with the largest
/// directory, not with the number of files.
pub(super) struct DirectoryWalk {
    root: PathBuf,
    globs: Arc<Globs>,
    walk: Walk,
    /// Steps that were found but not returned yet.
    pending: VecDeque<WalkStep>,
}

/// A step of a walk.
pub(super) enum WalkStep {
    /// A file to be searched.
    File {
        path: PathBuf,
        /// The inode that the directory gives for the file; `None` if unknown.
        inode: Option<u64>,
    },
    /// A path that cannot be read, or an invalid ignore rule, with its label.
    NotSearched(Vec<u8>, SkipReason),
}

impl Walker {
    pub(super) fn new(args: &Args, recursion: Recursion, globs: &Arc<Globs>) -> Result<Self> {
        let mut overrides = OverrideBuilder::new(".");
        for glob in &args.input.globs {
            overrides.add(glob).map_err(|error| anyhow!(words_for(&error)))?;
        }
        let overrides = overrides.build().map_err(|error| anyhow!(words_for(&error)))?;
        let globs = globs.clone();
        Ok(Walker { recursion, ignores: args.input.ignore_vcs, globs, overrides })
    }

    /// Walks through a directory.
    pub(super) fn walk(&self, root: &Path) -> DirectoryWalk {
        let ignores = self.ignores;
        let mut builder = WalkBuilder::new(root);
        builder.standard_filters(false).follow_links(self.recursion == Recursion::FollowingLinks);
        // The paths of a directory's entries differ in their names only, and finding the name of a path takes longer than
        // comparing the paths.
        builder.overrides(self.overrides.clone()).sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()));
        builder.parents(ignores).ignore(ignores).git_ignore(ignores).git_exclude(ignores).git_global(ignores);
        let globs = self.globs.clone();
        builder.filter_entry(move |entry: &DirEntry| {
            let is_directory = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_skipped = |name: &OsStr| globs.skip_directory(name) || ignores && name == GIT;
            !(is_directory && is_skipped(entry.file_name()))
        });
        DirectoryWalk {
            root: root.to_owned(),
            globs: self.globs.clone(),
            walk: builder.build(),
            pending: VecDeque::new(),
        }
    }
}

impl Iterator for DirectoryWalk {
    type Item = WalkStep;

    fn next(&mut self) -> Option<WalkStep> {
        while self.pending.is_empty() {
            match self.walk.next()? {
                Ok(entry) => self.visit(entry),
                Err(error) => self.pending.push_back(failure(&self.root, &error)),
            }
        }
        self.pending.pop_front()
    }
}

impl DirectoryWalk {
    /// Adds the step for an entry of a directory, if it is a file to search. Skips links that are not followed, devices
    /// and pipes.
    fn visit(&mut self, entry: DirEntry) {
        if let Some(error) = entry.error() {
            self.pending.extend(unread_rules(entry.path(), error));
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && (self.globs.is_empty() || !self.globs.skip_file(entry.file_name())) {
            let inode = entry.ino();
            self.pending.push_back(WalkStep::File { path: entry.into_path(), inode });
        }
    }
}

/// Turns an error of the walk into a step. A loop of links is passed over with a message and is no failure, because all
/// files in it are searched anyway.
fn failure(root: &Path, error: &Error) -> WalkStep {
    let (path, error) = innermost(root, error);
    match error {
        Error::Loop { child, .. } => {
            let words = "recursive directory loop".to_owned();
            WalkStep::NotSearched(bytes_of(child.as_os_str()).to_vec(), SkipReason::PassedOver(words))
        }
        error => {
            // The walker's message would repeat the path, so the system is asked for the error.
            let asked = fs::metadata(path).and_then(|_| fs::read_dir(path));
            let words = asked.err().map_or_else(|| error.to_string(), |error| nigh_input::plain(&error));
            WalkStep::NotSearched(bytes_of(path.as_os_str()).to_vec(), SkipReason::Unreadable(words))
        }
    }
}

/// Returns steps that report the invalid rules in files such as .gitignore. These rules are ignored, so the files that
/// they may exclude are searched.
fn unread_rules<'e>(directory: &'e Path, error: &'e Error) -> impl Iterator<Item = WalkStep> {
    let mut places = Vec::new();
    locate(LocatedError { path: directory, line: None, error }, &mut places);
    places.into_iter().map(|LocatedError { path, line, error }| {
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        let label = [bytes_of(path.as_os_str()), line.as_bytes()].concat();
        WalkStep::NotSearched(label, SkipReason::PassedOver(format!("{}; it is ignored", words_for(error))))
    })
}

/// Formats an error in the style of nigh's messages.
fn words_for(error: &Error) -> String {
    match error {
        Error::Io(error) => nigh_input::plain(error),
        Error::Glob { glob: Some(glob), err } => format!("invalid glob '{glob}': {err}"),
        error => error.to_string(),
    }
}

/// Returns the first innermost error and its path.
fn innermost<'e>(path: &'e Path, error: &'e Error) -> (&'e Path, &'e Error) {
    let mut places = Vec::new();
    locate(LocatedError { path, line: None, error }, &mut places);
    places.first().map_or((path, error), |place| (place.path, place.error))
}

/// An error with its path and line.
#[derive(Clone, Copy)]
struct LocatedError<'e> {
    path: &'e Path,
    line: Option<u64>,
    error: &'e Error,
}

/// Adds the innermost errors of an error to `places`, each with its path and line.
fn locate<'e>(place: LocatedError<'e>, places: &mut Vec<LocatedError<'e>>) {
    match place.error {
        Error::WithPath { path, err } => locate(LocatedError { path, error: err, ..place }, places),
        Error::WithLineNumber { line, err } => locate(LocatedError { line: Some(*line), error: err, ..place }, places),
        Error::WithDepth { err, .. } => locate(LocatedError { error: err, ..place }, places),
        Error::Partial(errors) => errors.iter().for_each(|error| locate(LocatedError { error, ..place }, places)),
        _ => places.push(place),
    }
}
