"""Runs nigh and other programs on the same files."""

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cases import Search


class Difference(Exception):
    """A result of nigh that differs from that of another program."""


class NotInstalled(Exception):
    """A program that is not installed."""


def version(program):
    """Returns the first line of the output of --version."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    except FileNotFoundError as error:
        raise NotInstalled(program) from error


@dataclass(frozen=True)
class RunSettings:
    """Settings of nigh that must not change its output."""

    instruction_set: str
    threads: int
    batch: int | None

    def arguments(self):
        batch = [] if self.batch is None else ["--batch-size", str(self.batch)]
        return ["--engine", "cpu", f"-j{self.threads}", *batch]


@dataclass(frozen=True)
class Workspace:
    """A folder with the inputs of the current search, and the programs."""

    folder: Path
    program: Path
    sellers: Path

    def write(self, name, content: bytes):
        (self.folder / name).write_bytes(content)

    def nigh(self, settings: RunSettings, arguments):
        return [str(self.program), *settings.arguments(), *arguments]

    def environment(self, settings: RunSettings):
        return {**os.environ, "LC_ALL": "C.UTF-8", "NIGH_ISA": settings.instruction_set}

    def shell_line(self, settings: RunSettings, command):
        """Returns a shell command that repeats the command in this folder."""
        return f"cd {shlex.quote(str(self.folder))} && NIGH_ISA={settings.instruction_set} {shlex.join(map(str, command))}"

    def output(self, settings: RunSettings, command):
        """Runs a command and returns its output. Raises Difference if its status is not 0 or 1, or if it writes to standard error."""
        run = subprocess.run(command, cwd=self.folder, env=self.environment(settings), capture_output=True)
        if run.returncode > 1 or run.returncode < 0 or run.stderr:
            raise Difference(f"{self.shell_line(settings, command)}\nexit status {run.returncode}: {run.stderr.decode(errors='replace')}")
        return run.stdout

    def compare_with_sellers(self, search: Search, settings: RunSettings):
        """Pipes nigh's rows to sellers.cpp. Returns the number of hits, or raises Difference."""
        text = f"text.{search.suffix}"
        self.write(text, search.text)
        # The name of a pattern is its number. nigh also reads k from the file.
        lines = [f"{number}\t{pattern.source}\t{pattern.k}\n" for number, pattern in enumerate(search.patterns)]
        self.write("patterns.tsv", "".join(lines).encode())
        rows = ["--format=ends"] if search.suffix == "txt" else []
        command = self.nigh(settings, [*rows, *search.nigh, "-f", "patterns.tsv", text])
        check = [str(self.sellers), *search.sellers, "patterns.tsv", text]
        errors = self.folder / "errors"
        with errors.open("wb") as stderr:
            nigh = subprocess.Popen(command, cwd=self.folder, env=self.environment(settings), stdout=subprocess.PIPE, stderr=stderr)
            checked = subprocess.run(check, cwd=self.folder, stdin=nigh.stdout, capture_output=True, text=True)
            nigh.stdout.close()
            status = nigh.wait()
        message = errors.read_text(errors="replace")
        if checked.returncode != 0 or status not in (0, 1) or message:
            pipe = f"{self.shell_line(settings, command)} | {shlex.join(check)}"
            raise Difference(f"{pipe}\n{checked.stdout}{checked.stderr}{message}nigh: exit status {status}")
        return int(checked.stdout)
