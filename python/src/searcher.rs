//! `nigh.Searcher`.
#![allow(rustdoc::invalid_html_tags, reason = "Python's help is plain text, and not Markdown")]

use std::sync::Arc;

use nigh::{Alphabet, HitSelection, Searcher as Search};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};

use crate::batches::HitBatches;
use crate::column::Column;
use crate::file;
use crate::hits::{Hits, LineRecordColumns, PlaceKind, TableLayout, TextColumn};
use crate::matches::{FoundMatches, Matches};
use crate::options::{self, SearcherWords, TableSearch};
use crate::patterns::{self, GivenPattern};
use crate::record_splitter::RecordSplitter;
use crate::text::Text;
use crate::threads::{CallSize, run_call, thread_count};

/// Searches texts for patterns with at most k edits: insertions, deletions and substitutions of symbols.
///
/// A symbol is a character or byte of text, or a residue of a sequence. The search is exact: no match is missed. A
/// searcher may be used by several threads at once; they run in parallel. It can be pickled.
///
/// Parameters
/// ----------
/// patterns : str, bytes-like, iterable of these, or dict from names to these
///     The patterns. Text is UTF-8. Without patterns, nothing matches. An item of an iterable, or a value of a ``dict``, may be
///     a pair of a pattern and its own `k`.
/// k : int or str, default 1
///     The maximum number of edits of a match. It must be less than the number of symbols of each pattern. A string can
///     be anything that the program's option ``-k`` takes: ``"10%"``, ``"auto"``, ``"2s"`` for substitutions only. ``"1..2"``
///     also sets the minimum number of edits, which finds misspelt occurrences: of the matches that `best` or `sites` selects,
///     those with fewer edits are left out. All matches cannot be searched for then.
/// alphabet : {"text", "bytes", "dna", "protein"}, default "text"
///     The symbols of patterns and texts. With "text" and "bytes", a match lies within one line, and a pattern with a
///     line feed is an error. With "dna" and
///     "protein", the text is one sequence: its letters may have any case, line breaks are ignored, and IUPAC codes
///     in a pattern are sets of residues.
/// notation : {"literal", "regex"}, default "literal"
///     How patterns are written. In sequences, a regular expression must be finite: ``*``, ``+`` and ``{n,}`` are errors.
/// case : {"sensitive", "insensitive", "smart"}, default "sensitive"
///     Whether upper and lower case differ in text. With "smart" they differ if a pattern has a letter in upper case.
/// strands : {"both", "forward", "reverse"}, optional
///     The strands of DNA to search; both by default. Other alphabets have no strands.
/// engine : {"cpu", "auto", "cuda"}, default "cpu"
///     The hardware that searches: "cpu" is the processor, "cuda" an NVIDIA GPU, and "auto" the processor, or a GPU for
///     a text that is long enough to repay its start-up time. If a GPU fails, the processor takes over.
///
/// captures : bool, default False
///     Whether the searcher keeps the groups of its patterns in parentheses, for :meth:`Match.group` and :meth:`replace`.
/// exact_group, transpositions, word_regexp, line_regexp : bool, optional
///     `exact_group`: whether parts of a pattern between angle brackets match without edits, as they always do in
///     sequences. `transpositions`: whether a swap of two adjacent symbols is one edit. `word_regexp`: whether matches
///     are whole words. `line_regexp`: whether matches are whole lines or records.
/// edits : str, optional
///     The edits allowed, such as "i<=1,s<=2" or "2i+2d+s<=4", in the notation of the module `regex`, in place of `k`. A
///     kind of edit that is not named is not allowed. "1<=e<=2" also sets the minimum number of edits, as for `k`.
/// within : str or tuple of int, optional
///     The range of positions in each line or record where matches may lie, such as "0..80" or (0, 80), "-80.." or
///     (-80, None).
/// near : int, optional
///     A match of one of the first two patterns counts only if at most this many symbols lie between it and a match of
///     the other. Other patterns match anywhere.
/// near_patterns : tuple of int, optional
///     With `near`, the indices of two other patterns to which it applies, one directly after the other in the list.
/// overhang : float or str, optional
///     Lets patterns hang over the ends of lines and records. The value is the cost of each symbol beyond an end: a
///     number from 0 to 1, which is rounded to six decimals, or a percentage such as "10%". "left:10%" is for the start
///     of lines and records only, "right:10%" for the end.
/// min_overlap : int, optional
///     With `overhang`, the smallest number of symbols of a pattern that are not beyond an end; 3 by default.
/// ambiguous : str, optional
///     With "any", letters such as N in the text match what they can stand for. A number limits how many such letters the
///     text of a match has, as in "any:1" or "none:0".
///
/// Attributes
/// ----------
/// patterns : list of str or bytes
///     The texts of the patterns. A match has the index of its pattern.
/// names : list of str, or None
///     The names of the patterns, if they were given in a ``dict``.
///
/// Raises
/// ------
/// TypeError
///     If an argument has a wrong type.
/// ValueError
///     If a pattern or an option is not valid, or if a pattern would match everywhere.
/// RuntimeError
///     If the engine is not available.
///
/// Examples
/// --------
/// >>> import nigh
/// >>> guides = nigh.Searcher(["GATTACA", "CCAGATT"], k=1, alphabet="dna")
/// >>> [(found.pattern, found.span, found.strand) for found in guides.find_iter("TTGACCAGATTACATT", best=True)]
/// [(1, (4, 11), '+'), (0, (7, 14), '+')]
///
/// Patterns with names:
///
/// >>> primers = nigh.Searcher({"515F": "GTGCCAGCMGCC", "806R": ("GGACTACHVGGG", 2)}, k=1, alphabet="dna")
/// >>> [(found.name, found.span) for found in primers.find_iter("TTGTGCCAGCAGCCTT", best=True)]
/// [('515F', (2, 14))]
///
/// A PAM in angle brackets matches without edits. With `sites`, its guide has one match for each place of the PAM:
///
/// >>> guide = nigh.Searcher("GCGATCACCTGCCGATGCT<NGG>", k=3, alphabet="dna")
/// >>> [(site.span, site.distance) for site in guide.find_iter("TTGCGATCACTGCCGATGCTAGGTT", sites=True)]
/// [((2, 23), 1)]
#[pyclass(module = "nigh", frozen)]
pub(crate) struct Searcher {
    search: Arc<Search>,
    alphabet: Alphabet,
    patterns: Vec<GivenPattern>,
    /// The bound `k` as it was given: a number or a string.
    bound: Py<PyAny>,
    /// The keyword arguments as they were given.
    keywords: Py<PyDict>,
}

