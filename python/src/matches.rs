//! `nigh.Match`, the iterator over matches, and the groups of matches.
#![allow(
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    reason = "Python's help is plain text, and not Markdown"
)]

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use nigh::{Searcher, is_residue, reverse_complement};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice, PyString, PyTuple, PyType};

use crate::characters::{self, CharacterOffsets};
use crate::patterns::GivenPattern;
use crate::text::Text;

/// A match: a range of the text, and how a pattern lies on it.
///
/// It can be pickled.
///
/// Attributes
/// ----------
/// start, end : int
///     The range of the text: characters of a ``str``, otherwise bytes.
/// span : tuple of int
///     The pair ``(start, end)``.
/// pattern : int
///     The index of the pattern.
/// name : str or None
///     The name of the pattern, if the searcher was given names.
/// distance : int
///     The smallest number of edits of a match with this end.
/// strand : str
///     ``"+"``, or ``"-"`` if the reverse complement of the pattern matches.
/// cigar : str
///     The alignment in text order: ``=`` a match, ``X`` a substitution, ``I`` a symbol that only the pattern has, ``D`` a
///     symbol that only the text has.
/// text : str or bytes-like
///     The matched text: the slice ``[start:end]`` of the text that was searched, which the match keeps alive. A match that was
///     unpickled has none.
///
/// Examples
/// --------
/// The groups of a pattern in parentheses, as in the module ``re``, if the searcher keeps them:
///
/// >>> import nigh
/// >>> searcher = nigh.Searcher(r"user (?<name>\w+)( on \w+)?", notation="regex", captures=True)
/// >>> [found] = searcher.find_iter("usr ann", best=True)
/// >>> found.group("name"), found.group_span(1), found.groups()
/// ('ann', (4, 7), ('ann', None))
#[pyclass(module = "nigh", frozen, eq, hash)]
pub(crate) struct Match {
    place: MatchPlace,
    /// The text that was searched; `None` if it is not known.
    source: Option<Py<PyAny>>,
}

/// The attributes of a match, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MatchPlace {
    start: usize,
    end: usize,
    pattern: usize,
    distance: usize,
    strand: char,
    cigar: String,
    groups: Option<GroupPlaces>,
    /// The name of the pattern, if it has one.
    name: Option<Arc<str>>,
}

/// The ranges of the groups of a match in the text. A group that took no part has none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct GroupPlaces {
    names: GroupNames,
    spans: Vec<Option<(usize, usize)>>,
}

/// The names of the groups of a pattern, from group 0; `None` for a group without a name.
type GroupNames = Arc<[Option<String>]>;

impl PartialEq for Match {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for Match {}

impl Hash for Match {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place.hash(state);
    }
}

/// An iterator over matches; see :meth:`Searcher.find_iter`.
#[pyclass(module = "nigh")]
pub(crate) struct Matches {
    matches: IntoIter<MatchPlace>,
    source: Py<PyAny>,
}

impl Matches {
    /// Makes an iterator over matches in `source`.
    pub(crate) fn new(matches: Vec<MatchPlace>, source: Py<PyAny>) -> Self {
        Matches { matches: matches.into_iter(), source }
    }
}

