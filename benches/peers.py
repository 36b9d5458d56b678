"""The compared programs: arguments, the count of findings in the output, and the comparison with nigh's findings."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agreement import Agreement, Findings, at_least, at_most, exact, same, sassy_agrees, up_to


@dataclass(frozen=True)
class Query:
    """Patterns and options of a search. `file` has the patterns, one per line."""

    patterns: tuple[str, ...]
    file: Path
    k: int
    threads: int
    sequences: bool


def only_number(output, text):
    """Returns the first number in the output, for a program that prints the number of lines."""
    return int(re.search(rb"\d+", output.read_bytes())[0])


def rows(output, text):
    with output.open("rb") as file:
        return sum(1 for _ in file)


def rows_below_header(output, text):
    return rows(output, text) - 1


def rows_or_number(output, text):
    """Counts nigh's output: a row for each hit in sequences, otherwise the number of lines (-c)."""
    return rows(output, text) if text.suffix == ".fa" else only_number(output, text)


def lines_of_offsets(output, text):
    """Counts the lines in which matches start. sassy agrep prints the offset of each match."""
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", output.read_bytes())
    offsets = sorted(int(offset) for offset in re.findall(rb"^(\d+) *: *\d+ \|", plain, re.MULTILINE))
    lines, line_end = 0, 0
    with text.open("rb") as file:
        for offset in offsets:
            if offset >= line_end:
                file.seek(offset)
                line_end = offset + len(file.readline())
                lines += 1
    return lines


@dataclass(frozen=True)
class Tool:
    name: str
    program: str
    # Returns the arguments for a query: those between the program and the file.
    arguments: Callable[[Query], list[str]]
    # Returns the number of lines or matches, from the output file and the text.
    count: Callable[[Path, Path], int]
    # Compares nigh's findings with the tool's.
    agree: Callable[[Findings, Findings, Query], Agreement]
    output: str = "stdout"
    # Returns the wall and CPU seconds that the time excludes, from the output file.
    preparation: Callable[[Path], tuple[float, float]] = lambda output: (0.0, 0.0)
    version: str | None = "--version"


def single(query):
    """Returns the pattern of a query with one pattern."""
    (pattern,) = query.patterns
    return pattern


def nigh(query):
    patterns = ["-e", single(query)] if len(query.patterns) == 1 else ["-f", str(query.file)]
    return [f"-k{query.k}", f"-j{query.threads}", *([] if query.sequences else ["-c", "-F"]), *patterns]


def sassy(query):
    patterns = ["-p", single(query)] if len(query.patterns) == 1 else ["--v2", "-l", str(query.file)]
    return ["search", "-k", str(query.k), "-j", str(query.threads), *patterns]


def compilation(output):
    """vectorscan.c prints the number of lines, then the seconds that compiling the patterns took."""
    _, wall, cpu = output.read_text().split()
    return float(wall), float(cpu)


ACROSS_LINES = at_least("finds matches across line ends too")
COUNTED_TWICE = at_least("prints the same lines, but -c counts some twice")

TOOLS = (
    Tool("nigh", "nigh", nigh, rows_or_number, same),
    Tool("sassy", "sassy", sassy, rows_below_header, sassy_agrees),
    Tool("sassy agrep", "sassy", lambda q: ["agrep", single(q), str(q.k)], lines_of_offsets, ACROSS_LINES,
         output="stderr"),
    Tool("vectorscan", "vectorscan", lambda q: [str(q.k), str(q.file)], only_number, ACROSS_LINES,
         preparation=compilation),
    Tool("nrgrep", "nrgrep", lambda q: ["-c", "-L", "-k", f"{q.k}ids", single(q)], only_number,
         up_to(31, same, "misses lines with patterns of more than 31 symbols"), version=None),
    Tool("agrep", "agrep", lambda q: ["-c", f"-{q.k}", "-k", single(q)], only_number,
         up_to(31, COUNTED_TWICE, "wrong for patterns of more than 31 symbols"), version="-V"),
    Tool("ugrep -Z", "ugrep", lambda q: ["-c", f"-Z{q.k}", single(q)], only_number,
         at_most("allows no edit of the first symbol")),
    Tool("tre-agrep", "tre-agrep", lambda q: ["-c", "-E", str(q.k), single(q)], only_number, same),
    Tool("rg", "rg", lambda q: ["-c", "-F", single(q)], only_number, exact),
    Tool("grep", "grep", lambda q: ["-c", "-F", single(q)], only_number, exact),
)  # fmt: skip
BY_NAME = {tool.name: tool for tool in TOOLS}
PROGRAMS = tuple(dict.fromkeys(tool.program for tool in TOOLS))
