//! What part of the input is this process's, where several share it.

/// One of several parts of the input, of nearly the same length. Who shares an input cuts it into the same batches; a batch
/// belongs to the part in which it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: u64,
    /// How many there are.
    pub count: u64,
    /// How many bytes all inputs have. Processes that share an input must agree on it. Where all are wrong alike, parts are of
    /// unequal length, and nothing else is.
    pub total: u64,
}

impl Shard {
    /// Whether what starts behind so many bytes of all inputs belongs to the part.
    pub(super) fn owns(&self, at: u64) -> bool {
        let part = u128::from(at) * u128::from(self.count) / u128::from(self.total.max(1));
        part.min(u128::from(self.count) - 1) == u128::from(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_one_owner_and_parts_are_alike() {
        for (count, total) in [(1, 0), (3, 0), (3, 10), (7, 100), (10, 7), (5, u64::MAX)] {
            let owner = |at| (0..count).filter(|&index| Shard { index, count, total }.owns(at)).collect::<Vec<_>>();
            let owners: Vec<u64> =
                (0..200).chain([u64::MAX]).map(owner).inspect(|all| assert_eq!(all.len(), 1)).flatten().collect();
            assert!(owners.is_sorted());
            if total == 100 {
                let of = |part| owners[..100].iter().filter(|&&owner| owner == part).count();
                assert!((0..count).all(|part| (14..=15).contains(&of(part))));
            }
        }
    }
}
