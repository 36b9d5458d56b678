//! The columns of tables of tab-separated values: their names, and the defaults.

use std::fmt;

use nigh_pattern::{CaptureGroups, PatternSet};
use nigh_text::alphabet::Alphabet;

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
    /// The column of the alignment in which the match starts, from 0.
    ColumnStart,
    /// The column just past the last residue of the match.
    ColumnEnd,
    /// The number of the line, or of the first line of the record of lines, from 1.
    LineNumber,
    /// The text of the line, or of the record of lines.
    Line,
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
    AlignedMatch, AlignedPattern, BulgeSize, BulgeType, Cigar, ColumnEnd, ColumnStart, Distance, DnaBulges, End, File,
    Guide, Line, LineNumber, Match, Mismatches, Name, Pam, Pattern, Record, RnaBulges, Sequence, Site, Start, Strand,
};

/// A column of a table of hits, or a group of the patterns as a column, by its name or number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedColumn {
    /// A column of the table.
    Table(TableColumn),
    /// A group of the patterns.
    Group(String),
}

/// A name that is neither that of a column nor that of a group.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such column or group '{name}'; the columns are {columns}; {groups}")]
pub struct UnknownColumn {
    name: String,
    /// The names of the columns for the same kind of input.
    columns: String,
    groups: KnownGroups,
}

/// The groups of patterns, in an error.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KnownGroups {
    /// The names and numbers of the groups.
    Named(Vec<String>),
    /// There are only parts in angle brackets.
    OnlyExact,
    None,
}

impl NamedColumn {
    /// Returns the column with a name. If the table has no such column, it is a group. So the column is returned for a
    /// group that has the name of a column.
    pub fn named(name: &str) -> Self {
        TableColumn::named(name).map_or_else(|| NamedColumn::Group(name.to_owned()), NamedColumn::Table)
    }

    /// Returns whether the column shows a site or its pattern.
    pub fn is_of_sites(&self) -> bool {
        matches!(self, NamedColumn::Table(TableColumn::Guide | TableColumn::Site | TableColumn::Pam))
    }

    /// Returns whether the column is a group.
    pub fn is_group(&self) -> bool {
        matches!(self, NamedColumn::Group(_))
    }

    /// Checks that some pattern has the group, if the column is one.
    ///
    /// # Errors
    /// Fails if no pattern has it.
    pub fn check(&self, patterns: &PatternSet) -> Result<(), UnknownColumn> {
        match self {
            NamedColumn::Group(name)
                if !patterns.all_captures().iter().any(|groups| number_of(groups, name).is_some()) =>
            {
                let columns = column_names(patterns.alphabet());
                Err(UnknownColumn { name: name.clone(), columns, groups: KnownGroups::of(patterns) })
            }
            _ => Ok(()),
        }
    }

    /// Returns the name of the column.
    pub fn name(&self) -> &str {
        match self {
            NamedColumn::Table(column) => column.name(),
            NamedColumn::Group(name) => name,
        }
    }

    /// Returns whether the column counts gaps of the record.
    pub fn counts_gaps(&self) -> bool {
        matches!(self, NamedColumn::Table(ColumnStart | ColumnEnd))
    }

    /// Returns whether the column is for patterns of this alphabet: for lines of text, or for sequences.
    pub fn suits(&self, alphabet: Alphabet) -> bool {
        match self {
            NamedColumn::Table(column) => column.suits(alphabet),
            NamedColumn::Group(_) => true,
        }
    }

    /// Returns whether the column shows the line of the match.
    pub(super) fn is_of_line(&self) -> bool {
        matches!(self, NamedColumn::Table(column) if column.is_of_line())
    }

    /// Returns whether the column depends on the start or the alignment of the match.
    pub(super) fn wants_alignment(&self) -> bool {
        match self {
            NamedColumn::Table(column) => column.wants_alignment(),
            NamedColumn::Group(_) => true,
        }
    }
}

/// Returns the number of a group that is given by its name or number.
pub(super) fn number_of(groups: &CaptureGroups, name: &str) -> Option<usize> {
    match name.parse() {
        Ok(number) => Some(number).filter(|&number| number < groups.count()),
        Err(_) => groups.number(name),
    }
}

