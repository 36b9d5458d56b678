"""The record of literature.py: a page in Markdown and a plot for each paper, from the results and the papers' figures."""

import json
import math
import re
import statistics

from experiments import (
    DATABASE_SEQUENCES,
    MAX_PROTEIN_LENGTH,
    RECORDS,
    TEXT_SYMBOLS,
    tables,
)
from literature_plots import plot
from literature_results import (
    column_names,
    differing,
    duration,
    kernel_tables,
    medians,
    numbers_of,
    quotient,
    series_points,
    table_cases,
)
from papers import PAPERS
from strings import LENGTH_LOG_DEVIATION, LENGTH_LOG_MEAN, MIN_PROTEIN_LENGTH

NOT_FOUND, NONE = "not found", "–"


def row(cells):
    return f"| {' | '.join(cells)} |"


def table_lines(head, rows):
    alignment = ["---", *["--:"] * (len(head) - 1)]
    return [row(head), row(alignment), *map(row, rows), ""]


def paper_cells(paper, table, case):
    """Returns the paper's times, and the quotient of its best time and nigh's best time."""
    published, ours = paper.published(table.key, case["name"]), medians(case)
    if not published:
        return [NOT_FOUND if case["in_paper"] else NONE, NONE]
    times = "; ".join(f"{figure.seconds:.4g} s {figure.what}" for figure in published)
    best = min(figure.seconds for figure in published)
    return [times, quotient(best / min(ours.values())) if ours else NONE]


def measured_cell(case, name):
    column = case["columns"].get(name)
    if column is None:
        return NONE
    if not column["seconds"]:
        return "skipped"
    return duration(statistics.median(column["seconds"]))


def device_cell(case):
    """Returns the quotient of the times of one thread and of the device."""
    times = medians(case)
    one = next(iter(case["columns"]))
    return quotient(times[one] / times["CUDA"]) if one in times and "CUDA" in times else NONE


def case_table(results, paper, table):
    cases = table_cases(results, table)
    if not cases:
        return []
    names = column_names(cases)
    has_paper = any(case["in_paper"] for case in cases)
    has_device = "CUDA" in names
    rows = [[case["name"], *(measured_cell(case, name) for name in names), *([device_cell(case)] if has_device else []),
             *(paper_cells(paper, table, case) if has_paper else [])] for case in cases]  # fmt: skip
    head = ["case", *names, *([f"{names[0]} / CUDA"] if has_device else []), *(["the paper", "paper / fastest"] if has_paper else [])]
    return [f"### {table.title}", "", *table_lines(head, rows), *command_lines(cases)]


def command_lines(cases):
    """Returns the commands of the last case that was run."""
    commands = [[column["command"] for column in case["columns"].values() if column["seconds"]] for case in cases]
    last = next(filter(None, reversed(commands)), [])
    return ["Commands of the last row that was run:", "", "```sh", *last, "```", ""] if last else []


def with_commas(key):
    return re.sub(r"\d{4,}", lambda digits: f"{int(digits[0]):,}", key).replace("x", " x ")


def kernel_lines(table, found):
    lines = [f"### {table.title}", "", f"`{table.program} {table.section}`: time of the kernel alone, median of seven.", ""]
    if found["skipped"]:
        lines += [f"Not complete: {found['skipped']}.", ""]
    times = series_points(table, found)
    keys = sorted({key for by_key in times.values() for key in by_key}, key=numbers_of)
    rows = [[with_commas(key), *(duration(by_key[key]) if key in by_key else NONE for by_key in times.values())] for key in keys]
    return lines + (table_lines([table.key, *times], rows) if rows else []) + rival_lines(table, times, keys)


def rival_lines(table, times, keys):
    """Returns a line that says for which keys the first of two groups of series is faster."""
    if not all(table.rivals):
        return []
    first, second = ([times[name] for name in group if name in times] for group in table.rivals)
    both = [key for key in keys if any(key in series for series in first) and any(key in series for series in second)]
    least = lambda group, key: min(series.get(key, math.inf) for series in group)  # noqa: E731
    faster = [with_commas(key) for key in both if least(first, key) < least(second, key)]
    name, other = (group[0].split(",")[0] for group in table.rivals)
    return [f"“{name}” is faster than “{other}” for: {'; '.join(faster) or 'none of these sizes'}.", ""] if both else []


def sources(paper):
    """Returns where the times in the tables come from."""
    lines = dict.fromkeys((figure.source for figures in paper.times.values() for figure in figures))
    return [f"Times of the paper: {source}." for source in lines]


def paper_lines(results, paper, folder):
    lines = [f"## {paper.title}", "", paper.citation, "", f"Hardware of the paper: {paper.hardware}.", ""]
    lines += [f"- {finding}" for finding in (*paper.findings, *sources(paper))]
    lines += ["", f"![Plot of the tables below]({folder}/{paper.key}.svg)", ""]
    for table in tables(results["scale"]):
        if table.paper == paper.key:
            lines += case_table(results, paper, table)
    for table, found in kernel_tables(results, paper):
        lines += kernel_lines(table, found)
    return lines


