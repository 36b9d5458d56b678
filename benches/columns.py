#!/usr/bin/env python3
"""Measures searches of columns of strings in Python: many short strings beside rapidfuzz and regex, and a log beside the program nigh. Checks that all
find the same.

usage: columns.py [--nigh PATH] [--data FOLDER] [--runs N] [--scale X] [--threads N]

Needs the packages nigh, pyarrow, numpy, rapidfuzz and regex. SCALE 1 is full size: 10 million strings of 32 letters, and 1 GB of log. The log
is generated in the folder, which should be in memory; a log that exists is kept. regex and rapidfuzz search the first strings only, and their
time for all is extrapolated.
"""

import argparse
import os
import statistics
import subprocess
import time
from pathlib import Path

import numpy
import pyarrow
import pyarrow.compute
import regex
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

import generate
import nigh

LETTERS = numpy.frombuffer(b"abcdefghijklmnopqrstuvwxyz", dtype=numpy.uint8)
STRINGS, LENGTH, PATTERNS, K = 10_000_000, 32, 100, 2
# One string in SHARE holds a copy of a pattern, with up to three edits.
SHARE = 100
# Number of strings that the other packages search.
RAPIDFUZZ_STRINGS, REGEX_STRINGS = 1_000_000, 1_000
LOG_BYTES = 1_000_000_000


def timed(runs, action):
    """Returns the median time of several runs, and the result of the last."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def letters(random, length):
    return bytes(LETTERS[random.integers(0, 26, size=length)])


def mutated(random, pattern, edits):
    """Returns a pattern after random edits that keep its length."""
    copy = bytearray(pattern)
    for _ in range(edits):
        del copy[random.integers(0, len(copy))]
        copy.insert(random.integers(0, len(copy) + 1), random.choice(LETTERS))
    return bytes(copy)


def strings(random, patterns, count):
    """Returns a column of random strings, some with a copy of a pattern."""
    data = LETTERS[random.integers(0, 26, size=(count, LENGTH), dtype=numpy.uint8)]
    for number, row in enumerate(random.choice(count, size=count // SHARE, replace=False)):
        copy = mutated(random, patterns[number % len(patterns)], number % 4)
        at = random.integers(0, LENGTH - len(copy) + 1)
        data[row, at : at + len(copy)] = numpy.frombuffer(copy, dtype=numpy.uint8)
    offsets = numpy.arange(count + 1, dtype=numpy.int64) * LENGTH
    return pyarrow.Array.from_buffers(
        pyarrow.large_string(), count, [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)]
    )


def pairs(hits, rows):
    """Returns the distinct pairs of a row and a pattern, in the first rows."""
    table = pyarrow.table(hits)
    table = table.filter(pyarrow.compute.less(table["row"], rows))
    return set(zip(table["row"].to_pylist(), table["pattern"].to_pylist()))


def line(name, seconds, found, baseline):
    print(f"| {name} | {seconds:.3g} | {found} | {seconds / baseline:.3g} |", flush=True)


def whole_strings(options):
    """Compares each string with each pattern as a whole."""
    random = numpy.random.default_rng(32)
    patterns = [letters(random, LENGTH) for _ in range(PATTERNS)]
    column = strings(random, patterns, int(STRINGS * options.scale))
    searcher = nigh.Searcher([b"^%s$" % pattern for pattern in patterns], K, notation="regex")
    seconds, hits = timed(options.runs, lambda: searcher.search_column(column, best=True, threads=options.threads))
    count = min(RAPIDFUZZ_STRINGS, len(column))
    line(f"whole strings: nigh, {options.threads} threads", seconds, len(pairs(hits, count)), seconds)

    some, texts = column.slice(0, count).to_pylist(), [pattern.decode() for pattern in patterns]

    def compare():
        return process.cdist(
            texts, some, scorer=Levenshtein.distance, score_cutoff=K, workers=options.threads, dtype=numpy.uint8
        )

    other, distances = timed(options.runs, compare)
    expected = {(int(row), int(pattern)) for pattern, row in numpy.argwhere(distances <= K)}
    assert pairs(hits, count) == expected, "rapidfuzz and nigh find different pairs"
    line(f"whole strings: rapidfuzz, {options.threads} threads", other * len(column) / count, len(expected), seconds)


def within_strings(options):
    """Finds the patterns within the strings."""
    random = numpy.random.default_rng(16)
    patterns = [letters(random, LENGTH // 2) for _ in range(PATTERNS)]
    column = strings(random, patterns, int(STRINGS * options.scale))
    searcher = nigh.Searcher(patterns, K)
    seconds, hits = timed(options.runs, lambda: searcher.search_column(column, best=True, threads=options.threads))
    count = min(REGEX_STRINGS, len(column))
    line(f"within strings: nigh, {options.threads} threads", seconds, len(pairs(hits, count)), seconds)

    some = column.slice(0, count).to_pylist()
    expressions = [regex.compile(f"(?:{pattern.decode()}){{e<={K}}}") for pattern in patterns]

    def search():
        numbered = list(enumerate(expressions))
        return {(row, number) for row, text in enumerate(some) for number, one in numbered if one.search(text)}

    other, expected = timed(1, search)
    assert pairs(hits, count) == expected, "regex and nigh find different pairs"
    line("within strings: regex, 1 thread", other * len(column) / count, len(expected), seconds)


def write_log(options):
    """Writes copies of the log of generate.py, one after the other, and returns their path."""
    generate.generate(options.data, options.scale, ["service.log"])
    log, path = options.data / "service.log", options.data / "columns.log"
    copies = -(-int(LOG_BYTES * options.scale) // log.stat().st_size)
    if not path.exists() or path.stat().st_size != copies * log.stat().st_size:
        path.write_bytes(copies * log.read_bytes())
    return path


def log_column(options):
    """Searches the lines of a log as a column, and as a file with the program."""
    path = write_log(options)
    lines = path.read_bytes().split(b"\n")[:-1]
    column = pyarrow.array(lines, pyarrow.large_binary())
    del lines
    searcher = nigh.Searcher(generate.PHRASES, K)
    command = [str(options.nigh), "-k", str(K), "--threads", str(options.threads), "--format=ends", "--hits", "best"]
    command += [argument for pattern in generate.PHRASES for argument in ("-e", pattern)] + [str(path)]

    def run():
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    # Both run in turns, so that other work on the machine affects both alike.
    times, others = [], []
    for _ in range(options.runs):
        seconds, hits = timed(1, lambda: searcher.search_column(column, best=True, threads=options.threads))
        times.append(seconds)
        seconds, printed = timed(1, run)
        others.append(seconds)
    seconds, rows = statistics.median(times), len(printed.splitlines())
    assert len(hits) == rows, f"the program finds {rows} hits, but the column has {len(hits)}"
    line(f"log of {path.stat().st_size / 1e9:.2g} GB: column, {options.threads} threads", seconds, len(hits), seconds)
    line(f"log: program, {options.threads} threads", statistics.median(others), rows, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nigh", type=Path, default=Path("target/release/nigh"))
    parser.add_argument("--data", type=Path, default=Path("target/bench"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    options = parser.parse_args()
    print("| case | s | found | ratio |\n| --- | --: | --: | --: |")
    whole_strings(options)
    within_strings(options)
    log_column(options)


if __name__ == "__main__":
    main()
