//! Builds the routes of a search, and assigns each input to a route.
//!
//! Options and patterns may apply only to text or only to sequences. If they do not apply to a file that is named on
//! the command line, the file is refused with a message, and the other files are searched. If they do not apply to a
//! file in a directory, the file is skipped, or searched as text.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Error, Result};

use super::division::terminator;
use super::inputs::kinds::Content;
use super::inputs::{Discovery, FirstInput, Found, Item, Survey};
use super::patterns::RouteParameters;
use super::patterns::cas_offinder;
use super::route::{SequenceRoute, sequence_route, text_route};
use crate::cli::args::{Args, InapplicableOption};
use nigh_input::{BinaryInput, Compression, Decoding, Encoding};
use nigh_report::Binary;
use nigh_search::{Entry, Input, InputKind, RecordsInText, SearchRoute, SkipReason};
use nigh_text::alphabet::Alphabet;

/// The routes for text and for sequences, and the sorter that assigns inputs to them.
pub(crate) struct Routes {
    pub(super) text: Option<SearchRoute<'static>>,
    pub(super) sequences: Option<SearchRoute<'static>>,
    /// Whether text that looks like sequences is reported.
    pub(super) records_in_text: RecordsInText,
    /// Advice to print if nothing is found.
    pub(super) advice: Option<&'static str>,
    /// Warnings about the arguments, each once.
    pub(crate) warnings: BTreeSet<String>,
    pub(crate) sorter: Sorter,
}

/// Assigns each input to a route, or gives the reason why it is not searched.
#[derive(Debug, Clone)]
pub(crate) struct Sorter {
    text: RouteVerdict,
    nucleotides: RouteVerdict,
    amino_acids: RouteVerdict,
    compression: Compression,
    encoding: Encoding,
    hides_escapes: bool,
    binary: BinaryInput,
    /// Kinds of content whose files in directories are skipped silently: because a message was already printed, or
    /// because the directory is a genome of Cas-OFFinder's input file, in which only sequences are looked for.
    reported: Vec<Content>,
}

/// The treatment of inputs with one kind of content, and the message if they are not searched.
#[derive(Debug, Clone)]
enum RouteVerdict {
    /// Inputs are searched.
    Searched,
    /// Named inputs are searched; inputs in directories are searched as text if possible, because the options are for lines.
    LinesInDirectories,
    /// Named inputs are refused; inputs in directories are skipped.
    NotSearched(Arc<str>),
    /// Named inputs are refused; inputs in directories are searched as text.
    TextInDirectories(Arc<str>),
}

/// The route for sequences, and the error, if any, that occurred while it was built.
struct Sequences {
    route: Option<(SequenceRoute, Alphabet)>,
    /// The error of the alphabet that was tried first. If it is set, the route is for the other alphabet, or there is
    /// no route.
    error: Option<Error>,
}

