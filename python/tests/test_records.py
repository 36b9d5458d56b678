"""Compares records of lines with a division line by line."""

import gzip
import pickle
import random
import re

import pytest

import nigh

EXPRESSIONS = ["^a", "b ä", "^$", "c$", "^[^a]b+", "ab|^$"]


def records(expression, text):
    """Divides a text line by line."""
    found = []
    for line in text.splitlines(keepends=True):
        if not found or re.search(expression, line.removesuffix("\n")):
            found.append("")
        found[-1] += line
    return found


def random_text(seed, length):
    return "".join(random.Random(seed).choices("abcä \n", k=length))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_records_begin_with_matching_lines(expression):
    splitter = nigh.RecordSplitter(expression)
    for length in [0, 1, 10, 100, 1_000, 100_000]:
        text = random_text(length, length)
        expected = records(expression, text)
        assert splitter.split(text) == expected
        assert splitter.split(text.encode()) == [record.encode() for record in expected]
        assert splitter.split(bytearray(text, "utf-8")) == [record.encode() for record in expected]
        assert [text[start:end] for start, end in splitter.spans(text)] == expected
        assert [text.encode()[start:end].decode() for start, end in splitter.spans(text.encode())] == expected


@pytest.mark.parametrize("best", [False, True])
def test_hits_of_a_file_have_their_record(tmp_path, best):
    text = random_text(7, 300_000)
    path, packed = tmp_path / "log", tmp_path / "log.gz"
    path.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    expected, at = [], 0
    for record in records("^a", text):
        expected.append((at, at + len(record.encode()), record))
        at = expected[-1][1]
    searcher = nigh.Searcher(["abcä", "cc ab"], 1)
    plain = list(searcher.search_file(path, best=best, text=True))
    table = {"record_start": [], "record_text": []}
    index = 0
    for hit in plain:
        while expected[index][1] <= hit["start"]:
            index += 1
        table["record_start"].append(expected[index][0])
        table["record_text"].append(expected[index][2])
    for file, start in [(path, "^a"), (packed, b"^a"), (path, nigh.RecordSplitter("^a"))]:
        for threads in [1, 3]:
            hits = searcher.search_file(file, best=best, text=True, record_start=start, threads=threads).to_arrow()
            assert hits.select(table).to_pydict() == table
            assert hits.drop_columns(list(table)).to_pylist() == plain and len(plain) > 1_000
    batches = list(searcher.search_file_batches(path, best=best, text=True, record_start="^a"))
    assert sum(map(list, batches), []) == hits.to_pylist()
    hits = searcher.search_file(path, best=best, record_start="^a").to_arrow()
    assert hits.column_names[-1] == "record_start" and hits["record_start"].to_pylist() == table["record_start"]


def test_tables_that_divide_a_record_have_its_start(tmp_path):
    path = tmp_path / "log"
    path.write_text("x\n" + "ab\n" * 100_000)
    batches = list(nigh.Searcher("b", 0).search_file_batches(path, record_start="^x", text=False))
    assert [len(hits) for hits in batches] == [65_536, 34_464]
    assert {row["record_start"] for hits in batches for row in hits} == {0}


def test_tables_with_the_texts_of_long_records_are_small(tmp_path):
    path = tmp_path / "log"
    record = "x " + " " * 1_000_000 + "\n" + "ab\n" * 100
    path.write_text(record * 2)
    batches = list(nigh.Searcher("b", 0).search_file_batches(path, record_start="^x", text=True))
    assert len(batches) > 10 and max(len(hits) for hits in batches) < 20
    found = [(row["record_start"], row["record_text"]) for hits in batches for row in hits]
    assert found == [(0, record)] * 100 + [(len(record), record)] * 100


def test_the_texts_of_records_are_bytes_if_the_alphabet_is(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"1 \xff\n a\n2 b\n")
    for alphabet, text in [("bytes", b"1 \xff\n a\n"), ("text", "1 \N{REPLACEMENT CHARACTER}\n a\n")]:
        [hit] = nigh.Searcher("a", 0, alphabet=alphabet).search_file(path, record_start="^[0-9]", text=True)
        assert hit["record_text"] == text


def test_records_need_a_valid_expression_and_a_whole_file_of_text(tmp_path):
    path = tmp_path / "file"
    path.write_text(">a\nACGT\n")
    with pytest.raises(ValueError, match=r"pattern 'a\('"):
        nigh.RecordSplitter("a(")
    with pytest.raises(ValueError, match=r"pattern 'a\('"):
        nigh.Searcher("abc").search_file(path, record_start="a(")
    with pytest.raises(ValueError, match="lines form records only in text"):
        nigh.Searcher("ACGT", alphabet="dna").search_file(path, record_start="^a")
    with pytest.raises(ValueError, match="the records of a part depend on the text before it"):
        nigh.Searcher("abc").search_file(nigh.splits(path, 2)[0], record_start="^a")
    for wrong in [7, None]:
        with pytest.raises(TypeError):
            nigh.RecordSplitter(wrong)
    with pytest.raises(TypeError):
        nigh.Searcher("abc").search_file(path, record_start=7)


def test_a_splitter_can_be_pickled():
    splitter = pickle.loads(pickle.dumps(nigh.RecordSplitter("^b")))
    assert splitter.split("a\nb\n") == ["a\n", "b\n"] and repr(splitter) == "<nigh.RecordSplitter: ^b>"
