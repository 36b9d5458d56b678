//! Finds the inputs in order: files named on the command line, and files in directories.
//!
//! Reading order: this file, `walk` (directories), `globs` and `skip` (what is left out), `kinds` (the content of a
//! file).

mod globs;
pub(super) mod kinds;
mod skip;
mod walk;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;

use self::globs::{Globs, OperandKind};
use self::kinds::{COMPRESSED, Content, ReadAs};
use self::skip::SkippedOperands;
use self::walk::{DirectoryWalk, WalkStep, Walker};
use crate::cli::args::{Args, bytes_of};
use crate::cli::messages::closed_stream;
use nigh_input::{Compression, Origin, plain};
use nigh_search::{InputKind, RecordFormat, SkipReason};

/// Number of files in directories that are found before the search begins, which takes a few milliseconds. If there are
/// fewer files, the kinds and sizes of all inputs are known before the search.
const LOOK_AHEAD: usize = 256;

/// A file to be searched, or standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) origin: Origin,
    /// The name of the input in output and messages.
    pub(super) label: Vec<u8>,
    pub(super) content: Content,
    pub(super) records: RecordFormat,
    pub(super) discovery: Discovery,
}

/// How an input was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Discovery {
    /// The command line names the input.
    Named,
    /// The input is a file in a directory that is searched.
    InDirectory,
}

/// A file to be searched, or the label of an input that is not searched and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Found(Found),
    NotSearched(Vec<u8>, SkipReason),
}

/// An iterator over the inputs. Inputs beyond the look-ahead are found only when they are asked for.
pub(super) struct LazyInputs {
    /// Items that the look-ahead found and that are not returned yet.
    ahead: VecDeque<Item>,
    /// Set if the look-ahead found all inputs.
    ended: bool,
    compression: Compression,
    finder: FileFinder,
}

/// The kinds of content among the inputs that the look-ahead found.
pub(super) struct Survey {
    /// One input for each combination of `content` and `discovery` that occurs: the first that exists, or else the
    /// first.
    firsts: Vec<FirstInput>,
    /// Set if the look-ahead did not find all inputs.
    may_be_more: bool,
}

/// The first input with its combination of content and discovery.
#[derive(Debug, Clone)]
pub(super) struct FirstInput {
    content: Content,
    discovery: Discovery,
    pub(super) label: Vec<u8>,
    /// Whether the input exists.
    pub(super) exists: bool,
}

/// An iterator over the operands and the files in directories.
struct FileFinder {
    /// The remaining paths of the command line.
    operands: std::vec::IntoIter<PathBuf>,
    /// The directory that is being walked.
    directory: Option<Directory>,
    /// Starts walks through directories; `None` if directories are not searched.
    walker: Option<Walker>,
    globs: Arc<Globs>,
    skip: SkippedOperands,
    reading: ReadAs,
    label_of_stdin: Vec<u8>,
    /// The regular file that standard output is written to, if it must not be read; otherwise `None`.
    output: Option<FileId>,
}

/// A directory that is being walked.
struct Directory {
    walk: DirectoryWalk,
    name: DirectoryName,
}