/// The positional and the named arguments of a constructor.
type NewArguments<'py> = ((Bound<'py, PyAny>, Py<PyAny>), Bound<'py, PyDict>);

#[pymethods]
impl Searcher {
    #[new]
    #[pyo3(
        signature = (patterns, k=None, *, alphabet="text", notation="literal", case="sensitive", strands=None,
            engine="cpu", captures=false, exact_group=None, transpositions=None, word_regexp=None, line_regexp=None, edits=None,
            within=None, near=None, near_patterns=None, overhang=None, min_overlap=None, ambiguous=None),
        text_signature = "(patterns, k=1, *, alphabet='text', notation='literal', case='sensitive', strands=None, \
            engine='cpu', captures=False, exact_group=None, transpositions=None, word_regexp=None, line_regexp=None, edits=None, \
            within=None, near=None, near_patterns=None, overhang=None, min_overlap=None, ambiguous=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "these are keyword arguments")]
    fn new(
        py: Python<'_>,
        patterns: &Bound<'_, PyAny>,
        k: Option<Bound<'_, PyAny>>,
        alphabet: &str,
        notation: &str,
        case: &str,
        strands: Option<&str>,
        engine: &str,
        captures: bool,
        exact_group: Option<Bound<'_, PyAny>>,
        transpositions: Option<Bound<'_, PyAny>>,
        word_regexp: Option<Bound<'_, PyAny>>,
        line_regexp: Option<Bound<'_, PyAny>>,
        edits: Option<Bound<'_, PyAny>>,
        within: Option<Bound<'_, PyAny>>,
        near: Option<Bound<'_, PyAny>>,
        near_patterns: Option<Bound<'_, PyAny>>,
        overhang: Option<Bound<'_, PyAny>>,
        min_overlap: Option<Bound<'_, PyAny>>,
        ambiguous: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let words = SearcherWords { alphabet, notation, case, strands, engine };
        let others = [
            ("exact_group", exact_group),
            ("transpositions", transpositions),
            ("word_regexp", word_regexp),
            ("line_regexp", line_regexp),
            ("edits", edits),
            ("within", within),
            ("overhang", overhang),
            ("min_overlap", min_overlap),
            ("ambiguous", ambiguous),
        ];
        let near_words = [("near", near.clone()), ("near_patterns", near_patterns.clone())];
        let keywords = words.dict(py)?;
        keywords.set_item("captures", captures)?;
        for (keyword, value) in others.iter().chain(&near_words) {
            keywords.set_item(keyword, value)?;
        }
        let k = k.unwrap_or_else(|| PyInt::new(py, 1).into_any());
        let mut builder = options::set_bound(words.builder()?.captures(captures), &k)?;
        for (keyword, value) in &others {
            if let Some(value) = value {
                builder = options::set(builder, keyword, value)?;
            }
        }
        let patterns = patterns::given_patterns(patterns)?;
        let near = options::near(near, near_patterns.as_ref(), patterns.len())?;
        let builder = patterns::add_patterns(py, builder, &patterns, near)?;
        let search = run_call(py, CallSize::Small, || builder.build())?.map_err(options::of_searcher)?;
        let alphabet = options::alphabet(alphabet)?;
        Ok(Searcher { search: Arc::new(search), alphabet, patterns, bound: k.unbind(), keywords: keywords.unbind() })
    }

