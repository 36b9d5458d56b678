import os
import random
import signal
import subprocess
import sys

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import nigh

LINES = ["conection refused", None, "time-out", "größe refusd", ""]
EXPECTED = [(0, 10, 17, 0, 0, "+", "7="), (2, 0, 8, 1, 1, "+", "4=1D3="), (3, 6, 12, 0, 1, "+", "5=1I1=")]


def rows(hits):
    return [tuple(row.values()) for row in pyarrow.table(hits).to_pylist()]


def columns():
    array = pyarrow.array(LINES)
    return {
        "array": array,
        "list": LINES,
        "tuple": tuple(LINES),
        "numpy": numpy.array(LINES, dtype=object),
        "large": pyarrow.array(LINES, pyarrow.large_string()),
        "view": pyarrow.array(LINES, pyarrow.string_view()),
        "chunks": pyarrow.chunked_array([LINES[:2], [], LINES[2:]]),
        "slice": pyarrow.array(["refused", *LINES, "timeout"])[1:-1],
        "dictionary": array.dictionary_encode(),
        "table": pyarrow.table({"line": array}),
        "polars": polars.Series(LINES),
        "polars categories": polars.Series(LINES, dtype=polars.Categorical),
        "pandas": pandas.Series(LINES, dtype="string[pyarrow]"),
        "duckdb": duckdb.sql("select unnest($lines) as line", params={"lines": LINES}),
    }


@pytest.mark.parametrize("kind", columns())
def test_columns_of_all_kinds_are_searched_as_they_are(kind):
    searcher = nigh.Searcher(["refused", "timeout"])
    hits = searcher.search_column(columns()[kind], best=True)
    assert rows(hits) == EXPECTED and len(hits) == 3 and repr(hits) == "<nigh.Hits: 3 hits>"


@pytest.mark.parametrize(
    "kind", [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view(), pyarrow.dictionary(pyarrow.int8(), pyarrow.binary())]
)
def test_offsets_count_bytes_in_columns_of_bytes(kind):
    values = [None if line is None else line.encode() for line in LINES]
    hits = nigh.Searcher(["refused", "timeout"]).search_column(pyarrow.array(values, kind), best=True)
    assert rows(hits) == [*EXPECTED[:2], (3, 8, 14, 0, 1, "+", "5=1I1=")]


def test_strings_of_a_fixed_length():
    column = pyarrow.array([b"ACGT", b"TTTT", None, b"AGGT"], pyarrow.binary(4))
    assert [row[0] for row in rows(nigh.Searcher("ACGT", alphabet="dna").search_column(column, best=True))] == [0, 0, 3, 3]


@pytest.mark.parametrize("alphabet", ["text", "bytes", "dna"])
def test_each_string_has_the_matches_of_find_iter(alphabet):
    rng = random.Random(15)
    letters = {"text": "aβ\n", "bytes": "ab\n", "dna": "ACGTN\n"}[alphabet]
    found = 0
    for case in range(30):
        strings = ["".join(rng.choices(letters, k=rng.randrange(20))) for _ in range(rng.randrange(300))]
        patterns = ["".join(rng.choices(letters[:-1], k=rng.randrange(3, 6))) for _ in range(3)]
        searcher = nigh.Searcher(patterns, rng.randrange(3), alphabet=alphabet)
        for best in [False, True]:
            expected = [
                (row, one.start, one.end, one.pattern, one.distance, one.strand, one.cigar)
                for row, text in enumerate(strings)
                for one in searcher.find_iter(text, best=best)
            ]
            half = len(strings) // 2
            chunks = pyarrow.chunked_array([strings[:half], strings[half:]], pyarrow.string())
            assert rows(searcher.search_column(chunks, best=best, threads=2)) == expected
            found += len(expected)
    assert found > 10_000


def test_threads_return_the_hits_in_the_order_of_rows():
    rng = random.Random(1)
    strings = ["".join(rng.choices("abcd", k=100)) for _ in range(20_000)]
    column = pyarrow.array(strings)
    searcher = nigh.Searcher(["abcdabcd", "ddccbbaa"], 2)
    one, several = (rows(searcher.search_column(column, threads=threads)) for threads in [1, 5])
    assert one == several and len(one) > 10_000


def test_a_table_of_hits_goes_to_other_packages():
    hits = nigh.Searcher(["refused", "timeout"]).search_column(pyarrow.array(LINES), best=True)
    assert polars.DataFrame(hits).rows() == EXPECTED
    assert [tuple(row) for row in pandas.DataFrame.from_arrow(hits).itertuples(index=False)] == EXPECTED
    assert duckdb.sql("select pattern, count(*) from hits group by pattern order by pattern").fetchall() == [(0, 2), (1, 1)]
    assert pyarrow.schema(hits) == pyarrow.table(hits).schema
    empty = nigh.Searcher("absent", 0).search_column(pyarrow.array(LINES))
    assert len(empty) == 0 and pyarrow.table(empty).schema == pyarrow.table(hits).schema
    assert len(nigh.Searcher("absent", 0).search_column(pyarrow.array([], pyarrow.string()))) == 0
    assert len(nigh.Searcher("absent", 0).search_column(pyarrow.array([None, None], pyarrow.string()).dictionary_encode())) == 0


def test_hits_become_a_table_of_pyarrow():
    hits = nigh.Searcher(["refused", "timeout"]).search_column(pyarrow.array(LINES), best=True)
    table = hits.to_arrow()
    assert type(table) is pyarrow.Table and table.equals(pyarrow.table(hits)) and rows(table) == EXPECTED
    starts = [other["start"].chunk(0).buffers()[1].address for other in (table, polars.DataFrame(hits).to_arrow())]
    assert starts[0] == starts[1], "neither is a copy"


