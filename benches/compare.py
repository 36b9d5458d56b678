#!/usr/bin/env python3
"""Compares the speed and the results of nigh and other approximate search programs.

The programs of a case run in turns. The table has medians of wall time. See README.md in this folder.
"""

import argparse
import datetime
import multiprocessing
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from agreement import DIFFERS, Findings
from cases import CASES, Rival, case_patterns
from generate import generate
from peers import BY_NAME, PROGRAMS, Query, Tool

FOLDER = Path(__file__).resolve().parent
NIGH = FOLDER.parent / "target/release/nigh"
FORK = multiprocessing.get_context("fork")
MEMORY_LIMIT_MB = 200
COLUMNS = "case, tool, MB, s, CPU s, speed, peak MB, found, counts, ratio, target, met".split(", ")


class ProgramError(Exception):
    """A program that ended with an error."""


@dataclass
class Contender:
    """One program in one case, and its measurements."""

    label: str
    tool: Tool
    program: str
    text: Path
    query: Query
    output: Path
    isa: str = ""
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    peak_mb: float = 0.0

    @property
    def size(self):
        """The size of the text in MB, after "first" for a slice."""
        front = "first " if re.search(r"-\d+$", self.text.stem) else ""
        return f"{front}{self.megabytes:.3g}"

    @property
    def megabytes(self):
        return self.text.stat().st_size / 1e6

    @property
    def speed(self):
        """MB of text per second; in sequences multiplied by patterns and strands."""
        work = 2 * len(self.query.patterns) if self.query.sequences else 1
        return self.megabytes * work / statistics.median(self.seconds)

    def findings(self):
        return Findings(self.output, self.tool.count(self.output, self.text))

    def run(self):
        """Runs the program once and adds its times and its memory to the measurements."""
        command = [self.program, *self.tool.arguments(self.query), str(self.text)]
        environment = {**os.environ, "LC_ALL": "C", "NIGH_ISA": self.isa}
        with self.output.open("wb") as findings, tempfile.TemporaryFile() as other:
            streams = {"stdout": findings, "stderr": other}
            if self.tool.output == "stderr":
                streams = {"stdout": other, "stderr": findings}
            since = time.perf_counter()
            process = subprocess.Popen(command, env=environment, **streams)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - since
        process.returncode = os.waitstatus_to_exitcode(status)
        # Status 1 means that nothing was found.
        if process.returncode not in (0, 1):
            raise ProgramError(f"{' '.join(command)[:200]}: exit status {process.returncode}")
        wall, cpu = self.tool.preparation(self.output)
        self.seconds.append(seconds - wall)
        self.cpu_seconds.append(usage.ru_utime + usage.ru_stime - cpu)
        self.peak_mb = max(self.peak_mb, usage.ru_maxrss / 1e3)


