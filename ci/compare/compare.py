#!/usr/bin/env python3
"""Compares nigh's hits with those of independent programs. See README.md in this folder."""

import argparse
import itertools
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

import others
from cases import FAMILIES
from runs import Difference, Missing, Way, Workspace, version

FOLDER = Path(__file__).resolve().parent
NIGH = FOLDER.parents[1] / "target/release/nigh"
# No text is smaller than this, so that a small scale still has lines in it.
MIN_TEXT = 2000
# The most searches of a family: some have patterns that hardly ever match.
MAX_SEARCHES = 2000


@dataclass
class Row:
    """One line of the table."""

    program: str
    family: str
    searches: int = 0
    text: int = 0
    hits: int = 0
    seconds: float = 0.0
    different: str = "0"

    def show(self):
        print(f"| {self.program} | {self.family} | {self.searches:,} | {self.text / 1e6:,.1f} | {self.hits:,} "
              f"| {self.different} | {self.seconds:.0f} |", flush=True)  # fmt: skip


def compile_sellers(folder: Path):
    """Compiles the brute force; returns the program's path."""
    program = folder / "sellers"
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        sys.exit(f"compare.py: {compiler} is missing; CXX names another C++ compiler")
    flags = "-std=c++17 -O3 -march=native -Wall -Wextra -Wno-psabi".split()
    subprocess.run([compiler, *flags, "-o", program, FOLDER / "sellers.cpp"], check=True)
    return program


def ways(random: Random):
    """Every instruction set of this processor, with one thread and two, and with batches of odd sizes."""
    flags = set(Path("/proc/cpuinfo").read_text().split())
    sets = ["portable"] + [name for name, flag in (("avx2", "avx2"), ("avx512", "avx512vbmi")) if flag in flags]
    for instruction_set in itertools.cycle(sets):
        batch = random.choice((None, None, 4099, 65537, 1_000_003))
        threads = random.choice((1, 2))
        yield Way(instruction_set, threads, batch)


def beside_sellers(family, random: Random, work: Workspace, way: Way, size: int):
    """One random search of a family against the brute force; returns the bytes of text and the hits."""
    search = family.make(random, size)
    return len(search.text), work.beside_sellers(search, way)


def compare(row: Row, family, step, work: Workspace, arguments):
    """Compares until there were enough hits. Returns whether all of them were equal."""
    since = time.monotonic()
    random = Random(f"{arguments.seed} {family.name}")
    size = max(MIN_TEXT, min(family.size, int(family.size * arguments.scale * 10)))
    try:
        for way in ways(random):
            text, hits = step(family, random, work, way, size)
            row.searches += 1
            row.text += text
            row.hits += hits
            if row.hits >= family.hits * arguments.scale or row.searches >= MAX_SEARCHES:
                break
    except Missing as missing:
        row.different = f"not installed: {missing}"
        return os.environ.get("NIGH_REQUIRE_TOOLS") != "1"
    except Difference as difference:
        row.different = "DIFFERS"
        print(f"\n{row.program}, {row.family}: {difference}\n")
        return False
    finally:
        row.seconds = time.monotonic() - since
        row.show()
    return True


def tasks(arguments):
    """All comparisons: a row, and what compares one random search, given how nigh searches and the size of the text."""
    for family in FAMILIES:
        yield Row("brute force", f"{family.name}: {family.what}"), family, beside_sellers
    for family in others.families():
        yield Row(family.program, f"{family.name}: {family.what}"), family, others.compare


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="share of the hits; 1 is more than 10^9")
    parser.add_argument("--nigh", type=Path, default=NIGH, metavar="PATH", help="the program that is tested")
    parser.add_argument("--only", default="", metavar="WORD", help="only families with WORD in program or name")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another seed makes other inputs")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    root = Path(tempfile.mkdtemp(prefix="nigh-compare-"))
    sellers = compile_sellers(root)
    print(f"{version(arguments.nigh)}, {os.cpu_count()} cores, scale {arguments.scale}, seed {arguments.seed}\n")
    print("| program | family | searches | MB | hits | different | s |\n| --- | --- | --: | --: | --: | --: | --: |")
    total, equal, names = 0, True, 0
    for number, (row, family, step) in enumerate(tasks(arguments)):
        if arguments.only not in f"{row.program} {row.family}":
            continue
        names += 1
        work = Workspace(root / str(number), arguments.nigh.resolve(), sellers)
        work.folder.mkdir()
        same = compare(row, family, step, work, arguments)
        equal &= same
        total += row.hits
        if same:
            shutil.rmtree(work.folder)
    if names == 0:
        sys.exit(f"compare.py: no family has '{arguments.only}' in its program or name")
    print(f"\n{total:,} hits compared, {'0 different' if equal else 'NOT ALL EQUAL'}")
    if equal:
        shutil.rmtree(root)
    else:
        print(f"the inputs of what differed are in {shlex.quote(str(root))}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
