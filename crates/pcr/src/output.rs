//! The contract between the join and the forms of output.

use std::io::{self, Write};

use super::join::{Product, ProductDemand};
use super::pairs::{PrimerCombination, PrimerPairs};
use super::text::RecordText;

/// The input and record of a product, with the data that its row needs.
pub(crate) struct ProductContext<'a> {
    pub(crate) pairs: &'a PrimerPairs,
    /// Name of the input.
    pub(crate) label: &'a [u8],
    /// Name of the record.
    pub(crate) record: &'a [u8],
    /// Residues of the record, from the start of the product or earlier; empty unless the output needs them.
    pub(crate) text: &'a RecordText,
}

/// Prints products in their order.
pub(crate) trait ProductOutput: Send {
    /// Returns whether the output shows the sequences of products.
    fn needs_text(&self) -> bool;
    /// Returns whether the output prints products, and how many, or counts them.
    fn demand(&self) -> ProductDemand;
    /// Begins the output.
    ///
    /// # Errors
    /// Write errors.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// Prints the next product.
    ///
    /// # Errors
    /// Write errors.
    fn add(&mut self, _product: &Product<'_>, _context: &ProductContext<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Adds products of two primers to their number.
    fn count(&mut self, _primers: PrimerCombination, _products: u64) {}
    /// Ends the input named `label`.
    ///
    /// # Errors
    /// Write errors.
    fn end_input(&mut self, _label: &[u8], _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Ends the output.
    ///
    /// # Errors
    /// Write errors.
    fn finish(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
