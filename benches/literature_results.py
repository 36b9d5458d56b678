"""The results of literature.py: joining them, and looking up times."""

import math
import re
import statistics
import sys

from experiments import KERNEL_TABLES


def duration(seconds):
    """Returns a time with three digits."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            value = seconds * factor
            digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
            return f"{value:,.{digits}f} {unit}"


def quotient(value):
    """Returns a quotient with two digits, or as a whole number."""
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.2g}"


def medians(case):
    """Returns the median time of each column that was measured."""
    columns = case["columns"].items()
    return {name: statistics.median(column["seconds"]) for name, column in columns if column["seconds"]}


def joined(parts):
    """Joins results, which must be of the same machine and scale."""
    first, *others = parts
    for part in others:
        if part["machine"] != first["machine"] or part["scale"] != first["scale"]:
            sys.exit("literature.py: --render can only join results of one machine and one scale")
        for key in ("papers", "cases", "kernels"):
            first[key] += part[key]
        first["seconds"] += part["seconds"]
    return first


def differing(results):
    """Returns the cases whose columns have different values."""
    found = []
    for case in results["cases"]:
        values = {name: column["value"] for name, column in case["columns"].items() if column["value"] is not None}
        if len(set(values.values())) > 1:
            found.append(f"{case['paper']}, {case['table']}, {case['name']}: the values differ: {values}")
    return found


def table_cases(results, table):
    """Returns the measured cases of a table, by size."""
    cases = [case for case in results["cases"] if (case["paper"], case["table"]) == (table.paper, table.key)]
    return sorted(cases, key=lambda case: (case["size"], case["cells"]))


def column_names(cases):
    return list(dict.fromkeys(name for case in cases for name in case["columns"]))


def series_points(table, found):
    """Returns the times of each series by key. If several rows have the same key, it is their smallest time."""
    times = {}
    for series in table.series:
        for measured in found["rows"]:
            match = re.fullmatch(series.case, measured["case"])
            if match and measured["kernel"] == series.kernel:
                by_key = times.setdefault(series.name, {})
                by_key[match[1]] = min(by_key.get(match[1], math.inf), measured["ms"] / 1e3)
    return times


def numbers_of(key):
    return [int(digits) for digits in re.findall(r"\d+", key)]


def kernel_tables(results, paper):
    for table in KERNEL_TABLES:
        for found in results["kernels"]:
            if table.paper == paper.key and (table.program, table.section) == (found["program"], found["section"]):
                yield table, found
