import random

import numpy
import polars
import pyarrow
import pytest

import nigh


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            step = above + (x != y)
            above = row[j]
            row[j] = min(step, row[j] + 1, row[j - 1] + 1)
    return row[-1]


def matrix(a, b):
    return [[levenshtein(x, y) for y in b] for x in a]


@pytest.mark.parametrize("letters", ["ab", "aβ🧬", "abcdefgh"])
def test_matrices_are_those_of_a_loop(letters):
    rng = random.Random(19)
    for rows, columns in [(0, 0), (0, 3), (3, 0), (1, 1), (5, 70), (70, 5)]:
        a, b = (["".join(rng.choices(letters, k=rng.randrange(20))) for _ in range(count)] for count in (rows, columns))
        expected = matrix(a, b)
        found = numpy.asarray(nigh.distance_matrix(a, b))
        assert found.shape == (rows, columns) and found.tolist() == expected
        among = numpy.asarray(nigh.distance_matrix(a))
        assert among.shape == (rows, rows) and among.tolist() == matrix(a, a)
        within = numpy.asarray(nigh.distance_matrix(a, b, k=2))
        assert within.tolist() == [[min(distance, 3) for distance in row] for row in expected]


def test_many_batches_stay_in_order():
    rng = random.Random(20)
    strings = ["".join(rng.choices("abcd", k=rng.randrange(30))) for _ in range(1_500)]
    found = numpy.asarray(nigh.distance_matrix(strings, strings))
    assert (found == numpy.asarray(nigh.distance_matrix(strings))).all()
    for row, column in [(0, 0), *((rng.randrange(1_500), rng.randrange(1_500)) for _ in range(2_000))]:
        assert found[row, column] == levenshtein(strings[row], strings[column])


def test_arguments_have_any_form():
    a, b = ["kitten", "größe"], ["sitting", "grösse", ""]
    for form in [list, tuple, numpy.array, pyarrow.array, polars.Series]:
        assert numpy.asarray(nigh.distance_matrix(form(a), form(b))).tolist() == matrix(a, b)
    assert numpy.asarray(nigh.distance_matrix(polars.Series(a), b)).tolist() == matrix(a, b)


def test_numpy_reads_the_matrix_where_it_is():
    found = nigh.distance_matrix(["abc", "abd"], ["abc", "", "x"])
    array = numpy.asarray(found)
    assert found.shape == array.shape == memoryview(found).shape == (2, 3) and array.dtype == numpy.int32
    assert numpy.shares_memory(array, numpy.asarray(found)) and not array.flags.writeable
    assert memoryview(found)[1, 0] == 1 and memoryview(found).tolist() == [[0, 3, 3], [1, 3, 3]]
    assert repr(found) == "<nigh.DistanceMatrix: 2 x 3 distances>"
    del found
    assert array.tolist() == [[0, 3, 3], [1, 3, 3]]


def test_strings_without_a_matrix():
    with pytest.raises(ValueError, match="string 1 of 'b' is null; drop nulls first"):
        nigh.distance_matrix(["a"], pyarrow.array(["a", None]))
    with pytest.raises(ValueError, match="not ASCII"):
        nigh.distance_matrix(["é"], [b"e"])
    with pytest.raises(TypeError, match="not int"):
        nigh.distance_matrix([1])
    with pytest.raises(ValueError, match="k is -1, but must be 0 or more"):
        nigh.distance_matrix(["a"], k=-1)
    with pytest.raises(ValueError, match="engine is 'gpu'"):
        nigh.distance_matrix(["a"], engine="gpu")
