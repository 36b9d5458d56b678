//! Conversion of the arguments of Python functions to options of nigh.

use nigh::pairwise::matrices;
use nigh::pairwise::scoring::{Scoring, ScoringOptions, SubstitutionMatrix};
use nigh::{
    Alphabet, Case, EngineChoice, EngineError, FileSearch, FileSplit, HitSelection, MaxEdits, Notation, RecordSplitter,
    ReplaceError, Searcher, SearcherBuilder, SearcherError,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyFloat, PyInt, PyString};

use crate::hits::TableLayout;

/// Returns the value that belongs to `word` in `values`, pairs of a word and a value. `name` is the option, for the
/// error.
fn chosen<T: Clone>(name: &str, word: &str, values: &[(&str, T)]) -> Result<T, PyErr> {
    let value = values.iter().find(|(known, _)| *known == word).map(|(_, value)| value.clone());
    value.ok_or_else(|| {
        let words: Vec<String> = values.iter().map(|(known, _)| format!("'{known}'")).collect();
        PyValueError::new_err(format!("{name} is '{word}', not one of {}", words.join(", ")))
    })
}

/// Converts the argument `name`, a number that must not be negative.
pub(crate) fn count(name: &str, given: i64) -> Result<usize, PyErr> {
    usize::try_from(given).map_err(|_| PyValueError::new_err(format!("{name} is {given}, but must be 0 or more")))
}

pub(crate) fn alphabet(word: &str) -> Result<Alphabet, PyErr> {
    let (text, bytes) = (("text", Alphabet::Text), ("bytes", Alphabet::Bytes));
    chosen("alphabet", word, &[text, bytes, ("dna", Alphabet::Dna), ("protein", Alphabet::Protein)])
}

fn notation(word: &str) -> Result<Notation, PyErr> {
    chosen("notation", word, &[("literal", Notation::Literal), ("regex", Notation::Regex)])
}

fn case(word: &str) -> Result<Case, PyErr> {
    let folded = ("insensitive", Case::Insensitive);
    chosen("case", word, &[("sensitive", Case::Sensitive), folded, ("smart", Case::Smart)])
}

pub(crate) fn engine(word: &str) -> Result<EngineChoice, PyErr> {
    let cuda = EngineChoice::cuda();
    chosen("engine", word, &[("auto", EngineChoice::auto()), ("cpu", EngineChoice::cpu()), ("cuda", cuda)])
}

/// The keyword arguments of a searcher that are one of several words.
pub(crate) struct SearcherWords<'w> {
    pub(crate) alphabet: &'w str,
    pub(crate) notation: &'w str,
    pub(crate) case: &'w str,
    pub(crate) strands: Option<&'w str>,
    pub(crate) engine: &'w str,
}

impl SearcherWords<'_> {
    /// Returns the keyword arguments.
    pub(crate) fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let SearcherWords { alphabet, notation, case, strands, engine } = *self;
        let always = [("alphabet", alphabet), ("notation", notation), ("case", case), ("engine", engine)];
        let words = always.into_py_dict(py)?;
        words.set_item("strands", strands)?;
        Ok(words)
    }

    /// Makes the builder of a searcher that has these options.
    ///
    /// # Errors
    /// Fails if a word is not one of the values of its option.
    pub(crate) fn builder(&self) -> PyResult<SearcherBuilder> {
        let alphabet = alphabet(self.alphabet)?;
        let builder = Searcher::builder(alphabet)
            .notation(notation(self.notation)?)
            .case(case(self.case)?)
            .engine(engine(self.engine)?);
        match self.strands {
            Some(strands) => set_strands(builder, alphabet, strands),
            None => Ok(builder),
        }
    }
}

/// Sets the option of the program that has the name of a keyword argument.
pub(crate) fn set(builder: SearcherBuilder, keyword: &str, value: &Bound<'_, PyAny>) -> PyResult<SearcherBuilder> {
    let given = if keyword == "within" { range_value(value)? } else { option_value(value)? };
    set_option(builder, keyword, &keyword.replace('_', "-"), &given)
}

