#!/usr/bin/env python3
"""Measures regular expressions with edits: nigh beside ripgrep, ugrep, tre-agrep and the Python package regex. Compares the lines that they find.

usage: expressions.py [--nigh PATH] [--data FOLDER] [--runs N] [--scale X] [--cases REGEX]

Generates a log of 240 MB and 100 million random bases in the folder, which should be in memory; a text that exists is kept. ripgrep searches the
whole log with k = 0, the other programs search its start. The programs of a case run in turns; a command that takes longer than 20 s runs once.
Programs that are not installed are left out. Needs the package regex.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import generate
from compare import FOLDER, NIGH, cpu_field, print_row, text_slice, version
from peers import BY_NAME

LONG = 20.0
LOG, GENOME = "events.log", "random.fa"
LIBRARY = FOLDER / "expressions.txt"
QUADRUPLEX = "G{3,5}(N{1,7}G{3,5}){3}"
COLUMNS = "case, k, program, MB, s, MB/s, found, lines".split(", ")


@dataclass(frozen=True)
class Case:
    name: str
    # An option, -e or -f, and its value.
    pattern: tuple[str, str]
    ks: tuple[int, ...]
    # Options that choose what nigh prints, and the file name of the text.
    report: tuple[str, ...] = ("-c",)
    text: str = LOG
    threads: int = 1

    def is_for(self, program, k):
        """Returns whether another program is measured. No other program reads FASTA, and the slow ones search only for single expressions."""
        is_fast = program.megabytes is None or self.pattern[0] == "-e"
        return self.text == LOG and k in program.ks and is_fast


@dataclass(frozen=True)
class Program:
    name: str
    path: str
    # Returns the arguments before the file, for an option (-c or -n), a pattern as in a case, and k.
    arguments: Callable[[str, tuple[str, str], int], list[str]]
    # The values of k that the program is measured with.
    ks: tuple[int, ...] = (1, 2)
    # The program searches only this many MB from the start of the log; None for all.
    megabytes: float | None = None


def expression_case(name, expression, *ks):
    return Case(name, ("-e", expression), ks)


def library_case(k, threads):
    return Case(f"200 expressions, `-j{threads}`", ("-f", str(LIBRARY)), (k,), threads=threads)


def quadruplex_case(hits):
    report = (f"--hits={hits}", "--count-matches")
    return Case(f"G-quadruplex, `--hits={hits}`", ("-e", QUADRUPLEX), (0, 1), report, GENOME)


CASES = (
    expression_case("address and port", r"(\d+\.){3}\d+:\d{2,5}", 0, 1, 2),
    expression_case("e-mail", r"[A-Za-z0-9._]+@[A-Za-z0-9.]+\.[a-z]{2,}", 0, 1),
    expression_case("two words", "error.*timeout", 0, 2),
    expression_case("exception", "[A-Za-z]+Exception: .*", 0, 1),
    expression_case("request", r"(GET|POST) /[a-z/]+\?id=[0-9]+", 0, 1),
    library_case(0, 1),
    library_case(1, os.cpu_count()),
    quadruplex_case("all"),
    quadruplex_case("best"),
)


def rivals():
    """Returns the other programs that are installed."""
    script = str(FOLDER / "regex_lines.py")
    programs = (
        Program("ripgrep", "rg", lambda option, pattern, k: ["-j1", option, *pattern], (0,)),
        Program("ugrep", "ugrep", lambda option, pattern, k: [option, f"-Z{k}", *pattern], megabytes=24),
        Program("tre-agrep", "tre-agrep", lambda option, pattern, k: [option, f"-{k}", *pattern], megabytes=2.4),
        Program("regex", sys.executable, lambda option, pattern, k: [script, option, str(k), pattern[1]], megabytes=2.4),
    )
    return [program for program in programs if shutil.which(program.path)]


def run(command):
    """Runs a command. Returns its wall time and its output."""
    since = time.perf_counter()
    process = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
    seconds = time.perf_counter() - since
    # Status 1 means that nothing was found.
    if process.returncode not in (0, 1):
        sys.exit(f"expressions.py: {' '.join(command)}: exit status {process.returncode}")
    return seconds, process.stdout.decode()


def measure(commands, runs):
    """Runs the commands in turns. Returns the times and the last output of each."""
    times, outputs = [[] for _ in commands], [""] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            if not times[number] or times[number][0] < LONG:
                seconds, outputs[number] = run(command)
                times[number].append(seconds)
    return times, outputs


def lines_of(command):
    """Returns the numbers of the lines that a command with -n prints."""
    return {int(line.partition(":")[0]) for line in run(command)[1].splitlines()}


def differences(ours, theirs):
    """Compares the numbers of the lines that nigh and another program print. Both commands have the option -n."""
    expected, found = lines_of(ours), lines_of(theirs)
    missing, more = len(expected - found), len(found - expected)
    return f"{missing:,} of {len(expected):,} missing, {more:,} more" if missing or more else "same"


def figure(number):
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.data / f"scale-{options.scale:g}"

    def ours(self, case, k, report, text):
        return [str(self.options.nigh), f"-j{case.threads}", f"-k{k}", *report, *case.pattern, str(text)]

    def text(self, case, program):
        """Returns the text that a program searches."""
        text = self.folder / case.text
        return text_slice(text, int(program.megabytes * 1e6 * self.options.scale)) if program.megabytes else text

    def row(self, label, text, times, output, lines):
        megabytes, seconds = text.stat().st_size / 1e6, statistics.median(times)
        once = "*" if len(times) < self.options.runs else ""
        found = f"{int(output or 0):,}"
        print_row([*label, figure(megabytes), f"{figure(seconds)}{once}", figure(megabytes / seconds), found, lines])

    def theirs(self, case, k, option, program):
        return [program.path, *program.arguments(option, case.pattern, k), str(self.text(case, program))]

    def measure(self, case, k):
        """Measures a case with a number of edits, and prints a row for each program."""
        text = self.folder / case.text
        programs = [program for program in rivals() if case.is_for(program, k)]
        commands = [self.ours(case, k, case.report, text)]
        commands += [self.theirs(case, k, "-c", program) for program in programs]
        (times, *others), (output, *outputs) = measure(commands, self.options.runs)
        self.row([case.name, str(k), "nigh"], text, times, output, "")
        for program, times, output in zip(programs, others, outputs):
            text = self.text(case, program)
            lines = differences(self.ours(case, k, ("-n",), text), self.theirs(case, k, "-n", program))
            self.row(["", "", program.name], text, times, output, lines)


def heading(runs):
    names = {"rg": "rg", "ugrep": "ugrep -Z", "tre-agrep": "tre-agrep"}
    versions = [version(BY_NAME[tool], path) for path, tool in names.items() if shutil.which(path)]
    versions.append(f"regex {metadata.version('regex')}")
    return f"{cpu_field('model name')}, {os.cpu_count()} cores; median of {runs} runs; {', '.join(versions)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nigh", type=Path, default=NIGH)
    parser.add_argument("--data", type=Path, default=Path("/dev/shm/nigh"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--cases", metavar="REGEX", default="", help="measure only cases whose name matches")
    options = parser.parse_args()
    bench = Bench(options)
    generate.generate(bench.folder, options.scale, [LOG, GENOME])
    print(heading(options.runs), end="\n\n")
    print_row(COLUMNS)
    print_row(["---"] * len(COLUMNS))
    for case in CASES:
        if re.search(options.cases, case.name):
            for k in case.ks:
                bench.measure(case, k)


if __name__ == "__main__":
    main()