/// Whether the labels of files in a directory begin with the directory's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectoryName {
    Shown,
    Hidden,
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl LazyInputs {
    pub(super) fn new(args: &Args) -> Result<Self> {
        let globs = Arc::new(Globs::new(args)?);
        let walker = args.input.recursion().map(|recursion| Walker::new(args, recursion, &globs)).transpose()?;
        let mut operands = args.files.clone();
        let mut directory = None;
        match &walker {
            Some(walker) if operands.is_empty() => {
                directory = Some(Directory { walk: walker.walk(Path::new(".")), name: DirectoryName::Hidden });
            }
            None if operands.is_empty() => operands.push(PathBuf::from("-")),
            _ => {}
        }
        let finder = FileFinder {
            operands: operands.into_iter(),
            directory,
            walker,
            globs,
            skip: SkippedOperands::new(args)?,
            reading: ReadAs::new(args),
            label_of_stdin: bytes_of(&args.output.label).to_vec(),
            output: if writes_while_reading(args) { output() } else { None },
        };
        let compression = args.input.compression();
        let mut inputs = LazyInputs { ahead: VecDeque::new(), ended: false, compression, finder };
        inputs.look_ahead();
        Ok(inputs)
    }

    /// Finds inputs in order, until it has found [`LOOK_AHEAD`] files in directories or all inputs.
    fn look_ahead(&mut self) {
        let mut in_directories = 0;
        while in_directories < LOOK_AHEAD {
            let Some(item) = self.finder.next() else {
                self.ended = true;
                return;
            };
            in_directories +=
                usize::from(matches!(&item, Item::Found(found) if found.discovery == Discovery::InDirectory));
            self.ahead.push_back(item);
        }
    }

    /// Returns the kinds of content among the inputs that the look-ahead found.
    pub(super) fn survey(&self) -> Survey {
        let mut firsts: Vec<FirstInput> = Vec::new();
        for item in &self.ahead {
            let Item::Found(found) = item else { continue };
            let known =
                firsts.iter_mut().find(|first| (first.content, first.discovery) == (found.content, found.discovery));
            if known.as_ref().is_some_and(|known| known.exists) {
                continue;
            }
            let Found { content, discovery, ref label, .. } = *found;
            let first = FirstInput { content, discovery, label: label.clone(), exists: found.absence().is_none() };
            match known {
                Some(known) if first.exists => *known = first,
                Some(_) => {}
                None => firsts.push(first),
            }
        }
        Survey { firsts, may_be_more: !self.ended }
    }

    /// Returns true if there is no input. An input that cannot be read counts as one, but a path that was passed over
    /// does not.
    pub(super) fn are_none(&self) -> bool {
        self.ended && self.ahead.iter().all(|item| matches!(item, Item::NotSearched(_, SkipReason::PassedOver(_))))
    }

    /// Returns the number of bytes to be searched. Returns `None` if not all inputs are known, or if one is not a
    /// regular file or has to be decompressed.
    pub(super) fn known_size(&self) -> Option<u64> {
        let size = |item: &Item| match item {
            Item::Found(Found { origin: Origin::File(path), .. }) => {
                let is_compressed = self.compression == Compression::ByMagic
                    && path.extension().is_some_and(|extension| COMPRESSED.iter().any(|known| extension == *known));
                let metadata = fs::metadata(path).ok().filter(|metadata| metadata.is_file() && !is_compressed);
                metadata.map(|metadata| metadata.len())
            }
            Item::Found(_) => None,
            Item::NotSearched(..) => Some(0),
        };
        self.ended.then(|| self.ahead.iter().map(size).sum()).flatten()
    }
}

impl Iterator for LazyInputs {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.ahead.pop_front().or_else(|| self.finder.next())
    }

    /// Returns the number of inputs in the look-ahead as lower bound, and also as upper bound if all inputs are known.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.ahead.len(), self.ended.then_some(self.ahead.len()))
    }
}

impl Found {
    /// Returns the system's message if the input was named and does not exist.
    pub(super) fn absence(&self) -> Option<String> {
        match (&self.origin, self.discovery) {
            (Origin::File(path), Discovery::Named) => fs::metadata(path).err().map(|error| plain(&error)),
            _ => None,
        }
    }
}

impl Survey {
    /// Returns the first input with this content.
    pub(super) fn first(&self, content: Content) -> Option<&FirstInput> {
        self.firsts.iter().find(|first| first.content == content)
    }

    /// Returns true if an input may have this content, as far as is known before the search.
    pub(super) fn may_hold(&self, content: Content) -> bool {
        self.may_be_more || self.first(content).is_some()
    }

    /// Returns true if a known input holds sequences in an unsupported format.
    pub(super) fn holds_foreign(&self) -> bool {
        self.firsts.iter().any(|first| matches!(first.content, Content::Foreign(format) if format.holds_sequences()))
    }

    /// Returns true if files in directories may hold sequences, as far as is known before the search.
    pub(super) fn may_meet_sequences(&self) -> bool {
        self.may_be_more
            || self
                .firsts
                .iter()
                .any(|first| first.discovery == Discovery::InDirectory && first.content != Content::Text)
    }
}

