import random

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import nigh

OLD = ["kitten", None, "größe", "", "Jäger", "abc"]
NEW = ["sitting", "abc", "grösse", "abc", None, "abc"]
DISTANCES = [3, None, 2, 3, None, 0]


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            step = above + (x != y)
            above = row[j]
            row[j] = min(step, row[j] + 1, row[j - 1] + 1)
    return row[-1]


@pytest.mark.parametrize("letters", ["ab", "aβ🧬", "abcdefgh"])
def test_distances_are_those_of_the_definition(letters):
    rng = random.Random(16)
    string = lambda: "".join(rng.choice(letters) for _ in range(rng.randrange(30)))
    a, b = ([string() for _ in range(300)] for _ in range(2))
    expected = [levenshtein(x, y) for x, y in zip(a, b)]
    assert nigh.distances(a, b) == expected
    assert [nigh.distance(x, y) for x, y in zip(a, b)] == expected
    aligned = nigh.alignments(a, b, engine="cpu")
    assert [one.distance for one in aligned] == expected
    assert aligned[0] == nigh.alignment(a[0], b[0])


def lcs_length(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        above = 0
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], above + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def score(a, b, of_pair, gap_open, gap_extend, local):
    """Returns the score of the best alignment, by Gotoh's recurrence."""
    lowest = -(10**9)
    zero = 0 if local else lowest
    gap = lambda length: -(gap_open + length * gap_extend) if length else 0
    best = [[max(gap(j), zero) for j in range(len(b) + 1)]]
    across = [lowest] * (len(b) + 1)
    for i, x in enumerate(a, 1):
        row, down = [max(gap(i), zero)], lowest
        for j, y in enumerate(b, 1):
            across[j] = max(across[j], best[-1][j] - gap_open) - gap_extend
            down = max(down, row[-1] - gap_open) - gap_extend
            row.append(max(best[-1][j - 1] + of_pair(x, y), across[j], down, zero))
        best.append(row)
    return max(map(max, best)) if local else best[-1][-1]


@pytest.mark.parametrize("letters", ["ACGT", "aβ🧬c"])
@pytest.mark.parametrize("scores", [{}, dict(match=1, mismatch=1, gap_open=0, gap_extend=1), dict(gap_open=9)])
def test_lengths_and_scores_are_those_of_the_definitions(letters, scores):
    rng = random.Random(30)
    string = lambda: "".join(rng.choice(letters) for _ in range(rng.randrange(25)))
    a, b = ([string() for _ in range(100)] for _ in range(2))
    assert nigh.lcs_lengths(a, b) == [lcs_length(x, y) for x, y in zip(a, b)]
    parts = dict(match=2, mismatch=3, gap_open=5, gap_extend=2) | scores
    of_pair = lambda x, y: parts["match"] if x == y else -parts["mismatch"]
    for function, local in [(nigh.global_scores, False), (nigh.local_scores, True)]:
        expected = [score(x, y, of_pair, parts["gap_open"], parts["gap_extend"], local) for x, y in zip(a, b)]
        assert function(a, b, **scores) == expected
        assert numpy.asarray(function(pyarrow.array(a), numpy.array(b, dtype=object), **scores)).tolist() == expected


def test_scores_of_residues_are_those_of_a_matrix():
    assert nigh.global_scores(["W", "W", "AW"], ["W", "C", "W"], matrix="BLOSUM62") == [11, -2, -1]
    assert nigh.local_scores(["AAW", "A"], ["CW", "R"], matrix="BLOSUM62") == [11, 0]
    assert nigh.local_scores(pyarrow.array(["W", None]), ["W", "W"], matrix="BLOSUM62")[1] is None


def test_wrong_scores_are_refused():
    for scores, problem in [
        (dict(matrix="PAM"), "matrix is 'PAM', not one of BLOSUM"),
        (dict(matrix="BLOSUM62", match=1), "matrix cannot be used with match or mismatch"),
        (dict(gap_open=-1), "the cost of a gap must be between 0 and 1000, not -1"),
    ]:
        with pytest.raises(ValueError, match=problem):
            nigh.global_scores(["A"], ["A"], **scores)
    with pytest.raises(TypeError, match="unknown score parameter 'gap'"):
        nigh.local_scores(["A"], ["A"], gap=1)


