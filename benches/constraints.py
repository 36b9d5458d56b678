#!/usr/bin/env python3
"""Measures what constraints on edits cost: nigh with each constraint beside nigh with the same number of plain edits.

usage: constraints.py [--nigh PATH] [--before PATH] [--data FOLDER] [--runs N] [--cases REGEX]

A row of the table is a pattern, a text and an output; its columns are constraints. A cell is the median CPU time of one thread, and its ratio to the
time without the constraint. Texts are generated from fixed seeds, of 40 kB to 4 MB: random bases, repeats, amplicons, reads with UMIs, and lines of a
log, one of them 300 kB long. With --before, a second program runs in turns with the first, and the cell has its time too; if both print something
else, it ends with "!=". A command that takes longer than 20 s is stopped, and its cell begins with ">". Ends with the number of cells whose ratio is
over 5 and whose time is over 50 ms.
"""

import argparse
import hashlib
import re
import resource
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

from compare import NIGH
from generate import mutate, random_bases

LONG = 20.0
BEST = ("--hits", "best", "--count-matches")
COUNT = ("--count-matches",)
UMI = "GAGTGATTGCTTGTGACGCCTT"
FORWARD, REVERSE = "GAGTGATTGCTTGTGACGCC", "CCTTAGGCATTGCACTAGTC"

CONSTRAINTS = {
    "plain": "-k{k}",
    "s": "-k{k}s",
    "id": "-k{k}id",
    "transpositions": "-k{k} --transpositions",
    "limits": "--edits i<=1,d<=1,s<={k},e<={k}",
    "costs": "--edits 2i+2d+s<={k}",
    "any:1": "-k{k} --ambiguous any:1",
    "overhang": "-k{k} --overhang right:50%",
}


def records(name, sequences):
    return b"".join(b">%s%d\n%s\n" % (name, number, sequence) for number, sequence in enumerate(sequences))


def random_text(random):
    return records(b"random", [random_bases(random, 270_000)])


def repeats(random):
    units = (b"A", b"CA", b"TTAGGG", b"CAG")
    blocks = (mutate(random, random.choice(units) * random.randrange(10, 200), random.randrange(8), b"ACGT") for _ in range(200))
    return records(b"repeat", [b"".join(block + random_bases(random, 50) for block in blocks)])


def amplicons(random):
    inner = (random_bases(random, random.randrange(1300, 2500)) for _ in range(20))
    return records(b"amplicon", [FORWARD.encode() + bases + REVERSE.encode() for bases in inner])


def reads(random):
    """Returns reads of 95 bases: a UMI, an anchor with up to two edits, a UMI, and a run of T."""
    pieces = []
    for number in range(20_000):
        anchor = mutate(random, UMI.encode(), random.randrange(3), b"ACGT")
        read = random_bases(random, random.randrange(8, 13)) + anchor + random_bases(random, 14) + b"T" * 20 + random_bases(random, 40)
        pieces.append(b"@read%d\n%s\n+\n%s\n" % (number, read[:95], b"I" * len(read[:95])))
    return b"".join(pieces)


def log_lines(random):
    words = "gamma delta ERROR id= user= retry timeout alpha@example.com j.doe@mail.org connection reset".split()
    return "".join(f"{' '.join(random.choices(words, k=random.randrange(4, 16)))}{random.randrange(10_000)}\n" for _ in range(40_000)).encode()


def long_line(random):
    return log_lines(random)[:300_000].replace(b"\n", b" ") + b"\n"


TEXTS = {
    "random.fa": random_text,
    "repeats.fa": repeats,
    "amplicons.fa": amplicons,
    "reads.fq": reads,
    "lines.log": log_lines,
    "long.log": long_line,
}


@dataclass(frozen=True)
class Case:
    pattern: str
    text: str
    output: tuple[str, ...]
    k: int = 2

    @property
    def name(self):
        return f"`{self.pattern}` {self.text} {' '.join(self.output)}"

    def suits(self, constraint):
        """Returns whether a constraint exists for the text."""
        return not (constraint == "any:1" and self.text.endswith(".log"))

    def arguments(self, constraint):
        groups = ["--exact-group"] if "<" in self.pattern else []
        return ["-j1", *groups, *self.output, *CONSTRAINTS[constraint].format(k=self.k).split(), self.pattern]


