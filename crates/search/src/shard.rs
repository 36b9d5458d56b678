//! The share of the input that one of several processes searches.

/// One of several shares of the input, of nearly equal length. All processes cut the input into the same batches, and
/// a batch belongs to the share in which it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Index of the share, from 0.
    pub index: u64,
    /// Number of shares.
    pub count: u64,
    /// Number of bytes of all inputs. All processes must use the same value. If it is wrong, the shares are unequal,
    /// but together they still cover the input once.
    pub total: u64,
}

impl Shard {
    /// Returns whether a batch that starts after `at` bytes of all inputs belongs to the share.
    pub(super) fn owns(&self, at: u64) -> bool {
        let part = u128::from(at) * u128::from(self.count) / u128::from(self.total.max(1));
        part.min(u128::from(self.count) - 1) == u128::from(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_one_owner_and_parts_are_equal() {
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
