//! The formats of products: a table, BED, FASTA and JSON Lines.

use std::io::{self, Write};

use serde::Serialize;

use super::join::{Product, ProductDemand};
use super::output::{ProductContext, ProductOutput};
use super::row::{ProductRow, ProductText, SiteFields};
use nigh_report::fields::{push_field, push_name, push_number};
use nigh_report::style::colours::{ColouredPart, Colours};
use nigh_report::style::visible::Controls;
use nigh_report::tables::json::JsonBytes;

/// The format of rows of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductFormat {
    /// Thirteen columns separated by tabs.
    Tsv,
    /// BED with six columns. The score is 1000 (1 - edits / symbols), but at least 0; edits and symbols are summed over
    /// both primers.
    Bed,
    /// A record for each product.
    Fasta,
    /// A JSON object for each product, with the columns of the table.
    Json,
}

/// Maximum number of rows for two primers in one record.
const MAX_PRODUCTS: u64 = 1_000_000;

/// The columns of the table.
const COLUMNS: [&str; 13] = [
    "record",
    "start",
    "end",
    "length",
    "name",
    "strand",
    "forward_distance",
    "reverse_distance",
    "forward_cigar",
    "reverse_cigar",
    "forward_match",
    "reverse_match",
    "product",
];

/// Prints products as rows. Positions are 0-based and half-open.
pub struct ProductRows {
    /// The form of the rows.
    pub format: ProductFormat,
    /// The sequence of a product that rows show.
    pub text: ProductText,
    /// Whether the first field of the table and of objects is the name of the input.
    pub file: bool,
    /// Whether the names of the columns precede the table.
    pub header: bool,
    /// The colours of rows.
    pub colours: Colours,
    /// The display of control characters.
    pub controls: Controls,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<JsonBytes<'a>>,
    record: JsonBytes<'a>,
    start: u64,
    end: u64,
    length: u64,
    name: JsonBytes<'a>,
    strand: char,
    forward_distance: u64,
    reverse_distance: u64,
    forward_cigar: JsonBytes<'a>,
    reverse_cigar: JsonBytes<'a>,
    forward_match: JsonBytes<'a>,
    reverse_match: JsonBytes<'a>,
    product: JsonBytes<'a>,
}

fn json_bytes(field: &[u8]) -> JsonBytes<'_> {
    JsonBytes(field.into())
}

impl ProductRows {
    fn tsv(&self, row: &ProductRow<'_>, out: &mut Vec<u8>) {
        let shown = |part, field: &[u8], out: &mut Vec<u8>| {
            self.colours.push(part, out, |out| push_field(&self.controls.show(field), out));
            out.push(b'\t');
        };
        if self.file {
            shown(ColouredPart::File, row.label, out);
        }
        shown(ColouredPart::File, row.record, out);
        for number in [row.start, row.end, row.end - row.start] {
            push_number(number, out);
            out.push(b'\t');
        }
        push_field(&self.controls.show(&row.name), out);
        out.extend_from_slice(&[b'\t', row.strand.sign(), b'\t']);
        let sites = [&row.forward, &row.reverse];
        for site in sites {
            push_number(site.distance, out);
            out.push(b'\t');
        }
        for site in sites {
            out.extend_from_slice(site.cigar.as_bytes());
            out.push(b'\t');
        }
        sites.iter().for_each(|site| shown(ColouredPart::Match, &site.matched, out));
        out.extend_from_slice(&row.product);
        out.push(b'\n');
    }

    fn json(&self, row: &ProductRow<'_>, out: &mut Vec<u8>) {
        let row = JsonRow {
            file: self.file.then_some(JsonBytes(row.label.into())),
            record: json_bytes(row.record),
            start: row.start,
            end: row.end,
            length: row.end - row.start,
            name: json_bytes(&row.name),
            strand: char::from(row.strand.sign()),
            forward_distance: row.forward.distance,
            reverse_distance: row.reverse.distance,
            forward_cigar: json_bytes(row.forward.cigar.as_bytes()),
            reverse_cigar: json_bytes(row.reverse.cigar.as_bytes()),
            forward_match: json_bytes(&row.forward.matched),
            reverse_match: json_bytes(&row.reverse.matched),
            product: json_bytes(&row.product),
        };
        serde_json::to_writer(&mut *out, &row).expect("memory can be written to");
        out.push(b'\n');
    }

    fn bed(&self, row: &ProductRow<'_>, out: &mut Vec<u8>) {
        push_name(&self.controls.show(row.record), |byte| byte > b' ', out);
        for position in [row.start, row.end] {
            out.push(b'\t');
            push_number(position, out);
        }
        out.push(b'\t');
        push_name(&self.controls.show(&row.name), |byte| byte > b' ', out);
        out.push(b'\t');
        let sum = |field: fn(&SiteFields) -> u64| field(&row.forward) + field(&row.reverse);
        let (symbols, edits) = (sum(|site| site.symbols).max(1), sum(|site| site.distance));
        push_number(1000 * symbols.saturating_sub(edits) / symbols, out);
        out.extend_from_slice(&[b'\t', row.strand.sign(), b'\n']);
    }

    fn fasta(&self, row: &ProductRow<'_>, out: &mut Vec<u8>) {
        out.push(b'>');
        push_name(&self.controls.show(row.record), |byte| byte > b' ', out);
        out.push(b':');
        push_number(row.start, out);
        out.push(b'-');
        push_number(row.end, out);
        out.extend_from_slice(&[b'(', row.strand.sign(), b')', b' ']);
        push_field(&self.controls.show(&row.name), out);
        out.push(b'\n');
        out.extend_from_slice(&row.product);
        out.push(b'\n');
    }
}

impl ProductOutput for ProductRows {
    fn needs_text(&self) -> bool {
        self.format != ProductFormat::Bed
    }

    fn demand(&self) -> ProductDemand {
        ProductDemand::Rows { max: MAX_PRODUCTS }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.header {
            return Ok(());
        }
        let file = if self.file { "file\t" } else { "" };
        writeln!(out, "{file}{}", COLUMNS.join("\t"))
    }

    fn add(&mut self, product: &Product<'_>, context: &ProductContext<'_>, out: &mut dyn Write) -> io::Result<()> {
        let text = self.needs_text().then_some(self.text);
        let row = ProductRow::new(product, context, text);
        let mut line = Vec::new();
        match self.format {
            ProductFormat::Tsv => self.tsv(&row, &mut line),
            ProductFormat::Bed => self.bed(&row, &mut line),
            ProductFormat::Fasta => self.fasta(&row, &mut line),
            ProductFormat::Json => self.json(&row, &mut line),
        }
        out.write_all(&line)
    }
}
