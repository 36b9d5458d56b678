//! The buffers of a search for local alignments, on the host and on the device.

use super::mirror::{MirroredBuffer, reserve};
use super::scored_tables::{ScoreCodes, Strip};
use crate::pairs::Strings;
use nigh_device::DeviceError;
use nigh_device::abi::{BestCell, LocalBorder, LocalTarget};
use nigh_device::driver::{Buffer, Queue};

/// The buffers of launches.
pub(super) struct LocalBuffers {
    /// The scores of all strips of the query.
    pub(super) profiles: MirroredBuffer<i8>,
    /// The targets in descending order of length, and their codes.
    pub(super) targets: MirroredBuffer<LocalTarget>,
    pub(super) codes: MirroredBuffer<u8>,
    pub(super) scores: MirroredBuffer<BestCell>,
    /// The scores below a strip.
    pub(super) borders: Buffer<LocalBorder>,
    /// The next target of each strip.
    pub(super) next: Buffer<u32>,
}

/// The size of a batch of targets.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchSize {
    pub(super) targets: usize,
    /// The number of symbols of all targets.
    pub(super) symbols: usize,
}

/// A query on the device, in strips.
pub(super) struct UploadedQuery {
    pub(super) strip: Strip,
    pub(super) strips: usize,
    pub(super) code_count: usize,
}

impl UploadedQuery {
    /// Returns the number of scores of a strip.
    pub(super) fn profile_length(&self) -> usize {
        self.strip.height() * self.code_count
    }
}

impl LocalBuffers {
    pub(super) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        Ok(LocalBuffers {
            profiles: MirroredBuffer::new(queue)?,
            targets: MirroredBuffer::new(queue)?,
            codes: MirroredBuffer::new(queue)?,
            scores: MirroredBuffer::new(queue)?,
            borders: queue.buffer(0)?,
            next: queue.buffer(0)?,
        })
    }

    /// Uploads the scores of a query with all codes, strip by strip.
    pub(super) fn upload_query(
        &mut self,
        queue: &Queue,
        codes: &ScoreCodes<'_>,
        query: &[u8],
        strip: Strip,
    ) -> Result<UploadedQuery, DeviceError> {
        let strips = query.len().max(1).div_ceil(strip.height());
        let uploaded = UploadedQuery { strip, strips, code_count: codes.count() + 1 };
        let length = uploaded.profile_length();
        self.profiles.reserve(queue, strips * length)?;
        for (number, place) in self.profiles.host()?[..strips * length].chunks_exact_mut(length).enumerate() {
            place.copy_from_slice(&codes.local_profile(query, strip, number * strip.height()));
        }
        self.profiles.upload(queue, strips * length)?;
        Ok(uploaded)
    }

    /// Uploads the targets with these indices in descending order of length, and makes room for their results. Returns
    /// the position in `indices` of each uploaded target.
    pub(super) fn upload_targets(
        &mut self,
        queue: &Queue,
        codes: &ScoreCodes<'_>,
        targets: &Strings<'_>,
        indices: &[usize],
    ) -> Result<Vec<usize>, DeviceError> {
        let target = |at: usize| targets.get(indices[at]);
        let mut order: Vec<usize> = (0..indices.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(target(at).len()));
        let symbols = order.iter().map(|&at| target(at).len()).sum();
        self.targets.reserve(queue, order.len())?;
        self.codes.reserve(queue, symbols)?;
        let mut rest = self.codes.host()?;
        let mut first = 0;
        for (place, &at) in self.targets.host()?.iter_mut().zip(&order) {
            let target = target(at);
            *place = LocalTarget { first, length: target.len() as u32 };
            first += target.len() as u32;
            let (encoded, after) = rest.split_at_mut(target.len());
            encoded.iter_mut().zip(target).for_each(|(code, &byte)| *code = codes.code(byte));
            rest = after;
        }
        self.targets.upload(queue, order.len())?;
        self.codes.upload(queue, symbols)?;
        self.scores.reserve(queue, order.len())?;
        Ok(order)
    }

    /// Clears the scores and the counters of a launch, and makes room for borders.
    pub(super) fn prepare(&mut self, queue: &Queue, size: BatchSize, strips: usize) -> Result<(), DeviceError> {
        reserve(&mut self.next, queue, strips)?;
        reserve(&mut self.borders, queue, if strips > 1 { size.symbols } else { 0 })?;
        queue.clear(&mut self.next, 0..strips)?;
        self.scores.clear(queue, size.targets)
    }
}
