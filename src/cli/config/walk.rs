//! The files in a folder and those below it, sorted by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{DirEntry, Error, Walk, WalkBuilder};

use super::globs::Globs;
use crate::cli::args::{Args, Recursion, bytes_of};
use crate::cli::messages::Messages;

/// Where version control keeps what it knows.
const GIT: &str = ".git";

/// Walks through folders.
pub(super) struct Walker<'a> {
    args: &'a Args,
    globs: &'a Arc<Globs>,
    overrides: Override,
    messages: &'a Messages,
    /// Whether something could not be read.
    pub(super) failed: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn new(args: &'a Args, globs: &'a Arc<Globs>, messages: &'a Messages) -> Result<Self> {
        let mut overrides = OverrideBuilder::new(".");
        for glob in &args.input.globs {
            overrides.add(glob)?;
        }
        Ok(Walker { args, globs, overrides: overrides.build()?, messages, failed: false })
    }

    /// The files below a folder that are to be searched.
    pub(super) fn files(&mut self, root: &Path, recursion: Recursion) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in self.walk(root, recursion) {
            match entry {
                // Links that are not followed, devices and pipes are neither files nor folders.
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    if !self.globs.skip_file(entry.file_name()) {
                        files.push(entry.into_path());
                    }
                }
                Ok(_) => {}
                Err(error) => self.fail(root, &error),
            }
        }
        files
    }

    fn walk(&self, root: &Path, recursion: Recursion) -> Walk {
        let ignores = self.args.input.ignore_vcs;
        let mut builder = WalkBuilder::new(root);
        builder.standard_filters(false).follow_links(recursion == Recursion::FollowingLinks);
        builder.overrides(self.overrides.clone()).sort_by_file_name(Ord::cmp);
        builder.parents(ignores).ignore(ignores).git_ignore(ignores).git_exclude(ignores).git_global(ignores);
        let globs = self.globs.clone();
        builder.filter_entry(move |entry: &DirEntry| {
            let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name();
            !(is_folder && (globs.skip_folder(name) || ignores && name == GIT))
        });
        builder.build()
    }

    /// Says what could not be read. A loop of links is no failure: everything in it has been met.
    fn fail(&mut self, root: &Path, error: &Error) {
        let (path, error) = innermost(root, error);
        match error {
            Error::Loop { child, .. } => {
                self.messages.unreadable(bytes_of(child.as_os_str()), "recursive directory loop")
            }
            error => {
                self.failed = true;
                // The walker's own words would name the path again.
                let asked = fs::metadata(path).and_then(|_| fs::read_dir(path));
                let words = asked.err().map_or_else(|| error.to_string(), |error| crate::input::plain(&error));
                self.messages.unreadable(bytes_of(path.as_os_str()), &words);
            }
        }
    }
}

/// The error itself, and the path it is about.
fn innermost<'e>(path: &'e Path, error: &'e Error) -> (&'e Path, &'e Error) {
    match error {
        Error::WithPath { path, err } => innermost(path, err),
        Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => innermost(path, err),
        error => (path, error),
    }
}
