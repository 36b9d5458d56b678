//! Fills in the number and the text of a line in rows that workers have formatted without them.
//!
//! The number is known only in the order of the input. The text is copied when a row is printed, so a batch does not hold
//! the text of a line once for each match.

use std::io::{self, Write};

use memchr::{memchr_iter, memchr2};

use crate::MatchedItem;
use crate::fields::push_field;
use nigh_text::batch::Batch;

/// Placeholder byte for the number of a line. No field of a row can contain it.
pub(crate) const LINE_NUMBER: u8 = 0;
/// Placeholder byte for the text of a line. No field of a row can contain it.
pub(crate) const LINE_TEXT: u8 = 1;

/// Counts the lines of an input, to fill in the cells of rows.
#[derive(Default)]
pub(super) struct LineCells {
    /// Number of line ends in the input before `at`.
    lines: u64,
    /// Offset in the batch up to which line ends are counted.
    at: usize,
}

/// A writer that passes rows of one line to `out`, with the line in place of each placeholder.
pub(super) struct LineCellWriter<'a> {
    number: u64,
    text: &'a [u8],
    /// The text as a field, once a row has shown it.
    field: Option<Vec<u8>>,
    out: &'a mut dyn Write,
}

impl LineCells {
    /// Counts the lines of the batch up to the offset `to`.
    fn count(&mut self, batch: &Batch, to: usize) {
        let terminator = batch.lines().expect("rows of text have lines").terminator;
        self.lines += memchr_iter(terminator, &batch.shown()[self.at..to]).count() as u64;
        self.at = to;
    }

    /// Counts the other lines of the batch. Call it after the last item of the batch.
    pub(super) fn end_batch(&mut self, batch: &Batch) {
        self.count(batch, batch.shown().len());
        self.at = 0;
    }

    /// Returns a writer for the rows of a line or record. Items must be in order.
    pub(super) fn writer<'a>(
        &mut self,
        batch: &'a Batch<'_>,
        item: &MatchedItem,
        out: &'a mut dyn Write,
    ) -> LineCellWriter<'a> {
        self.count(batch, item.bytes.start);
        LineCellWriter { number: self.lines + 1, text: &batch.bytes()[item.bytes.clone()], field: None, out }
    }
}

impl Write for LineCellWriter<'_> {
    fn write(&mut self, rows: &[u8]) -> io::Result<usize> {
        let mut rest = rows;
        while let Some(at) = memchr2(LINE_NUMBER, LINE_TEXT, rest) {
            self.out.write_all(&rest[..at])?;
            if rest[at] == LINE_NUMBER {
                write!(self.out, "{}", self.number)?;
            } else {
                let field = self.field.get_or_insert_with(|| {
                    let mut field = Vec::with_capacity(self.text.len());
                    push_field(self.text, &mut field);
                    field
                });
                self.out.write_all(field)?;
            }
            rest = &rest[at + 1..];
        }
        self.out.write_all(rest)?;
        Ok(rows.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::lines;

    #[test]
    fn each_row_has_the_number_and_the_text_of_its_line() {
        let (mut cells, mut out) = (LineCells::default(), Vec::new());
        for _ in 0..2 {
            let (batch, findings) = lines("x\n[a|0]\tb\n\n[c|1]\n");
            for item in &findings.items {
                cells.writer(&batch, item, &mut out).write_all(b"\0\t\x01\t\x01\n").unwrap();
            }
            cells.end_batch(&batch);
        }
        assert_eq!(String::from_utf8(out).unwrap(), "2\ta b\ta b\n4\tc\tc\n6\ta b\ta b\n8\tc\tc\n");
    }
}
