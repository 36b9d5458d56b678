//! Which routes a search has, and which inputs go into which.
//!
//! Options and patterns may fit text or sequences only. A file that does not fit is not searched, with a message, and the
//! others are. In folders, where nobody asked for it by name, it is passed over, or searched as text.

use std::sync::Arc;

use anyhow::{Error, Result};

use super::division::terminator;
use super::inputs::{Found, Item, Met, Survey};
use super::kinds::Content;
use super::route::{Unfit, sequence_route, text_route};
use super::wanted::Wanted;
use crate::alphabet::Alphabet;
use crate::cli::args::{Args, BinaryFiles};
use crate::input::{BinaryInput, Compression, Decoding, Encoding};
use crate::search::{Entry, Input, Kind, SearchRoute, Trouble};

/// How text and sequences are searched, and what is done with inputs of each content.
pub(in crate::cli) struct Routes {
    pub(super) text: Option<SearchRoute>,
    pub(super) sequences: Option<SearchRoute>,
    pub(in crate::cli) sorter: Sorter,
}

/// Says for each input how it is searched, or why not.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Sorter {
    text: Verdict,
    nucleotides: Verdict,
    amino_acids: Verdict,
    decompress: Compression,
    encoding: Encoding,
    binary: BinaryInput,
    /// The contents of which it was said that they are passed over.
    told: Vec<Content>,
}

/// What is done with inputs of some content.
#[derive(Debug, Clone)]
enum Verdict {
    /// They are searched.
    Searched,
    /// They are not, if they were named; in folders they are passed over.
    NotSearched(Arc<str>),
    /// They are not, if they were named; in folders they are searched as text.
    TextInFolders(Arc<str>),
}

/// The lane for sequences, or why there is none.
struct Sequences {
    route: Option<(SearchRoute, Alphabet)>,
    /// Why the alphabet that was tried first does not do.
    error: Option<Error>,
}

