//! Options given as words.

use nigh::{Alphabet, Case, Devices, EngineChoice, EngineError, Fallback, Notation, SearcherError, Strand};
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

/// Returns the value of the option `name` that `word` names, from pairs of a word and a value.
fn chosen<T: Clone>(name: &str, word: &str, values: &[(&str, T)]) -> Result<T, PyErr> {
    let value = values.iter().find(|(known, _)| *known == word).map(|(_, value)| value.clone());
    value.ok_or_else(|| {
        let words: Vec<String> = values.iter().map(|(known, _)| format!("'{known}'")).collect();
        PyValueError::new_err(format!("{name} is '{word}', not one of {}", words.join(", ")))
    })
}

/// Takes the argument `name`, a number that must not be negative.
pub(crate) fn count(name: &str, given: i64) -> Result<usize, PyErr> {
    usize::try_from(given).map_err(|_| PyValueError::new_err(format!("{name} is {given}, but must be 0 or more")))
}

pub(crate) fn alphabet(word: &str) -> Result<Alphabet, PyErr> {
    let (text, bytes) = (("text", Alphabet::Text), ("bytes", Alphabet::Bytes));
    chosen("alphabet", word, &[text, bytes, ("dna", Alphabet::Dna), ("protein", Alphabet::Protein)])
}

pub(crate) fn notation(word: &str) -> Result<Notation, PyErr> {
    chosen("notation", word, &[("literal", Notation::Literal), ("regex", Notation::Regex)])
}

pub(crate) fn case(word: &str) -> Result<Case, PyErr> {
    let folded = ("insensitive", Case::Insensitive);
    chosen("case", word, &[("sensitive", Case::Sensitive), folded, ("smart", Case::Smart)])
}

pub(crate) fn strands(word: &str, alphabet: Alphabet) -> Result<Vec<Strand>, PyErr> {
    let both = ("both", vec![Strand::Forward, Strand::Reverse]);
    let values = [both, ("forward", vec![Strand::Forward]), ("reverse", vec![Strand::Reverse])];
    let strands = chosen("strands", word, &values)?;
    if strands.contains(&Strand::Reverse) && alphabet != Alphabet::Dna {
        return Err(PyValueError::new_err("only DNA has a reverse strand"));
    }
    Ok(strands)
}

pub(crate) fn engine(word: &str) -> Result<EngineChoice, PyErr> {
    let cuda = EngineChoice::Cuda(Devices::First, Fallback::Allowed);
    chosen("engine", word, &[("auto", EngineChoice::Auto(None, None)), ("cpu", EngineChoice::Cpu), ("cuda", cuda)])
}

pub(crate) fn of_searcher(error: SearcherError) -> PyErr {
    match error {
        SearcherError::Pattern(_) | SearcherError::EmptyPattern => PyValueError::new_err(error.to_string()),
        SearcherError::Engine(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

pub(crate) fn of_engine(error: EngineError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
