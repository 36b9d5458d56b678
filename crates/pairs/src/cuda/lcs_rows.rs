//! Common subsequences row by row on a device, for comparison with the literature. `kernels/lcs_rows.cu` describes the
//! kernels; those of `kernels/tiles.cu` are faster for strings of any length.
#![allow(unsafe_code)]

use super::PairQueue;
use crate::pairs::Pair;
use nigh_core::engine::DeviceError;
use nigh_device::abi::{LcsArguments, LcsPreviousKernel, LcsRowsKernel, WARP};
use nigh_device::driver::LaunchShape;
use nigh_device::ptx::LCS_ROWS;

/// The environment variable that forces a form, for tests and measurements.
const VARIABLE: &str = "NIGH_LCS";
/// Threads of a block.
const THREADS: usize = 1024;
/// Maximum number of bytes of the table of previous occurrences.
const MAX_TABLE_BYTES: usize = 2 << 30;

/// How a device computes the common subsequence of a long pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LcsForm {
    /// Words of 32 rows, in strips (`tiles.cu`).
    Words,
    /// Row by row, with a table of previous occurrences (`lcs_rows.cu`).
    Rows,
}

impl LcsForm {
    /// Returns the form that NIGH_LCS forces, otherwise the faster one.
    ///
    /// # Errors
    /// Fails if NIGH_LCS has another value than `words` and `rows`.
    pub(super) fn choose() -> Result<Self, DeviceError> {
        match std::env::var_os(VARIABLE) {
            None => Ok(LcsForm::Words),
            Some(value) if value == "words" => Ok(LcsForm::Words),
            Some(value) if value == "rows" => Ok(LcsForm::Rows),
            Some(value) => {
                let value = value.to_string_lossy().into_owned();
                Err(DeviceError::UnknownForm { variable: VARIABLE, value, forms: "'words' or 'rows'" })
            }
        }
    }
}

/// Strings as codes from 0, in the order of their first occurrence.
struct OccurrenceCodes {
    query: Vec<u8>,
    target: Vec<u8>,
    count: usize,
}

impl OccurrenceCodes {
    fn new(pair: Pair<'_>) -> Self {
        let mut codes: [Option<u8>; 256] = [None; 256];
        let mut count = 0;
        let mut code = |&byte: &u8| {
            *codes[usize::from(byte)].get_or_insert_with(|| {
                count += 1;
                (count - 1) as u8
            })
        };
        let query = pair.query.iter().map(&mut code).collect();
        let target = pair.target.iter().map(&mut code).collect();
        OccurrenceCodes { query, target, count }
    }
}

impl PairQueue {
    /// Returns whether there is memory for the table of a pair.
    pub(super) fn takes_lcs_rows(pair: Pair<'_>) -> bool {
        256 * (pair.target.len() + 1) <= MAX_TABLE_BYTES / size_of::<u32>() && i32::try_from(pair.query.len()).is_ok()
    }

    /// Returns the length of the longest common subsequence.
    ///
    /// # Panics
    /// Panics if the target is too long: see [`takes_lcs_rows`](PairQueue::takes_lcs_rows).
    pub(super) fn row_lcs(&self, pair: Pair<'_>) -> Result<i64, DeviceError> {
        assert!(PairQueue::takes_lcs_rows(pair), "there is memory for the table");
        let (rows, columns) = (pair.query.len(), pair.target.len());
        if rows == 0 || columns == 0 {
            return Ok(0);
        }
        let coded = OccurrenceCodes::new(pair);
        let (query, target) = (self.queue.filled(&coded.query)?, self.queue.filled(&coded.target)?);
        let previous = self.queue.buffer::<u32>(coded.count * (columns + 1))?;
        let value = self.zeros::<i32>(1)?;
        let row_bytes = 2 * (columns + 1) * size_of::<u32>();
        let is_shared = row_bytes <= self.device.facts().shared_bytes;
        let lengths = self.zeros::<u32>(if is_shared { 0 } else { 2 * (columns + 1) })?;
        let arguments = LcsArguments {
            query: query.address(0..rows),
            target: target.address(0..columns),
            previous: previous.address(0..coded.count * (columns + 1)),
            lengths: if is_shared { 0 } else { lengths.address(0..2 * (columns + 1)) },
            value: value.address(0..1),
            first_row: 0,
            rows: if is_shared { rows as u32 } else { 1 },
            last_row: rows as u32 - 1,
            columns: columns as u32,
        };
        let kernel = self.device.kernel::<LcsPreviousKernel>(&LCS_ROWS)?;
        let shape = LaunchShape { grid: (coded.count as u32, 1), threads: WARP as u32, shared: 0 };
        // SAFETY: `address` checked both strings and the table, which has a row for each code. The grid is a warp for
        // each code.
        unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
        let (blocks, shared) = if is_shared { (1, row_bytes) } else { ((columns + 1).div_ceil(THREADS), 0) };
        let shape = LaunchShape { grid: (blocks as u32, 1), threads: THREADS as u32, shared: shared as u32 };
        let kernel = self.device.kernel::<LcsRowsKernel>(&LCS_ROWS)?;
        for first_row in (0..rows as u32).step_by(arguments.rows as usize) {
            let arguments = LcsArguments { first_row, ..arguments };
            // SAFETY: as above. The table is complete, because the queue is in order. One block computes all rows in
            // its shared memory, or each launch one row from the row before, and the row before the first is zero.
            unsafe { self.queue.launch(&kernel, shape, &arguments) }?;
        }
        Ok(self.read(&value, 1)?[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_both_strings_have_the_same_code() {
        let coded = OccurrenceCodes::new(Pair { query: b"ABCA", target: b"CXBYA" });
        assert_eq!((coded.query, coded.target, coded.count), (vec![0, 1, 2, 0], vec![2, 3, 1, 4, 0], 5));
    }
}
