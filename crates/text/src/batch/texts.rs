//! Batches of many texts in memory.

use super::memory::{LINE_FEED, MemoryBatches};
use super::window::Window;
use super::{Batch, Segment};

/// A batch of texts with consecutive indices, or of a part of one long text.
pub struct TextGroup<'t> {
    pub batch: Batch<'t>,
    /// Index of the first text.
    first: usize,
    texts: Vec<&'t [u8]>,
    /// For each text, the offset in the batch at which it starts.
    starts: Vec<usize>,
    /// Offset in the text at which the batch starts; 0 unless it is a part of a long text.
    offset: usize,
}

/// A text of a group.
pub struct GroupText<'t> {
    /// Index of the text.
    pub index: usize,
    pub text: &'t [u8],
    /// Offset in the batch at which the text, or its part, starts.
    pub start: usize,
    /// Offset in the text of that part.
    pub offset: usize,
}

impl<'t> TextGroup<'t> {
    /// Returns the text with the number `number` in the group.
    pub fn text(&self, number: usize) -> GroupText<'t> {
        GroupText {
            index: self.first + number,
            text: self.texts[number],
            start: self.starts[number],
            offset: self.offset,
        }
    }

    /// Returns the number in the group of the text that contains the last byte before `end`, which is not before the
    /// text with the number `from`.
    pub fn number_at(&self, end: usize, from: usize) -> usize {
        // Ends ascend, and most texts have few of them: a galloping search.
        let mut step = 1;
        while self.starts.get(from + step).is_some_and(|&start| start < end) {
            step *= 2;
        }
        let near = &self.starts[from..self.starts.len().min(from + step)];
        from + near.partition_point(|&start| start < end).max(1) - 1
    }
}

/// Collects texts into batches, in order.
///
/// A batch has a line feed after each text, so the texts are copied, one batch at a time. Texts that are longer than a
/// batch are cut as [`MemoryBatches`] cuts them.
pub struct TextBatches<'t, I> {
    texts: I,
    window: Window,
    /// Whether a long text stays whole.
    keeps_whole: bool,
    /// Index of the next text, and this text if it did not fit into the last batch.
    next: usize,
    pending: Option<&'t [u8]>,
    /// The rest of a long text.
    long: Option<(&'t [u8], MemoryBatches<'t>)>,
    /// A batch that is no longer needed.
    spare: Option<TextGroup<'t>>,
}

impl<'t, I: Iterator<Item = &'t [u8]>> TextBatches<'t, I> {
    /// Collects texts into batches of at most `window.bytes` bytes.
    pub fn new(texts: I, window: Window) -> Self {
        TextBatches { texts, window, keeps_whole: false, next: 0, pending: None, long: None, spare: None }
    }

    /// Keeps texts whole that are longer than a batch.
    pub fn keep_whole(self, is_wanted: bool) -> Self {
        TextBatches { keeps_whole: is_wanted, ..self }
    }

    /// Takes a group back, to reuse its memory.
    pub fn recycle(&mut self, group: TextGroup<'t>) {
        self.spare = Some(group);
    }

    fn next_part(&mut self) -> Option<TextGroup<'t>> {
        let (text, batches) = self.long.as_mut()?;
        let (batch, offset) = batches.next()?;
        Some(TextGroup { batch, first: self.next - 1, texts: vec![*text], starts: vec![0], offset })
    }

    fn collect(&mut self) -> Option<TextGroup<'t>> {
        let (mut buffer, mut texts, mut starts) =
            self.spare.take().map_or_else(Default::default, TextGroup::into_buffers);
        let first = self.next;
        while let Some(text) = self.pending.take().or_else(|| self.texts.next()) {
            if buffer.len() + text.len() >= self.window.bytes && !buffer.is_empty() {
                self.pending = Some(text);
                break;
            }
            self.next += 1;
            if text.len() > self.window.bytes && !self.keeps_whole {
                self.long = Some((text, MemoryBatches::new(text, self.window)));
                return self.next_part();
            }
            starts.push(buffer.len());
            texts.push(text);
            buffer.extend_from_slice(text);
            buffer.push(LINE_FEED);
        }
        if texts.is_empty() {
            return None;
        }
        let batch = if self.window.alphabet.is_sequence() {
            let segments = texts.iter().zip(&starts).filter(|(text, _)| !text.is_empty());
            let segments = segments.map(|(text, &start)| Segment::whole(start..start + text.len())).collect();
            Batch::of_segments(buffer, segments)
        } else {
            Batch::of_lines(buffer, LINE_FEED)
        };
        Some(TextGroup { batch, first, texts, starts, offset: 0 })
    }
}

impl<'t> TextGroup<'t> {
    fn into_buffers(self) -> (Vec<u8>, Vec<&'t [u8]>, Vec<usize>) {
        let TextGroup { batch, mut texts, mut starts, .. } = self;
        let mut buffer = batch.into_buffer().into_vec();
        buffer.clear();
        texts.clear();
        starts.clear();
        (buffer, texts, starts)
    }
}

impl<'t, I: Iterator<Item = &'t [u8]>> Iterator for TextBatches<'t, I> {
    type Item = TextGroup<'t>;

    fn next(&mut self) -> Option<TextGroup<'t>> {
        if let Some(part) = self.next_part() {
            return Some(part);
        }
        self.long = None;
        self.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabet::Alphabet;

    /// Returns the bytes that each batch owns, and the index, bytes and offset of its first text.
    fn batches<'t>(texts: &[&'t str], bytes: usize) -> Vec<(String, usize, &'t [u8], usize)> {
        let window = Window { bytes, max_match_len: 2, alphabet: Alphabet::Text };
        let seen = |group: TextGroup<'t>| {
            let GroupText { index, text, offset, .. } = group.text(0);
            (String::from_utf8(group.batch.bytes().to_vec()).unwrap(), index, text, offset)
        };
        TextBatches::new(texts.iter().map(|text| text.as_bytes()), window).map(seen).collect()
    }

    #[test]
    fn texts_share_batches_and_long_texts_have_several() {
        let shown = |bytes| batches(&["ab", "", "c", "defgh\ni", "j"], bytes).into_iter().map(|seen| (seen.0, seen.1));
        let owned =
            |parts: &[(&str, usize)]| parts.iter().map(|&(text, index)| (text.to_owned(), index)).collect::<Vec<_>>();
        assert_eq!(shown(100).collect::<Vec<_>>(), owned(&[("ab\n\nc\ndefgh\ni\nj\n", 0)]));
        assert_eq!(
            shown(5).collect::<Vec<_>>(),
            owned(&[("ab\n\n", 0), ("c\n", 2), ("defgh\n", 3), ("i", 3), ("j\n", 4)])
        );
        assert_eq!(batches(&["abc\ndef\n"], 3).last().unwrap(), &("def\n".to_owned(), 0, &b"abc\ndef\n"[..], 4));
        assert!(batches(&[], 5).is_empty());
    }

    #[test]
    fn the_text_of_an_end_is_found() {
        let texts: Vec<Vec<u8>> = (0..200).map(|length| vec![b'a'; length * 7 % 5]).collect();
        let window = Window { bytes: 1 << 20, max_match_len: 2, alphabet: Alphabet::Text };
        let group = TextBatches::new(texts.iter().map(Vec::as_slice), window).next().unwrap();
        for from in 0..texts.len() {
            for number in (from..texts.len()).filter(|&number| !texts[number].is_empty()) {
                let GroupText { start, text, .. } = group.text(number);
                assert_eq!(group.number_at(start + 1, from), number);
                assert_eq!(group.number_at(start + text.len(), from), number);
            }
        }
    }
}