    /// Returns the arguments that make an equal searcher, for pickle.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py>> {
        let patterns = patterns::argument(py, &self.patterns)?;
        Ok(((patterns, self.bound.clone_ref(py)), self.keywords.bind(py).copy()?))
    }

    /// The texts of the patterns, in the order in which they were given.
    #[getter]
    fn patterns<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        self.patterns.iter().map(|pattern| pattern.text(py)).collect()
    }

    /// The names of the patterns, if they were given in a ``dict``.
    #[getter]
    fn names(&self) -> Option<Vec<&str>> {
        let names = self.patterns.iter().map(|pattern| pattern.name().map(|name| &**name));
        names.collect::<Option<Vec<&str>>>().filter(|names| !names.is_empty())
    }

    /// Finds the matches in a text, in the order of their ends, then of their patterns.
    ///
    /// Several matches of a pattern may end at the same position of a strand; one with the smallest number of edits is
    /// returned. All matches are found before the first is returned, on one thread and without the lock of the
    /// interpreter; :meth:`search_column` and :meth:`search_file` use all cores. A mutable buffer must not change
    /// during the call.
    ///
    /// Parameters
    /// ----------
    /// text : str or bytes-like
    ///     The text, which is read without a copy. A ``str`` that is not ASCII can only be searched as text.
    /// best : bool, default False
    ///     Whether only the best of overlapping matches is returned, for each pattern and strand.
    /// sites : bool, default False
    ///     Whether only the best match is returned for each place of an exact group, such as a PAM, at the start or end
    ///     of a pattern.
    ///
    /// Returns
    /// -------
    /// Matches
    ///     An iterator of :class:`Match`.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> searcher = nigh.Searcher("abc", k=1)
    /// >>> [(found.span, found.distance) for found in searcher.find_iter("xabcx")]
    /// [((1, 3), 1), ((1, 4), 0), ((1, 5), 1)]
    /// >>> list(searcher.find_iter("xabcx", best=True))
    /// [Match(start=1, end=4, pattern=0, distance=0, strand='+', cigar='3=')]
    #[pyo3(signature = (text, *, best=false, sites=false))]
    fn find_iter(&self, py: Python<'_>, text: &Bound<'_, PyAny>, best: bool, sites: bool) -> PyResult<Matches> {
        let source = text.clone().unbind();
        let (text, selection) = (self.text(text)?, options::selection(&self.search, best, sites)?);
        let (bytes, is_str) = (text.bytes()?, text.is_str());
        let found = run_call(py, CallSize::of_text(bytes.len()), || {
            let mut found = FoundMatches::new(&self.search, &self.patterns, bytes, is_str);
            let all = self.search.find_iter(bytes);
            match selection {
                HitSelection::Best => all.best().for_each(|one| found.push(&one)),
                HitSelection::Sites => all.sites().for_each(|one| found.push(&one)),
                HitSelection::All => all.for_each(|one| found.push(&one)),
            }
            found.places()
        })?;
        Ok(Matches::new(found, source))
    }

    /// Returns a text with a replacement in place of its matches: the best of those that overlap, over all patterns and
    /// strands.
    ///
    /// Parameters
    /// ----------
    /// text : str or bytes-like
    ///     The text.
    /// replacement : str or bytes-like
    ///     ``$0`` stands for the match, ``$1``, ``$name`` and ``${name}`` for the text of a group, and ``$$`` for a dollar
    ///     sign. A group that does not exist or took no part in the match is empty. Groups other than ``$0`` need the
    ///     keyword `captures` of the searcher.
    ///
    /// Returns
    /// -------
    /// str or bytes
    ///     A ``str`` if `text` is one, otherwise ``bytes``.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the replacement refers to groups, but the searcher keeps none.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> searcher = nigh.Searcher(r"(?<first>\w+) versus (\w+)", notation="regex", captures=True)
    /// >>> searcher.replace("cat verses dog", "$2 vs. $first")
    /// 'dog vs. cat'
    #[pyo3(signature = (text, replacement))]
    fn replace<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        replacement: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (text, replacement) = (self.text(text)?, Text::new(replacement)?);
        let (bytes, template) = (text.bytes()?, replacement.bytes()?);
        let replaced = run_call(py, CallSize::of_text(bytes.len()), || self.search.replace_all(bytes, template))?
            .map_err(options::of_replacement)?;
        if text.is_str() {
            Ok(PyString::new(py, &String::from_utf8(replaced.into_owned())?).into_any())
        } else {
            Ok(PyBytes::new(py, &replaced).into_any())
        }
    }

    /// Searches a column of strings, and returns a table of the matches.
    ///
    /// The matches in each string are those of :meth:`find_iter`. A null has none. Offsets count characters in a column of
    /// strings, and bytes in a column of bytes.
    ///
    /// Parameters
    /// ----------
    /// column : object with Arrow's PyCapsule interface, list, or NumPy array
    ///     A column of strings or bytes, such as a column of Polars, pandas, PyArrow or DuckDB. It may be chunked or
    ///     dictionary-encoded, or be the only column of a table. It is not copied as a whole: each thread copies one
    ///     batch of strings at a time, of at most a few megabytes. Or a list or a NumPy array of ``str`` or of bytes-like
    ///     objects, in which ``None`` is a null; it is copied.
    /// best, sites : bool, default False
    ///     As for :meth:`find_iter`.
    /// text : bool, default False
    ///     Whether the table has the column ``text``, the matched text as a string or as bytes.
    /// threads : int, optional
    ///     The number of threads; one for each core by default.
    ///
    /// Returns
    /// -------
    /// Hits
    ///     A table with Arrow's stream interface.
    ///
    /// Examples
    /// --------
    /// >>> import nigh, pyarrow
    /// >>> lines = pyarrow.array(["conection refused", None, "time-out"])
    /// >>> hits = nigh.Searcher(["refused", "timeout"]).search_column(lines, best=True)
    /// >>> pyarrow.table(hits)["row"].to_pylist(), pyarrow.table(hits)["cigar"].to_pylist()
    /// ([0, 2], ['7=', '4=1D3='])
    #[pyo3(signature = (column, *, best=false, sites=false, text=false, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "these are keyword arguments")]
    fn search_column(
        &self,
        py: Python<'_>,
        column: &Bound<'_, PyAny>,
        best: bool,
        sites: bool,
        text: bool,
        threads: Option<i64>,
    ) -> PyResult<Hits> {
        let column = Column::new(column)?;
        column.check(self.alphabet)?;
        let text = if text { column.text_column() } else { TextColumn::Absent };
        let options = TableSearch {
            selection: options::selection(&self.search, best, sites)?,
            layout: TableLayout {
                places: PlaceKind::Rows,
                text,
                groups: TextColumn::Absent,
                line_records: LineRecordColumns::Absent,
            },
            threads: thread_count(threads)?,
            ignores_ansi: false,
            records: None,
        };
        column.search(py, &self.search, &options)
    }

    /// Searches a file, or a part of one, and returns a table of the matches.
    ///
    /// With the alphabets "dna" and "protein", the file is FASTA or FASTQ, and offsets count the residues of a record. Otherwise
    /// its lines are searched, and offsets count the bytes of the text of the file. It may be compressed with gzip, bgzf,
    /// zstd, xz, lzma, bzip2 or lz4.
    ///
    /// Parameters
    /// ----------
    /// file : str, path-like or Split
    ///     The path of a file, or a part from :func:`splits`.
    /// best, sites : bool, default False
    ///     As for :meth:`find_iter`. They need a whole file.
    /// text : bool, default False
    ///     Whether the table has the column ``text``, the matched text, without the line breaks of a sequence. These are
    ///     strings, or bytes with the alphabet "bytes". In strings, bytes that are not UTF-8 are replaced with U+FFFD.
    /// groups : bool, default False
    ///     Whether the table has the column ``groups``, the list of the texts of the groups of the match, as from
    ///     :meth:`Match.groups`, in the direction of the pattern. They need the keyword `captures` of the searcher.
    /// ignore_ansi : bool, default False
    ///     Whether escape sequences of terminals, such as colours, are no part of the lines. Offsets do not count them then.
    /// record_start : str, bytes-like or RecordSplitter, optional
    ///     A regular expression. The lines of a text then form records: one begins with each line that it matches without
    ///     edits, and with the first line. The table has the column ``record_start``, the offset of the record of the match,
    ///     and with `text` also ``record_text``, all lines of the record. It needs a whole file of text.
    /// threads : int, optional
    ///     The number of threads; one for each core by default.
    ///
    /// Returns
    /// -------
    /// Hits
    ///     A table with Arrow's stream interface. The column ``record`` has the names of records; it is null in text.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If the file cannot be read to its end, or if its size has changed since it was split.
    /// ValueError
    ///     If `best`, `sites` or `record_start` is set for one of several parts, because the best matches and the records of
    ///     a part can depend on another part. If `record_start` is set for sequences, or is not a valid expression. If
    ///     `groups` is set, but the searcher keeps none.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> guide = nigh.Searcher("GCTGAAGCGGATC", k=2, alphabet="dna")
    /// >>> guide.search_file("tests/data/lambda.fa")
    /// <nigh.Hits: 5 hits>
    /// >>> [len(guide.search_file(part)) for part in nigh.splits("tests/data/lambda.fa", 2)]
    /// [5, 0]
    #[pyo3(signature = (file, *, best=false, sites=false, text=false, groups=false, ignore_ansi=false, record_start=None, threads=None))]
    #[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "these are keyword arguments")]
    fn search_file(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        best: bool,
        sites: bool,
        text: bool,
        groups: bool,
        ignore_ansi: bool,
        record_start: Option<&Bound<'_, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<Hits> {
        let layout = self.file_layout(text, groups, record_start)?;
        let options = TableSearch {
            selection: options::selection(&self.search, best, sites)?,
            layout,
            threads: thread_count(threads)?,
            ignores_ansi: ignore_ansi,
            records: record_start.map(RecordSplitter::of_argument).transpose()?,
        };
        file::search(py, &self.search, file, &options)
    }

    /// Searches a file as :meth:`search_file` does, and iterates over tables of the matches, in order.
    ///
    /// A table has the matches in a few megabytes of the file, and at most 65,536. The search is a few tables ahead of the
    /// caller, so memory does not grow with the number of matches. The search ends when the iterator is deleted.
    ///
    /// Parameters
    /// ----------
    /// file : str, path-like or Split
    ///     The path of a file, or a part from :func:`splits`.
    /// best, sites : bool, default False
    ///     As for :meth:`find_iter`. They need a whole file.
    /// text, groups, ignore_ansi : bool, default False
    ///     As for :meth:`search_file`.
    /// record_start : str, bytes-like or RecordSplitter, optional
    ///     As for :meth:`search_file`.
    /// threads : int, optional
    ///     The number of threads; one for each core by default.
    ///
    /// Returns
    /// -------
    /// HitBatches
    ///     An iterator of :class:`Hits`. It raises the errors of :meth:`search_file`, after the matches before the place of the
    ///     error.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> guide = nigh.Searcher("GCTGAAGCGGATC", k=2, alphabet="dna")
    /// >>> sum(len(hits) for hits in guide.search_file_batches("tests/data/lambda.fa"))
    /// 5
    #[pyo3(signature = (file, *, best=false, sites=false, text=false, groups=false, ignore_ansi=false, record_start=None, threads=None))]
    #[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "these are keyword arguments")]
    fn search_file_batches(
        &self,
        file: &Bound<'_, PyAny>,
        best: bool,
        sites: bool,
        text: bool,
        groups: bool,
        ignore_ansi: bool,
        record_start: Option<&Bound<'_, PyAny>>,
        threads: Option<i64>,
    ) -> PyResult<HitBatches> {
        let layout = self.file_layout(text, groups, record_start)?;
        let options = TableSearch {
            selection: options::selection(&self.search, best, sites)?,
            layout,
            threads: thread_count(threads)?,
            ignores_ansi: ignore_ansi,
            records: record_start.map(RecordSplitter::of_argument).transpose()?,
        };
        Ok(HitBatches::new(self.search.clone(), file::part(file)?, options))
    }

    /// Counts the matches that :meth:`find_iter` finds, under the same rules. Without `best` and `sites` this is faster than finding
    /// them.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> nigh.Searcher("deadlock").count(b"a deadlok, a dead lock", best=True)
    /// 2
    #[pyo3(signature = (text, *, best=false, sites=false))]
    fn count(&self, py: Python<'_>, text: &Bound<'_, PyAny>, best: bool, sites: bool) -> PyResult<usize> {
        let (text, selection) = (self.text(text)?, options::selection(&self.search, best, sites)?);
        let bytes = text.bytes()?;
        run_call(py, CallSize::of_text(bytes.len()), || {
            let all = self.search.find_iter(bytes);
            match selection {
                HitSelection::Best => all.best().count(),
                HitSelection::Sites => all.sites().count(),
                HitSelection::All => all.count(),
            }
        })
    }

    /// Returns whether a text has a match, under the rules of :meth:`find_iter`. With a minimum number of edits, it is one of the
    /// best matches.
    ///
    /// Examples
    /// --------
    /// >>> import nigh
    /// >>> nigh.Searcher("timeout").is_match("time-out")
    /// True
    fn is_match(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text = self.text(text)?;
        let bytes = text.bytes()?;
        run_call(py, CallSize::of_text(bytes.len()), || {
            self.search.cache().is_match(bytes).map_err(options::of_engine)
        })?
    }

    fn __repr__(&self) -> String {
        format!("<nigh.Searcher: {} patterns, k={}>", self.patterns.len(), self.bound)
    }
}

