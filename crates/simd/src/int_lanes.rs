//! Vectors of small integers, as a trait over instruction sets, and an implementation with plain arrays.

/// An integer in a lane.
pub trait LaneInteger: Copy + Ord + Default + Into<i32> + Send + Sync {
    /// The smallest value that algorithms may use.
    const LEAST: i32;
    /// The largest value that algorithms may use.
    const MOST: i32;

    /// Converts a value. Panics if it is not in the range of the type.
    fn of(value: i32) -> Self;
    /// `self + other`, wrapping.
    fn sum(self, other: Self) -> Self;
    /// `self - other`, wrapping.
    fn difference(self, other: Self) -> Self;
    /// `self - other`, at least the type's smallest value.
    fn clamped_difference(self, other: Self) -> Self;
}

macro_rules! lane_integer {
    ($integer:ty, $least:expr, $most:expr) => {
        impl LaneInteger for $integer {
            const LEAST: i32 = $least;
            const MOST: i32 = $most;

            #[inline]
            fn of(value: i32) -> Self {
                value.try_into().expect("the value is in the range of the lanes")
            }
            #[inline]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn difference(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn clamped_difference(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
        }
    };
}

lane_integer!(i8, i8::MIN as i32, i8::MAX as i32);
lane_integer!(i16, i16::MIN as i32, i16::MAX as i32);
// Sums of two values in this range do not wrap: no instruction set has saturating operations for 32 bits.
lane_integer!(i32, i32::MIN / 2, i32::MAX / 2);

/// The number of entries of a table for [`IntLanes::table_lookup`].
pub const LOOKUP_ENTRIES: usize = 32;

/// The largest number of lanes of any vector.
pub const MAX_LANES: usize = 64;

/// A vector of integers.
pub trait IntLanes: Copy {
    /// The integer in each lane.
    type Integer: LaneInteger;
    /// The number of lanes; a power of two.
    const COUNT: usize;

    /// Repeats a value. Panics if it is not in the range of the integer.
    fn splat(value: i32) -> Self;
    /// Loads the first [`IntLanes::COUNT`] integers. Panics if there are fewer.
    fn load(integers: &[Self::Integer]) -> Self;
    /// Stores to the first [`IntLanes::COUNT`] integers. Panics if there are fewer.
    fn store(self, integers: &mut [Self::Integer]);
    /// `self + other`, wrapping.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, wrapping.
    fn minus(self, other: Self) -> Self;
    /// `self - other`, at least the type's smallest value. Wraps if the integers have 32 bits.
    fn clamped_minus(self, other: Self) -> Self;
    /// The larger of the two integers in each lane.
    fn max(self, other: Self) -> Self;
    /// `if self == other { yes } else { no }`
    fn if_equal(self, other: Self, yes: Self, no: Self) -> Self;
    /// Returns whether any lane is greater than the same lane of `other`.
    fn any_greater(self, other: Self) -> bool;
    /// Returns a bit for each lane: whether it is greater than the same lane of `other`.
    fn greater_mask(self, other: Self) -> u64;
    /// Moves each lane `DISTANCE` lanes up. The first `DISTANCE` lanes are those of `fill`, which has one value in all
    /// lanes. `DISTANCE` is a power of two below [`IntLanes::COUNT`].
    fn shift_up<const DISTANCE: usize>(self, fill: Self) -> Self;
    /// Returns the entry of `table` for each of the first [`IntLanes::COUNT`] indices, which must be below
    /// [`LOOKUP_ENTRIES`]. Panics if there are fewer indices.
    fn table_lookup(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Self;
}

/// A vector of `N` integers, in whatever registers the compiler picks.
#[derive(Clone, Copy)]
pub(crate) struct PlainLanes<T, const N: usize>([T; N]);

impl PlainLanes<i16, 8> {
    /// Reads 128 bits as integers, the lowest first.
    #[inline]
    pub(super) fn of_words([low, high]: [u64; 2]) -> Self {
        let lane = |lane: usize| (if lane < 4 { low } else { high } >> (16 * (lane % 4))) as i16;
        PlainLanes(std::array::from_fn(lane))
    }
    /// Reads the integers as 128 bits.
    #[inline]
    pub(super) fn words(self) -> [u64; 2] {
        let word = |lanes: &[i16]| lanes.iter().rev().fold(0, |word, &lane| word << 16 | u64::from(lane as u16));
        [word(&self.0[..4]), word(&self.0[4..])]
    }
}

impl<T: LaneInteger, const N: usize> PlainLanes<T, N> {
    #[inline]
    fn map(self, other: Self, operation: impl Fn(T, T) -> T) -> Self {
        PlainLanes(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

impl<T: LaneInteger, const N: usize> IntLanes for PlainLanes<T, N> {
    type Integer = T;
    const COUNT: usize = N;

    #[inline]
    fn splat(value: i32) -> Self {
        PlainLanes([T::of(value); N])
    }
    #[inline]
    fn load(integers: &[T]) -> Self {
        PlainLanes(*integers.first_chunk().expect("there is an integer for each lane"))
    }
    #[inline]
    fn store(self, integers: &mut [T]) {
        integers[..N].copy_from_slice(&self.0);
    }
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.map(other, T::sum)
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self.map(other, T::difference)
    }
    #[inline]
    fn clamped_minus(self, other: Self) -> Self {
        self.map(other, T::clamped_difference)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        self.map(other, T::max)
    }
    #[inline]
    fn if_equal(self, other: Self, yes: Self, no: Self) -> Self {
        let choose = |lane: usize| if self.0[lane] == other.0[lane] { yes.0[lane] } else { no.0[lane] };
        PlainLanes(std::array::from_fn(choose))
    }
    #[inline]
    fn any_greater(self, other: Self) -> bool {
        self.0.iter().zip(&other.0).fold(false, |any, (a, b)| any | (a > b))
    }
    #[inline]
    fn greater_mask(self, other: Self) -> u64 {
        let bit = |lane: usize| u64::from(self.0[lane] > other.0[lane]) << lane;
        (0..N).fold(0, |mask, lane| mask | bit(lane))
    }
    #[inline]
    fn shift_up<const DISTANCE: usize>(self, fill: Self) -> Self {
        let mut shifted = fill;
        shifted.0[DISTANCE..].copy_from_slice(&self.0[..N - DISTANCE]);
        shifted
    }
    #[inline]
    fn table_lookup(table: &[i8; LOOKUP_ENTRIES], indices: &[u8]) -> Self {
        let indices: &[u8; N] = indices.first_chunk().expect("there is an index for each lane");
        PlainLanes(indices.map(|index| T::of(i32::from(table[usize::from(index) % LOOKUP_ENTRIES]))))
    }
}