def test_many_pairs_stay_in_order():
    a = [f"pattern {number}" for number in range(20_000)]
    b = [f"patern {number + 1}" for number in range(20_000)]
    assert nigh.distances(a, b) == [levenshtein(x, y) for x, y in zip(a, b)]


def test_each_pair_may_have_any_number_of_characters():
    characters = [chr(0x4E00 + number) for number in range(1_000)]
    assert nigh.distances(characters, characters[1:] + characters[:1]) == [1] * 1_000
    assert nigh.distance("".join(characters[:256]), "".join(characters[1:256])) == 1
    assert nigh.distances([b"a", "é"], [b"b", "e"]) == [1, 1]
    text = "".join(characters)
    assert nigh.distances(["a", text, "é"], ["b", text[1:] + "a", "e"]) == [1, 2, 1]
    assert nigh.alignment(text, text[1:] + "a") == nigh.alignments([text], [text[1:] + "a"])[0]
    assert nigh.alignment(text, text[1:] + "a").cigar == "1I999=1D"


def columns(strings):
    array = pyarrow.array(strings)
    return {
        "array": array,
        "large": pyarrow.array(strings, pyarrow.large_string()),
        "view": pyarrow.array(strings, pyarrow.string_view()),
        "chunks": pyarrow.chunked_array([strings[:2], [], strings[2:]]),
        "slice": pyarrow.array(["refused", *strings, "timeout"])[1:-1],
        "dictionary": array.dictionary_encode(),
        "table": pyarrow.table({"name": array}),
        "polars": polars.Series(strings),
        "polars categories": polars.Series(strings, dtype=polars.Categorical),
        "pandas": pandas.Series(strings, dtype="string[pyarrow]"),
        "duckdb": duckdb.sql("select unnest($names) as name", params={"names": strings}),
    }


@pytest.mark.parametrize("kind", columns(OLD))
def test_columns_of_all_kinds_are_compared_as_they_are(kind):
    a, b = columns(OLD)[kind], columns(NEW)[kind]
    found = nigh.distances(a, b)
    assert list(found) == DISTANCES and repr(found) == "<nigh.PairValues: 6 values>"
    aligned = pyarrow.table(nigh.alignments(a, b))
    expected = [None if None in pair else nigh.alignment(*pair) for pair in zip(OLD, NEW)]
    assert aligned["distance"].to_pylist() == DISTANCES
    assert aligned["cigar"].to_pylist() == [one and one.cigar for one in expected]
    assert nigh.alignments(a, b).to_arrow().equals(aligned)


@pytest.mark.parametrize("letters", ["ab", "aβ🧬"])
def test_distances_of_columns_are_those_of_the_definition(letters):
    rng = random.Random(17)
    string = lambda: None if rng.random() < 0.1 else "".join(rng.choices(letters, k=rng.randrange(20)))
    a, b = ([string() for _ in range(2_000)] for _ in range(2))
    expected = [None if None in pair else levenshtein(*pair) for pair in zip(a, b)]
    assert list(nigh.distances(pyarrow.array(a), polars.Series(b))) == expected
    within = [distance if distance is None else min(distance, 4) for distance in expected]
    assert list(nigh.distances(pyarrow.array(a), pyarrow.array(b), k=3)) == within
    aligned = pyarrow.table(nigh.alignments(pyarrow.array(a), pyarrow.array(b))).to_pylist()
    assert [one["distance"] for one in aligned] == expected


@pytest.mark.parametrize("kind", ["U", "S", "O", "T"])
def test_arrays_of_numpy_are_compared(kind):
    a, b = ["kitten", "", "abc"], ["sitting", "abc", "abc"]
    arrays = [numpy.array(strings, dtype=kind) for strings in (a, b)]
    assert list(nigh.distances(*arrays)) == [3, 3, 0]
    assert pyarrow.table(nigh.alignments(*arrays))["cigar"].to_pylist() == ["1X3=1X1=1D", "3D", "3="]