def head_lines(results, failures):
    machine = results["machine"]
    device = f"one {machine['device']}" if machine["device"] else "no device"
    quick = " **A quick run: a hundredth of the pairs and of the database, and shorter strings.**" if results["scale"] < 1 else ""
    values = "; ".join(failures) or "all columns of each case gave the same values, or the same output byte for byte"
    return [
        f"# The experiments of five papers, {results['date']}",
        "",
        f"{machine['cpu']}; {device}. Files in memory. `benches/literature.py`, {results['seconds']} s in all.{quick}",
        "",
        time_line(results),
        "- **The paper's times** were taken on hardware of its year, so a quotient says what the hardware and the programs gained together. "
        "“not found”: the paper has the case, but its time was not found in a public source. “–”: the paper does not have the case, or it "
        "cannot be run in this way.",
        input_line(results),
        "- **Scores**: BLOSUM62 and gaps of 11 and 1 for proteins; 2, -3 and 2 for each symbol of a gap for nucleotides.",
        "- **The carry** of Myers' algorithm has two forms, which NIGH_CARRY forces: “scan” computes all words of a column in one step, "
        "“skew” has each lane one column behind the one before.",
        f"- **Values**: {values}.",
        "",
    ]


def time_line(results):
    start_up = ", ".join(f"{name} {duration(seconds)}" for name, seconds in results["start_up"].items())
    return (
        f"- **Times** are medians of at most {results['runs']} runs, the columns of a case in turns; a run of more than a few seconds is "
        "not repeated. In memory (`pairs`, which `cargo bench --bench pairs` builds): the mean of the calls of at least 0.2 s; on a device "
        "after a first call, and with the copies. From files: the whole process, with its start-up, which a single short pair shows: "
        f"{start_up}. There `--engine cuda` leaves to the processor what it does faster; in memory the device does everything that it can."
    )


def input_line(results):
    symbols = TEXT_SYMBOLS * min(1, results["scale"] * 10)
    return (
        f"- **Inputs** are random and the same in every run. The lengths of the proteins are log-normal, with mean {LENGTH_LOG_MEAN} and "
        f"standard deviation {LENGTH_LOG_DEVIATION} of the natural logarithm, from {MIN_PROTEIN_LENGTH} to {MAX_PROTEIN_LENGTH:,} residues, "
        f"and one has {MAX_PROTEIN_LENGTH:,}: {database_size(results)}. Residues have the composition of Swiss-Prot. Matching searches "
        f"{symbols:,.0f} random nucleotides in {RECORDS} records, of which every second one ends with a copy of the pattern with up to "
        "k / 2 edits."
    )


def database_size(results):
    residues = {round(case["cells"] / case["size"]) for case in results["cases"] if case["paper"] == "akoglu-striemer"}
    count = int(DATABASE_SEQUENCES * results["scale"])
    return f"{count:,} sequences" + "".join(f" with {total:,} residues" for total in residues)


def summary_lines(results):
    """Returns a table of all cases whose time in the paper is known."""
    rows = []
    for paper in PAPERS:
        for table in tables(results["scale"]):
            for case in table_cases(results, table) if table.paper == paper.key else []:
                ours, published = medians(case), paper.published(table.key, case["name"])
                if ours and published:
                    fastest = min(ours, key=ours.get)
                    best = min(published, key=lambda figure: figure.seconds)
                    title = paper.title.split(": ")[1]
                    rows.append([f"{title}: {case['name']}", f"{best.seconds:.4g} s {best.what}",
                                 f"{duration(ours[fastest])} {fastest}", quotient(best.seconds / ours[fastest])])  # fmt: skip
    return table_lines(["case", "the paper", "nigh", "paper / nigh"], rows) if rows else []


def skipped_lines(results):
    """Returns the measurements that were skipped: a line for each reason in each case."""
    reasons = {}
    for case in results["cases"]:
        for name, column in case["columns"].items():
            if column["skipped"]:
                reasons.setdefault((f"{case['paper']}, {case['table']}, {case['name']}", column["skipped"]), []).append(name)
    rows = [f"- {case} ({'; '.join(names)}): {reason}." for (case, reason), names in reasons.items()]
    rows += [f"- {found['program']} {found['section']}: {found['skipped']}." for found in results["kernels"] if found["skipped"]]
    return ["## Skipped", "", *rows, ""] if rows else []


def write(results, out):
    """Writes the page, the plots and the results. Returns the cases whose values differ."""
    name = f"{results['date']}-literature"
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    failures = differing(results)
    lines = head_lines(results, failures) + summary_lines(results)
    for paper in PAPERS:
        if paper.key in results["papers"] and (picture := plot(results, paper)):
            (folder / f"{paper.key}.svg").write_text(picture, encoding="utf-8")
            lines += paper_lines(results, paper, name)
    lines += skipped_lines(results)
    (out / f"{name}.md").write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    print(out / f"{name}.md")
    return failures
