//! Reads the sites of records from findings, and prints their products.
//!
//! Memory: the findings of one batch, and the sites and residues of a window as long as the longest product; about
//! three times as long a window at the start of a circle.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use bstr::ByteSlice;

use super::counts::ProductCounts;
use super::formats::ProductRows;
use super::join::{Product, ProductDemand, ProductJoin};
use super::output::{ProductContext, ProductOutput};
use super::pairs::{PrimerCombination, PrimerPairs};
use super::site::Site;
use super::text::RecordText;
use nigh_report::{
    BadRecords, ExceededLimit, Findings, Flow, HitForm, HitSelection, InputFault, KnownSize, Prefix, RecordShape,
    Report, ReportNeeds,
};
use nigh_text::batch::{Batch, Segment};

/// Prints the products of pairs of primers.
pub struct ProductReport {
    pairs: Arc<PrimerPairs>,
    hits: HitSelection,
    join: ProductJoin,
    output: Box<dyn ProductOutput>,
    has_begun: bool,
    has_products: bool,
    /// Name of the current input.
    label: Vec<u8>,
    /// Name of the current record.
    record: Vec<u8>,
    text: RecordText,
    overflow: ProductOverflow,
}

/// The state of the current record.
enum RecordProgress {
    /// The record continues. All sites that end at or before the position `known_to` have been added.
    Open { known_to: u64 },
    /// The record has ended. `length` is its number of residues, and is used only for circles.
    Ended { length: u64 },
}

/// Properties of the search and of the records that the report needs.
#[derive(Debug, Clone, Copy)]
pub struct ProductSettings {
    /// Choice of the hits that make products: `HitSelection::Best` or `HitSelection::Sites`.
    pub hits: HitSelection,
    /// Length of the longest match, in residues.
    pub longest: usize,
    /// The form of records.
    pub records: RecordShape,
}

/// The records of an input with more products than are printed.
#[derive(Default)]
struct ProductOverflow {
    /// Name of the first such record, and the first combination found in it.
    first: Option<(Vec<u8>, PrimerCombination)>,
    records: u64,
    primers: BTreeSet<PrimerCombination>,
}

impl ProductReport {
    /// Makes a report that prints a row for each product. The patterns of the search must be those of `pairs`.
    pub fn of_rows(pairs: Arc<PrimerPairs>, settings: ProductSettings, rows: ProductRows) -> Self {
        Self::new(pairs, settings, Box::new(rows))
    }

    /// Makes a report that prints the number of products of each pair. Of the fields of `prefix`, only the file name is
    /// shown. See [`of_rows`](Self::of_rows).
    pub fn of_counts(pairs: Arc<PrimerPairs>, settings: ProductSettings, prefix: Prefix) -> Self {
        let counts = ProductCounts::new(pairs.clone(), prefix);
        Self::new(pairs, settings, Box::new(counts))
    }

    fn new(pairs: Arc<PrimerPairs>, settings: ProductSettings, output: Box<dyn ProductOutput>) -> Self {
        ProductReport {
            join: ProductJoin::new(pairs.clone(), settings.longest, settings.records, output.demand()),
            pairs,
            hits: settings.hits,
            output,
            has_begun: false,
            has_products: false,
            label: Vec::new(),
            record: Vec::new(),
            text: RecordText::default(),
            overflow: ProductOverflow::default(),
        }
    }