def test_a_column_and_a_list_make_a_column():
    for a, b in [(pyarrow.array(["kitten"]), ["sitting"]), (["kitten"], numpy.array(["sitting"]))]:
        assert type(nigh.distances(a, b)) is nigh.PairValues and list(nigh.distances(a, b)) == [3]
    assert type(nigh.distances(("kitten",), ("sitting",))) is list


def test_distances_go_to_other_packages():
    found = nigh.distances(pyarrow.array(["kitten", "abc"]), pyarrow.array(["sitting", "abc"]))
    array = numpy.asarray(found)
    assert array.tolist() == [3, 0] and array.dtype == numpy.int32 and not array.flags.writeable
    assert numpy.shares_memory(array, numpy.asarray(found))
    assert memoryview(found).tolist() == [3, 0] and memoryview(found).readonly
    assert polars.Series(found).to_list() == pyarrow.array(found).to_pylist() == found.to_arrow().to_pylist() == [3, 0]
    assert pandas.Series(numpy.asarray(found)).tolist() == [3, 0]
    assert (found[1], found[-2], len(found)) == (0, 3, 2)
    for index in [2, -3]:
        with pytest.raises(IndexError, match=f"index {index} is out of range for 2 values"):
            found[index]
    del found
    assert array.tolist() == [3, 0]


def test_distances_of_nulls_are_no_buffer():
    found = nigh.distances(pyarrow.array(OLD), pyarrow.array(NEW))
    with pytest.raises(BufferError, match="2 of 6 values are null"):
        memoryview(found)
    assert numpy.asarray(found).tolist() == DISTANCES
    assert polars.Series(found).to_list() == DISTANCES


def test_empty_columns_have_no_distances():
    empty = pyarrow.array([], pyarrow.string())
    assert list(nigh.distances(empty, empty)) == [] and numpy.asarray(nigh.distances(empty, [])).shape == (0,)
    table = pyarrow.table(nigh.alignments(empty, empty))
    assert len(table) == 0 and table.schema == pyarrow.table(nigh.alignments(pyarrow.nulls(2), pyarrow.nulls(2))).schema
    assert list(nigh.distances(pyarrow.nulls(2), pyarrow.nulls(2))) == [None, None]


def test_larger_distances_are_one_more_than_k():
    rng = random.Random(18)
    for length in [10, 100, 2_000]:
        a = ["".join(rng.choices("ACGT", k=length)) for _ in range(50)]
        b = ["".join(rng.choice("ACGT") if rng.random() < rng.choice([0.02, 0.5]) else letter for letter in one) for one in a]
        expected = nigh.distances(a, b)
        for k in [0, 1, 10, 10**18]:
            assert nigh.distances(a, b, k=k) == [min(distance, k + 1) for distance in expected]
    with pytest.raises(ValueError, match="k is -1, but must be 0 or more"):
        nigh.distances(["a"], ["b"], k=-1)


def test_strings_that_cannot_be_compared():
    with pytest.raises(ValueError, match="a has 2 strings, but b has 1"):
        nigh.distances(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="not ASCII"):
        nigh.distance("é", b"e")
    with pytest.raises(TypeError, match="not NoneType"):
        nigh.distance("a", None)
    with pytest.raises(ValueError, match="a has 2 strings, but b has 1"):
        nigh.distances(pyarrow.array(["a", "b"]), ["a"])
    with pytest.raises(ValueError, match="not ASCII"):
        nigh.distances(pyarrow.array(["é"]), pyarrow.array([b"e"]))
    with pytest.raises(TypeError, match="expected a column of strings or bytes, not of Int64"):
        nigh.distances(pyarrow.array([1]), ["a"])
    assert nigh.distance(b"abc", "abd") == 1
    assert nigh.distances([], []) == []