def isolated(function, *arguments):
    """Calls the function in a new process, to keep this one small: a child's peak memory starts at the memory of its parent."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=lambda: sender.send(function(*arguments)))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise ProgramError(f"{function.__name__} failed in its process") from None
    finally:
        process.join()


def text_slice(text, size):
    """Returns a file with the first `size` bytes of a text, up to the next line end; the text itself if it is not larger."""
    if size >= text.stat().st_size:
        return text
    part = text.with_name(f"{text.stem}-{size}{text.suffix}")
    if not part.exists():
        isolated(write_slice, text, part, size)
    return part


def write_slice(text, part, size):
    with text.open("rb") as whole:
        lines = whole.read(size) + whole.readline()
    part.write_bytes(lines)


class Bench:
    """The programs, texts and settings of one invocation, and the failures so far."""

    def __init__(self, options, programs):
        self.programs = programs
        self.runs = options.runs
        self.scale = options.scale
        self.folder = options.data / f"scale-{options.scale:g}"
        self.failures = []

    def query(self, case, folder):
        patterns = isolated(case_patterns, case, self.folder)
        file = folder / "patterns.txt"
        file.write_text("".join(f"{pattern}\n" for pattern in patterns))
        return Query(patterns, file, case.k, case.threads, case.sequences)

    def contender(self, query, case, rival, output):
        tool = BY_NAME[rival.tool]
        label = " ".join(filter(None, [rival.tool, rival.isa, rival.text]))
        text = self.folder / (rival.text or case.text)
        if rival.megabytes:
            text = text_slice(text, int(rival.megabytes * 1e6 * self.scale))
        return Contender(label, tool, self.programs[tool.program], text, query, output, rival.isa)

    def contenders(self, case, folder):
        """Returns nigh, then the rivals that are installed."""
        query = self.query(case, folder)
        present = [rival for rival in case.rivals if self.is_installed(rival)]
        entries = enumerate([Rival("nigh", isa=case.isa), *present])
        return [self.contender(query, case, rival, folder / f"output-{number}") for number, rival in entries]

    def is_installed(self, rival):
        return self.programs.get(BY_NAME[rival.tool].program) is not None and has_instructions(rival.isa)

    def agreement(self, ours, theirs):
        """Compares the findings. If the rival searched a slice, nigh searches the same slice first, without timing."""
        if theirs.text.name.startswith(ours.text.stem + "-"):
            output = ours.output.with_name("output-slice")
            ours = replace(ours, text=theirs.text, output=output, seconds=[], cpu_seconds=[])
            ours.run()
        return isolated(agree, ours, theirs)

    def run_in_turns(self, ours, rivals):
        """Runs all programs in turns, `runs` times each. A rival that fails is removed."""
        for _ in range(self.runs):
            ours.run()
            for rival in tuple(rivals):
                try:
                    rival.run()
                except ProgramError as failure:
                    self.failures.append(str(failure))
                    rivals.remove(rival)

    def measure(self, case):
        """Measures a case. Returns nigh's row and a row for each rival."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            ours, *rivals = self.contenders(case, Path(folder))
            self.run_in_turns(ours, rivals)
            rows, complete = [], []
            for rival in rivals:
                agreement, found = self.agreement(ours, rival)
                ratio = ours.speed / rival.speed
                rows.append(["", *figures(rival), str(found), agreement.note, f"{ratio:.2f}", "", ""])
                if agreement.complete:
                    complete.append(ratio)
                if agreement == DIFFERS:
                    self.failures.append(f"{case.name}: {rival.label} found {found}, which differs from nigh's number without a known reason")
            found = isolated(ours.findings).count
        return [[case.name, *figures(ours), str(found), "", *verdict(case, ours, complete)], *rows]


def agree(ours, theirs):
    """Returns the agreement of two contenders, and the number of findings of the second."""
    findings = theirs.findings()
    return theirs.tool.agree(ours.findings(), findings, ours.query), findings.count


def figures(contender):
    speed = contender.speed
    return [
        contender.label,
        contender.size,
        f"{statistics.median(contender.seconds):.3f}",
        f"{statistics.median(contender.cpu_seconds):.2f}",
        f"{speed / 1e3:.2f} GB/s" if contender.query.sequences else f"{speed:.0f} MB/s",
        f"{contender.peak_mb:.0f}",
    ]


def verdict(case, ours, ratios):
    """Returns the ratio to the fastest complete rival, the target, and whether the target is met."""
    if not ratios:
        return ["", f"{case.target:g}", "no rival"]
    met = "yes" if min(ratios) >= case.target else "no"
    if ours.peak_mb >= MEMORY_LIMIT_MB:
        met = "no: too much memory"
    return [f"{min(ratios):.2f}", f"{case.target:g}", met]


def has_instructions(isa):
    flags = {"": [], "avx2": ["avx2"], "avx512": ["avx512f", "avx512bw", "avx512vbmi", "avx512_vbmi2"]}[isa]
    return set(flags) <= set(cpu_field("flags").split())