    /// Begins the output unless it has begun.
    fn begin_output(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) { Ok(()) } else { self.output.begin(out) }
    }

    /// Adds the residues of a record that a batch owns.
    fn add_text(&mut self, batch: &Batch, segment: &Segment) {
        if self.output.needs_text() {
            let owned = batch.owned();
            let (start, end) = (segment.bytes.start.max(owned.start), segment.bytes.end.min(owned.end));
            self.text.push(&batch.bytes()[start..end.max(start)]);
        }
    }

    /// Passes to the output every product that is complete.
    fn print(&mut self, state: RecordProgress, out: &mut dyn Write) -> io::Result<()> {
        let ProductReport { pairs, join, output, has_products, label, record, text, .. } = self;
        let context = ProductContext { pairs, label, record, text };
        let mut next = |product: &Product<'_>| {
            *has_products = true;
            output.add(product, &context, out)
        };
        match state {
            RecordProgress::Open { known_to } => {
                let needed = join.advance(known_to, &mut next)?;
                text.forget_before(needed);
            }
            RecordProgress::Ended { length } => {
                let overflowed = join.finish(length, &mut next)?;
                for (primers, products) in join.take_counts() {
                    *has_products = true;
                    output.count(primers, products);
                }
                if !overflowed.is_empty() {
                    self.overflow.add(&self.record, overflowed);
                }
                self.text.clear();
            }
        }
        Ok(())
    }

    /// Takes the records in which some products were left out.
    fn overflow(&mut self) -> Option<BadRecords> {
        let overflow = std::mem::take(&mut self.overflow);
        let (Some((record, first)), ProductDemand::Rows { max }) = (overflow.first, self.output.demand()) else {
            return None;
        };
        let others = match overflow.primers.len() - 1 {
            0 => " has".to_owned(),
            1 => " and 1 other pair have".to_owned(),
            others => format!(" and {others} other pairs have"),
        };
        let problem = format!(
            "pair '{}'{others} more than {max} products, so only the first are printed; lower -k or the maximum length, or count them with --format counts",
            self.pairs.name(first).to_str_lossy()
        );
        let mut records = BadRecords::new(&record, problem);
        records.count = overflow.records;
        Some(records)
    }
}

impl Report for ProductReport {
    fn needs(&self) -> ReportNeeds {
        let circle_extension = self.join.extension();
        let (each_hit, lengths) = (Some(HitForm::Value), circle_extension > 0);
        ReportNeeds { each_hit, hits: self.hits, lengths, circle_extension, ..ReportNeeds::items(usize::MAX) }
    }

    fn begin(&mut self, label: &[u8], _: &KnownSize<'_>) {
        self.label = label.to_vec();
    }

    fn add(&mut self, batch: &Batch, findings: &Findings, out: &mut dyn Write) -> io::Result<Flow> {
        self.begin_output(out)?;
        let (mut items, mut found) = (findings.items.iter().peekable(), findings.found.iter());
        for (index, segment) in batch.segments().iter().enumerate() {
            if !segment.continues {
                self.record.clear();
                self.record.extend_from_slice(segment.name.of(batch.bytes()));
            }
            self.add_text(batch, segment);
            // Every hit of an item is a value, because the number of hits has no limit here.
            if let Some(item) = items.next_if(|item| item.bytes == segment.bytes) {
                found.by_ref().take(item.hits as usize).for_each(|hit| self.join.add(Site::new(hit)));
            }
            let length = findings.lengths.get(index).copied().unwrap_or(0);
            let known_to = findings.known_to;
            self.print(
                if segment.closes { RecordProgress::Ended { length } } else { RecordProgress::Open { known_to } },
                out,
            )?;
        }
        Ok(Flow::More)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Vec<InputFault>> {
        self.begin_output(out)?;
        // A record is still open only after a read error.
        self.print(RecordProgress::Ended { length: 0 }, out)?;
        self.output.end_input(&self.label, out)?;
        Ok(self.overflow().map(InputFault::Records).into_iter().collect())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<ExceededLimit>> {
        self.begin_output(out)?;
        self.output.finish(out)?;
        Ok(None)
    }

    fn has_selected(&self) -> bool {
        self.has_products
    }
}

impl ProductOverflow {
    /// Adds a record in which these primers have too many products.
    fn add(&mut self, record: &[u8], primers: Vec<PrimerCombination>) {
        if self.first.is_none() {
            self.first = primers.first().map(|&first| (record.to_vec(), first));
        }
        self.records += 1;
        self.primers.extend(primers);
    }
}
