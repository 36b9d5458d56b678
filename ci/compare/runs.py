"""Runs nigh and other programs on the same files."""

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cases import Search


class Difference(Exception):
    """nigh and another program do not agree."""


class Missing(Exception):
    """A program that is not installed."""


def version(program):
    """The first line of what a program says of itself."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    except FileNotFoundError as error:
        raise Missing(program) from error


@dataclass(frozen=True)
class Way:
    """How nigh searches; it shows in no output."""

    instruction_set: str
    threads: int
    batch: int | None

    def arguments(self):
        batch = [] if self.batch is None else ["--batch-size", str(self.batch)]
        return ["--engine", "cpu", f"-j{self.threads}", *batch]


@dataclass(frozen=True)
class Workspace:
    """A folder with the inputs of the search that runs, and the programs."""

    folder: Path
    program: Path
    sellers: Path

    def write(self, name, content: bytes):
        (self.folder / name).write_bytes(content)

    def nigh(self, way: Way, arguments):
        return [str(self.program), *way.arguments(), *arguments]

    def environment(self, way: Way):
        return {**os.environ, "LC_ALL": "C.UTF-8", "NIGH_ISA": way.instruction_set}

    def shown(self, way: Way, command):
        """The command as a shell takes it, in this folder."""
        return f"cd {shlex.quote(str(self.folder))} && NIGH_ISA={way.instruction_set} {shlex.join(map(str, command))}"

    def output(self, way: Way, command):
        """What a program prints; it has to end with 0 or 1, as grep does, and to say nothing on standard error."""
        run = subprocess.run(command, cwd=self.folder, env=self.environment(way), capture_output=True)
        if run.returncode > 1 or run.returncode < 0 or run.stderr:
            raise Difference(f"{self.shown(way, command)}\nended with {run.returncode}: {run.stderr.decode(errors='replace')}")
        return run.stdout

    def beside_sellers(self, search: Search, way: Way):
        """Pipes nigh's rows to the brute force; returns the number of hits."""
        text = f"text.{search.suffix}"
        self.write(text, search.text)
        # The names of patterns are their numbers. nigh reads k from the file as well.
        lines = [f"{number}\t{pattern.source}\t{pattern.k}\n" for number, pattern in enumerate(search.patterns)]
        self.write("patterns.tsv", "".join(lines).encode())
        rows = ["--ends"] if search.suffix == "txt" else []
        command = self.nigh(way, [*rows, *search.nigh, "-f", "patterns.tsv", text])
        check = [str(self.sellers), *search.sellers, "patterns.tsv", text]
        errors = self.folder / "errors"
        with errors.open("wb") as stderr:
            nigh = subprocess.Popen(command, cwd=self.folder, env=self.environment(way), stdout=subprocess.PIPE, stderr=stderr)
            found = subprocess.run(check, cwd=self.folder, stdin=nigh.stdout, capture_output=True, text=True)
            nigh.stdout.close()
            status = nigh.wait()
        message = errors.read_text(errors="replace")
        if found.returncode != 0 or status not in (0, 1) or message:
            pipe = f"{self.shown(way, command)} | {shlex.join(check)}"
            raise Difference(f"{pipe}\n{found.stdout}{found.stderr}{message}nigh ended with {status}")
        return int(found.stdout)
