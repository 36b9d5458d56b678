//! The bits of bytes that tell the symbols of some strings apart. The kernels for edit distance compare these bits
//! only.

use nigh_device::abi::{MAX_PLANES, MatchPlanes};

/// Bits of a byte that tell apart any two symbols of some strings. There are 2, 5 or 8, because the kernels support
/// these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteBits {
    mask: u8,
}

impl ByteBits {
    /// All bits.
    pub(super) const ALL: ByteBits = ByteBits { mask: u8::MAX };

    /// Chooses bits for these strings: the first set of the smallest size that suffices.
    pub(super) fn of(strings: [&[u8]; 2]) -> Self {
        let mut is_present = [false; 256];
        strings.into_iter().flatten().for_each(|&byte| is_present[usize::from(byte)] = true);
        let bytes: Vec<u8> = (0..=u8::MAX).filter(|&byte| is_present[usize::from(byte)]).collect();
        let tells_apart = |mask: u8| {
            let mut seen = [false; 256];
            bytes.iter().all(|byte| !std::mem::replace(&mut seen[usize::from(byte & mask)], true))
        };
        let masks =
            [2, 5, 8].into_iter().flat_map(|count| (0..=u8::MAX).filter(move |mask| mask.count_ones() == count));
        let mask = masks.into_iter().find(|&mask| tells_apart(mask));
        ByteBits { mask: mask.expect("all bits of a byte tell apart any two bytes") }
    }

    /// Returns the number of bits.
    pub(super) fn count(self) -> usize {
        self.mask.count_ones() as usize
    }

    /// Returns the bits as the kernels take them.
    pub(super) fn planes(self) -> MatchPlanes {
        let mut shifts = [0; MAX_PLANES];
        let bits = (0..8).filter(|bit| self.mask >> bit & 1 == 1);
        shifts.iter_mut().zip(bits).for_each(|(shift, bit)| *shift = 7 - bit);
        MatchPlanes { shifts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_bits_are_compared() {
        let mask = |bytes: &[u8]| ByteBits::of([bytes, b""]).mask;
        assert_eq!(mask(b"ACGT"), 0b110);
        assert_eq!(mask(b"").count_ones(), 2);
        assert_eq!(mask(b"ACGTN").count_ones(), 5);
        assert_eq!(mask(b"ARNDCQEGHILKMFPSTWYVBZX").count_ones(), 5);
        assert_eq!(mask(&(0..=255).collect::<Vec<u8>>()), u8::MAX);
    }
}
