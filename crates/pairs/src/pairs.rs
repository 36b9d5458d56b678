//! Pairs of strings in memory, in a layout that costs no pointer for each string.

/// A query and a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The query.
    pub query: &'a [u8],
    /// The target.
    pub target: &'a [u8],
}

/// Strings that are stored one after the other, or anywhere.
#[derive(Debug, Clone, Copy)]
pub enum Strings<'a> {
    /// Strings of equal length, one after the other.
    Equal {
        /// The bytes of all strings. Their number is a multiple of `length`.
        bytes: &'a [u8],
        /// The length of each string; not 0.
        length: usize,
    },
    /// Strings of any length, one after the other.
    Packed {
        /// The bytes of all strings.
        bytes: &'a [u8],
        /// The offset in `bytes` just past each string, in ascending order.
        ends: &'a [usize],
    },
    /// Strings anywhere.
    Slices(&'a [&'a [u8]]),
}

impl<'a> Strings<'a> {
    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        match *self {
            Strings::Equal { bytes, length } => bytes.len() / length,
            Strings::Packed { ends, .. } => ends.len(),
            Strings::Slices(strings) => strings.len(),
        }
    }

    /// Returns whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of symbols of all strings.
    pub(crate) fn symbols(&self) -> usize {
        match *self {
            Strings::Equal { bytes, .. } => bytes.len(),
            Strings::Packed { ends, .. } => ends.last().copied().unwrap_or(0),
            Strings::Slices(strings) => strings.iter().map(|string| string.len()).sum(),
        }
    }

    /// Returns the string with an index. Panics if there is none.
    #[inline(always)]
    pub fn get(&self, index: usize) -> &'a [u8] {
        match *self {
            Strings::Equal { bytes, length } => &bytes[index * length..(index + 1) * length],
            Strings::Packed { bytes, ends } => {
                let start = if index == 0 { 0 } else { ends[index - 1] };
                &bytes[start..ends[index]]
            }
            Strings::Slices(strings) => strings[index],
        }
    }
}

/// A list of pairs.
#[derive(Debug, Clone, Copy)]
pub enum Pairs<'a> {
    /// The string of `queries` with each index, and the string of `targets` with the same index.
    Zipped {
        /// The queries.
        queries: Strings<'a>,
        /// The targets, as many as there are queries.
        targets: Strings<'a>,
    },
    /// One query with each target.
    OneToMany {
        /// The query.
        query: &'a [u8],
        /// The targets.
        targets: Strings<'a>,
    },
}

impl<'a> Pairs<'a> {
    /// Pairs each query with the target of the same index.
    ///
    /// # Panics
    /// Panics if there are not as many targets as queries.
    pub fn zipped(queries: Strings<'a>, targets: Strings<'a>) -> Self {
        assert_eq!(queries.len(), targets.len(), "each query has a target");
        Pairs::Zipped { queries, targets }
    }

    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        match self {
            Pairs::Zipped { targets, .. } | Pairs::OneToMany { targets, .. } => targets.len(),
        }
    }

    /// Returns the number of symbols of all queries and targets.
    pub(crate) fn symbols(&self) -> usize {
        match self {
            Pairs::Zipped { queries, targets } => queries.symbols() + targets.symbols(),
            Pairs::OneToMany { query, targets } => query.len() * targets.len() + targets.symbols(),
        }
    }

    /// Returns whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pair with an index. Panics if there is none.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Pair<'a> {
        match self {
            Pairs::Zipped { queries, targets } => Pair { query: queries.get(index), target: targets.get(index) },
            Pairs::OneToMany { query, targets } => Pair { query, target: targets.get(index) },
        }
    }
}
