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
from runs import Difference, NotInstalled, RunSettings, Workspace, version

FOLDER = Path(__file__).resolve().parent
NIGH = FOLDER.parents[1] / "target/release/nigh"
# Minimum size of a text in bytes, so that a text at a small scale still has several lines.
MIN_TEXT = 2000
# Maximum number of searches of a family, because some patterns rarely match.
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
    """Compiles sellers.cpp and returns the path of the program."""
    program = folder / "sellers"
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        sys.exit(f"compare.py: no C++ compiler {compiler!r}; set CXX to another one")
    flags = "-std=c++17 -O3 -march=native -Wall -Wextra -Wno-psabi".split()
    subprocess.run([compiler, *flags, "-o", program, FOLDER / "sellers.cpp"], check=True)
    return program


def random_settings(random: Random):
    """Yields settings forever: the instruction sets of this processor in turn, with one or two threads and batches of several sizes."""
    flags = set(Path("/proc/cpuinfo").read_text().split())
    sets = ["portable"] + [name for name, flag in (("avx2", "avx2"), ("avx512", "avx512_vbmi2")) if flag in flags]
    for instruction_set in itertools.cycle(sets):
        batch = random.choice((None, None, 4099, 65537, 1_000_003))
        threads = random.choice((1, 2))
        yield RunSettings(instruction_set, threads, batch)


def compare_with_sellers(family, random: Random, work: Workspace, settings: RunSettings, size: int):
    """Compares one random search of a family with sellers.cpp. Returns the bytes of text and the number of hits."""
    search = family.make(random, size)
    return len(search.text), work.compare_with_sellers(search, settings)


def compare(row: Row, family, step, work: Workspace, arguments):
    """Runs searches of a family until they have enough hits. Returns whether all hits were equal."""
    since = time.monotonic()
    random = Random(f"{arguments.seed} {family.name}")
    size = max(MIN_TEXT, min(family.size, int(family.size * arguments.scale * 10)))
    try:
        for settings in random_settings(random):
            text, hits = step(family, random, work, settings, size)
            row.searches += 1
            row.text += text
            row.hits += hits
            if row.hits >= family.hits * arguments.scale or row.searches >= MAX_SEARCHES:
                break
    except NotInstalled as missing:
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
    """Yields all comparisons: a row of the table, the family, and the function that compares one random search of it."""
    for family in FAMILIES:
        yield Row("brute force", f"{family.name}: {family.description}"), family, compare_with_sellers
    for family in others.families():
        yield Row(family.program, f"{family.name}: {family.description}"), family, others.compare


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="number of hits relative to full scale, which has more than 10^9 hits")
    parser.add_argument("--nigh", type=Path, default=NIGH, metavar="PATH", help="the tested program")
    parser.add_argument("--only", default="", metavar="WORD", help="compare only the families whose program, name or description contains WORD")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random inputs")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    root = Path(tempfile.mkdtemp(prefix="nigh-compare-"))
    sellers = compile_sellers(root)
    print(f"{version(arguments.nigh)}, {os.cpu_count()} cores, scale {arguments.scale}, seed {arguments.seed}\n")
    print("| program | family | searches | MB | hits | different | s |\n| --- | --- | --: | --: | --: | --: | --: |")
    total, equal, selected = 0, True, 0
    for number, (row, family, step) in enumerate(tasks(arguments)):
        if arguments.only not in f"{row.program} {row.family}":
            continue
        selected += 1
        work = Workspace(root / str(number), arguments.nigh.resolve(), sellers)
        work.folder.mkdir()
        same = compare(row, family, step, work, arguments)
        equal &= same
        total += row.hits
        if same:
            shutil.rmtree(work.folder)
    if selected == 0:
        sys.exit(f"compare.py: no family has '{arguments.only}' in its program, name or description")
    print(f"\n{total:,} hits compared, {'0 different' if equal else 'NOT ALL EQUAL'}")
    if equal:
        shutil.rmtree(root)
    else:
        print(f"the inputs of the searches that differed are in {shlex.quote(str(root))}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
