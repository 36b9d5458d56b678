"""Functions that terminal.py and speed.py share: colours, SVG elements, and writing or checking a file."""

import sys
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

# Both pictures have a dark background, so they look the same on light and dark pages.
BACKGROUND = "#0d1117"
BORDER = "#57606a"
TEXT = "#e6edf3"
MUTED = "#9da7b3"
GRID = "#30363d"


def element(name, content="", **attributes):
    """Returns an SVG element. An underscore in an attribute's name becomes a hyphen."""
    pairs = "".join(f" {key.replace('_', '-')}={quoteattr(str(value))}" for key, value in attributes.items())
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"


def text(content, x, y, **attributes):
    """Returns a text element whose baseline starts at x, y."""
    return element("text", escape(content), x=number(x), y=number(y), **attributes)


def number(value):
    """Formats a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def document(width, height, title, font, elements):
    """Returns an SVG file: a card with rounded corners, and the elements on it."""
    card = element("rect", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=8, fill=BACKGROUND, stroke=BORDER)
    size = {"width": width, "height": height, "viewBox": f"0 0 {width} {height}", "xml:space": "preserve"}
    parts = ["", element("title", escape(title)), card, *elements, ""]
    return element("svg", "\n".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", **size, **font) + "\n"


def write_or_check(path: Path, picture: str, check: bool):
    """Writes the picture. With `check` writes nothing, and exits with status 1 if the file differs from the picture."""
    if not check:
        path.write_text(picture, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != picture:
        sys.exit(f"{path.name} is out of date; run docs/{path.stem}.py")
