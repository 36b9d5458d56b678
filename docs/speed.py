#!/usr/bin/env python3
"""Draws docs/speed.svg from the table of speeds in the README.

usage: speed.py [--check]

Each row of the table must have the same figures as a row of a page in benches/records. With --check it writes nothing, and
the exit status is 1 if the picture is out of date.
"""

import argparse
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from picture import BACKGROUND, GRID, MUTED, TEXT, document, element, write_or_check, number, text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/speed.svg"
README = ROOT / "README.md"
RECORDS = ROOT / "benches/records"

FONT = {"font_family": "Helvetica, Arial, DejaVu Sans, sans-serif", "font_size": 14}
# A label has an outline in the background colour, which hides grid lines.
LABEL = {"font_size": 12, "stroke": BACKGROUND, "stroke_width": 6, "paint_order": "stroke"}
OURS, THEIRS = "#58a6ff", "#f0883e"
WIDTH, MARGIN, ROW = 860, 20, 28
LEFT, RIGHT = 350, 780
LEGEND, HEADER, AXIS, GAP = 40, 30, 44, 12

UNITS = {"MB/s": 0.001, "GB/s": 1.0}
SPEED = re.compile(r"([\d.]+) ([MG]B/s)")


@dataclass(frozen=True)
class Case:
    """A row of the table: speeds in GB/s, and the ratio as written."""

    name: str
    ours: float
    theirs: float
    program: str
    ratio: str


@dataclass(frozen=True)
class Panel:
    """Cases with one unit of speed, on an axis from 10^low to 10^high GB/s."""

    title: str
    unit: str
    low: int
    high: int
    prefix: str

    def cases(self, table):
        return [case for case in table if case.name.startswith(self.prefix)]

    def x(self, speed):
        share = (math.log10(speed) - self.low) / (self.high - self.low)
        return LEFT + share * (RIGHT - LEFT)


PANELS = (
    Panel("Sequences", "GB/s of bases x patterns x strands, logarithmic", -2, 3, "DNA"),
    Panel("Logs", "GB/s of text, logarithmic", -4, 1, "log"),
)


def cells(line):
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def speed_rows(path):
    """Returns the rows of a page with speeds in the second and third cell."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [cells(line) for line in lines if line.startswith("|")]
    return [row for row in rows if len(row) == 4 and SPEED.match(row[1]) and SPEED.match(row[2])]


def gigabytes(cell):
    value, unit = SPEED.match(cell).groups()
    return float(value) * UNITS[unit]


def table():
    """Returns the cases of the README. Each must be in a record."""
    recorded = [figures for path in RECORDS.glob("*.md") for _, *figures in speed_rows(path)]
    cases = []
    for name, *figures in speed_rows(README):
        if figures not in recorded:
            sys.exit(f"README.md: no record has the figures of {name!r}")
        ours, theirs, ratio = figures
        cases.append(Case(name, gigabytes(ours), gigabytes(theirs), theirs.split(", ")[1], ratio))
    return cases


def dot(x, y, colour):
    return element("circle", cx=number(x), cy=number(y), r=6, fill=colour)


def legend():
    y = MARGIN + 8
    yield dot(LEFT + 6, y, OURS)
    yield text("nigh", LEFT + 18, y + 5, fill=TEXT)
    yield dot(LEFT + 86, y, THEIRS)
    yield text("next fastest program that finds every match", LEFT + 98, y + 5, fill=TEXT)


def axis(panel, top, bottom):
    """Yields grid lines at the powers of ten, their labels, and the unit below."""
    for power in range(panel.low, panel.high + 1):
        x = panel.x(10**power)
        ends = {"x1": number(x), "x2": number(x), "y1": number(top), "y2": number(bottom)}
        yield element("line", stroke=GRID, **ends)
        yield text(f"{10.0**power:g}", x, bottom + 18, fill=MUTED, font_size=12, text_anchor="middle")
    yield text(panel.unit, (LEFT + RIGHT) / 2, bottom + 36, fill=MUTED, font_size=12, text_anchor="middle")


def row(panel, case, y):
    """Yields a case: its name, the two speeds joined by a line, and the ratio."""
    ours, theirs = panel.x(case.ours), panel.x(case.theirs)
    ends = {"x1": number(theirs), "x2": number(ours), "y1": number(y), "y2": number(y)}
    yield text(case.name.split(", ", 1)[1], MARGIN, y + 5, fill=TEXT)
    yield element("line", stroke=MUTED, stroke_width=2, **ends)
    yield dot(theirs, y, THEIRS)
    yield dot(ours, y, OURS)
    yield text(case.program, theirs - 11, y + 4, fill=MUTED, text_anchor="end", **LABEL)
    yield text(f"{float(case.ratio):.1f}\N{MULTIPLICATION SIGN}", ours + 11, y + 4, fill=TEXT, **LABEL)


def picture():
    """Returns the picture as SVG."""
    all_cases = table()
    elements, top = list(legend()), MARGIN + LEGEND
    for panel in PANELS:
        cases = panel.cases(all_cases)
        elements.append(text(panel.title, MARGIN, top + 5, fill=TEXT, font_weight="bold"))
        bottom = top + HEADER + len(cases) * ROW - ROW / 2
        elements += axis(panel, top - 8, bottom)
        for index, case in enumerate(cases):
            elements += row(panel, case, top + HEADER + index * ROW)
        top = bottom + AXIS + GAP + MARGIN
    return document(WIDTH, round(top - GAP), "Speed of nigh and the next fastest program", FONT, elements)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the file and write nothing")
    write_or_check(PICTURE, picture(), parser.parse_args().check)


if __name__ == "__main__":
    main()
