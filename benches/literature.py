#!/usr/bin/env python3
"""Runs the experiments of five papers on this machine, and writes a record with the papers' figures beside them.

usage: literature.py --programs FOLDER [--only PAPER]... [--minutes N] [--runs N] [--quick]
       literature.py --render RESULTS.json

FOLDER has nigh, nigh-align and pairs, and for a device optionally kernels-bench and scored-bench. Without a device,
only the processor is measured. --render writes the record of results again, without measuring. See README.md in this
folder.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import literature_record
from compare import cpu_field
from experiments import KERNEL_TABLES, Column, tables
from literature_results import duration, joined, medians
from papers import PAPERS

RECORDS = Path(__file__).resolve().parent / "records"
NEEDED = ("nigh", "nigh-align", "pairs")
QUICK_SCALE = 0.01
# A column of a case is not run again once its runs have taken this many seconds.
ENOUGH_SECONDS = 5.0
# A run that takes longer is stopped.
MAX_SECONDS = 60.0
KERNEL_ROW = re.compile(r"(\S+) +(.*\S) +([\d.]+) +([\d.e+-]+) +([\d.e+-]+) +(\d+)")


class Skipped(Exception):
    """The reason why a measurement was not made."""


class Clock:
    """The time budget of an invocation."""

    def __init__(self, minutes):
        self.start = time.monotonic()
        self.end = self.start + 60 * minutes

    def spent(self):
        return time.monotonic() - self.start

    def left(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise Skipped("the time of --minutes was used up")
        return left


class Programs:
    """The folder of the programs, and how they are run."""

    def __init__(self, folder, clock):
        self.folder = folder.resolve()
        self.clock = clock

    def has(self, name):
        return (self.folder / name).is_file()

    def run(self, arguments, folder, carry=""):
        """Runs a program with its output in a file. Returns the wall seconds and the file."""
        environment = {**os.environ, "LC_ALL": "C", **({"NIGH_CARRY": carry} if carry else {})}
        output, limit = folder / "output", min(self.clock.left(), MAX_SECONDS)
        with output.open("wb") as out:
            start = time.perf_counter()
            try:
                run = subprocess.run([self.folder / arguments[0], *arguments[1:]], stdout=out, stderr=subprocess.PIPE, cwd=folder,
                                     env=environment, timeout=limit, check=False)  # fmt: skip
            except subprocess.TimeoutExpired:
                raise Skipped("the time of --minutes was used up" if limit < MAX_SECONDS else f"more than {MAX_SECONDS:.0f} s") from None
            seconds = time.perf_counter() - start
        # Status 1 means that nothing was found.
        if run.returncode not in (0, 1) or run.stderr:
            raise Skipped(f"exit status {run.returncode}: {run.stderr.decode(errors='replace').strip()[-200:]}")
        return seconds, output


def file_hash(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


class Measurement:
    """The runs of a case in one column."""

    def __init__(self, table, column, arguments):
        self.in_memory = table.in_memory
        self.column = column
        self.command = [*table.arguments(column), *arguments]
        self.seconds = []
        self.spent = 0.0
        self.value = self.skipped = None

    def run(self, programs, folder):
        start = time.monotonic()
        try:
            seconds, output = programs.run(self.command, folder, self.column.carry)
            if self.in_memory:
                wall, _, self.value = output.read_text().split()
                seconds = float(wall)
            elif self.value is None:
                self.value = file_hash(output)
            self.seconds.append(seconds)
        except Skipped as reason:
            self.skipped = str(reason)
        self.spent += time.monotonic() - start

    def wants_more(self, runs):
        return not self.skipped and len(self.seconds) < runs and self.spent < ENOUGH_SECONDS

    def result(self):
        carry = [f"NIGH_CARRY={self.column.carry}"] if self.column.carry else []
        command = " ".join([*carry, *(Path(word).name for word in self.command)])
        return {"seconds": self.seconds, "value": self.value, "skipped": None if self.seconds else self.skipped, "command": command}


def columns_of(threads, device, carries=()):
    """Returns the columns of a case: the engines, numbers of threads and forms of the carry that run it."""
    columns = [Column("1 thread", "cpu", 1)]
    if threads > 1:
        columns.append(Column(f"{threads} threads", "cpu", threads))
    if device:
        columns.append(Column("CUDA", "cuda", threads))
        columns += [Column(f"CUDA, {carry}", "cuda", threads, carry) for carry in carries]
    return columns


def measure_case(table, case, columns, bench):
    """Runs the columns of a case in turns. Returns the entry of the case in the results."""
    with tempfile.TemporaryDirectory(dir=bench.work) as name:
        folder = Path(name)
        bench.clock.left()
        arguments = case.prepare(folder)
        measurements = [Measurement(table, column, arguments) for column in columns]
        while any(measurement.wants_more(bench.runs) for measurement in measurements):
            for measurement in measurements:
                if measurement.wants_more(bench.runs):
                    measurement.run(bench.programs, folder)
    results = {measurement.column.name: measurement.result() for measurement in measurements}
    return {"paper": table.paper, "table": table.key, "name": case.name, "size": case.size, "cells": case.cells,
            "in_paper": case.in_paper, "columns": results}  # fmt: skip


def kernel_rows(text):
    """Returns the rows that a benchmark of the kernels printed."""
    rows = []
    for line in text.splitlines():
        if match := KERNEL_ROW.fullmatch(line):
            kernel, case, milliseconds, _, cells, count = match.groups()
            rows.append({"kernel": kernel, "case": case, "ms": float(milliseconds), "cells_per_s": float(cells), "count": int(count)})
    return rows


class Bench:
    """The programs, the machine and the results of one invocation."""

    def __init__(self, options, work):
        self.clock = Clock(options.minutes)
        self.programs = Programs(options.programs, self.clock)
        self.work = work
        self.runs = options.runs
        self.threads = options.threads or len(os.sched_getaffinity(0))
        self.papers = options.only or [paper.key for paper in PAPERS]
        self.scale = QUICK_SCALE if options.quick else 1
        self.device = self.device_name()
        self.results = {"date": str(datetime.date.today()), "machine": self.machine(), "scale": self.scale, "runs": self.runs,
                        "papers": self.papers, "start_up": {}, "cases": [], "kernels": []}  # fmt: skip

    def device_name(self):
        """Returns the name of the device, or None if nigh-align cannot use one."""
        (self.work / "one.tsv").write_text("kitten\tsitting\n")
        try:
            self.programs.run(["nigh-align", "--pairs", "--format=values", "--engine", "cuda", "one.tsv"], self.work)
        except Skipped as reason:
            print(f"no device: {reason}", file=sys.stderr)
            return None
        query = ["nvidia-smi", "--id=0", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        found = shutil.which(query[0]) and subprocess.run(query, capture_output=True, text=True, check=False).stdout
        return ", driver ".join(found.strip().split(", ")) if found else "NVIDIA device"

    def machine(self):
        """Returns the kinds of processor and device in words."""
        model, flags = cpu_field("model name"), cpu_field("flags").split()
        family = re.search("xeon|epyc", model.lower())
        name = {"xeon": "Intel Xeon", "epyc": "AMD EPYC"}[family[0]] if family else model
        vectors = "AVX-512" if "avx512bw" in flags else "AVX2" if "avx2" in flags else "no AVX2"
        return {"cpu": f"{name} with {vectors}, {self.threads} cores", "device": self.device}

    def measure_start_up(self):
        """Measures the start-up of each column: the time of a process that compares one short pair."""
        for column in columns_of(self.threads, self.device):
            command = ["nigh-align", "--pairs", "--format=values", "--engine", column.engine, "-j", str(column.threads), "one.tsv"]
            seconds = [self.programs.run(command, self.work)[0] for _ in range(self.runs)]
            self.results["start_up"][column.name] = statistics.median(seconds)

    def measure_cases(self, rank):
        for table in tables(self.scale):
            for case in table.cases:
                if table.paper in self.papers and case.rank == rank:
                    self.measure(table, case)

    def measure(self, table, case):
        columns = columns_of(self.threads, self.device, case.carries)
        try:
            result = measure_case(table, case, columns, self)
        except Skipped as reason:
            skipped = {column.name: {"seconds": [], "value": None, "skipped": str(reason), "command": ""} for column in columns}
            result = {"paper": table.paper, "table": table.key, "name": case.name, "size": case.size, "cells": case.cells,
                      "in_paper": case.in_paper, "columns": skipped}  # fmt: skip
        self.results["cases"].append(result)
        shown = ", ".join(f"{name} {duration(seconds)}" for name, seconds in medians(result).items())
        print(f"{self.clock.spent():6.1f} s  {table.paper}, {table.key}, {case.name}: {shown or 'skipped'}", flush=True)

    def measure_kernels(self):
        for table in KERNEL_TABLES:
            if self.device and table.paper in self.papers:
                found = {"program": table.program, "section": table.section, "rows": [], "skipped": None}
                try:
                    if not self.programs.has(table.program):
                        raise Skipped(f"{table.program} is not in the folder of --programs")
                    _, output = self.programs.run([table.program, table.section], self.work)
                except Skipped as reason:
                    found["skipped"] = str(reason)
                    output = self.work / "output"
                found["rows"] = kernel_rows(output.read_text()) if self.programs.has(table.program) else []
                self.results["kernels"].append(found)
                print(f"{self.clock.spent():6.1f} s  {table.program} {table.section}: {found['skipped'] or 'done'}", flush=True)

    def run(self):
        self.measure_start_up()
        self.measure_cases(1)
        self.measure_kernels()
        self.measure_cases(2)
        self.results["seconds"] = round(self.clock.spent())
        return self.results


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, metavar="FOLDER", help="folder with the programs nigh, nigh-align and pairs")
    parser.add_argument("--only", action="append", choices=[paper.key for paper in PAPERS], help="run only the experiments of this paper; can be repeated")
    parser.add_argument("--minutes", type=float, default=8, metavar="N", help="minutes for all measurements, after which the rest is skipped (default: 8)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="number of runs; the record has their median (default: 3)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="number of threads of the second column (default: all cores)")
    parser.add_argument("--quick", action="store_true", help="use a hundredth of the sizes, and one run")
    parser.add_argument(
        "--work", type=Path, default=Path("/dev/shm"), metavar="FOLDER", help="folder for inputs and outputs (default: /dev/shm, which is in memory)"
    )
    parser.add_argument("--out", type=Path, default=RECORDS, metavar="FOLDER", help="folder of the record (default: benches/records)")
    parser.add_argument("--render", type=Path, action="append", metavar="RESULTS.json",
                        help="write the record of these results, without measuring; repeat the option to join several")  # fmt: skip
    return parser.parse_args()


def measured(options):
    """Runs the experiments. Returns the results."""
    missing = [name for name in NEEDED if not options.programs or not (options.programs / name).is_file()]
    if missing:
        sys.exit(f"literature.py: the folder of --programs has no {', no '.join(missing)}")
    if options.quick:
        options.runs = 1
    with tempfile.TemporaryDirectory(dir=options.work, prefix="nigh-literature-") as work:
        return Bench(options, Path(work)).run()


def main():
    options = parse_arguments()
    if options.render:
        results = joined([json.loads(path.read_text()) for path in options.render])
    else:
        results = measured(options)
    failures = literature_record.write(results, options.out)
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