impl Routes {
    /// The routes for inputs such as these.
    ///
    /// # Errors
    /// If nothing could be searched.
    pub(super) fn new(args: &Args, survey: &Survey, wanted: Wanted<'_>) -> Result<Self> {
        let sequences = Sequences::new(args, survey, wanted);
        let falls_back = sequences.error.is_some() && survey.may_meet_sequences();
        let takes_text = falls_back || survey.may_hold(Content::Text);
        let text = takes_text.then(|| text_route(args, wanted));
        let (text, text_error) = match text {
            Some(Ok(route)) => (Some(route), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        if text.is_none() && sequences.route.is_none() {
            match (text_error, sequences.error) {
                // What is for sequences only is wrong with the sequences too.
                (Some(text), Some(error)) if text.is::<Unfit>() && !error.is::<Unfit>() => return Err(error),
                (Some(error), _) => return Err(named(error, survey.first(Content::Text))),
                (None, Some(error)) => return Err(named(error, first_sequences(survey))),
                (None, None) => {}
            }
            let sorter = Sorter::new(args, None, [Verdict::Searched, Verdict::Searched]);
            return Ok(Routes { text: None, sequences: None, sorter });
        }
        let sorter = Sorter::new(args, text_error, sequences.verdicts(args));
        Ok(Routes { text, sequences: sequences.route.map(|(route, _)| route), sorter })
    }
}

fn first_sequences(survey: &Survey) -> Option<&[u8]> {
    survey.first(Content::Nucleotides).or_else(|| survey.first(Content::AminoAcids))
}

/// An error with the input that it is about, if an option does not fit that.
fn named(error: Error, label: Option<&[u8]>) -> Error {
    match label.filter(|_| error.is::<Unfit>()) {
        Some(label) => error.context(String::from_utf8_lossy(label).into_owned()),
        None => error,
    }
}

impl Sequences {
    /// Tries nucleotides first, if there may be some, and amino acids where some were met.
    fn new(args: &Args, survey: &Survey, wanted: Wanted<'_>) -> Self {
        let holds = |content| survey.first(content).is_some();
        // Only if nucleotides could be searched is it worth a word that there are some in a format that is not read.
        let nucleotides = holds(Content::Nucleotides) || survey.holds_foreign();
        let amino_acids = holds(Content::AminoAcids);
        let mut alphabets = Vec::new();
        match args.sequences.protein {
            true if nucleotides || amino_acids || survey.may_hold(Content::Nucleotides) => {
                alphabets.push(Alphabet::Protein)
            }
            true => {}
            false => {
                if nucleotides || !amino_acids && survey.may_hold(Content::Nucleotides) {
                    alphabets.push(Alphabet::Dna);
                }
                if amino_acids {
                    alphabets.push(Alphabet::Protein);
                }
            }
        }
        let mut sequences = Sequences { route: None, error: None };
        for alphabet in alphabets {
            match sequence_route(args, alphabet, wanted) {
                Ok(route) => {
                    sequences.route = Some((route, alphabet));
                    break;
                }
                Err(error) => sequences.error = sequences.error.or(Some(error)),
            }
        }
        sequences
    }

    /// What is done with nucleotides and with amino acids.
    fn verdicts(&self, args: &Args) -> [Verdict; 2] {
        let problem = self.error.as_ref().map_or_else(String::new, |error| match error.is::<Unfit>() {
            true => format!("{error:#}"),
            false => format!("{error:#}; use --text to search it as text"),
        });
        match &self.route {
            Some((_, Alphabet::Protein)) if self.error.is_some() => {
                [Verdict::TextInFolders(problem.into()), Verdict::Searched]
            }
            Some((_, Alphabet::Protein)) if args.sequences.protein => [Verdict::Searched, Verdict::Searched],
            Some((_, Alphabet::Protein)) => {
                let words =
                    "holds nucleotides, but amino acids are searched; use --protein to treat both as amino acids";
                [Verdict::NotSearched(words.into()), Verdict::Searched]
            }
            Some(_) => {
                let words = "holds amino acids, but nucleotides are searched; use --protein to search amino acids";
                [Verdict::Searched, Verdict::NotSearched(words.into())]
            }
            None => {
                let verdict = Verdict::TextInFolders(problem.into());
                [verdict.clone(), verdict]
            }
        }
    }
}

impl Sorter {
    fn new(args: &Args, text_error: Option<Error>, [nucleotides, amino_acids]: [Verdict; 2]) -> Self {
        let text = match text_error {
            None => Verdict::Searched,
            Some(error) => Verdict::NotSearched(format!("{error:#}").into()),
        };
        let decompress = match args.input.decompress {
            true => Compression::ByMagic,
            false => Compression::Ignored,
        };
        let binary = match args.input.binary_files {
            // Where NUL ends lines, it says nothing of a file.
            BinaryFiles::WithoutMatch if terminator(args) != 0 => BinaryInput::Empty,
            _ => BinaryInput::Searched,
        };
        let encoding = args.input.encoding;
        Sorter { text, nucleotides, amino_acids, decompress, encoding, binary, told: Vec::new() }
    }

    /// What becomes of the next input; nothing if it was said before that all such files are passed over.
    pub(super) fn entry(&mut self, item: Item) -> Option<Entry> {
        let found = match item {
            Item::Found(found) => found,
            Item::Trouble(label, trouble) => return Some(Entry::Trouble(label, trouble)),
        };
        let verdict = match found.content {
            Content::Text => self.text.clone(),
            Content::Nucleotides => self.nucleotides.clone(),
            Content::AminoAcids => self.amino_acids.clone(),
            Content::Foreign(foreign) => {
                let label = String::from_utf8_lossy(&found.label);
                let words =
                    format!("{foreign} is not supported; use '{} | nigh --fasta ...'", foreign.conversion(&label));
                match self.nucleotides {
                    Verdict::Searched => Verdict::NotSearched(words.into()),
                    _ => Verdict::TextInFolders(words.into()),
                }
            }
        };
        match (verdict, found.met) {
            (Verdict::Searched, _) if found.content == Content::Text => Some(self.input(found, Kind::Text)),
            (Verdict::Searched, _) => Some(self.input(found, Kind::Sequences)),
            (Verdict::TextInFolders(_), Met::InFolder) if matches!(self.text, Verdict::Searched) => {
                Some(self.input(found, Kind::Text))
            }
            (Verdict::NotSearched(words) | Verdict::TextInFolders(words), Met::Named) => {
                Some(Entry::Trouble(found.label, Trouble::Refused(words.to_string())))
            }
            (Verdict::NotSearched(words) | Verdict::TextInFolders(words), Met::InFolder) => {
                self.pass_over(found, &words)
            }
        }
    }

    /// Says of the first file with some content that such files are passed over.
    fn pass_over(&mut self, found: Found, words: &str) -> Option<Entry> {
        if self.told.contains(&found.content) {
            return None;
        }
        self.told.push(found.content);
        let words = format!("{words} (other such files in directories are skipped silently)");
        Some(Entry::Trouble(found.label, Trouble::PassedOver(words)))
    }

    fn input(&self, found: Found, kind: Kind) -> Entry {
        let Found { origin, label, records, .. } = found;
        let compression = match kind {
            Kind::Text => self.decompress,
            Kind::Sequences => Compression::ByMagic,
        };
        let binary = match kind {
            Kind::Text => self.binary,
            Kind::Sequences => BinaryInput::Searched,
        };
        let decoding = Decoding { compression, encoding: self.encoding, binary };
        Entry::Input(Input { origin, label, decoding, kind, records, most: None })
    }
}
