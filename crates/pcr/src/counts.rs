//! A table of the numbers of products.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::join::ProductDemand;
use super::output::ProductOutput;
use super::pairs::{Pooling, PrimerCombination, PrimerPairs};
use nigh_report::Prefix;
use nigh_report::fields::push_field;

/// Prints one header, then a row for each pair, in the order of the pairs: name, both primers, number of products. In a
/// pool, only combinations that have a product get a row. The numbers are those of all inputs or, if file names are
/// shown, of each input, with its name in the first column.
pub(crate) struct ProductCounts {
    pairs: Arc<PrimerPairs>,
    counts: BTreeMap<PrimerCombination, u64>,
    prefix: Prefix,
}

impl ProductCounts {
    pub(crate) fn new(pairs: Arc<PrimerPairs>, prefix: Prefix) -> Self {
        let mut counts = ProductCounts { pairs, counts: BTreeMap::new(), prefix };
        counts.clear();
        counts
    }

    fn clear(&mut self) {
        self.counts.clear();
        if self.pairs.pooling() == Pooling::Pairs {
            self.counts.extend(self.pairs.combinations().map(|pair| (pair, 0)));
        }
    }

    fn print(&mut self, label: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let controls = self.prefix.controls;
        let mut row = Vec::new();
        for (&primers, products) in &self.counts {
            row.clear();
            self.prefix.file(label, b"\t", &mut row)?;
            let [forward, reverse] = [primers.first, primers.second].map(|primer| &self.pairs.primer(primer).pattern);
            for field in [&*self.pairs.name(primers), forward, reverse] {
                push_field(&controls.show(field), &mut row);
                row.push(b'\t');
            }
            writeln!(row, "{products}")?;
            out.write_all(&row)?;
        }
        self.clear();
        Ok(())
    }
}

impl ProductOutput for ProductCounts {
    fn needs_text(&self) -> bool {
        false
    }

    fn demand(&self) -> ProductDemand {
        ProductDemand::Counts
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = if self.prefix.file { "file\t" } else { "" };
        writeln!(out, "{file}name\tforward\treverse\tproducts")
    }

    fn count(&mut self, primers: PrimerCombination, products: u64) {
        *self.counts.entry(primers).or_default() += products;
    }

    fn end_input(&mut self, label: &[u8], out: &mut dyn Write) -> io::Result<()> {
        if self.prefix.file { self.print(label, out) } else { Ok(()) }
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.prefix.file { Ok(()) } else { self.print(b"", out) }
    }
}
