"""Runs the examples of the documentation, and compares the type stubs with the module."""

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import nigh


def documented():
    """Yields the name and the object of everything that has a documentation string."""
    for name in nigh.__all__:
        value = getattr(nigh, name)
        if inspect.isclass(value) or callable(value):
            yield name, value
        if inspect.isclass(value):
            yield from ((f"{name}.{method}", member) for method, member in vars(value).items() if not method.startswith("_"))


@pytest.mark.parametrize(("name", "value"), list(documented()))
def test_examples(name, value):
    assert inspect.getdoc(value) or name.split(".")[0] in ("Match", "Alignment", "Split"), f"{name} is not documented"
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(value) or "", {}, name, None, None)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_there_are_examples():
    with_examples = [name for name, value in documented() if ">>>" in (inspect.getdoc(value) or "")]
    assert len(with_examples) >= 6


def test_module_and_readme():
    assert doctest.testmod(nigh).failed == 0
    result = doctest.testfile("../README.md")
    assert result.failed == 0 and result.attempted >= 5


def test_stubs_are_those_of_the_module(tmp_path):
    command = [sys.executable, "-m", "mypy.stubtest", "nigh._nigh", "--concise"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_signature_of_a_searcher_has_every_keyword_of_the_stub():
    stub = ast.parse(Path(nigh.__file__).with_name("_nigh.pyi").read_text())
    [searcher] = [node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Searcher"]
    [new] = [node.args for node in searcher.body if isinstance(node, ast.FunctionDef) and node.name == "__new__"]
    expected = {name.arg: ast.literal_eval(value) for name, value in zip(new.kwonlyargs, new.kw_defaults)}
    parameters = inspect.signature(nigh.Searcher).parameters.values()
    found = {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}
    assert found == expected and len(found) == 17
    assert [one.name for one in parameters if one.name not in found] == [one.arg for one in new.args[1:]] == ["patterns", "k"]
    assert nigh.Searcher("abc", **found).count("abc", best=True) == 1, "the default values are arguments"
