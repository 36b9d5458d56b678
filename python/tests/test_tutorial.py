"""Runs the cells of the tutorial in order and compares what they print with the page. With NIGH_UPDATE_DOCUMENTS=1 it writes the page."""

import ast
import contextlib
import io
import os
import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "TUTORIAL.md"
CELL = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.DOTALL)


def run(code, names):
    """Runs a cell as a notebook does: prints the value of the last line if it is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, PAGE.name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), PAGE.name, "eval"), names) if last else None
        if value is not None:
            print(repr(value))
    return printed.getvalue()


def page(run_cell):
    """Returns the page with the output of run_cell for each cell."""

    def cell(found):
        printed = run_cell(found["code"])
        return f"```python\n{found['code']}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    return CELL.sub(cell, PAGE.read_text())


def test_the_tutorial_prints_what_it_shows(monkeypatch):
    monkeypatch.chdir(PAGE.parents[1])
    names = {}
    written = page(lambda code: run(code, names))
    if os.environ.get("NIGH_UPDATE_DOCUMENTS") == "1":
        PAGE.write_text(written)
    assert written == PAGE.read_text()
    assert len(CELL.findall(written)) >= 10