impl Searcher {
    /// Returns the columns of the table of a file.
    ///
    /// # Errors
    /// Fails if groups are wanted, but the searcher keeps none.
    fn file_layout(&self, text: bool, groups: bool, record_start: Option<&Bound<'_, PyAny>>) -> PyResult<TableLayout> {
        let is_without_groups = self.search.capture_names(0).next().is_none();
        if groups && is_without_groups && !self.patterns.is_empty() {
            return Err(PyValueError::new_err("groups needs a searcher that keeps groups; make it with captures=True"));
        }
        let texts = |wanted: bool| match self.alphabet {
            _ if !wanted => TextColumn::Absent,
            Alphabet::Bytes => TextColumn::Bytes,
            _ => TextColumn::Strings,
        };
        let (text, groups) = (texts(text), texts(groups));
        let line_records = if record_start.is_some() { LineRecordColumns::Present } else { LineRecordColumns::Absent };
        Ok(TableLayout { places: PlaceKind::Records, text, groups, line_records })
    }

    fn text<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Text<'py>> {
        let text = Text::new(text)?;
        if self.alphabet != Alphabet::Text && !text.is_plain()? {
            return Err(PyValueError::new_err("a str that is not ASCII needs the alphabet 'text'"));
        }
        Ok(text)
    }
}
