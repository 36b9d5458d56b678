//! `--best=record`: of the rows of each record or line, those with the least distance in it.
//!
//! Workers put the distance and the length of each row before it. A record that lies in one batch is decided there. Of one
//! that goes on, the rows with the least distance so far wait in a spool until it has ended.

use std::io::{self, Write};
use std::sync::Arc;

use super::open_record::write_with_length;
use crate::input::Batch;
use crate::report::spool::Spool;
use crate::report::tally::has_end;
use crate::report::{Findings, HitRow, MatchedItem, Rows};

/// The bytes of a number before a row.
const NUMBER: usize = size_of::<u64>();
/// The bytes before a row: its distance and its length.
const TAG: usize = 2 * NUMBER;

/// Rows with their distance and length before them.
pub(crate) struct TaggedRows(pub(crate) Arc<dyn Rows>);

impl Rows for TaggedRows {
    fn wants_alignment(&self) -> bool {
        self.0.wants_alignment()
    }

    fn row(&self, place: &HitRow<'_>, out: &mut Vec<u8>) {
        let tag = out.len();
        out.extend_from_slice(&(place.distance as u64).to_ne_bytes());
        out.extend_from_slice(&[0; NUMBER]);
        self.0.row(place, out);
        let length = (out.len() - tag - TAG) as u64;
        out[tag + NUMBER..tag + TAG].copy_from_slice(&length.to_ne_bytes());
    }
}

/// The rows that [`TaggedRows`] has made, with their distances.
struct Tagged<'a>(&'a [u8]);

impl<'a> Iterator for Tagged<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (distance, rest) = take_number(self.0)?;
        let (length, rest) = take_number(rest)?;
        let (row, rest) = rest.split_at(usize::try_from(length).expect("a row lies in memory"));
        self.0 = rest;
        Some((distance, row))
    }
}

fn take_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_ne_bytes(*number), rest))
}

/// Prints the nearest rows of each record or line.
pub(crate) struct Nearest {
    /// Of the record that goes on, the rows with the least distance so far.
    waiting: Spool,
    /// That distance.
    least: u64,
}

impl Nearest {
    pub(crate) fn new() -> Self {
        Nearest { waiting: Spool::new(), least: u64::MAX }
    }

    /// Prints the rows of some items of a batch, and keeps those of a item that goes on.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        findings: &Findings,
        mut items: &[MatchedItem],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let rows = |item: &MatchedItem| &findings.rows[item.rows.clone()];
        if let Some((first, others)) = items.split_first().filter(|(first, _)| first.continues) {
            self.keep(rows(first))?;
            items = others;
        }
        if has_end(batch) {
            self.end_record(findings.ended(batch), out)?;
        }
        for item in items {
            match item.open {
                true => self.keep(rows(item))?,
                false => write_nearest(rows(item), out)?,
            }
        }
        Ok(())
    }

    /// Prints the rows of the record that went on, which has ended and has this length, if somebody has asked.
    pub(crate) fn end_record(&mut self, length: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
        self.least = u64::MAX;
        self.waiting.drain_lines(|rows| match length {
            Some(length) => write_with_length(rows, length, out),
            None => out.write_all(rows),
        })
    }

    /// Keeps the nearest rows of a item that has not ended, or went on from the batch before.
    fn keep(&mut self, rows: &[u8]) -> io::Result<()> {
        let Some(least) = least(rows).filter(|&least| least <= self.least) else { return Ok(()) };
        if least < self.least {
            self.least = least;
            self.waiting.clear()?;
        }
        write_nearest(rows, &mut self.waiting)
    }
}

/// The least distance of some rows.
fn least(rows: &[u8]) -> Option<u64> {
    Tagged(rows).map(|(distance, _)| distance).min()
}

/// Writes those with the least distance among some rows.
fn write_nearest(rows: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let least = least(rows);
    let mut nearest = Tagged(rows).filter(|&(distance, _)| Some(distance) == least);
    nearest.try_for_each(|(_, row)| out.write_all(row))
}