/// Returns a range of positions as the program would be given it. A pair holds its bounds, of which either may be
/// `None`.
fn range_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok((start, end)) = value.extract::<(Option<i64>, Option<i64>)>() else { return option_value(value) };
    let [start, end] = [start, end].map(|bound| bound.map_or_else(String::new, |bound| bound.to_string()));
    Ok(format!("{start}..{end}"))
}

/// Returns a value as the program would be given it. A float has at most six decimals there.
fn option_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(switch) = value.extract::<bool>() {
        return Ok(switch.to_string());
    }
    match value.cast::<PyFloat>() {
        Ok(number) => Ok(format!("{:.6}", number.value())),
        Err(_) => Ok(value.str()?.to_string()),
    }
}

/// Sets the strands to search with an alphabet.
fn set_strands(builder: SearcherBuilder, alphabet: Alphabet, strands: &str) -> PyResult<SearcherBuilder> {
    if alphabet != Alphabet::Dna {
        return Err(PyValueError::new_err(format!("strands is '{strands}', but only the alphabet 'dna' has strands")));
    }
    set_option(builder, "strands", "strand", strands)
}

/// Sets the option `name` of the program to the value of a parameter.
fn set_option(builder: SearcherBuilder, parameter: &str, name: &str, value: &str) -> PyResult<SearcherBuilder> {
    let message = |problem: &str| format!("{parameter} is '{value}': {problem}");
    builder.option(name, value).map_err(|error| PyValueError::new_err(message(error.problem())))
}

/// Sets the bound on edits: a number, or a string as for the program's option -k, which may also have a least number.
pub(crate) fn set_bound(builder: SearcherBuilder, given: &Bound<'_, PyAny>) -> PyResult<SearcherBuilder> {
    let Ok(text) = given.cast::<PyString>() else { return Ok(builder.bound(bound(given)?)) };
    let set = builder.option("max-errors", text.to_str()?);
    set.map_err(|error| PyValueError::new_err(format!("k: {}", error.problem())))
}

/// Converts a bound on edits: a number, or a string as for the program's option -k.
pub(crate) fn bound(given: &Bound<'_, PyAny>) -> PyResult<nigh::Bound> {
    if let Ok(number) = given.extract::<i64>() {
        return Ok(MaxEdits::Count(count("k", number)?).into());
    }
    if given.is_instance_of::<PyInt>() {
        return Err(PyValueError::new_err(format!("k is {given}, but must be from 0 to {}", i64::MAX)));
    }
    let Ok(text) = given.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("k must be an int or a str, not {}", given.get_type().name()?)));
    };
    text.to_str()?.parse().map_err(|problem| PyValueError::new_err(format!("k: {problem}")))
}

/// Converts the bound of the pattern at an index, which was given in a pair with the pattern.
pub(crate) fn own_bound(index: usize, pattern: &[u8], given: &Bound<'_, PyAny>) -> PyResult<nigh::Bound> {
    bound(given).map_err(|error| {
        let pattern = String::from_utf8_lossy(pattern);
        let problem = error.value(given.py());
        let message =
            format!("patterns[{index}]: a pair is a pattern and its own k, here '{pattern}' and {given}; {problem}");
        if error.is_instance_of::<PyTypeError>(given.py()) {
            PyTypeError::new_err(message)
        } else {
            PyValueError::new_err(message)
        }
    })
}

/// The option `near` of a searcher.
pub(crate) struct Near<'py> {
    /// The maximum number of symbols between the matches of the two patterns.
    pub(crate) gap: Bound<'py, PyAny>,
    /// Index of the second of the two patterns. The first is directly before it.
    pub(crate) second: usize,
}

/// Returns the option `near` for two of `count` patterns, given as a pair of indices; for the first two by default.
pub(crate) fn near<'py>(
    gap: Option<Bound<'py, PyAny>>,
    given: Option<&Bound<'py, PyAny>>,
    count: usize,
) -> PyResult<Option<Near<'py>>> {
    match (gap, given) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(PyValueError::new_err("near_patterns needs near")),
        (Some(gap), None) => Ok(Some(Near { gap, second: 1 })),
        (Some(gap), Some(given)) => match given.extract::<(usize, usize)>() {
            Ok((first, second)) if second.checked_sub(1) == Some(first) && second < count => {
                Ok(Some(Near { gap, second }))
            }
            _ => Err(PyValueError::new_err(format!(
                "near_patterns is {given}, but must be the indices of two patterns, one directly after the other in the list"
            ))),
        },
    }
}