def cpu_field(name):
    found = re.search(rf"^{name}\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else ""


def build_vectorscan(folder):
    """Compiles vectorscan.c. Returns None if the library or a compiler is not installed."""
    program = folder / "vectorscan"
    source = FOLDER / "vectorscan.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        command = ["cc", "-O2", "-o", str(program), str(source), "-lhs"]
        if not shutil.which("cc") or subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
            return None
    return str(program)


def find_programs(options):
    programs = {name: shutil.which(getattr(options, option(name))) for name in PROGRAMS}
    programs["vectorscan"] = programs["vectorscan"] or build_vectorscan(options.data)
    return programs


def option(program):
    return program.replace("-", "_")


def version(tool, program):
    """Returns the program's name and the first number in its version message."""
    if tool.version is None:
        return tool.program
    message = subprocess.run([program, tool.version], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    number = re.search(r"\d+(\.\d+)+", message.stdout + message.stderr)
    return f"{tool.program} {number[0] if number else '(version unknown)'}"


def heading(programs, runs):
    """Returns the machine, the date, the number of runs and the versions in one line."""
    tools = {tool.program: tool for tool in BY_NAME.values()}
    versions = ", ".join(version(tools[name], path) for name, path in programs.items() if path)
    absent = ", ".join(name for name, path in programs.items() if not path)
    machine = f"{cpu_field('model name') or platform.processor()}, {os.cpu_count()} cores"
    line = f"{machine}; {datetime.date.today()}; median of {runs} runs in turns; {versions}"
    return f"{line}; not installed: {absent}" if absent else line


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", metavar="REGEX", default="", help="measure only cases whose name matches")
    parser.add_argument("--runs", metavar="N", type=int, default=5)
    parser.add_argument("--scale", metavar="X", type=float, default=1.0, help="size of the texts relative to full size; 0.02 is a smoke test")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nigh-compare"
    parser.add_argument("--data", metavar="DIR", type=Path, default=cache, help=f"folder of the generated texts ({cache})")
    parser.add_argument("--list", action="store_true", help="print the names of cases and programs, and exit")
    for program in PROGRAMS:
        default = str(NIGH) if program == "nigh" else program
        parser.add_argument(f"--{program}", metavar="PATH", default=default)
    return parser.parse_args()


def print_row(cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_list(cases, programs):
    for case in cases:
        print(f"{case.name}  (target {case.target:g}; {', '.join(rival.tool for rival in case.rivals)})")
    for program, path in programs.items():
        print(f"{program}: {path or 'not found'}")


def main():
    options = arguments()
    cases = [case for case in CASES if re.search(options.cases, case.name) and has_instructions(case.isa)]
    options.data.mkdir(parents=True, exist_ok=True)
    programs = find_programs(options)
    if options.list:
        return print_list(cases, programs)
    if programs["nigh"] is None:
        sys.exit(f"compare.py: {options.nigh} does not exist; run cargo build --release")
    bench = Bench(options, programs)
    try:
        compare(bench, cases)
    except ProgramError as failure:
        sys.exit(f"compare.py: {failure}")
    if bench.failures:
        sys.exit("\nFailures and unexplained differences:\n" + "\n".join(bench.failures))


def compare(bench, cases):
    """Generates the texts, then prints the table case by case."""
    isolated(generate, bench.folder, bench.scale, needed_texts(cases))
    print(f"{heading(bench.programs, bench.runs)}\n")
    print_row(COLUMNS)
    print_row(["---"] * len(COLUMNS))
    for case in cases:
        for row in bench.measure(case):
            print_row(row)


def needed_texts(cases):
    """Returns the texts that the cases search, and those that their patterns are copied from."""
    texts = {case.text for case in cases} | {rival.text for case in cases for rival in case.rivals if rival.text}
    return texts | {case.patterns.source for case in cases if hasattr(case.patterns, "source")}


if __name__ == "__main__":
    main()