/// The type and the arguments of a match, for pickle.
type ReducedMatch<'py> =
    (Bound<'py, PyType>, (usize, usize, usize, usize, char, String, Option<NamedSpans>, Option<String>));

/// The name and the range of each group, for pickle.
type NamedSpans = Vec<(Option<String>, Option<(usize, usize)>)>;

#[pymethods]
impl Match {
    #[new]
    #[pyo3(signature = (start, end, pattern, distance, strand, cigar, groups=None, name=None))]
    #[allow(clippy::too_many_arguments, reason = "these are the fields of a match, as Python passes them")]
    fn new(
        start: usize,
        end: usize,
        pattern: usize,
        distance: usize,
        strand: char,
        cigar: String,
        groups: Option<NamedSpans>,
        name: Option<String>,
    ) -> Self {
        let groups = groups.map(|groups| {
            let (names, spans): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
            GroupPlaces { names: names.into(), spans }
        });
        let name = name.map(Arc::from);
        Match { place: MatchPlace { start, end, pattern, distance, strand, cigar, groups, name }, source: None }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> ReducedMatch<'py> {
        let MatchPlace { start, end, pattern, distance, strand, ref cigar, ref groups, ref name } = self.place;
        let named = |groups: &GroupPlaces| groups.names.iter().cloned().zip(groups.spans.iter().copied()).collect();
        let groups = groups.as_ref().map(named);
        let name = name.as_deref().map(str::to_owned);
        (py.get_type::<Match>(), (start, end, pattern, distance, strand, cigar.clone(), groups, name))
    }

    #[getter]
    fn start(&self) -> usize {
        self.place.start
    }

    #[getter]
    fn end(&self) -> usize {
        self.place.end
    }

    #[getter]
    fn pattern(&self) -> usize {
        self.place.pattern
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.place.name.as_deref()
    }

    #[getter]
    fn distance(&self) -> usize {
        self.place.distance
    }

    #[getter]
    fn strand(&self) -> char {
        self.place.strand
    }

    #[getter]
    fn cigar(&self) -> &str {
        &self.place.cigar
    }

    /// The matched text.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.slice(py, (self.place.start, self.place.end))
    }

    /// Returns the text of a group, by its number or name, or a tuple for several groups. Group 0 is the match. A group that
    /// took no part in the match is ``None``, as in the module ``re``. On the reverse strand, the text is in the direction of
    /// the pattern: the reverse complement of :meth:`group_span`.
    ///
    /// Raises
    /// ------
    /// IndexError
    ///     If there is no such group. Groups other than 0 need the keyword `captures` of the searcher.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> searcher = nigh.Searcher(r"(?<key>\w+)=(\d+)", notation="regex", captures=True)
    /// >>> [found] = searcher.find_iter("port=8080", best=True)
    /// >>> found.group("key", 2)
    /// ('port', '8080')
    /// >>> reads = nigh.Searcher("(?<umi>GG)TT", k=0, alphabet="dna", notation="regex", captures=True)
    /// >>> [found] = reads.find_iter("TTAACCTT")
    /// >>> found.strand, found.text, found["umi"], found.group_span("umi")
    /// ('-', 'AACC', 'GG', (4, 6))
    #[pyo3(signature = (*groups))]
    fn group<'py>(&self, groups: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = groups.py();
        match groups.len() {
            0 => self.group_text(py, 0),
            1 => self.group_text(py, self.group_number(&groups.get_item(0)?)?),
            _ => {
                let text = |group: Bound<'py, PyAny>| self.group_text(py, self.group_number(&group)?);
                let texts: Vec<_> = groups.iter().map(text).collect::<PyResult<_>>()?;
                Ok(PyTuple::new(py, texts)?.into_any())
            }
        }
    }

    /// Returns the text of a group, as :meth:`group` does.
    fn __getitem__<'py>(&self, group: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.group_text(group.py(), self.group_number(group)?)
    }

    /// Returns the texts of all groups from 1 on, with `default` for those that took no part in the match.
    #[pyo3(signature = (default=None))]
    fn groups<'py>(&self, py: Python<'py>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyTuple>> {
        let texts = (1..self.spans()?.len()).map(|number| self.text_or(py, number, default.as_ref()));
        PyTuple::new(py, texts.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns a dictionary from the names of groups to their texts, with `default` for those that took no part.
    #[pyo3(signature = (default=None))]
    fn groupdict<'py>(&self, py: Python<'py>, default: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        self.spans()?;
        let texts = PyDict::new(py);
        let names = self.place.groups.iter().flat_map(|groups| groups.names.iter().enumerate());
        for (number, name) in names {
            if let Some(name) = name {
                texts.set_item(name, self.text_or(py, number, default.as_ref())?)?;
            }
        }
        Ok(texts)
    }

    /// Returns the range ``(start, end)`` of a group in the text, by its number or name; ``None`` if it took no part in the
    /// match.
    #[pyo3(signature = (group=None))]
    fn group_span(&self, group: Option<&Bound<'_, PyAny>>) -> PyResult<Option<(usize, usize)>> {
        self.span_of(group.map_or(Ok(0), |group| self.group_number(group))?)
    }

    /// The pair ``(start, end)``.
    #[getter]
    fn span(&self) -> (usize, usize) {
        (self.place.start, self.place.end)
    }

    fn __repr__(&self) -> String {
        let MatchPlace { start, end, pattern, distance, strand, cigar, .. } = &self.place;
        format!(
            "Match(start={start}, end={end}, pattern={pattern}, distance={distance}, strand='{strand}', cigar='{cigar}')"
        )
    }
}

