#!/usr/bin/env python3
"""Compares the values of nigh-align with those of edlib, rapidfuzz and parasail. See README.md in this folder."""

import argparse
import importlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

FOLDER = Path(__file__).resolve().parent
PROGRAM = FOLDER.parents[1] / "target/release/nigh-align"
DATA = FOLDER.parents[1] / "tests/data"
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"


class Different(Exception):
    """A value of nigh-align that differs from that of another program."""


def library(name):
    """Imports a Python module. Returns None if it is missing, unless NIGH_REQUIRE_TOOLS=1."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("NIGH_REQUIRE_TOOLS") == "1":
            sys.exit(f"pairs.py: {name} is not installed, but NIGH_REQUIRE_TOOLS=1 requires it")
        print(f"| {name} | not installed | | | |")
        return None


def read_fasta(path):
    """Returns the sequences of a FASTA file."""
    records = path.read_text().split(">")[1:]
    return ["".join(record.split("\n")[1:]).upper() for record in records]


def mutated(random: Random, string, letters, rate):
    """Returns a copy of a string with random edits."""
    changed = []
    for symbol in string:
        dice = random.random()
        if dice > rate:
            changed.append(symbol)
        elif dice < rate / 3:
            changed.append(random.choice(letters))
        elif dice < 2 * rate / 3:
            changed.extend((random.choice(letters), symbol))
    return "".join(changed)


def random_pairs(random: Random, count, letters, longest):
    """Returns pairs of unrelated strings and of mutated copies, of all lengths up to `longest`."""
    pairs = []
    for _ in range(count):
        query = "".join(random.choices(letters, k=random.randint(1, longest)))
        if random.random() < 0.3:
            target = "".join(random.choices(letters, k=random.randint(1, longest)))
        else:
            target = mutated(random, query, letters, random.choice((0.02, 0.1, 0.3))) or "A"
        pairs.append((query, target))
    return pairs


def pieces(random: Random, sequences, count, longest):
    """Returns pairs of pieces of real sequences. About half of the pairs are overlapping pieces of one sequence."""
    pairs = []
    for _ in range(count):
        sequence = random.choice(sequences)
        length = min(random.randint(1, longest), len(sequence))
        start = random.randrange(len(sequence) - length + 1)
        other, shift = random.choice(sequences), random.randint(-length // 4, length // 4)
        if random.random() < 0.5:
            other = sequence[max(0, start + shift) :][:length]
        pairs.append((sequence[start : start + length], other[:longest] or "A"))
    return pairs


def align(arguments, options, pairs):
    """Returns the values that nigh-align prints for the pairs."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.writelines(f"{query}\t{target}\n" for query, target in pairs)
        table.flush()
        command = [arguments.program, "--pairs", "--bytes", "--format=values", *options, table.name]
        run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NIGH_ISA": arguments.isa})
    if run.returncode != 0 or run.stderr:
        raise Different(f"{' '.join(map(str, command))}: status {run.returncode}: {run.stderr}")
    return [int(line) for line in run.stdout.split()]


def families(edlib, rapidfuzz, parasail):
    """Yields, for each kind of value, the program, the name of the value, the options of nigh-align and the function that computes it."""
    if edlib:
        yield "edlib", "distance", ["--distance"], lambda q, t: edlib.align(q, t, mode="NW", task="distance")["editDistance"]
    if rapidfuzz:
        yield "rapidfuzz", "distance", ["--distance"], rapidfuzz.distance.Levenshtein.distance
        yield "rapidfuzz", "subsequence", ["--lcs"], rapidfuzz.distance.LCSseq.similarity
    if parasail:
        # Kernels of 8 bits have been wrong: sw_scan_sat of parasail 1.3.4 gave 124 for two unrelated strings of 4,010 and 976
        # nucleotides, where sw, sw_scan_16 and nigh-align give 22.
        equality = parasail.matrix_create("".join(map(chr, range(65, 91))), 2, -3)
        for name, options, kernel, gaps, matrix in [
            ("global, 2/-3, 5/2", ["--global"], parasail.nw_scan_32, (7, 2), equality),
            ("global, BLOSUM62, 11/1", ["--global", "--matrix", "BLOSUM62"], parasail.nw_scan_32, (12, 1), parasail.blosum62),
            ("global, PAM250, linear 3", "--global --matrix PAM250 --gap-open 0 --gap-extend 3".split(), parasail.nw_scan_32, (3, 3), parasail.pam250),
            ("local, BLOSUM62, 11/1", ["--local", "--matrix", "BLOSUM62", "--min-score=0"], parasail.sw_scan_32, (12, 1), parasail.blosum62),
            ("local, BLOSUM45, 14/2", "--local --min-score=0 --matrix BLOSUM45 --gap-open 14 --gap-extend 2".split(), parasail.sw_scan_32, (16, 2), parasail.blosum45),
            ("local, 2/-3, 5/2", ["--local", "--min-score=0"], parasail.sw_scan_32, (7, 2), equality),
        ]:  # fmt: skip
            # parasail's cost of a gap includes its first symbol.
            yield "parasail", name, options, lambda q, t, k=kernel, g=gaps, m=matrix: k(q, t, *g, m).score


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=PROGRAM, help="the tested program (default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=2000, help="number of pairs in each row of the table")
    parser.add_argument("--proteins", type=Path, default=DATA / "globins.faa", help="FASTA file of amino acids")
    parser.add_argument("--genome", type=Path, default=DATA / "lambda.fa", help="FASTA file of nucleotides")
    parser.add_argument("--longest", type=int, default=400, help="maximum length of a string")
    parser.add_argument("--isa", default="", help="instruction set of nigh-align: avx512, avx2 or portable")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random pairs")
    arguments = parser.parse_args()
    edlib, rapidfuzz, parasail = library("edlib"), library("rapidfuzz.distance"), library("parasail")
    rapidfuzz = importlib.import_module("rapidfuzz") if rapidfuzz else None
    proteins, genome = read_fasta(arguments.proteins), read_fasta(arguments.genome)
    print("| program | value | strings | pairs | different | seconds |\n| --- | --- | --- | --: | --: | --: |")
    different = 0
    for program, name, options, value in families(edlib, rapidfuzz, parasail):
        random = Random(f"{arguments.seed} {program} {name}")
        for kind, pairs in [
            ("random nucleotides", random_pairs(random, arguments.pairs, "ACGT", arguments.longest)),
            ("random amino acids", random_pairs(random, arguments.pairs, AMINO_ACIDS, arguments.longest)),
            ("short words", random_pairs(random, arguments.pairs, "ABCDE", 12)),
            ("pieces of a genome", pieces(random, genome, arguments.pairs, arguments.longest)),
            ("pieces of proteins", pieces(random, proteins, arguments.pairs, arguments.longest)),
        ]:
            since = time.monotonic()
            ours = align(arguments, options, pairs)
            theirs = [value(query, target) for query, target in pairs]
            wrong = [index for index, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
            version = importlib.metadata.version(program)
            seconds = time.monotonic() - since
            print(f"| {program} {version} | {name} | {kind} | {len(pairs):,} | {len(wrong)} | {seconds:.0f} |", flush=True)
            different += len(wrong)
            if wrong:
                query, target = pairs[wrong[0]]
                print(f"{query} {target}: nigh-align {ours[wrong[0]]}, {program} {theirs[wrong[0]]}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
