//! Options of a searcher. They are numbers, because C may pass any number for an enumeration.

use nigh::{Alphabet, Case, Devices, EngineChoice, Fallback, Notation, Searcher, SearcherBuilder, Strand};

use crate::error::Failure;

/// The symbols of patterns and texts.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighAlphabet {
    /// Characters of UTF-8 text in lines. Each invalid byte is a character of its own.
    Text = 0,
    /// Bytes, in lines.
    Bytes = 1,
    /// Nucleotides of one sequence, with the IUPAC codes. Case is ignored and U equals T.
    Dna = 2,
    /// Amino acids of one sequence. Case is ignored.
    Protein = 3,
}

/// How patterns are written.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighNotation {
    /// Every symbol stands for itself.
    Literal = 0,
    /// A regular expression.
    Regex = 1,
}

/// Whether upper and lower case are equal in text.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighCase {
    /// They differ.
    Sensitive = 0,
    /// They are equal.
    Insensitive = 1,
    /// They are equal if no pattern has a letter in upper case.
    Smart = 2,
}

/// The strands that are searched.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighStrands {
    /// Both strands of nucleotides; of anything else, the text as given.
    Default = 0,
    /// The text as given.
    Forward = 1,
    /// Its reverse complement, only of nucleotides.
    Reverse = 2,
}

/// The hardware that searches.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighEngine {
    /// The processor.
    Cpu = 0,
    /// The first NVIDIA GPU. The processor takes over if it fails.
    Cuda = 1,
    /// The processor, and the first NVIDIA GPU once the text is long enough to repay its start-up time.
    Auto = 2,
}

/// Which matches are found.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NighSelection {
    /// One for each position where matches of a pattern end, on each strand.
    All = 0,
    /// The best of those that overlap, for each pattern and strand.
    Best = 1,
}

/// Options of a searcher. Set all of them to 0 for the defaults.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NighOptions {
    /// One of `NighAlphabet`.
    pub alphabet: u32,
    /// One of `NighNotation`.
    pub notation: u32,
    /// One of `NighCase`.
    pub letter_case: u32,
    /// One of `NighStrands`.
    pub strands: u32,
    /// One of `NighEngine`.
    pub engine: u32,
}

impl NighOptions {
    /// Returns a builder with these options and no patterns.
    pub(crate) fn builder(self) -> Result<SearcherBuilder, Failure> {
        let alphabet = match NighAlphabet::of(self.alphabet)? {
            NighAlphabet::Text => Alphabet::Text,
            NighAlphabet::Bytes => Alphabet::Bytes,
            NighAlphabet::Dna => Alphabet::Dna,
            NighAlphabet::Protein => Alphabet::Protein,
        };
        let notation = match NighNotation::of(self.notation)? {
            NighNotation::Literal => Notation::Literal,
            NighNotation::Regex => Notation::Regex,
        };
        let case = match NighCase::of(self.letter_case)? {
            NighCase::Sensitive => Case::Sensitive,
            NighCase::Insensitive => Case::Insensitive,
            NighCase::Smart => Case::Smart,
        };
        let engine = match NighEngine::of(self.engine)? {
            NighEngine::Cpu => EngineChoice::Cpu,
            NighEngine::Cuda => EngineChoice::Cuda(Devices::First, Fallback::Allowed),
            NighEngine::Auto => EngineChoice::Auto(None, None),
        };
        let builder = Searcher::builder(alphabet).notation(notation).case(case).engine(engine);
        Ok(match NighStrands::of(self.strands)? {
            NighStrands::Default => builder,
            NighStrands::Forward => builder.strands(&[Strand::Forward]),
            NighStrands::Reverse if alphabet == Alphabet::Dna => builder.strands(&[Strand::Reverse]),
            NighStrands::Reverse => return Err(Failure::new("strands: only nucleotides have a reverse strand")),
        })
    }
}

impl NighAlphabet {
    fn of(number: u32) -> Result<Self, Failure> {
        one_of("alphabet", &[Self::Text, Self::Bytes, Self::Dna, Self::Protein], number)
    }
}

impl NighNotation {
    fn of(number: u32) -> Result<Self, Failure> {
        one_of("notation", &[Self::Literal, Self::Regex], number)
    }
}

impl NighCase {
    fn of(number: u32) -> Result<Self, Failure> {
        one_of("letter_case", &[Self::Sensitive, Self::Insensitive, Self::Smart], number)
    }
}

impl NighStrands {
    fn of(number: u32) -> Result<Self, Failure> {
        one_of("strands", &[Self::Default, Self::Forward, Self::Reverse], number)
    }
}

impl NighEngine {
    fn of(number: u32) -> Result<Self, Failure> {
        one_of("engine", &[Self::Cpu, Self::Cuda, Self::Auto], number)
    }
}

impl NighSelection {
    pub(crate) fn of(number: u32) -> Result<Self, Failure> {
        one_of("selection", &[Self::All, Self::Best], number)
    }
}

/// Returns the value with the index `number`.
fn one_of<T: Copy>(what: &str, values: &[T], number: u32) -> Result<T, Failure> {
    let value = usize::try_from(number).ok().and_then(|index| values.get(index)).copied();
    value.ok_or_else(|| Failure::new(format_args!("{what}: {number} is not a value of this option")))
}
