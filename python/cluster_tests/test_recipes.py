"""Runs the recipes for schedulers in the folder recipes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "recipes"
# The programs of this environment, such as nigh, come first.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
OPTIONS = ["-k", "1", "ACGTACGTAC"]


def run(command, folder, **variables):
    environment = {**os.environ, "PATH": PATH, **variables}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture
def expected(genome):
    hits = run(["nigh", *OPTIONS, str(genome)], genome.parent)
    assert hits.count("\n") > 50
    return hits


def test_snakemake(genome, expected, tmp_path):
    config = [f"file={genome}", "parts=5", f"options={' '.join(OPTIONS)} --batch-size 100K"]
    run([sys.executable, "-m", "snakemake", "--snakefile", str(RECIPES / "Snakefile"), "--cores", "2", "--config", *config], tmp_path)
    assert (tmp_path / "hits.tsv").read_text() == expected


def test_slurm(genome, expected, tmp_path):
    def task(number, **variables):
        command = [str(RECIPES / "slurm.sh"), str(genome), *OPTIONS, "--batch-size", "100K"]
        run(command, tmp_path, SLURM_ARRAY_TASK_ID=str(number), SLURM_CPUS_PER_TASK="2", **variables)

    for number in range(1, 12):
        task(number, SLURM_ARRAY_TASK_COUNT="11")
    (tmp_path / "hits" / "000003-of-000011.tsv").unlink()
    task(3, SLURM_ARRAY_TASK_COUNT="1", PARTS="11")
    assert len(list((tmp_path / "hits").iterdir())) == 11
    assert run(["sh", "-c", "cat hits/*-of-000011.tsv"], tmp_path) == expected
