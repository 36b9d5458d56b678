//! Decoded symbols: bytes, or bytes and markers for bytes that are not known yet.
//!
//! A block in the middle of a stream may copy from the 32 KiB of text before it, its window. If the window is not
//! known, symbols have 16 bits: values below 256 are bytes, and the value 256 + i is a marker for the byte with index i
//! in the window. A copy of a marker is a marker. Once the window is known, markers are replaced in O(1) each.
//!
//! M. Kerbiriou and R. Chikhi, "Parallel decompression of gzip-compressed files and random access to DNA sequences"
//! (2019); M. Knespel and H. Brunst, "Rapidgzip" (2023).

/// Largest distance of a copy, in bytes.
pub(crate) const WINDOW: usize = 32 << 10;
/// Number of symbol values below the markers: one for each byte.
const BYTES: usize = 256;

/// Number of symbols that are copied together. A copy may write up to this number of symbols past its end.
const COPIED: usize = 16;
/// Longest copy, in symbols.
pub(crate) const MAX_COPY: usize = 258;
/// Room in symbols that suffices to decode literals and a copy without checks.
pub(crate) const AMPLE: usize = MAX_COPY + 2 * COPIED;

/// A symbol of decoded text.
pub(crate) trait Element: Copy + Default + From<u8> + Into<u16> {}

impl Element for u8 {}
impl Element for u16 {}

/// Decoded text after a window.
pub(crate) struct Text<S> {
    /// The window, then the text, then room for more text.
    symbols: Vec<S>,
    /// Index of the first symbol that a copy may reach.
    first: usize,
    /// Index of the end of the text.
    end: usize,
}

impl Text<u16> {
    /// Makes an empty text whose window is not known. Uses the memory of `buffer`.
    pub(crate) fn of_markers(mut buffer: Vec<u16>) -> Self {
        buffer.resize(buffer.len().max(WINDOW), 0);
        buffer.iter_mut().zip(BYTES..BYTES + WINDOW).for_each(|(symbol, marker)| *symbol = marker as u16);
        Text { symbols: buffer, first: 0, end: WINDOW }
    }

    /// Returns the last bytes of the text, at most a window, if there is no marker among them.
    pub(crate) fn plain_end(&self) -> Option<Vec<u8>> {
        let recent = &self.symbols[self.end.saturating_sub(WINDOW).max(self.first)..self.end];
        let plain = recent.rchunks(BYTES).all(|part| part.iter().fold(0, |or, &symbol| or | symbol) < BYTES as u16);
        plain.then(|| recent.iter().map(|&symbol| symbol as u8).collect())
    }
}

impl Text<u8> {
    /// Makes an empty text after a window, which has at most [`WINDOW`] bytes. Uses the memory of `buffer`.
    pub(crate) fn after(window: &[u8], mut buffer: Vec<u8>) -> Self {
        buffer.resize(buffer.len().max(WINDOW), 0);
        let first = WINDOW - window.len();
        buffer[first..WINDOW].copy_from_slice(window);
        Text { symbols: buffer, first, end: WINDOW }
    }
}

impl<S: Element> Text<S> {
    /// Returns the length of the text in symbols.
    pub(crate) fn len(&self) -> usize {
        self.end - WINDOW
    }

    pub(crate) fn symbols(&self) -> &[S] {
        &self.symbols[WINDOW..self.end]
    }

    /// Returns the symbols that a copy may reach, at most the last [`WINDOW`].
    pub(crate) fn window(&self) -> &[S] {
        &self.symbols[self.end.saturating_sub(WINDOW).max(self.first)..self.end]
    }

    /// Returns the whole buffer: the window, the text and the room.
    pub(crate) fn into_buffer(self) -> Vec<S> {
        self.symbols
    }

    /// Forbids copies from the text so far.
    pub(crate) fn forget(&mut self) {
        self.first = self.end;
    }

