//! Feedback to the user during a search: messages and progress.

use std::sync::Arc;

use super::messages::MessagePrinter;
use super::progress::Progress;
use nigh_search::{Notice, ProgressObserver};

/// The receivers of notices and of progress during a search.
pub(super) struct Listeners<'a> {
    pub(super) messages: &'a MessagePrinter<'a>,
    pub(super) progress: Option<Arc<Progress>>,
}

impl Listeners<'_> {
    /// Prints a notice about the input named `label`.
    pub(super) fn notice(&self, label: &[u8], notice: &Notice) {
        match &self.progress {
            Some(progress) => progress.aside(|| self.messages.notice(label, notice)),
            None => self.messages.notice(label, notice),
        }
    }

    pub(super) fn watch(&self) -> Option<Arc<dyn ProgressObserver>> {
        self.progress.clone().map(|progress| progress as Arc<dyn ProgressObserver>)
    }
}
