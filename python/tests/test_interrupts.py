"""Ctrl-C stops every long call."""

import os
import random
import signal
import threading
import time

import pyarrow
import pytest

import nigh

#: Seconds within which a call must stop, without those in which the system runs other programs.
DEADLINE = 0.2
#: Seconds within which a call must stop, whatever else runs.
LATEST = 2


def repeated(string, count):
    """Returns a column of `count` copies of a string."""
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int32()), pyarrow.array([string]))


@pytest.fixture(autouse=True)
def handled():
    """A job in the background starts with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
    frames = nigh.Searcher("ATG(...){10,100}(TAA|TAG|TGA)", 2, alphabet="dna", notation="regex")
    word = nigh.Searcher(r"user=\w+", 1, notation="regex")
    near = nigh.Searcher([r"user=\w+", "alyce"], 1, notation="regex", near=3)
    line = "usr=alice " * 40_000
    long = [text[:300_000], text[400_000:700_000]]
    pipe = tmp_path_factory.mktemp("data") / "pipe"
    os.mkfifo(pipe)
    return {
        "count of an expression": lambda: frames.count(text[:2_000_000]),
        "count of an expression in a short text": lambda: frames.count(text[:60_000]),
        "find_iter of an expression": lambda: frames.find_iter(text[:2_000_000]),
        "find_iter of an expression in a long line": lambda: word.find_iter(line * 20),
        "find_iter best of an expression": lambda: frames.find_iter(text[:2_000_000], best=True),
        "count near": lambda: near.count(line * 20),
        "search_column of an expression": lambda: frames.search_column(repeated(text[:100_000], 200)),
        "search_file of an expression": lambda: frames.search_file(file),
        "search_file of a pipe without text": lambda: frames.search_file(pipe),
        "local_scores of a long pair": lambda: nigh.local_scores([long[0] * 3], [long[1] * 3]),
        "global_scores of a long pair": lambda: nigh.global_scores([long[0] * 3], [long[1] * 3]),
        "distance of a long pair": lambda: nigh.distance(long[0] * 20, long[1] * 20),
        "alignment of a long pair": lambda: nigh.alignment(long[0] * 20, long[1] * 20),
        "Searcher": lambda: nigh.Searcher([f"a{n}[a-z].{{0,500}}b" for n in range(3_000)], 1, notation="regex"),

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
        "search_file_batches": lambda: list(searcher.search_file_batches(file)),
        "search_file_batches of a pipe without text": lambda: list(searcher.search_file_batches(pipe)),
    }


NAMES = [
    "distances", "distances of columns", "alignments", "distance_matrix", "distance_matrix of a",
    "distance_matrix of characters", "find_iter", "find_iter best", "count", "is_match", "search_column", "search_file",
    "search_file_batches", "search_file_batches of a pipe without text",
    "count of an expression", "count of an expression in a short text", "find_iter of an expression",
    "find_iter of an expression in a long line", "find_iter best of an expression", "count near",
    "search_column of an expression", "search_file of an expression", "search_file of a pipe without text",
    "local_scores of a long pair", "global_scores of a long pair", "distance of a long pair",
    "alignment of a long pair", "Searcher",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_calls_can_be_interrupted(calls, name):
    sent = []

    def interrupt():
        time.sleep(0.3)
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        calls[name]()
        thread.join()
        time.sleep(1)
        pytest.fail("the call ended before it was interrupted")
    [(wall, processor)] = sent
    passed = time.monotonic() - wall
    # All threads of the call together use this time.
    used = (time.process_time() - processor) / len(os.sched_getaffinity(0))
    assert passed < LATEST and min(passed, used) < DEADLINE
