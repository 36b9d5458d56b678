"""Runs the programs in python/examples."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "python" / "examples" / "guides.py"


def test_guides_are_found_in_a_genome_and_in_texts():
    command = [sys.executable, GUIDES, ROOT / "tests" / "data" / "lambda.fa"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    *sites, last = result.stdout.splitlines()
    assert "gi|9626243|ref|NC_001416.1| 10889 10912 0 + 2 GCGATCACCCTGCCGATGGTGGG" in sites and len(sites) == 5
    assert last == "500 sites in 1000 texts"
    assert len(GUIDES.read_text().splitlines()) < 25


def test_guides_end_when_interrupted(tmp_path):
    genome = tmp_path / "genome.fa"
    os.mkfifo(genome)
    program = subprocess.Popen(
        [sys.executable, GUIDES, genome], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    # Opening the pipe waits until the program reads from it.
    with open(genome, "w") as file:
        file.write(">one\nGATTACA\n")
        file.flush()
        program.send_signal(signal.SIGINT)
        assert program.communicate(timeout=60) == ("", "")
    assert program.returncode == 130
