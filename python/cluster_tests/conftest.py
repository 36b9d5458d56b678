"""Fixtures: a genome, a log, and a searcher that kills its process once."""

import os
import random
import signal
import sys

import pyarrow
import pytest

import nigh


# Workers run the interpreter of this environment, and can import this file.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = os.path.dirname(__file__)


class Killed:
    """A searcher that kills its process once, in the middle of a search: in the first search that can remove the file `marker`."""

    def __init__(self, searcher, marker):
        self.searcher, self.marker = searcher, marker

    def _die_once(self):
        try:
            os.remove(self.marker)
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def search_file(self, split, **options):
        hits = self.searcher.search_file(split, **options)
        if split.index == 1:
            self._die_once()
        return hits

    def search_column(self, column, **options):
        hits = self.searcher.search_column(column, **options)
        self._die_once()
        return hits


def rows(table):
    return [tuple(row.values()) for row in pyarrow.table(table).to_pylist()]


@pytest.fixture
def killed(tmp_path):
    """Returns a function that makes a searcher that kills its process once, and the path of the file that it removes then."""
    marker = tmp_path / "alive"
    marker.touch()
    return lambda searcher: Killed(searcher, str(marker)), marker


@pytest.fixture
def genome(tmp_path):
    rng = random.Random(3)
    path = tmp_path / "genome.fa"
    with open(path, "w") as file:
        for name, length in [("one", 900_000), ("two", 10), ("three", 300_000)]:
            file.write(f">{name} of a test\n")
            bases = "".join(rng.choices("ACGT", k=length))
            file.writelines(bases[at : at + 70] + "\n" for at in range(0, length, 70))
    return path


@pytest.fixture
def log(tmp_path):
    rng = random.Random(4)
    words = ["deadlok", "deadlock", "größe", "worker", "timeout", "stalled"]
    path = tmp_path / "log"
    path.write_text("".join(" ".join(rng.choices(words, k=8)) + "\n" for _ in range(20_000)))
    return path


@pytest.fixture
def searches(genome, log):
    """Returns pairs of a list of files and a searcher for them."""
    guides = nigh.Searcher(["ACGTACGTAC", "TTTTGGGG"], 1, alphabet="dna")
    return [([genome], guides), ([log, log], nigh.Searcher(["deadlock", "größe"], 1))]


def expected(paths, searcher):
    """Returns the hits that one process finds, each after the path of its file."""
    return [(str(path), *row) for path in paths for row in rows(searcher.search_file(path))]
