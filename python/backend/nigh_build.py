"""Builds wheels with maturin. They also hold the programs nigh, nigh-align and nigh-pcr, which pip installs like any other script.

This is a build backend as in PEP 517. The environment variable MATURIN_PEP517_ARGS holds arguments for maturin; a
`--profile` among them also applies to the programs. If NIGH_PROGRAMS names a folder, the programs are copied from there
instead of being built.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import get_requires_for_build_editable, get_requires_for_build_wheel  # noqa: F401

PYTHON = Path(__file__).resolve().parent.parent
# maturin puts the files in this folder into the wheel.
SCRIPTS = PYTHON / "nigh.data" / "scripts"


def profile():
    arguments = shlex.split(os.environ.get("MATURIN_PEP517_ARGS", ""))
    for argument, value in zip(arguments, [*arguments[1:], ""]):
        if argument == "--profile":
            return value
        if argument.startswith("--profile="):
            return argument.removeprefix("--profile=")
    return "release"


def build_programs():
    """Builds the programs. Returns their paths."""
    command = ["cargo", "build", "--locked", "--bins", "--profile", profile(), "--message-format", "json-render-diagnostics"]
    built = subprocess.run(command, cwd=PYTHON.parent, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return [message["executable"] for message in messages if message.get("executable")]


def add_programs():
    folder = os.environ.get("NIGH_PROGRAMS")
    programs = list(Path(folder).iterdir()) if folder else build_programs()
    shutil.rmtree(SCRIPTS.parent, ignore_errors=True)
    SCRIPTS.mkdir(parents=True)
    for program in programs:
        shutil.copy2(program, SCRIPTS)
    names = sorted(program.name for program in SCRIPTS.iterdir())
    if names != ["nigh", "nigh-align", "nigh-pcr"]:
        raise RuntimeError(f"expected the programs nigh, nigh-align and nigh-pcr, but found: {', '.join(names) or 'none'}")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    # maturin already needs the folder when it prepares the metadata.
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    add_programs()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("source distributions are not supported; build a wheel from a clone of the repository")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    add_programs()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