impl Match {
    /// Returns the text in a range; `None` if the text is not known.
    fn slice<'py>(&self, py: Python<'py>, (start, end): (usize, usize)) -> PyResult<Option<Bound<'py, PyAny>>> {
        let range = PySlice::new(py, start as isize, end as isize, 1);
        self.source.as_ref().map(|source| source.bind(py).get_item(range)).transpose()
    }

    fn spans(&self) -> PyResult<&[Option<(usize, usize)>]> {
        let groups = self.place.groups.as_ref().map(|groups| &groups.spans[..]);
        groups.ok_or_else(|| PyIndexError::new_err("the searcher keeps no groups; make it with captures=True"))
    }

    /// Returns the range of a group; `None` if it took no part.
    fn span_of(&self, number: usize) -> PyResult<Option<(usize, usize)>> {
        if number == 0 {
            return Ok(Some((self.place.start, self.place.end)));
        }
        self.spans()?.get(number).copied().ok_or_else(|| PyIndexError::new_err("no such group"))
    }

    fn group_text<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        self.text_or(py, number, None)
    }

    /// Returns the text of a group; `default` if it took no part.
    fn text_or<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        default: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let none = || py.None().into_bound(py);
        match self.span_of(number)? {
            Some(span) => self.slice(py, span)?.map_or_else(|| Ok(none()), |text| self.in_direction_of_pattern(text)),
            None => Ok(default.cloned().unwrap_or_else(none)),
        }
    }

    /// Returns the reverse complement of the residues of a text if the match is on the reverse strand, otherwise the text.
    fn in_direction_of_pattern<'py>(&self, text: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.place.strand != '-' {
            return Ok(text);
        }
        let (py, text) = (text.py(), Text::new(&text)?);
        let mut residues: Vec<u8> = text.bytes()?.iter().copied().filter(|&byte| is_residue(byte)).collect();
        reverse_complement(&mut residues);
        if text.is_str() {
            Ok(PyString::new(py, &String::from_utf8(residues)?).into_any())
        } else {
            Ok(PyBytes::new(py, &residues).into_any())
        }
    }

    /// Returns the number of a group that was given by its number or name.
    fn group_number(&self, group: &Bound<'_, PyAny>) -> PyResult<usize> {
        if let Ok(number) = group.extract::<usize>() {
            return Ok(number);
        }
        let name: String = group.extract().map_err(|_| PyIndexError::new_err("no such group"))?;
        self.spans()?;
        let mut names = self.place.groups.iter().flat_map(|groups| groups.names.iter());
        names.position(|one| one.as_deref() == Some(&name)).ok_or_else(|| PyIndexError::new_err("no such group"))
    }
}

/// Collects the matches in a text, in the order of their ends.
pub(crate) struct FoundMatches<'s> {
    searcher: &'s Searcher,
    patterns: &'s [GivenPattern],
    /// Converts offsets to characters; `None` if they stay bytes.
    characters: Option<CharacterOffsets<'s>>,
    /// The names of the groups of each pattern; none if the searcher keeps no groups.
    names: Vec<GroupNames>,
    places: Vec<MatchPlace>,
}

impl<'s> FoundMatches<'s> {
    /// Makes an empty collection for `text`, in which offsets count characters if it is a `str`.
    pub(crate) fn new(searcher: &'s Searcher, patterns: &'s [GivenPattern], text: &'s [u8], is_str: bool) -> Self {
        let characters = is_str.then(|| CharacterOffsets::of(text));
        FoundMatches { searcher, patterns, characters, names: Vec::new(), places: Vec::new() }
    }

    /// Adds a match. It must not end before the last one.
    pub(crate) fn push(&mut self, found: &nigh::Match<'_>) {
        let Range { start, end } = match &mut self.characters {
            Some(characters) => characters.range(found.range()),
            None => found.range(),
        };
        let groups = self.searcher.captures(found).map(|groups| {
            let in_match = |offset: usize| match self.characters {
                Some(_) => characters::count(&found.text()[..offset - found.start()]),
                None => offset - found.start(),
            };
            let span =
                |group: nigh::CapturedGroup<'_>| (start + in_match(group.start()), start + in_match(group.end()));
            let spans = groups.iter().map(|group| group.map(span)).collect();
            GroupPlaces { names: self.names(found.pattern()), spans }
        });
        self.places.push(MatchPlace {
            start,
            end,
            pattern: found.pattern(),
            distance: found.distance(),
            strand: char::from(found.strand().sign()),
            cigar: found.cigar().to_string(),
            groups,
            name: self.patterns[found.pattern()].name().cloned(),
        });
    }

    /// Returns the names of the groups of a pattern.
    fn names(&mut self, pattern: usize) -> GroupNames {
        while self.names.len() <= pattern {
            let names = self.searcher.capture_names(self.names.len());
            self.names.push(names.map(|name| name.map(str::to_owned)).collect());
        }
        self.names[pattern].clone()
    }

    /// Returns the matches.
    pub(crate) fn places(self) -> Vec<MatchPlace> {
        self.places
    }
}

#[pymethods]
impl Matches {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Match> {
        let place = self.matches.next()?;
        Some(Match { place, source: Some(self.source.clone_ref(py)) })
    }

    fn __length_hint__(&self) -> usize {
        self.matches.len()
    }
}
