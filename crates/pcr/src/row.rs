//! A product as the fields of a row.

use std::borrow::Cow;

use super::join::Product;
use super::output::ProductContext;
use super::pairs::{Primer, PrimerCombination};
use super::site::Site;
use nigh_pattern::Strand;
use nigh_text::alphabet::reverse_complement;

/// Choice of the sequence that is printed for a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductText {
    /// The text from the start to the end of the product.
    Whole,
    /// The text between the sites of the primers; empty if the sites overlap.
    Inner,
    /// The whole text, with the letters of the primers in place of their sites. If the sites overlap by n residues, the
    /// first n letters of the right primer, in the direction of the record, are left out.
    PrimerBases,
}

/// The fields of a primer in the row of a product.
pub(crate) struct SiteFields {
    pub(crate) distance: u64,
    /// Number of symbols of the primer.
    pub(crate) symbols: u64,
    /// The alignment, in the direction of the primer.
    pub(crate) cigar: String,
    /// The residues of the match, in the direction of the primer.
    pub(crate) matched: Vec<u8>,
}

/// The fields of a row.
pub(crate) struct ProductRow<'a> {
    /// Name of the input.
    pub(crate) label: &'a [u8],
    /// Name of the record.
    pub(crate) record: &'a [u8],
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: Cow<'a, [u8]>,
    /// The strand of the forward primer or, in a pool, of the first primer.
    pub(crate) strand: Strand,
    pub(crate) forward: SiteFields,
    pub(crate) reverse: SiteFields,
    /// The sequence in the direction of the forward primer; empty unless the row shows it.
    pub(crate) product: Vec<u8>,
}

impl<'a> ProductRow<'a> {
    /// Makes the row of a product. If `text` is `None`, the row has no sequence.
    pub(crate) fn new(product: &Product<'_>, context: &ProductContext<'a>, text: Option<ProductText>) -> Self {
        let pairs = context.pairs;
        ProductRow {
            label: context.label,
            record: context.record,
            start: product.left.start,
            end: product.right.end,
            name: pairs.name(product.primers),
            strand: product.strand,
            forward: SiteFields::new(pairs.primer(product.primers.first), product.first()),
            reverse: SiteFields::new(pairs.primer(product.primers.second), product.second()),
            product: text.map_or_else(Vec::new, |text| sequence(product, context, text)),
        }
    }
}

impl SiteFields {
    fn new(primer: &Primer, site: &Site) -> Self {
        let symbols = primer.letters().count() as u64;
        SiteFields { distance: site.distance, symbols, cigar: site.cigar(), matched: site.matched() }
    }
}

/// Returns the sequence of a product in the direction of its first primer.
fn sequence(product: &Product<'_>, context: &ProductContext<'_>, shown: ProductText) -> Vec<u8> {
    let (left, right) = (product.left, product.right);
    let inner = left.end..right.start.max(left.end);
    let mut sequence = match shown {
        ProductText::Whole => context.text.get(left.start..right.end).to_vec(),
        ProductText::Inner => context.text.get(inner).to_vec(),
        ProductText::PrimerBases => {
            let PrimerCombination { first, second } = product.primers;
            let (begin, end) = if product.strand == Strand::Forward { (first, second) } else { (second, first) };
            let mut last: Vec<u8> = context.pairs.primer(end).letters().collect();
            reverse_complement(&mut last);
            let overlap = left.end.saturating_sub(right.start) as usize;
            let between = context.text.get(inner).iter().copied();
            context.pairs.primer(begin).letters().chain(between).chain(last.into_iter().skip(overlap)).collect()
        }
    };
    if product.strand == Strand::Reverse {
        reverse_complement(&mut sequence);
    }
    sequence
}
