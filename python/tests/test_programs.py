"""The programs that the package installs."""

import subprocess
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pyarrow
import pytest

import nigh


def run(name, *arguments, text=""):
    program = Path(sysconfig.get_path("scripts")) / name
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", ["nigh", "nigh-align", "nigh-pcr"])
def test_versions_are_the_same(name):
    assert run(name, "--version").split()[:2] == [name, nigh.__version__]
    assert nigh.__version__ == version("nigh")


def test_the_program_and_the_module_find_the_same():
    text = "web01 ready\nweb02: conection refusd\n"
    printed = run("nigh", "-k2", "-o", "connection refused", text=text).splitlines()
    searcher = nigh.Searcher("connection refused", 2)
    matched = [text[slice(*found.span)] for found in searcher.find_iter(text, best=True)]
    assert printed == matched == ["conection refusd"]


def test_sites_of_guides_are_those_of_the_program(tmp_path):
    data = Path(__file__).parents[2] / "tests" / "data"
    names = ["record", "start", "end", "name", "strand", "distance", "cigar"]
    guides = [line.split("\t")[:2] + [k] for k, line in zip("567", (data / "guides.tsv").read_text().splitlines())]
    (tmp_path / "guides.tsv").write_text("".join("\t".join(guide) + "\n" for guide in guides))
    options = ["--hits", "sites", "--columns", ",".join(names), "-f", tmp_path / "guides.tsv"]
    printed = run("nigh", *options, data / "lambda.fa")
    expected = [row.split("\t") for row in printed.splitlines()]
    assert len(expected) > 20

    searcher = nigh.Searcher([(guide, int(k)) for _, guide, k in guides], alphabet="dna")
    table = pyarrow.table(searcher.search_file(data / "lambda.fa", sites=True)).to_pylist()
    named = [row | {"name": guides[row["pattern"]][0]} for row in table]
    assert expected == [[str(row[name]) for name in names] for row in named]
    text = "".join((data / "lambda.fa").read_text().splitlines()[1:])
    found = searcher.find_iter(text, sites=True)
    assert [row[1:] for row in expected] == [
        [str(value) for value in (*one.span, guides[one.pattern][0], one.strand, one.distance, one.cigar)] for one in found
    ]
