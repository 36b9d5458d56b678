//! Tables of tab-separated values, with any columns: the default table for sequences, `--format sites` and `--columns`.
//!
//! In text, a record is a line. Control characters in a field are blanks, so that no field ends early.

use super::columns::{NamedColumn, TableColumn, number_of};
use super::gapped::GappedAlignment;
use super::rows::line_cells::{LINE_NUMBER, LINE_TEXT};
use crate::fields::{hide_controls, push_cigar, push_field, push_number};
use crate::style::colours::{ColouredPart, Colours};
use crate::{HitRow, Rows};
use nigh_pattern::{MatchGroups, Strand};
use nigh_text::alphabet::{is_residue, reverse_complement};

/// The value of a field that is missing.
const MISSING: &[u8] = b".";

/// Rows of tab-separated values. Positions are 0-based and half-open: on the forward strand of a record, or in bytes of a
/// line.
pub struct TsvRows {
    columns: Vec<NamedColumn>,
    /// Colours of names and matches.
    colours: Colours,
}

impl TsvRows {
    /// Makes rows with these columns.
    pub fn new(columns: Vec<NamedColumn>, colours: Colours) -> Self {
        TsvRows { columns, colours }
    }

    /// Returns the header line with the names of the columns.
    pub fn header(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(NamedColumn::name).collect();
        names.join("\t") + "\n"
    }

    /// Returns whether a column shows the line of a match. If so, a report fills in its cells.
    pub fn have_line_cells(&self) -> bool {
        self.columns.iter().any(NamedColumn::is_of_line)
    }

    fn push(&self, column: TableColumn, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        match column {
            TableColumn::File => self.colours.push(ColouredPart::File, out, |out| push_field(hit.label, out)),
            TableColumn::Record => {
                self.colours.push(ColouredPart::File, out, |out| out.extend_from_slice(hit.record));
            }
            TableColumn::Start => push_number(hit.start - hit.line_start, out),
            TableColumn::End => push_number(hit.end - hit.line_start, out),
            TableColumn::ColumnStart => push_number(hit.column_start, out),
            TableColumn::ColumnEnd => push_number(hit.column_end, out),
            TableColumn::LineNumber => out.push(LINE_NUMBER),
            TableColumn::Line => out.push(LINE_TEXT),
            TableColumn::Pattern => push_field(hit.pattern, out),
            TableColumn::Name => push_field(hit.name.unwrap_or(MISSING), out),
            TableColumn::Sequence => push_field(hit.sequence, out),
            TableColumn::Distance => push_number(hit.distance as u64, out),
            TableColumn::Strand => out.push(hit.strand.sign()),
            TableColumn::Cigar => push_cigar(hit, out),
            TableColumn::Match => self.colours.push(ColouredPart::Match, out, |out| {
                let start = out.len();
                hit.push_match(out);
                hide_controls(&mut out[start..]);
            }),
            _ => debug_assert!(column.is_of_gapped_alignment(), "{column:?}"),
        }
    }

    fn push_gapped(&self, column: TableColumn, gapped: &GappedAlignment, out: &mut Vec<u8>) {
        match column {
            TableColumn::AlignedPattern => out.extend_from_slice(gapped.pattern()),
            TableColumn::AlignedMatch => {
                self.colours.push(ColouredPart::Match, out, |out| out.extend_from_slice(gapped.text()));
            }
            TableColumn::Guide => out.extend(gapped.guide()),
            TableColumn::Site => self.colours.push(ColouredPart::Match, out, |out| out.extend(gapped.site())),
            TableColumn::Mismatches => push_number(gapped.mismatches(), out),
            TableColumn::DnaBulges => push_number(gapped.dna_bulges(), out),
            TableColumn::RnaBulges => push_number(gapped.rna_bulges(), out),
            TableColumn::BulgeType => out.extend_from_slice(match (gapped.dna_bulges(), gapped.rna_bulges()) {
                (0, 0) => b"X",
                (_, 0) => b"DNA",
                (0, _) => b"RNA",
                (_, _) => b"DNA,RNA",
            }),
            TableColumn::BulgeSize => push_number(gapped.dna_bulges() + gapped.rna_bulges(), out),
            TableColumn::Pam => match gapped.pam() {
                pam if pam.is_empty() => out.extend_from_slice(MISSING),
                pam => out.extend(pam),
            },
            _ => debug_assert!(!column.is_of_gapped_alignment(), "{column:?}"),
        }
    }
}

/// Appends the text of a group, or its residues in the direction of the pattern; `MISSING` if there are none.
fn push_group(groups: Option<&MatchGroups<'_>>, name: &str, hit: &HitRow<'_>, out: &mut Vec<u8>) {
    let text = groups.and_then(|groups| groups.text(number_of(groups.groups(), name)?)).unwrap_or_default();
    let start = out.len();
    match hit.alternative.is_some_and(|one| one.patterns.alphabet().is_sequence()) {
        true => out.extend(text.iter().copied().filter(|&byte| is_residue(byte))),
        false => push_field(text, out),
    }
    if hit.strand == Strand::Reverse {
        reverse_complement(&mut out[start..]);
    }
    if out.len() == start {
        out.extend_from_slice(MISSING);
    }
}

impl Rows for TsvRows {
    fn wants_alignment(&self) -> bool {
        self.columns.iter().any(NamedColumn::wants_alignment)
    }