/// Returns the names of the groups of all patterns, and the numbers of those without a name.
fn group_names(all: &[CaptureGroups]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (number, name) in all.iter().flat_map(|groups| groups.names().enumerate().skip(1)) {
        let name = name.map_or_else(|| number.to_string(), str::to_owned);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the names of the columns for patterns of this alphabet.
fn column_names(alphabet: Alphabet) -> String {
    let names = NAMES.iter().filter(|(column, _)| column.suits(alphabet)).map(|(_, name)| *name);
    names.collect::<Vec<_>>().join(", ")
}

impl KnownGroups {
    fn of(patterns: &PatternSet) -> Self {
        match group_names(patterns.all_captures()) {
            names if !names.is_empty() => KnownGroups::Named(names),
            _ if patterns.patterns().iter().any(|pattern| pattern.has_exact_group()) => KnownGroups::OnlyExact,
            _ => KnownGroups::None,
        }
    }
}

impl fmt::Display for KnownGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownGroups::Named(names) => write!(f, "the groups are {}", names.join(", ")),
            KnownGroups::OnlyExact => {
                f.write_str("angle brackets alone make no group; add parentheses, as in '<(N{8})>' or '<(?<umi>N{8})>'")
            }
            KnownGroups::None => f.write_str("the patterns have no groups"),
        }
    }
}

/// All columns and their names.
const NAMES: [(TableColumn, &str); 25] = [
    (File, "file"),
    (Record, "record"),
    (Start, "start"),
    (End, "end"),
    (ColumnStart, "column_start"),
    (ColumnEnd, "column_end"),
    (LineNumber, "line_number"),
    (Line, "line"),
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
    fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(column, _)| *column)
    }

    /// Returns the name of the column.
    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(column, _)| *column == self).map(|(_, name)| *name).expect("every column has a name")
    }

    /// Returns whether the column depends on the start or the alignment of the match.
    pub(super) fn wants_alignment(self) -> bool {
        !matches!(self, File | Record | End | LineNumber | Line | Pattern | Name | Sequence | Distance | Strand)
    }

    /// Returns whether the column shows the line of the match.
    fn is_of_line(self) -> bool {
        matches!(self, LineNumber | Line)
    }

    /// Returns whether the column is for patterns of this alphabet: for lines of text, or for sequences.
    fn suits(self, alphabet: Alphabet) -> bool {
        match self {
            LineNumber | Line => !alphabet.is_sequence(),
            Record | ColumnStart | ColumnEnd | Strand => alphabet.is_sequence(),
            _ => !self.is_of_gapped_alignment() || alphabet.is_sequence(),
        }
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
    use nigh_pattern::{Groups, MaxEdits, PatternSource};
    use nigh_text::alphabet::Alphabet;

    #[test]
    fn a_column_is_found_by_its_name() {
        assert!(NAMES.iter().all(|&(column, name)| TableColumn::named(name) == Some(column) && column.name() == name));
        assert_eq!(TableColumn::named("ends"), None);
        assert_eq!(
            column_names(Alphabet::Text),
            "file, start, end, line_number, line, pattern, name, sequence, distance, cigar, match"
        );
    }

    #[test]
    fn a_group_is_found_by_its_name_or_number() {
        let patterns = ["(?<bc>A)(C)", "(?<umi>A)(?<end>C)"].map(PatternSource::new);
        let set = PatternSet::builder(Alphabet::Dna).max_edits(MaxEdits::Count(0)).captures(true);
        let set = set.build(&patterns).unwrap();
        for name in ["bc", "umi", "0", "2"] {
            let column = NamedColumn::named(name);
            assert!(column.is_group() && column.check(&set).is_ok(), "{name}");
        }
        assert_eq!(NamedColumn::named("end"), NamedColumn::Table(End));
        let message = |set: &PatternSet| NamedColumn::named("bar").check(set).unwrap_err().to_string();
        assert!(message(&set).starts_with("no such column or group 'bar'; the columns are file, record, start, "));
        assert!(message(&set).ends_with(", bulge_size; the groups are bc, 2, umi, end"), "{}", message(&set));
        assert!(NamedColumn::named("3").check(&set).is_err());
        let set = PatternSet::builder(Alphabet::Dna).captures(true).build(&[PatternSource::new("ACG")]).unwrap();
        assert!(message(&set).ends_with("; the patterns have no groups"));
        let set = PatternSet::builder(Alphabet::Dna).captures(true).groups(Groups::Exact);
        let set = set.build(&[PatternSource::new("<NN>ACG")]).unwrap();
        assert!(message(&set).contains("; angle brackets alone make no group; add parentheses, as in '<(N{8})>'"));
    }
}