CASES = (
    Case(FORWARD + "N{1000,2500}" + REVERSE, "amplicons.fa", BEST),
    *(Case(pattern, "repeats.fa", output) for pattern in ("A{20,200}", "(TTAGGG){4,20}", "(CA){10,40}", "A" * 20) for output in (BEST, COUNT)),
    *(Case(pattern, "random.fa", output) for pattern in ("GGN{10,50}CCATG", "G{3,5}(N{1,7}G{3,5}){3}", "N{20}NGG") for output in (BEST, COUNT)),
    *(Case(f"^<N{{8,12}}>{UMI}<N{{14}}TTT>", "reads.fq", output) for output in (BEST, COUNT)),
    *(Case(UMI, "reads.fq", COUNT, k) for k in (2, 8)),
    *(Case(r"ERROR.*id=\d+", "long.log", output) for output in (("-o",), ("--json",))),
    *(Case("gamma.*delta", "lines.log", output) for output in (("-c",), ("-o",))),
    *(Case(r"[\w.]+@[\w.]+\.[a-z]{2,}", "lines.log", output, 1) for output in (("-c",), ("-o",))),
    Case(r"(\w+)=(\d+)", "lines.log", ("--replace", "$1"), 1),
)


def measure(program, arguments):
    """Returns the CPU time of a run and a hash of what it prints; in place of the time None if it was stopped or failed, and in place of the hash why."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run([program, *arguments], capture_output=True, timeout=LONG)
    except subprocess.TimeoutExpired:
        return None, f"> {LONG:g}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1):
        return None, "refused"
    # The times in the last messages of --json differ from run to run.
    lines = (line for line in run.stdout.splitlines() if b'"elapsed' not in line)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, hashlib.sha256(b"\n".join(lines)).hexdigest()


def cell(programs, arguments, runs, plain):
    """Returns the text of a cell, the median time of the first program, and whether the cell is slow."""
    found = [measure(program, arguments) for program in programs]
    times = [[seconds] for seconds, _ in found]
    for _ in range(runs - 1):
        for program, seconds in zip(programs, times):
            if seconds[0] is not None:
                seconds.append(measure(program, arguments)[0])
    first, *others = (None if None in seconds else statistics.median(seconds) for seconds in times)
    if first is None:
        text, is_slow = found[0][1], found[0][1] != "refused"
    else:
        text = f"{first:.3f}" if plain is None else f"{first:.3f} ({first / max(plain, 0.001):.1f})"
        is_slow = plain is not None and first > 0.05 and first > 5 * plain
    for seconds, (_, printed) in zip(others, found[1:]):
        text += f" from {printed if seconds is None else format(seconds, '.3f')}"
        text += " !=" if None not in (first, seconds) and printed != found[0][1] else ""
    return text, first, is_slow


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nigh", type=Path, default=NIGH)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--data", type=Path, default=Path("/dev/shm/nigh-constraints"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cases", type=re.compile, default=re.compile(""))
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    programs = [path for path in (options.nigh, options.before) if path]
    print("|", " | ".join(["case", *CONSTRAINTS]), "|")
    print("|", " | ".join(["---"] * (len(CONSTRAINTS) + 1)), "|")
    slow = cells = 0
    for case in CASES:
        if not options.cases.search(case.name):
            continue
        text = options.data / case.text
        if not text.exists():
            text.write_bytes(TEXTS[case.text](Random(case.text)))
        row, plain = [], None
        for constraint in CONSTRAINTS:
            if not case.suits(constraint):
                row.append("")
                continue
            shown, seconds, is_slow = cell(programs, [*case.arguments(constraint), str(text)], options.runs, plain)
            if constraint == "plain":
                plain = seconds
            cells, slow = cells + 1, slow + is_slow
            row.append(shown)
        print("|", " | ".join([case.name.replace("|", "\\|"), *row]), "|", flush=True)
    print(f"\n{slow} of {cells} cells are over 5 times the time without the constraint, and over 50 ms.")


if __name__ == "__main__":
    main()