impl Iterator for FileFinder {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(directory) = &mut self.directory {
                match directory.walk.next() {
                    Some(WalkStep::NotSearched(label, reason)) => return Some(Item::NotSearched(label, reason)),
                    Some(WalkStep::File { path, inode }) => {
                        let file = match directory.name {
                            DirectoryName::Shown => path,
                            DirectoryName::Hidden => path.strip_prefix(".").map(Path::to_owned).unwrap_or(path),
                        };
                        return Some(self.file(file, inode, Discovery::InDirectory));
                    }
                    None => self.directory = None,
                }
            }
            let operand = self.operands.next()?;
            if operand == Path::new("-") {
                return Some(self.stdin());
            }
            let kind = self.kind_of(&operand);
            // A path that does not exist is reported, even if its name would be skipped.
            if self.globs.skip_operand(&operand, kind) && fs::metadata(&operand).is_ok() {
                continue;
            }
            match (kind, &self.walker) {
                (OperandKind::Directory, Some(walker)) => {
                    self.directory = Some(Directory { walk: walker.walk(&operand), name: DirectoryName::Shown });
                }
                _ if self.skip.has(&operand) => {}
                _ => return Some(self.file(operand, None, Discovery::Named)),
            }
        }
    }
}

impl FileFinder {
    /// Returns the kind of an operand. If there is neither recursion nor a glob, the kind does not matter, and the file
    /// system is not read.
    fn kind_of(&self, operand: &Path) -> OperandKind {
        let matters = self.walker.is_some() || !self.globs.is_empty();
        if matters && operand.is_dir() { OperandKind::Directory } else { OperandKind::File }
    }

    /// Returns the item for a file, which is refused if it is also the output. `inode` is the inode of the file, if it
    /// is known.
    fn file(&self, file: PathBuf, inode: Option<u64>, discovery: Discovery) -> Item {
        let label = bytes_of(file.as_os_str()).to_vec();
        if self.is_output(&file, inode) {
            return refused_output(label);
        }
        let records = self.reading.records_of(&file);
        let content = match (self.reading.content_of(&file), discovery) {
            // As in grep, the bytes of an archive in a directory are searched.
            (Content::Foreign(format), Discovery::InDirectory) if !format.holds_sequences() => Content::Text,
            (content, _) => content,
        };
        Item::Found(Found { origin: Origin::File(file), label, content, records, discovery })
    }

    /// Returns true if `file` is also the output. A file with another inode is not, so it need not be looked up.
    fn is_output(&self, file: &Path, inode: Option<u64>) -> bool {
        let Some(output) = self.output else { return false };
        inode.is_none_or(|inode| inode == output.inode)
            && fs::metadata(file).is_ok_and(|metadata| FileId::of(&metadata) == output)
    }

    /// Returns the item for standard input, which is refused if it is also the output.
    fn stdin(&self) -> Item {
        let label = self.label_of_stdin.clone();
        if self.output.is_some() && self.output == stream_id(io::stdin()) {
            return refused_output(label);
        }
        let (content, records) = (self.reading.content_of_stdin(), self.reading.records_of(Path::new("-")));
        Item::Found(Found { origin: Origin::Stdin, label, content, records, discovery: Discovery::Named })
    }
}

impl FileId {
    fn of(metadata: &fs::Metadata) -> Self {
        FileId { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Returns true if output is written before the input is read to its end. A file that is both input and output would
/// then never end. As in GNU grep, counts, lists and a single line are exempt.
fn writes_while_reading(args: &Args) -> bool {
    let output = &args.output;
    let context = [output.after_context, output.before_context, output.context].iter().any(Option::is_some);
    let is_one_line = output.max_count.is_some_and(|limit| limit <= 1) && !context && !output.passthru;
    !is_one_line && !args.form(InputKind::Text).is_summary()
}

/// Returns the regular file that standard output is written to, if it is one.
fn output() -> Option<FileId> {
    stream_id(io::stdout())
}

/// Returns the identity of the regular file behind a stream; `None` if it is not a regular file.
fn stream_id(stream: impl AsFd) -> Option<FileId> {
    let metadata = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?).metadata().ok()?;
    metadata.is_file().then(|| FileId::of(&metadata))
}

/// Returns the item for an input that is refused because it is also the output.
fn refused_output(label: Vec<u8>) -> Item {
    Item::NotSearched(label, SkipReason::Refused("input file is also the output".to_owned()))
}

/// Replaces standard input by an error. Leaves other items unchanged.
pub(super) fn closed_stdin(item: Item) -> Item {
    match item {
        Item::Found(Found { origin: Origin::Stdin, label, .. }) => {
            Item::NotSearched(label, SkipReason::Unreadable(closed_stream()))
        }
        item => item,
    }
}

/// Returns true if there may be several inputs. Names are then printed by default.
pub(super) fn may_be_several(args: &Args) -> bool {
    let searches_directory = match &args.files[..] {
        [] => true,
        [file] => file.is_dir(),
        _ => return true,
    };
    searches_directory && args.input.recursion().is_some()
}
