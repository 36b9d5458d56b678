//! How a user hears of a search while it runs: messages and progress.

use std::sync::Arc;

use super::messages::Messages;
use super::progress::Progress;
use crate::search::{Notice, Watch};

/// Users' ways to hear of a search while it runs.
pub(super) struct Listeners<'a> {
    pub(super) messages: &'a Messages<'a>,
    pub(super) progress: Option<Arc<Progress>>,
}

impl Listeners<'_> {
    pub(super) fn notice(&self, label: &[u8], notice: &Notice) {
        match &self.progress {
            Some(progress) => progress.aside(|| self.messages.notice(label, notice)),
            None => self.messages.notice(label, notice),
        }
    }

    pub(super) fn watch(&self) -> Option<Arc<dyn Watch>> {
        self.progress.clone().map(|progress| progress as Arc<dyn Watch>)
    }
}
