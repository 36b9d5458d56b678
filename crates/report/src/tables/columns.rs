//! The columns of tables of tab-separated values: their names, and the defaults.

/// A column of a table of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn {
    /// The name of the input.
    File,
    /// The name of the record.
    Record,
    /// The start of the match on the forward strand, from 0.
    Start,
    /// The end of the match, just past its last residue.
    End,
    /// The name of the pattern, or the pattern itself if it has no name.
    Pattern,
    /// The name of the pattern, or `.` if it has none.
    Name,
    /// The pattern itself, as it was given.
    Sequence,
    /// The distance of the hit.
    Distance,
    /// The strand of the pattern.
    Strand,
    /// The alignment.
    Cigar,
    /// The residues of the match.
    Match,
    /// The pattern with gaps, in the direction of the forward strand.
    AlignedPattern,
    /// The match with gaps, in the direction of the forward strand.
    AlignedMatch,
    /// The pattern with gaps, in the direction of the pattern.
    Guide,
    /// The match with gaps, in the direction of the pattern. Mismatches are in lower case, all other residues in upper
    /// case.
    Site,
    /// The number of mismatches.
    Mismatches,
    /// The number of residues that only the text has.
    DnaBulges,
    /// The number of symbols that only the pattern has.
    RnaBulges,
    /// The residues that exact groups match, in the direction of the pattern.
    Pam,
    /// The kinds of bulges, in the words of Cas-OFFinder.
    BulgeType,
    /// The number of bases in bulges.
    BulgeSize,
}

use TableColumn::{
    AlignedMatch, AlignedPattern, BulgeSize, BulgeType, Cigar, Distance, DnaBulges, End, File, Guide, Match,
    Mismatches, Name, Pam, Pattern, Record, RnaBulges, Sequence, Site, Start, Strand,
};

/// All columns and their names.
const NAMES: [(TableColumn, &str); 21] = [
    (File, "file"),
    (Record, "record"),
    (Start, "start"),
    (End, "end"),
    (Pattern, "pattern"),
    (Name, "name"),
    (Sequence, "sequence"),
    (Distance, "distance"),
    (Strand, "strand"),
    (Cigar, "cigar"),
    (Match, "match"),
    (AlignedPattern, "aligned_pattern"),
    (AlignedMatch, "aligned_match"),
    (Guide, "guide"),
    (Site, "site"),
    (Mismatches, "mismatches"),
    (DnaBulges, "dna_bulges"),
    (RnaBulges, "rna_bulges"),
    (Pam, "pam"),
    (BulgeType, "bulge_type"),
    (BulgeSize, "bulge_size"),
];

impl TableColumn {
    /// The columns of `--format tsv`.
    pub const TSV: [TableColumn; 8] = [Record, Start, End, Pattern, Distance, Strand, Cigar, Match];
    /// The columns of `--format sites`.
    pub const SITES: [TableColumn; 11] =
        [Record, Start, End, Pattern, Strand, Guide, Site, Mismatches, DnaBulges, RnaBulges, Pam];

    /// The columns of Cas-OFFinder 2.
    pub const CAS_OFFINDER: [TableColumn; 6] = [Pattern, Record, Start, Site, Strand, Mismatches];
    /// The columns of Cas-OFFinder 3, for patterns that allow bulges.
    pub const CAS_OFFINDER_BULGES: [TableColumn; 9] =
        [Pattern, BulgeType, Guide, Site, Record, Start, Strand, Mismatches, BulgeSize];

    /// Returns the column with a name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(column, _)| *column)
    }

    /// Returns the names of all columns.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// Returns the name of the column.
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(column, _)| *column == self).map(|(_, name)| *name).expect("every column has a name")
    }

    /// Returns whether the column depends on the start or the alignment of the match.
    pub(super) fn wants_alignment(self) -> bool {
        !matches!(self, File | Record | End | Pattern | Name | Sequence | Distance | Strand)
    }

    /// Returns whether the column shows the alignment with gaps, or counts its edits by kind.
    pub(super) fn is_of_gapped_alignment(self) -> bool {
        matches!(
            self,
            AlignedPattern
                | AlignedMatch
                | Guide
                | Site
                | Mismatches
                | DnaBulges
                | RnaBulges
                | Pam
                | BulgeType
                | BulgeSize
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_found_by_its_name() {
        assert!(NAMES.iter().all(|&(column, name)| TableColumn::named(name) == Some(column) && column.name() == name));
        assert_eq!(TableColumn::named("ends"), None);
        assert_eq!(TableColumn::names().count(), NAMES.len());
    }
}