impl Routes {
    /// Creates the routes that the inputs of a survey need.
    ///
    /// # Errors
    /// Fails if there is an input to search, but neither route can be built.
    pub(super) fn new(args: &Args, survey: &Survey, wanted: RouteParameters<'_>) -> Result<Self> {
        let sequences = Sequences::new(args, survey, wanted);
        let falls_back = sequences.error.is_some() && survey.may_meet_sequences();
        let takes_lines = args.asks_for_lines() && survey.may_meet_sequences();
        let takes_text = falls_back || takes_lines || survey.may_hold(Content::Text);
        let text = takes_text.then(|| text_route(args, wanted));
        let (text, text_error) = match text {
            Some(Ok(route)) => (Some(route), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let (first_text, first_sequences) = (survey.first(Content::Text), first_sequences(survey));
        // Inputs that do not exist get a message of their own.
        let text_is_absent = is_of_absent(&text_error, first_text);
        let all_are_absent = text_is_absent && is_of_absent(&sequences.error, first_sequences);
        if text.is_none() && sequences.route.is_none() && !all_are_absent {
            return Err(match (text_error, sequences.error) {
                // The error about text only says that an option is for sequences, so the error about sequences is the
                // relevant one.
                (Some(text), Some(error)) if text.is::<InapplicableOption>() && !error.is::<InapplicableOption>() => {
                    error
                }
                (Some(error), None) => named(error, first_text),
                (Some(error), Some(_)) if !text_is_absent => named(error, first_text),
                (_, Some(error)) => named(error, first_sequences),
                (None, None) => unreachable!("no error is an error about absent inputs"),
            });
        }
        let sorter = Sorter::new(args, text_error, sequences.verdicts(args));
        let records_in_text = text.as_ref().map_or(RecordsInText::Ignored, |text| text.records_in_text);
        let advice = text.as_ref().and_then(|text| text.advice);
        let sequences = sequences.route.map(|(route, _)| route);
        let of_text = text.iter().flat_map(|text| &text.warnings);
        let of_sequences = sequences.iter().flat_map(|sequences| &sequences.warnings);
        let warnings = of_text.chain(of_sequences).cloned().collect();
        let (text, sequences) = (text.map(|text| text.route), sequences.map(|sequences| sequences.route));
        Ok(Routes { text, sequences, records_in_text, advice, warnings, sorter })
    }
}

impl Routes {
    /// Returns the kinds of inputs that have a route.
    pub(crate) fn kinds(&self) -> Vec<InputKind> {
        let routes = [(&self.text, InputKind::Text), (&self.sequences, InputKind::Sequences)];
        routes.into_iter().filter(|(route, _)| route.is_some()).map(|(_, kind)| kind).collect()
    }
}

fn first_sequences(survey: &Survey) -> Option<&FirstInput> {
    survey.first(Content::Nucleotides).or_else(|| survey.first(Content::AminoAcids))
}

/// Adds the label of an input to an error about an option that does not apply to the input.
fn named(error: Error, input: Option<&FirstInput>) -> Error {
    match input.filter(|_| error.is::<InapplicableOption>()) {
        Some(input) => error.context(String::from_utf8_lossy(&input.label).into_owned()),
        None => error,
    }
}

/// Returns whether there is no error, or only one about an option that does not apply to inputs none of which exists.
fn is_of_absent(error: &Option<Error>, first: Option<&FirstInput>) -> bool {
    error.as_ref().is_none_or(|error| error.is::<InapplicableOption>() && first.is_some_and(|first| !first.exists))
}

impl Sequences {
    /// Tries to build a route. Without `--protein`, tries nucleotides first, if an input may hold them, and then amino
    /// acids, if an input holds them. With `--protein`, tries only amino acids.
    fn new(args: &Args, survey: &Survey, wanted: RouteParameters<'_>) -> Self {
        let holds = |content| survey.first(content).is_some();
        // A file in an unsupported format needs a route, since it is reported only if nucleotides could be searched.
        let nucleotides = holds(Content::Nucleotides) || survey.holds_foreign();
        let amino_acids = holds(Content::AminoAcids);
        let mut alphabets = Vec::new();
        if args.sequences.protein {
            if nucleotides || amino_acids || survey.may_hold(Content::Nucleotides) {
                alphabets.push(Alphabet::Protein);
            }
        } else {
            if nucleotides || !amino_acids && survey.may_hold(Content::Nucleotides) {
                alphabets.push(Alphabet::Dna);
            }
            if amino_acids {
                alphabets.push(Alphabet::Protein);
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

    /// Returns the treatment of inputs that hold nucleotides and of inputs that hold amino acids.
    fn verdicts(&self, args: &Args) -> [RouteVerdict; 2] {
        let problem = self.error.as_ref().map_or_else(String::new, |error| match format!("{error:#}") {
            problem if error.is::<InapplicableOption>() || problem.contains("--text") => problem,
            problem => format!("{problem}; use --text to search it as text"),
        });
        let searched = if args.asks_for_lines() { RouteVerdict::LinesInDirectories } else { RouteVerdict::Searched };
        match &self.route {
            Some((_, Alphabet::Protein)) if self.error.is_some() => {
                [RouteVerdict::TextInDirectories(problem.into()), searched]
            }
            Some((_, Alphabet::Protein)) if args.sequences.protein => [searched.clone(), searched],
            Some((_, Alphabet::Protein)) => {
                let words = "holds nucleotides, but another input holds amino acids; use --protein to read every input as amino acids";
                [RouteVerdict::NotSearched(words.into()), searched]
            }
            Some(_) => {
                let words = "holds amino acids, but nucleotides are searched; use --protein to search amino acids";
                [searched, RouteVerdict::NotSearched(words.into())]
            }
            None => {
                let verdict = RouteVerdict::TextInDirectories(problem.into());
                [verdict.clone(), verdict]
            }
        }
    }
}

impl Sorter {
    fn new(args: &Args, text_error: Option<Error>, [nucleotides, amino_acids]: [RouteVerdict; 2]) -> Self {
        let text = match text_error {
            None => RouteVerdict::Searched,
            Some(error) => RouteVerdict::NotSearched(format!("{error:#}").into()),
        };
        let binary = match args.input.binary_files {
            // If NUL ends lines, it does not indicate a binary file.
            Binary::PassedOver if terminator(args) != 0 => BinaryInput::Empty,
            _ => BinaryInput::Searched,
        };
        let hides_escapes = args.input.ignore_ansi;
        let compression = args.input.compression();
        let encoding = match args.input.encoding {
            // If NUL ends lines, it does not indicate an encoding.
            Encoding::Automatic if terminator(args) == 0 => Encoding::ByMark,
            encoding => encoding,
        };
        let reported = if cas_offinder::is_wanted(args) { vec![Content::Text] } else { Vec::new() };
        Sorter { text, nucleotides, amino_acids, compression, encoding, hides_escapes, binary, reported }
    }

    /// Returns the entry for an input; `None` if the input is skipped silently.
    pub(super) fn entry(&mut self, item: Item) -> Option<Entry> {
        let found = match item {
            Item::Found(found) => found,
            Item::NotSearched(label, reason) => return Some(Entry::NotSearched(label, reason)),
        };
        let verdict = match found.content {
            Content::Text => self.text.clone(),
            Content::Nucleotides => self.nucleotides.clone(),
            Content::AminoAcids => self.amino_acids.clone(),
            Content::Foreign(foreign) => {
                let label = String::from_utf8_lossy(&found.label);
                let nigh = if foreign.holds_sequences() { "nigh --fasta" } else { "nigh" };
                let words = format!("{foreign} is not supported; use '{} | {nigh} ...'", foreign.conversion(&label));
                match self.nucleotides {
                    RouteVerdict::Searched | RouteVerdict::LinesInDirectories => {
                        RouteVerdict::NotSearched(words.into())
                    }
                    _ => RouteVerdict::TextInDirectories(words.into()),
                }
            }
        };
        match (verdict, found.discovery) {
            (RouteVerdict::Searched, _) if found.content == Content::Text => Some(self.input(found, InputKind::Text)),
            (RouteVerdict::TextInDirectories(_) | RouteVerdict::LinesInDirectories, Discovery::InDirectory)
                if matches!(self.text, RouteVerdict::Searched) =>
            {
                Some(self.input(found, InputKind::Text))
            }
            (RouteVerdict::Searched | RouteVerdict::LinesInDirectories, _) => {
                Some(self.input(found, InputKind::Sequences))
            }
            (RouteVerdict::NotSearched(words) | RouteVerdict::TextInDirectories(words), Discovery::Named) => {
                let reason = match found.absence() {
                    Some(absence) => SkipReason::Unreadable(absence),
                    None => SkipReason::Refused(words.to_string()),
                };
                Some(Entry::NotSearched(found.label, reason))
            }
            (RouteVerdict::NotSearched(words) | RouteVerdict::TextInDirectories(words), Discovery::InDirectory) => {
                self.pass_over(found, &words)
            }
        }
    }

    /// Returns an entry with a message for the first skipped file of each kind of content, and `None` for others.
    fn pass_over(&mut self, found: Found, words: &str) -> Option<Entry> {
        if self.reported.contains(&found.content) {
            return None;
        }
        self.reported.push(found.content);
        let words = format!("{words} (other such files in directories are skipped silently)");
        Some(Entry::NotSearched(found.label, SkipReason::PassedOver(words)))
    }

    fn input(&self, found: Found, kind: InputKind) -> Entry {
        let Found { origin, label, records, .. } = found;
        let binary = match kind {
            InputKind::Text => self.binary,
            InputKind::Sequences => BinaryInput::Searched,
        };
        let hides_escapes = self.hides_escapes && kind == InputKind::Text;
        let decoding = Decoding { compression: self.compression, encoding: self.encoding, binary, hides_escapes };
        Entry::Input(Input { origin, label, decoding, kind, records, max_distance: None, mates: None })
    }
}
