"""Ctrl-C stops every long call."""

import os
import random
import signal
import threading
import time

import pyarrow
import pytest

import nigh

#: Seconds within which a call must stop. It takes about 0.1 s, or more if other programs run.
DEADLINE = 2


def repeated(string, count):
    """Returns a column of `count` copies of a string."""
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int32()), pyarrow.array([string]))


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Returns calls that take minutes if they are not interrupted."""
    rng = random.Random(21)
    a, b = ("".join(rng.choices("ACGT", k=2_000)) for _ in range(2))
    searcher = nigh.Searcher(["".join(rng.choices("ACGT", k=60)) for _ in range(100)], 20, alphabet="dna")
    absent = nigh.Searcher(["CGGTAACT" * 50, "CAGTTGAC" * 60, "CATTGAAC" * 70], 90, alphabet="dna")
    text = "".join(rng.choices("ACGT", k=1_000_000)) * 200
    file = tmp_path_factory.mktemp("data") / "large.fa"
    file.write_text(">one\n" + text[:40_000_000] + "\n")
    many = 1_000_000
    return {
        "distances": lambda: nigh.distances([a] * many, [b] * many),
        "distances of columns": lambda: nigh.distances(repeated(a, many), repeated(b, many)),
        "alignments": lambda: nigh.alignments([a] * many, [b] * many),
        "distance_matrix": lambda: nigh.distance_matrix([a] * 2_000, [b] * 2_000),
        "distance_matrix of a": lambda: nigh.distance_matrix([a, b] * 1_000),
        "distance_matrix of characters": lambda: nigh.distance_matrix(["größe"] * 5_000, ["grösse"] * 5_000),
        "find_iter": lambda: searcher.find_iter(text),
        "find_iter best": lambda: searcher.find_iter(text, best=True),
        "count": lambda: searcher.count(text),
        "is_match": lambda: absent.is_match(text),
        "search_column": lambda: searcher.search_column(repeated(text[:100_000], 2_000)),
        "search_file": lambda: searcher.search_file(file),
    }


@pytest.mark.parametrize(
    "name",
    [
        "distances", "distances of columns", "alignments", "distance_matrix", "distance_matrix of a",
        "distance_matrix of characters", "find_iter", "find_iter best", "count", "is_match", "search_column", "search_file",
    ],
)  # fmt: skip
def test_calls_can_be_interrupted(calls, name):
    sent = []

    def interrupt():
        time.sleep(0.3)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        calls[name]()
        thread.join()
        time.sleep(1)
        pytest.fail("the call ended before it was interrupted")
    assert time.monotonic() - sent[0] < DEADLINE
