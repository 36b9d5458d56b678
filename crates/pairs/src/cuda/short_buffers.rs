//! The strings of a launch of `pairs.cu` or `pair_trace.cu`, on the host and on the device.

use std::ops::Range;

use super::mirror::MirroredBuffer;
use crate::pairs::Strings;
use nigh_device::DeviceError;
use nigh_device::abi::MATCH_PADDING;
use nigh_device::driver::Queue;

/// The strings of a launch and its results.
pub(super) struct ShortBuffers {
    pub(super) queries: StringMirror,
    pub(super) targets: StringMirror,
    pub(super) values: MirroredBuffer<i32>,
    /// The words of the alignments.
    pub(super) traced: MirroredBuffer<u32>,
}

/// Strings on the device.
pub(super) struct StringMirror {
    bytes: MirroredBuffer<u8>,
    ends: MirroredBuffer<u32>,
}

/// Uploaded strings, as a kernel takes them.
pub(super) struct UploadedStrings {
    pub(super) bytes: u64,
    /// The address of the ends; 0 if all have the same length.
    pub(super) ends: u64,
    pub(super) length: u32,
    pub(super) stride: u32,
}

impl ShortBuffers {
    pub(super) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        let (queries, targets) = (StringMirror::new(queue)?, StringMirror::new(queue)?);
        Ok(ShortBuffers { queries, targets, values: MirroredBuffer::new(queue)?, traced: MirroredBuffer::new(queue)? })
    }
}

impl StringMirror {
    fn new(queue: &Queue) -> Result<Self, DeviceError> {
        Ok(StringMirror { bytes: MirroredBuffer::new(queue)?, ends: MirroredBuffer::new(queue)? })
    }

    /// Uploads the strings in `range`. They have less than 4 GiB.
    pub(super) fn upload(
        &mut self,
        queue: &Queue,
        strings: &Strings<'_>,
        range: Range<usize>,
    ) -> Result<UploadedStrings, DeviceError> {
        match *strings {
            Strings::Equal { bytes, length } => {
                let bytes = self.upload_bytes(queue, &[&bytes[range.start * length..range.end * length]])?;
                Ok(UploadedStrings { bytes, ends: 0, length: length as u32, stride: length as u32 })
            }
            Strings::Packed { bytes, ends } => {
                let start = if range.start == 0 { 0 } else { ends[range.start - 1] };
                let end = if range.is_empty() { start } else { ends[range.end - 1] };
                let bytes = self.upload_bytes(queue, &[&bytes[start..end]])?;
                let ends = self.upload_ends(queue, ends[range].iter().map(|end| end - start))?;
                Ok(UploadedStrings { bytes, ends, length: 0, stride: 0 })
            }
            Strings::Slices(strings) => {
                let strings = &strings[range];
                let bytes = self.upload_bytes(queue, strings)?;
                let mut end = 0;
                let mut end_of = |string: &&[u8]| {
                    end += string.len();
                    end
                };
                let ends = self.upload_ends(queue, strings.iter().map(&mut end_of))?;
                Ok(UploadedStrings { bytes, ends, length: 0, stride: 0 })
            }
        }
    }

    /// Uploads one string that belongs to all pairs.
    pub(super) fn upload_one(&mut self, queue: &Queue, string: &[u8]) -> Result<UploadedStrings, DeviceError> {
        let bytes = self.upload_bytes(queue, &[string])?;
        Ok(UploadedStrings { bytes, ends: 0, length: string.len() as u32, stride: 0 })
    }

    /// Uploads strings, one after the other, with padding. Returns their address.
    fn upload_bytes(&mut self, queue: &Queue, strings: &[&[u8]]) -> Result<u64, DeviceError> {
        let total: usize = strings.iter().map(|string| string.len()).sum();
        assert!(u32::try_from(total).is_ok(), "the strings of a launch have less than 4 GiB");
        self.bytes.reserve(queue, total + MATCH_PADDING)?;
        let mut rest = &mut self.bytes.host()?[..total];
        for string in strings {
            let (place, after) = rest.split_at_mut(string.len());
            place.copy_from_slice(string);
            rest = after;
        }
        self.bytes.upload(queue, total + MATCH_PADDING)?;
        Ok(self.bytes.address(total + MATCH_PADDING))
    }

    /// Uploads the ends of strings. Returns their address.
    fn upload_ends(&mut self, queue: &Queue, ends: impl ExactSizeIterator<Item = usize>) -> Result<u64, DeviceError> {
        let count = ends.len();
        self.ends.reserve(queue, count)?;
        self.ends.host()?.iter_mut().zip(ends).for_each(|(place, end)| *place = end as u32);
        self.ends.upload(queue, count)?;
        Ok(self.ends.address(count))
    }
}