    fn row(&self, hit: &HitRow<'_>, out: &mut Vec<u8>) {
        let (mut gapped, mut groups) = (None, None);
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                out.push(b'\t');
            }
            match column {
                NamedColumn::Table(column) if column.is_of_gapped_alignment() => {
                    self.push_gapped(*column, gapped.get_or_insert_with(|| GappedAlignment::of(hit)), out);
                }
                NamedColumn::Table(column) => self.push(*column, hit, out),
                NamedColumn::Group(name) => {
                    push_group(groups.get_or_insert_with(|| hit.groups()).as_ref(), name, hit, out);
                }
            }
        }
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HitAlternative;
    use crate::test_support::{cigar, hit, row};
    use nigh_pattern::{MaxEdits, PatternSet, PatternSource};
    use nigh_text::alphabet::Alphabet;

    fn rows(columns: &[TableColumn]) -> TsvRows {
        TsvRows::new(columns.iter().copied().map(NamedColumn::Table).collect(), Colours::off())
    }

    fn with_file(columns: &[TableColumn]) -> TsvRows {
        rows(&[&[TableColumn::File], columns].concat())
    }

    #[test]
    fn a_row_has_a_field_for_each_name_in_the_header() {
        let cigar = cigar("2=1X3=");
        for (rows, expected) in [
            (rows(&TableColumn::TSV), "chr1\t10\t16\tsite 1\t1\t+\t2=1X3=\tACCTAC\n"),
            (with_file(&TableColumn::TSV), "in.fa\tchr1\t10\t16\tsite 1\t1\t+\t2=1X3=\tACCTAC\n"),
        ] {
            assert_eq!(row(&rows, &hit(&cigar)), expected);
            assert_eq!(rows.header().matches('\t').count(), expected.matches('\t').count());
        }
        assert_eq!(rows(&TableColumn::TSV).header(), "record\tstart\tend\tpattern\tdistance\tstrand\tcigar\tmatch\n");
    }

    #[test]
    fn control_characters_in_names_end_no_field() {
        let cigar = cigar("2=1X3=");
        let hit = HitRow { label: b"a\tb", pattern: b"c\nd", ..hit(&cigar) };
        let printed = row(&with_file(&TableColumn::TSV), &hit);
        assert_eq!(printed, "a b\tchr1\t10\t16\tc d\t1\t+\t2=1X3=\tACCTAC\n");
    }

    #[test]
    fn columns_are_in_the_order_in_which_they_are_named() {
        let cigar = cigar("2=1D3=1I");
        let columns = ["name", "sequence", "aligned_pattern", "aligned_match", "site", "pam", "end", "end"];
        let table = TsvRows::new(columns.map(NamedColumn::named).to_vec(), Colours::off());
        let exact = [false, false, false, true, true, false];
        let hit = HitRow { exact: &exact, ..hit(&cigar) };
        let expected = "site 1\tACGT[ac]C\tAC-GTAC\tACCTAC-\tACCTAC-\tAC\t16\t16\n";
        assert_eq!(row(&table, &hit), expected);
        let unnamed = HitRow { name: None, exact: &[], strand: Strand::Reverse, ..hit };
        let expected = ".\tACGT[ac]C\tAC-GTAC\tACCTAC-\t-GTAGGT\t.\t16\t16\n";
        assert_eq!(row(&table, &unnamed), expected);
        assert!(!rows(&[TableColumn::End, TableColumn::Name]).wants_alignment() && table.wants_alignment());
    }

    #[test]
    fn groups_are_in_the_direction_of_the_pattern() {
        let both = [Strand::Forward, Strand::Reverse];
        let set = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(0)).strands(&both).captures(true);
        let patterns = set.build(&[PatternSource::new("(?<bc>AC[CT])(TAC)(G)?")]).unwrap();
        let table = ["bc", "2", "3", "other", "0"].map(NamedColumn::named).to_vec();
        let table = TsvRows::new(table, Colours::off());
        assert!(table.wants_alignment() && table.header() == "bc\t2\t3\tother\t0\n");
        let cigar = cigar("6=");
        let of = |index| Some(HitAlternative { patterns: &patterns, index });
        let index = |strand, length| {
            let is = |one: &nigh_pattern::Pattern| one.strand() == strand && one.min_match_len() == length;
            patterns.patterns().iter().position(is).unwrap()
        };
        let forward = HitRow { alternative: of(index(Strand::Forward, 6)), ..hit(&cigar) };
        assert_eq!(row(&table, &forward), "ACC\tTAC\t.\t.\tACCTAC\n");
        let alternative = of(index(Strand::Reverse, 6));
        let reverse = HitRow { alternative, strand: Strand::Reverse, matched: b"GTA\nagT", ..hit(&cigar) };
        assert_eq!(row(&table, &reverse), "Act\tTAC\t.\t.\tActTAC\n");
        assert_eq!(row(&table, &hit(&cigar)), ".\t.\t.\t.\t.\n");
    }

    #[test]
    fn sites_are_in_the_direction_of_the_pattern() {
        let sites = rows(&TableColumn::SITES);
        let cases = [
            ("2=1X3=", &b"ACC\nTAC"[..], "ACGTAC\tACcTAC\t1\t0\t0\t."),
            ("2=1D4=", b"ACTGTAC", "AC-GTAC\tACTGTAC\t0\t1\t0\t."),
            ("2=1I3=", b"ACTAC", "ACGTAC\tAC-TAC\t0\t0\t1\t."),
        ];
        for (edits, matched, expected) in cases {
            let cigar = cigar(edits);
            let printed = row(&sites, &HitRow { matched, ..hit(&cigar) });
            assert_eq!(printed, format!("chr1\t10\t16\tsite 1\t+\t{expected}\n"));
        }
        let cigar = cigar("1X5=");
        let hit = HitRow { letters: &|| "AAACCC".into(), matched: b"GAACCC", strand: Strand::Reverse, ..hit(&cigar) };
        let printed = row(&with_file(&TableColumn::SITES), &hit);
        assert_eq!(printed, "in.fa\tchr1\t10\t16\tsite 1\t-\tGGGTTT\tGGGTTc\t1\t0\t0\t.\n");
    }
}