def test_hits_become_data_frames():
    for text, expected in [(False, EXPECTED), (True, [(*row, LINES[row[0]][row[1] : row[2]]) for row in EXPECTED])]:
        hits = nigh.Searcher(["refused", "timeout"]).search_column(pyarrow.array(LINES), best=True, text=text)
        by_polars, by_pandas = hits.to_polars(), hits.to_pandas()
        assert type(by_polars) is polars.DataFrame and by_polars.rows() == expected
        assert type(by_pandas) is pandas.DataFrame and list(by_pandas.itertuples(index=False, name=None)) == expected


@pytest.mark.parametrize("kind", columns())
def test_hits_may_have_their_text(kind):
    searcher = nigh.Searcher(["refused", "timeout"])
    hits = searcher.search_column(columns()[kind], best=True, text=True)
    assert [hit["text"] for hit in hits] == ["refused", "time-out", "refusd"]
    assert pyarrow.table(hits).to_pylist() == list(hits) and pyarrow.schema(hits).field("text").type == pyarrow.string()


def test_the_text_of_bytes_is_bytes():
    hits = nigh.Searcher(b"ab", 0, alphabet="bytes").search_column(pyarrow.array([b"\xffab", None]), text=True)
    assert [hit["text"] for hit in hits] == pyarrow.table(hits)["text"].to_pylist() == [b"ab"]


def test_hits_are_read_without_pyarrow(monkeypatch):
    hits = nigh.Searcher(["refused", "timeout"]).search_column(polars.Series(LINES), best=True)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for convert in [hits.to_arrow, hits.to_pandas]:
        with pytest.raises(ImportError, match="pyarrow"):
            convert()
    assert hits.to_polars().rows() == EXPECTED


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.nulls(3),
        pyarrow.chunked_array([pyarrow.nulls(2), pyarrow.nulls(1)]),
        pyarrow.table({"a": pyarrow.nulls(2)}),
        pandas.Series([None]),
        pandas.Series([], dtype=object),
    ],
)
def test_nulls_have_no_hits(column):
    for alphabet in ["text", "bytes", "dna"]:
        assert len(nigh.Searcher("ACG", 0, alphabet=alphabet).search_column(column)) == 0


def test_the_number_of_threads_is_not_negative():
    with pytest.raises(ValueError, match="threads is -1, but must be 0 or more"):
        nigh.Searcher("abc").search_column(pyarrow.array(["abc"]), threads=-1)
    assert len(nigh.Searcher("abc", 0).search_column(pyarrow.array(["abc"]), threads=0)) == 1


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pyarrow.array([1, 2]), "expected a column of strings or bytes, not of Int64"),
        (pyarrow.table({"a": ["b"], "c": ["d"]}), "expected one column, not a table of 2 columns"),
        (pyarrow.table({"a": [1]}), "expected a column of strings or bytes, not of Int64"),
        ("text", "expected a column or a list of strings, not str"),
        (b"text", "expected a column or a list of strings, not bytes"),
        (7, "expected a column or a list of strings, not int"),
        (["text", b"text"], "expected strings or bytes, not both in one list"),
        ([7], "expected str or a bytes-like object, not int"),
    ],
)
def test_other_columns_are_type_errors(column, said):
    with pytest.raises(TypeError, match=said):
        nigh.Searcher("abc").search_column(column)


def test_only_text_may_have_wide_characters():
    column = pyarrow.array(["ACGT", "ACGé"])
    with pytest.raises(ValueError, match="that is not ASCII needs the alphabet 'text'"):
        nigh.Searcher("ACG", 0, alphabet="dna").search_column(column)


def test_a_search_can_be_interrupted():
    search = """
import nigh, pyarrow
column = pyarrow.array(["ACGT" * 25_000] * 400)
searcher = nigh.Searcher("ACGTTGCA" * 50, 250, alphabet="dna")
print("ready", flush=True)
searcher.search_column(column)
"""
    program = subprocess.Popen(
        [sys.executable, "-c", search], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert program.stdout.readline() == "ready\n"
    os.kill(program.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in program.communicate(timeout=60)[1]


def test_a_column_of_nulls_has_no_hits():
    searcher = nigh.Searcher("abc")
    for column in [
        polars.Series([None, None]),
        polars.DataFrame({"a": [None, None]}),
        pyarrow.nulls(2),
        pyarrow.chunked_array([pyarrow.nulls(2)]),
        pandas.Series([None, None]),
    ]:
        assert len(searcher.search_column(column)) == 0
    assert list(nigh.distances(polars.Series([None, None]), ["a", "b"])) == [None, None]


def test_hits_are_iterated_as_rows():
    hits = nigh.Searcher("abc", 0).search_column(pyarrow.array(["abc", None, "xabcabc"]))
    expected = pyarrow.table(hits).to_pylist()
    assert list(hits) == expected and len(expected) == 3 and expected[2]["end"] == 7
    assert pandas.DataFrame(hits).to_dict("records") == expected


def test_a_list_may_hold_bytes_or_nothing():
    searcher = nigh.Searcher(["refused", "größe"])
    encoded = [None if line is None else line.encode() for line in LINES]
    expected = rows(searcher.search_column(pyarrow.array(encoded), best=True, text=True))
    assert rows(searcher.search_column(encoded, best=True, text=True)) == expected and expected
    assert list(searcher.search_column([])) == list(searcher.search_column([None])) == []
    words = numpy.array(["refusd", "größe"])
    assert [row[0] for row in rows(searcher.search_column(words, best=True))] == [0, 1]
