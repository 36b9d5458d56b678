"""The programs that the package installs."""

import subprocess
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest

import nigh


def run(name, *arguments, text=""):
    program = Path(sysconfig.get_path("scripts")) / name
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", ["nigh", "nigh-align"])
def test_versions_are_the_same(name):
    assert run(name, "--version").split()[:2] == [name, nigh.__version__]
    assert nigh.__version__ == version("nigh")


def test_the_program_and_the_module_find_the_same():
    text = "web01 ready\nweb02: conection refusd\n"
    printed = run("nigh", "-k2", "-o", "connection refused", text=text).splitlines()
    searcher = nigh.Searcher("connection refused", 2)
    matched = [text[slice(*found.span)] for found in searcher.find_iter(text, best=True)]
    assert printed == matched == ["conection refusd"]
