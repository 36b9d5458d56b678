#!/usr/bin/env python3
"""Compares the speed of nigh's comparison of pairs with that of edlib, rapidfuzz and parasail, in memory, and their values.

cargo bench --bench pairs --no-run; benches/pairs.py PROGRAM, where PROGRAM is the path that cargo prints. It needs
pip install edlib parasail rapidfuzz numpy."""

import argparse
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from random import Random

import edlib
import numpy
import parasail
import rapidfuzz

from strings import mutated, protein, protein_lengths, string


def cases(scale):
    """Yields the name of a case, the objective and the result of nigh, and the pairs."""
    random = Random(1)
    count = int(200_000 * scale)
    short = [(string(random, "ACGT", 32), string(random, "ACGT", 32)) for _ in range(count)]
    yield "pairs of 32 nucleotides", "distance", "values", short
    yield "pairs of 32 nucleotides", "lcs", "values", short
    mixed = [(one := string(random, "ACGT", random.randint(1, 100)), mutated(random, one, "ACGT", 0.2)) for _ in range(count)]
    yield "pairs of 1 to 100 nucleotides", "distance", "values", mixed
    words = [tuple(string(random, "etaoinshrdlu", random.randint(4, 12)) for _ in "12") for _ in range(count)]
    yield "pairs of words of 4 to 12 letters", "distance", "values", words
    yield "one word of 10 letters with many words", "distance", "values", [("hesitation", target) for _, target in words]
    yield "one read of 32 nucleotides with many reads", "distance", "values", [(short[0][0], target) for _, target in short]
    for length in (int(length * min(1, scale * 2)) for length in (1000, 10_000, 100_000)):
        one = string(random, "ACGT", length)
        yield f"{length:,} random nucleotides", "distance", "values", [(one, string(random, "ACGT", len(one)))]
        yield f"{length:,} nucleotides, 5 % edits", "distance", "values", [(one, mutated(random, one, "ACGT", 0.05))]
        yield f"{length:,} nucleotides, 5 % edits", "distance", "alignments", [(one, mutated(random, one, "ACGT", 0.05))]
        yield f"{length:,} random nucleotides", "lcs", "values", [(one, string(random, "ACGT", len(one)))]
    database = [protein(random, length) for length in protein_lengths(random, int(10_000 * scale), 5000)]
    for length in (64, 256, 1024):
        query = protein(random, length)
        yield f"query of {length} residues, {len(database):,} proteins", "local", "values", [(query, target) for target in database]
    long = int(10_000 * min(1, scale * 2))
    yield f"{long:,} residues", "local", "values", [(protein(random, long), protein(random, long))]
    yield f"{long:,} residues", "global", "values", [(protein(random, long), protein(random, long))]


def peers(objective, result, pairs, threads):
    """Yields the names of other programs, and functions that return the sum of their values."""
    queries, targets = [query for query, _ in pairs], [target for _, target in pairs]
    one_query = len(pairs) > 1 and len(set(queries)) == 1
    if objective in ("distance", "lcs") and result == "values":
        scorer = rapidfuzz.distance.Levenshtein.distance if objective == "distance" else rapidfuzz.distance.LCSseq.similarity
        if len(pairs) == 1:
            yield "rapidfuzz", lambda: scorer(*pairs[0])
        elif one_query:
            yield "rapidfuzz cdist", lambda: int(rapidfuzz.process.cdist(queries[:1], targets, scorer=scorer, workers=threads, dtype=numpy.int32).sum())
        else:
            yield "rapidfuzz cpdist", lambda: int(rapidfuzz.process.cpdist(queries, targets, scorer=scorer, workers=threads, dtype=numpy.int32).sum())
    if objective == "distance" and len(pairs) == 1:
        task = "path" if result == "alignments" else "distance"
        yield "edlib", lambda: edlib.align(*pairs[0], mode="NW", task=task)["editDistance"]
    if objective == "local":
        matrix = parasail.blosum62
        for kernel, profile in [(parasail.sw_striped_profile_sat, parasail.profile_create_sat),
                                (parasail.sw_striped_profile_16, parasail.profile_create_16),
                                (parasail.sw_scan_profile_sat, parasail.profile_create_sat)]:  # fmt: skip
            made = profile(queries[0], matrix)
            yield f"parasail {kernel.__name__}", lambda k=kernel, p=made: sum(k(p, target, 12, 1).score for target in targets)
    if objective == "global":
        for kernel in (parasail.nw_striped_sat, parasail.nw_striped_16, parasail.nw_scan_16, parasail.nw_diag_16):
            yield f"parasail {kernel.__name__}", lambda k=kernel: sum(k(query, target, 12, 1, parasail.blosum62).score for query, target in pairs)


def times(runs, functions):
    """Runs all functions in turns. Returns for each the medians of wall time and processor time in seconds, and its result."""
    measured = [[] for _ in functions]
    for _ in range(runs):
        for function, seconds in zip(functions, measured):
            seconds.append(function())
    return [(statistics.median(wall for wall, _, _ in each), statistics.median(cpu for _, cpu, _ in each), each[0][2]) for each in measured]


def timed(function):
    """Returns a function that calls `function` for at least 0.2 s. It returns the mean wall time and processor time, and the result."""

    def run():
        wall, cpu, calls = time.perf_counter(), time.process_time(), 0
        while calls == 0 or time.perf_counter() - wall < 0.2:
            result, calls = function(), calls + 1
        return (time.perf_counter() - wall) / calls, (time.process_time() - cpu) / calls, result

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    arguments = parser.parse_args()
    names = ", ".join(f"{name} {version(name)}" for name in ("rapidfuzz", "edlib", "parasail"))
    print(f"{platform.processor() or platform.machine()}, {arguments.threads} threads, medians of {arguments.runs}; {names}\n")
    print("| pairs | result | program | wall s | CPU s | ratio of wall time | of CPU time |\n| --- | --- | --- | --: | --: | --: | --: |")
    different = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name, objective, result, pairs in cases(arguments.scale):
            table = Path(folder) / "pairs.tsv"
            table.write_text("".join(f"{query}\t{target}\n" for query, target in pairs))

            def nigh():
                command = [arguments.program, objective, result, "cpu", str(arguments.threads), table]
                wall, cpu, total = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
                return float(wall), float(cpu), int(total)

            others = list(peers(objective, result, pairs, arguments.threads))
            rows = times(arguments.runs, [nigh, *(timed(function) for _, function in others)])
            mine = rows[0]
            for (program, _), (wall, cpu, total) in zip([("nigh", None), *others], rows):
                ratios = f"{wall / mine[0]:.2f} | {cpu / max(mine[1], 1e-9):.2f}"
                note = "" if total == mine[2] else f" **differs: {total}, nigh {mine[2]}**"
                different += total != mine[2]
                wanted = objective if result == "values" else f"{objective}, alignment"
                print(f"| {name} | {wanted} | {program}{note} | {wall:.5f} | {cpu:.5f} | {ratios} |", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
