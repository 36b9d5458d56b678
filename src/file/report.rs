//! Passes the hits of a search to the caller, in the caller's thread.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::ops::ControlFlow;

use nigh_core::batch::Batch;
use nigh_core::interrupt;
use nigh_report::{
    EarlyRows, FileHit, Findings, Flow, HitForm, HitList, HitSelection, InputFault, KnownSize, Report, ReportNeeds,
};

/// An event in the search of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileEvent<'a> {
    /// A hit.
    Hit(FileHit<'a>),
    /// A piece of the file, of at most a few megabytes, was searched. The caller may use this event to end the search.
    /// There is no such event while the text before a part is skipped.
    Progress,
    /// A message about the file, which was searched nevertheless.
    Warning(&'a str),
}

/// Receives the events of a search.
type EachEvent<'e> = dyn FnMut(FileEvent<'_>) -> ControlFlow<()> + 'e;

/// The caller of a search, who may end it.
pub(super) struct Caller<'e> {
    each: RefCell<&'e mut EachEvent<'e>>,
    is_stopped: Cell<bool>,
}

impl<'e> Caller<'e> {
    pub(super) fn new(each: &'e mut EachEvent<'e>) -> Self {
        Caller { each: RefCell::new(each), is_stopped: Cell::new(false) }
    }

    /// Returns whether the caller has ended the search.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Passes on an event, unless the caller has ended the search.
    pub(super) fn tell(&self, event: FileEvent<'_>) -> ControlFlow<()> {
        if !self.is_stopped() {
            interrupt::check();
            self.is_stopped.set((self.each.borrow_mut())(event).is_break());
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Passes on hits, and a progress event after each batch.
pub(super) struct FileReport<'c> {
    caller: &'c Caller<'c>,
    selection: HitSelection,
    has_hits: bool,
}

impl<'c> FileReport<'c> {
    pub(super) fn new(caller: &'c Caller<'c>, selection: HitSelection) -> Self {
        FileReport { caller, selection, has_hits: false }
    }

    fn pass_on(&mut self, found: &HitList) -> ControlFlow<()> {
        self.has_hits |= found.count() > 0;
        found.iter().try_for_each(|hit| self.caller.tell(FileEvent::Hit(hit)))
    }
}

impl Report for FileReport<'_> {
    fn needs(&self) -> ReportNeeds {
        let (each_hit, hits) = (Some(HitForm::Value), self.selection);
        ReportNeeds { each_hit, hits, all_rows: true, ..ReportNeeds::items(usize::MAX) }
    }

    fn begin(&mut self, _: &[u8], _: &KnownSize<'_>) {}

    fn add(&mut self, _: &Batch, findings: &Findings, _: &mut dyn Write) -> io::Result<Flow> {
        let flow = self.pass_on(&findings.found);
        let flow = if flow.is_continue() { self.caller.tell(FileEvent::Progress) } else { flow };
        Ok(if flow.is_break() { Flow::EnoughOfAll } else { Flow::More })
    }

    fn add_rows(&mut self, rows: &EarlyRows, _: &mut dyn Write) -> io::Result<()> {
        match self.pass_on(&rows.found) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(io::Error::other("the caller ended the search")),
        }
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        Ok(Vec::new())
    }

    fn has_selected(&self) -> bool {
        self.has_hits
    }
}
