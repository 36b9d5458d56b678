"""The plots of literature.py: a picture in SVG for each paper, with logarithmic axes."""

import math
import re
import sys
from pathlib import Path

from experiments import tables
from literature_results import (
    column_names,
    duration,
    kernel_tables,
    medians,
    numbers_of,
    series_points,
    table_cases,
)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs"))
from picture import BACKGROUND, GRID, MUTED, TEXT, document, element, number, text  # noqa: E402

FONT = {"font_family": "Helvetica, Arial, DejaVu Sans, sans-serif", "font_size": 14}
WIDTH, LEFT, RIGHT, TOP, PANEL_HEIGHT, LINE = 860, 90, 590, 56, 330, 22
BOTTOM = 60
COLOURS = ("#58a6ff", "#3fb950", "#f0883e", "#bc8cff", "#f778ba", "#e3b341", "#39c5cf")
PAPER_COLOUR = "#ff7b72"


class Axis:
    """A logarithmic axis over whole decades, from one coordinate to another."""

    def __init__(self, values, first, last):
        self.low, self.high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(self.high, self.low + 1)
        self.first, self.last = first, last

    def at(self, value):
        return self.first + (self.last - self.first) * (math.log10(value) - self.low) / (self.high - self.low)

    def decades(self):
        return range(self.low, self.high + 1)


def decade_label(exponent):
    """Returns a power of ten as a time without decimals."""
    label = duration(10.0**exponent)
    return re.sub(r"\.0+ ", " ", label)


def count_label(exponent):
    return f"{10**exponent:,}" if exponent < 6 else f"{10 ** (exponent - 6):,} M"


def line_elements(at, colour, points, x, y):
    """Returns a line through the points, and a marker for each."""
    places = [(x.at(size), y.at(seconds)) for size, seconds in sorted(points)]
    path = " ".join(f"{number(left)},{number(top)}" for left, top in places)
    yield element("polyline", points=path, fill="none", stroke=colour, stroke_width=2, stroke_dasharray="" if at < 4 else "6 3")
    for left, top in places:
        yield element("circle", cx=number(left), cy=number(top), r=3.5, fill=colour)


def grid_elements(x, y, title, axis):
    for exponent in x.decades():
        left = number(x.at(10**exponent))
        yield element("line", stroke=GRID, x1=left, x2=left, y1=number(y.first), y2=number(y.last))
        yield text(count_label(exponent), x.at(10**exponent), y.first + 20, fill=MUTED, font_size=12, text_anchor="middle")
    for exponent in y.decades():
        top = number(y.at(10**exponent))
        yield element("line", stroke=GRID, x1=number(x.first), x2=number(x.last), y1=top, y2=top)
        yield text(decade_label(exponent), x.first - 8, y.at(10**exponent) + 4, fill=MUTED, font_size=12, text_anchor="end")
    yield text(title, x.first, y.last - 16, fill=TEXT, font_weight="bold")
    yield text(axis, (x.first + x.last) / 2, y.first + 42, fill=MUTED, font_size=12, text_anchor="middle")


def panel_elements(panel, top):
    """Returns the elements of a panel whose upper edge is at `top`."""
    title, axis, lines, papers = panel
    points = [point for _, line in lines for point in line] + [point for _, point in papers]
    x = Axis([size for size, _ in points], LEFT, RIGHT)
    y = Axis([seconds for _, seconds in points], top + TOP + PANEL_HEIGHT - BOTTOM, top + TOP)
    yield from grid_elements(x, y, title, axis)
    legend = top + TOP + 10
    for at, (name, line) in enumerate(lines):
        colour = COLOURS[at % len(COLOURS)]
        yield from line_elements(at, colour, line, x, y)
        yield element("circle", cx=RIGHT + 28, cy=legend - 5, r=5, fill=colour)
        yield text(name, RIGHT + 40, legend, fill=TEXT, font_size=13)
        legend += LINE
    for size, seconds in (point for _, point in papers):
        diamond = f"translate({number(x.at(size))} {number(y.at(seconds))}) rotate(45)"
        yield element("rect", x=-5, y=-5, width=10, height=10, fill=PAPER_COLOUR, stroke=BACKGROUND, transform=diamond)
    if papers:
        yield element(
            "rect", x=-5, y=-5, width=10, height=10, fill=PAPER_COLOUR, transform=f"translate({RIGHT + 28} {legend - 5}) rotate(45)"
        )
        yield text("the paper", RIGHT + 40, legend, fill=TEXT, font_size=13)


def case_panel(results, paper, table):
    """Returns the title, the axis, the lines and the paper's points of a table; None if nothing was measured."""
    cases = table_cases(results, table)
    lines = {name: [] for name in column_names(cases)}
    for case in cases:
        for name, seconds in medians(case).items():
            lines[name].append((case["size"], seconds))
    papers = [(figure.what, (case["size"], figure.seconds)) for case in cases for figure in paper.published(table.key, case["name"])]
    lines = [(name, points) for name, points in lines.items() if points]
    return (table.title, table.axis, lines, papers) if lines else None


def kernel_panel(table, found):
    """Returns a panel of the keys that have one number, which is the position on the axis; None if there are none."""
    lines = []
    for name, by_key in series_points(table, found).items():
        points = [(numbers_of(key)[0], seconds) for key, seconds in by_key.items() if len(numbers_of(key)) == 1]
        if points:
            lines.append((name, points))
    return (table.title, table.key, lines, []) if lines else None


def plot(results, paper):
    """Returns the plots of a paper in one picture."""
    panels = [case_panel(results, paper, table) for table in tables(results["scale"]) if table.paper == paper.key]
    panels += [kernel_panel(table, found) for table, found in kernel_tables(results, paper)]
    panels = [panel for panel in panels if panel]
    height = TOP + PANEL_HEIGHT
    elements = [part for at, panel in enumerate(panels) for part in panel_elements(panel, at * height)]
    return document(WIDTH, len(panels) * height, paper.title, FONT, elements) if panels else None