    /// Grows the buffer until it has room for a text of `length` symbols.
    pub(crate) fn grow(&mut self, length: usize) {
        let length = WINDOW + length;
        if self.symbols.len() < length {
            self.symbols.reserve_exact(length - self.symbols.len());
            self.symbols.resize(length, S::default());
        }
    }

    /// Returns the room after the text, in symbols.
    #[inline(always)]
    pub(crate) fn room(&self) -> usize {
        self.symbols.len() - self.end
    }

    /// Returns the largest distance of a copy.
    #[inline(always)]
    pub(crate) fn reach(&self) -> usize {
        self.end - self.first
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        self.symbols[self.end] = byte.into();
        self.end += 1;
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        let slots = &mut self.symbols[self.end..self.end + bytes.len()];
        slots.iter_mut().zip(bytes).for_each(|(slot, &byte)| *slot = byte.into());
        self.end += bytes.len();
    }

    /// Appends a copy of text that is within reach. There is room for it.
    pub(crate) fn copy(&mut self, distance: usize, length: usize) {
        for at in self.end..self.end + length {
            self.symbols[at] = self.symbols[at - distance];
        }
        self.end += length;
    }

    /// Returns the text for a loop that appends to it without checks of the room.
    #[inline(always)]
    pub(crate) fn ample(&mut self) -> AmpleText<'_, S> {
        AmpleText { end: self.end, first: self.first, symbols: &mut self.symbols }
    }

    /// Sets the end to that of an [`AmpleText`].
    #[inline(always)]
    pub(crate) fn set_end(&mut self, end: usize) {
        self.end = end;
    }
}

/// Text to which symbols are appended only while there is room for [`AMPLE`] more. It is a copy of the state of a
/// [`Text`], which the compiler keeps in registers.
pub(crate) struct AmpleText<'t, S> {
    symbols: &'t mut [S],
    first: usize,
    end: usize,
}

impl<S: Element> AmpleText<'_, S> {
    #[inline(always)]
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.symbols.len() - self.end >= AMPLE
    }

    /// Returns the largest distance of a copy.
    #[inline(always)]
    pub(crate) fn reach(&self) -> usize {
        self.end - self.first
    }

    /// Appends the first `count` of `bytes`.
    #[inline(always)]
    pub(crate) fn push(&mut self, bytes: [u8; 4], count: usize) {
        *self.slots() = bytes.map(S::from);
        self.end += count;
    }

    /// Returns the first `COUNT` symbols of the room after the text.
    #[inline(always)]
    fn slots<const COUNT: usize>(&mut self) -> &mut [S; COUNT] {
        self.symbols[self.end..].first_chunk_mut().expect("there is room after the text")
    }

    /// Appends a copy of text that is within reach.
    #[inline(always)]
    pub(crate) fn copy(&mut self, distance: usize, length: usize) {
        let end = self.end + length;
        if distance < COPIED {
            copy_near(&mut self.symbols[self.end - distance..end], distance);
        } else {
            self.copy_part(distance);
            while self.end < end {
                self.copy_part(distance);
            }
        }
        self.end = end;
    }

    #[inline(always)]
    fn copy_part(&mut self, distance: usize) {
        let part: [S; COPIED] = *self.symbols[self.end - distance..].first_chunk().expect("the text is after it");
        *self.slots() = part;
        self.end += COPIED;
    }
}

/// Repeats the first `distance` symbols to the end of `symbols`.
fn copy_near<S: Element>(symbols: &mut [S], distance: usize) {
    if distance == 1 {
        return symbols.fill(symbols[0]);
    }
    for at in distance..symbols.len() {
        symbols[at] = symbols[at - distance];
    }
}

/// Returns a table that maps each symbol, a byte or a marker, to a byte. `window` has the bytes for the markers.
pub(crate) fn resolver(window: &[u8]) -> Box<[u8; 1 << 16]> {
    let mut table = Box::new([0; 1 << 16]);
    (0..=255).for_each(|byte: u8| table[usize::from(byte)] = byte);
    table[BYTES + WINDOW - window.len()..BYTES + WINDOW].copy_from_slice(window);
    table
}
