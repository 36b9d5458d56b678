import random

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


def test_strings_that_cannot_be_compared():
    with pytest.raises(ValueError, match="2 strings cannot be paired with 1"):
        nigh.distances(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="not ASCII"):
        nigh.distance("é", b"e")
    with pytest.raises(TypeError, match="not NoneType"):
        nigh.distance("a", None)
    assert nigh.distance(b"abc", "abd") == 1
    assert nigh.distances([], []) == []
