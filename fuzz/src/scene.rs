//! Arbitrary searches: patterns, edits, and inputs of every format, as command lines.

use libfuzzer_sys::arbitrary::{self, Arbitrary};

use crate::packed::{Packing, packed};
use crate::program::write;

/// Separates the contents of files in the text of a search.
const END_OF_FILE: u8 = 0x1e;
/// Maximum number of files in a search.
const MAX_FILES: usize = 4;

/// The patterns, inputs and options of a search.
#[derive(Debug, Arbitrary)]
pub struct Search {
    pub kind: Kind,
    bound: Bound,
    limits: [Option<u8>; 3],
    costs: [Option<u8>; 3],
    switches: Switches,
    pub packing: Option<Packing>,
    patterns: Patterns,
    /// Contents of the files, with a separator between them.
    text: Vec<u8>,
}

/// Switches. A switch is on if its bit is set in both fields, so that most searches have only a few switches.
#[derive(Debug, Arbitrary)]
pub struct Switches {
    bits: u32,
    mask: u32,
}

/// The format of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Kind {
    Text,
    Nucleotides,
    AminoAcids,
    Reads,
}

/// The value of `-k`.
#[derive(Debug, Arbitrary)]
enum Bound {
    Count(u8),
    Percent(u8),
    Auto,
    Kinds(u8, u8),
    /// No `-k`.
    Absent,
}

/// Patterns, one per line, and the option that passes them.
#[derive(Debug, Arbitrary)]
enum Patterns {
    Argument(Vec<u8>),
    File(Vec<u8>),
    /// A table of names, patterns and bounds.
    Table(Vec<u8>),
    Fasta(Vec<u8>),
}

/// Options that change what patterns match or which matches are reported.
const SWITCHES: [&str; 11] = [
    "-i",
    "-S",
    "-x",
    "-F",
    "--transpositions",
    "--exact-group",
    "--hits=best",
    "--hits=all",
    "--overhang=10%",
    "--within=2..",
    "--within=-30..",
];
const LINE_SWITCHES: [&str; 2] = ["-w", "--bytes"];
const SEQUENCE_SWITCHES: [&str; 5] =
    ["--strand=forward", "--strand=reverse", "--best=record", "--ambiguous=any", "--ambiguous=any:1"];

impl Switches {
    /// Returns the chosen members of a list.
    pub fn of(&self, list: &[&'static str]) -> Vec<&'static str> {
        list.iter()
            .enumerate()
            .filter(|(bit, _)| self.bits & self.mask & 1 << bit != 0)
            .map(|(_, word)| *word)
            .collect()
    }
}

impl Kind {
    /// Returns whether the inputs hold records, and not lines.
    pub fn is_sequence(self) -> bool {
        self != Kind::Text
    }
}

impl Search {
    /// Writes the files, and returns the arguments of the search.
    pub fn arguments(&self) -> Vec<Vec<u8>> {
        let own: &[&str] = if self.kind.is_sequence() { &SEQUENCE_SWITCHES } else { &LINE_SWITCHES };
        let switches = self.switches.of(&[&SWITCHES, own].concat());
        let mut arguments = self.patterns.arguments();
        arguments.extend(self.bound.argument());
        arguments.extend(self.edits());
        arguments.extend(switches.into_iter().map(Vec::from));
        let compression: &[u8] = if self.packing.is_some() { b"--decompress" } else { b"--no-decompress" };
        arguments.push(compression.to_vec());
        arguments.extend(self.write_files());
        arguments
    }

    /// Returns the contents of the files before compression.
    pub fn files(&self) -> Vec<&[u8]> {
        self.text.splitn(MAX_FILES, |&byte| byte == END_OF_FILE).collect()
    }

    /// Returns whether the distance of a match may differ from its number of edits.
    pub fn has_own_costs(&self) -> bool {
        self.costs.iter().flatten().any(|cost| cost % 3 > 0)
            || self.switches.of(&SWITCHES).contains(&"--transpositions")
    }

    /// Returns the name of the file with an index.
    pub fn name(&self, index: usize) -> String {
        let extension = match self.kind {
            Kind::Text => "txt",
            Kind::Nucleotides => "fa",
            Kind::AminoAcids => "faa",
            Kind::Reads => "fq",
        };
        format!("{index}.{extension}")
    }

    /// Returns the option for limits and costs of kinds of edit, if there are any. It replaces the bound.
    fn edits(&self) -> Option<Vec<u8>> {
        let limits = ["i", "d", "s"].into_iter().zip(self.limits);
        let mut conditions: Vec<String> =
            limits.filter_map(|(kind, limit)| Some(format!("{kind}<={}", limit? % 8))).collect();
        let costs = ["i", "d", "s"].into_iter().zip(self.costs);
        let costs: Vec<String> = costs.filter_map(|(kind, cost)| Some(format!("{}{kind}", cost? % 3 + 1))).collect();
        let max = match self.bound {
            Bound::Count(max) | Bound::Percent(max) | Bound::Kinds(max, _) => max % 8,
            Bound::Auto | Bound::Absent => 2,
        };
        if !costs.is_empty() {
            conditions.push(format!("{}<={max}", costs.join("+")));
        }
        (!conditions.is_empty()).then(|| format!("--edits={}", conditions.join(",")).into_bytes())
    }

    /// Writes the inputs and returns their names.
    fn write_files(&self) -> Vec<Vec<u8>> {
        let files = self.files().into_iter().enumerate();
        let named = files.map(|(index, content)| {
            let name = self.name(index);
            match self.packing {
                Some(packing) => write(&name, &packed(packing, content)),
                None => write(&name, content),
            }
            name.into_bytes()
        });
        named.collect()
    }
}

impl Bound {
    fn argument(&self) -> Option<Vec<u8>> {
        const KINDS: [&str; 6] = ["s", "i", "d", "si", "sd", "id"];
        let value = match self {
            Bound::Count(count) => format!("{}", count % 6),
            Bound::Percent(percent) => format!("{}%", percent % 100),
            Bound::Auto => "auto".to_owned(),
            Bound::Kinds(count, kinds) => format!("{}{}", count % 5, KINDS[usize::from(*kinds) % KINDS.len()]),
            Bound::Absent => return None,
        };
        Some(format!("-k{value}").into_bytes())
    }
}

impl Patterns {
    /// Returns the arguments that pass the patterns. Writes the pattern file, if there is one.
    fn arguments(&self) -> Vec<Vec<u8>> {
        let (name, content) = match self {
            Patterns::Argument(patterns) => return vec![b"-e".to_vec(), patterns.clone()],
            Patterns::File(content) => ("p.txt", content),
            Patterns::Table(content) => ("p.tsv", content),
            Patterns::Fasta(content) => ("p.fa", content),
        };
        write(name, content);
        vec![b"-f".to_vec(), name.as_bytes().to_vec()]
    }
}
