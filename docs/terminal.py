#!/usr/bin/env python3
"""Draws docs/terminal.svg: commands and their output in the colours of a terminal.

usage: terminal.py [--check] [--nigh PROGRAM]

The commands run in the project's folder. With --check it writes nothing, and the exit status is 1 if the picture
is out of date.
"""

import argparse
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from picture import MUTED, TEXT, document, element, write_or_check, number, text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/terminal.svg"
COMMANDS = (
    ("nigh", "-n", "--cost", "-k2", "connection refused", "tests/data/service.log"),
    ("nigh", "-k3", "--format=align", "CCCAGGAAGGCGAACAACAAGAAACTGGTTTCGTCGTCTTCAC", "tests/data/lambda.fa"),
)

FONT = {"font_family": "Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace", "font_size": 14}
COLUMN, LINE = 8.4, 20
MARGIN, BAR = 20, 36
TAB = 8

ESCAPE = re.compile(r"\x1b\[(?:([0-9;]*)m|K)")
# The codes of GREP_COLORS that nigh uses by default.
COLOURS = {"": TEXT, "32": "#7ee787", "35": "#d2a8ff", "36": "#56d4dd", "01;31": "#ff7b72"}


@dataclass(frozen=True)
class Run:
    """Characters of one colour that start at a column."""

    column: int
    characters: str
    colour: str = TEXT
    weight: str = "normal"

    def draw(self, y):
        """Returns the run as an element. Its width is fixed, so columns align in every font."""
        size = {"textLength": number(len(self.characters) * COLUMN), "lengthAdjust": "spacingAndGlyphs"}
        style = {"fill": self.colour, "font_weight": self.weight}
        return text(self.characters, MARGIN + self.column * COLUMN, y, **style, **size)


def runs(line):
    """Splits a line with escape sequences into runs. Tabs are expanded."""
    code, column, at = "", 0, 0
    for found in [*ESCAPE.finditer(line), None]:
        characters = line[at : found.start() if found else None]
        expanded = (" " * (column % TAB) + characters).expandtabs(TAB)[column % TAB :]
        if expanded:
            yield Run(column, expanded, COLOURS[code], "bold" if code.startswith("01") else "normal")
        column += len(expanded)
        if found:
            at = found.end()
            code = code if found[1] is None else found[1]


def shell(word):
    """Quotes a word if a shell needs it."""
    return word if re.fullmatch(r"[\w./=%-]+", word) else f"'{word}'"


def output(program, command):
    """Returns the lines that a command prints, with colours."""
    settings = {name: value for name, value in os.environ.items() if name not in ("GREP_COLORS", "NIGH_CONFIG_PATH")}
    arguments = [program, "--color=always", *command[1:]]
    printed = subprocess.run(arguments, cwd=ROOT, env=settings, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return printed.stdout.rstrip("\n").split("\n")


def screen(program):
    """Yields the lines of the picture, each a list of runs."""
    for index, command in enumerate(COMMANDS):
        if index:
            yield []
        yield [Run(0, "$", MUTED), Run(2, " ".join(map(shell, command)), weight="bold")]
        for line in output(program, command):
            yield list(runs(line))


def picture(program):
    """Returns the picture as SVG."""
    lines = list(screen(program))
    columns = max(run.column + len(run.characters) for line in lines for run in line)
    width = round(columns * COLUMN) + 2 * MARGIN
    height = BAR + len(lines) * LINE + MARGIN
    buttons = ("#ff5f57", "#febc2e", "#28c840")
    elements = [element("circle", cx=MARGIN + 20 * i, cy=20, r=6, fill=fill) for i, fill in enumerate(buttons)]
    for row, line in enumerate(lines):
        elements += [run.draw(BAR + (row + 1) * LINE) for run in line]
    return document(width, height, "nigh in a terminal", FONT, elements)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the file and write nothing")
    parser.add_argument("--nigh", default=ROOT / "target/debug/nigh", type=Path, help="the program to run")
    arguments = parser.parse_args()
    write_or_check(PICTURE, picture(arguments.nigh.resolve()), arguments.check)


if __name__ == "__main__":
    main()