/// Converts a bound on the edit distance of pairs.
pub(crate) fn max_distance(k: Option<i64>) -> PyResult<Option<usize>> {
    k.map(|bound| count("k", bound)).transpose()
}

/// Converts keyword arguments to the scores of alignments.
pub(crate) fn scoring(given: Option<&Bound<'_, PyDict>>) -> PyResult<Scoring> {
    let mut scores = ScoringOptions::default();
    for (name, value) in given.into_iter().flatten() {
        match name.extract::<&str>()? {
            "matrix" => scores.matrix = matrix(&value)?,
            "match" => scores.equal = Some(value.extract()?),
            "mismatch" => scores.mismatch = Some(value.extract()?),
            "gap_open" => scores.gap_open = value.extract()?,
            "gap_extend" => scores.gap_extend = value.extract()?,
            other => return Err(PyTypeError::new_err(format!("unknown score parameter '{other}'"))),
        }
    }
    if scores.matrix.is_some() && (scores.equal.is_some() || scores.mismatch.is_some()) {
        return Err(PyValueError::new_err("matrix cannot be used with match or mismatch; omit match and mismatch"));
    }
    scores.scoring().map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the substitution matrix with a name; `None` for Python's `None`.
fn matrix(given: &Bound<'_, PyAny>) -> PyResult<Option<SubstitutionMatrix>> {
    let Some(name) = given.extract::<Option<String>>()? else { return Ok(None) };
    let matrix = matrices::built_in(&name);
    let unknown = || {
        let names: Vec<&str> = matrices::names().collect();
        PyValueError::new_err(format!("matrix is '{name}', not one of {}", names.join(", ")))
    };
    matrix.map(Some).ok_or_else(unknown)
}

/// Returns the selection of matches that two flags stand for.
///
/// # Errors
/// Fails if both are set, if sites are wanted of a pattern that has none, or if all matches are wanted with a minimum number
/// of edits.
pub(crate) fn selection(searcher: &Searcher, best: bool, sites: bool) -> PyResult<HitSelection> {
    match (best, sites) {
        (false, true) if !searcher.has_sites() => Err(PyValueError::new_err(
            "sites needs an exact group at the start or the end of each pattern, such as 'GCGATCACCTGCCGATGCT<NGG>'; use best",
        )),
        (false, false) if searcher.min_edits() > 0 => {
            Err(PyValueError::new_err("all matches cannot be used with a minimum number of edits; use best=True"))
        }
        (false, false) => Ok(HitSelection::All),
        (true, false) => Ok(HitSelection::Best),
        (false, true) => Ok(HitSelection::Sites),
        (true, true) => Err(PyValueError::new_err("best and sites cannot both be true")),
    }
}

/// The arguments of a search that returns a table.
#[derive(Debug, Clone)]
pub(crate) struct TableSearch {
    pub(crate) selection: HitSelection,
    pub(crate) layout: TableLayout,
    pub(crate) threads: usize,
    /// Whether escape sequences of terminals are no part of the text of a file.
    pub(crate) ignores_ansi: bool,
    /// The division of the lines of a file into records; `None` if lines form no records.
    pub(crate) records: Option<RecordSplitter>,
}

impl TableSearch {
    /// Makes the search of a file, or of a part of one.
    pub(crate) fn of_file<'s>(&self, searcher: &'s Searcher, part: &FileSplit) -> FileSearch<'s> {
        let search =
            searcher.file_part(part).select(self.selection).ignore_ansi(self.ignores_ansi).threads(self.threads);
        match &self.records {
            Some(records) => search.record_start(records),
            None => search,
        }
    }
}

pub(crate) fn of_searcher(error: SearcherError) -> PyErr {
    match error {
        SearcherError::Engine(_) => PyRuntimeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

pub(crate) fn of_replacement(error: ReplaceError) -> PyErr {
    match error {
        ReplaceError::NoCaptures => PyValueError::new_err(
            "the replacement refers to groups, but the searcher keeps none; make it with captures=True",
        ),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

pub(crate) fn of_engine(error: EngineError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
