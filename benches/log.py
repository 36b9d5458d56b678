#!/usr/bin/env python3
"""Compares nigh with other approximate greps on one log: wall time, medians, and whether they count the same lines.

usage: log.py FILE PHRASE K [RUNS]

The slow ones get a slice of the file. Build nigh first: cargo build --release.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NIGH = ROOT / "target/release/nigh"
SLICE = 12_000_000


def tools(phrase, k):
    """Name, command, and whether the tool reads the whole file."""
    yield "nigh -j2", [str(NIGH), "-c", "-F", f"-k{k}", "-j2", phrase], True
    yield "nigh -j1", [str(NIGH), "-c", "-F", f"-k{k}", "-j1", phrase], True
    yield "ugrep -Z", ["ugrep", "-c", f"-Z{k}", phrase], True
    yield "tre-agrep", ["tre-agrep", "-c", "-E", str(k), phrase], False
    yield "nigh -j2", [str(NIGH), "-c", "-F", f"-k{k}", "-j2", phrase], False


def run(command, file):
    since = time.perf_counter()
    result = subprocess.run([*command, file], capture_output=True, env={**os.environ, "LC_ALL": "C"})
    return time.perf_counter() - since, result.stdout.decode().strip()


def main():
    file, phrase, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    with tempfile.NamedTemporaryFile() as part:
        with open(file, "rb") as whole:
            part.write(whole.read(SLICE))
            part.flush()
        present = [tool for tool in tools(phrase, k) if shutil.which(tool[1][0])]
        times = {index: [] for index in range(len(present))}
        counts = {}
        # In turns, so that a noisy moment meets all of them.
        for _ in range(runs):
            for index, (_, command, full) in enumerate(present):
                seconds, count = run(command, file if full else part.name)
                times[index].append(seconds)
                counts[index] = count
        print(f"{phrase!r}, k = {k}, {os.path.getsize(file)} bytes, median of {runs}")
        print("| tool | input | s | MB/s | lines |\n| --- | --- | --- | --- | --- |")
        for index, (name, _, full) in enumerate(present):
            size = os.path.getsize(file if full else part.name)
            seconds = statistics.median(times[index])
            where = "all" if full else f"first {size // 1_000_000} MB"
            print(f"| {name} | {where} | {seconds:.3f} | {size / seconds / 1e6:.0f} | {counts[index]} |")


if __name__ == "__main__":
    main()
