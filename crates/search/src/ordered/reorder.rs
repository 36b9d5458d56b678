//! Reorder buffer: restores input order among results that workers finish in any order.

use std::collections::BTreeMap;

/// Holds the items that arrived before an item with a lower sequence number: at most all items in flight. Sequence
/// numbers have no gaps.
pub(crate) struct Reorder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Reorder<T> {
    pub(crate) fn new() -> Self {
        Reorder { next: 0, waiting: BTreeMap::new() }
    }

    pub(crate) fn put(&mut self, number: u64, item: T) {
        self.waiting.insert(number, item);
    }

    /// Removes the next item in order; `None` if it has not arrived.
    pub(crate) fn take(&mut self) -> Option<T> {
        let item = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(item)
    }

    /// Returns the sequence number of the next item.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_returned_in_order() {
        let mut reorder = Reorder::new();
        let mut out = Vec::new();
        for number in [3, 0, 2, 1, 4] {
            reorder.put(number, number);
            out.extend(std::iter::from_fn(|| reorder.take()));
        }
        assert_eq!(out, [0, 1, 2, 3, 4]);
    }
}
