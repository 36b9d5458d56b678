"""Tables of hits for nigh.ray and nigh.spark."""

import os
from collections.abc import Iterable

import pyarrow

import nigh

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

#: The columns of a table of hits in files, with their types in Spark.
FILE_COLUMNS = (
    ("file", "string"), ("record", "string"), ("start", "bigint"), ("end", "bigint"),
    ("pattern", "int"), ("distance", "int"), ("strand", "string"), ("cigar", "string"),
)  # fmt: skip
#: The columns that a search of a table column returns after the kept columns.
HIT_COLUMNS = FILE_COLUMNS[2:]


def parts(paths, part_bytes):
    """Splits each file into parts of about `part_bytes` bytes."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    counts = ((path, max(1, round(os.path.getsize(path) / part_bytes))) for path in paths)
    return [part for path, count in counts for part in nigh.splits(path, count)]


def part_row(part):
    """Returns the attributes of a part of a file as a row."""
    return {
        "path": os.fspath(part.path), "index": part.index, "count": part.count, "size": part.size, "text": part.text
    }  # fmt: skip


def hits_in_part(searcher, row, threads):
    """Searches the part of a file with the attributes `row`. Returns a table of hits."""
    hits = pyarrow.table(searcher.search_file(nigh.Split(**row), threads=threads))
    return hits.add_column(0, "file", pyarrow.array([row["path"]] * len(hits), pyarrow.string()))


def hits_in_column(searcher, table, column, keep, best, threads):
    """Searches a column of a table. Returns a row for each hit: the columns `keep` of the row where it lies, then the hit."""
    hits = pyarrow.table(searcher.search_column(table[column], best=best, threads=threads))
    columns = {name: table[name].take(hits["row"]) for name in keep}
    return pyarrow.table(columns | {name: hits[name] for name, _ in HIT_COLUMNS})


def check_kept(keep):
    """Returns the names in `keep` as a list. Fails if hits have a column of the same name."""
    keep = [keep] if isinstance(keep, str) else list(keep)
    for name in keep:
        if name in dict(HIT_COLUMNS):
            raise ValueError(f"keep: hits already have a column '{name}'; rename that column of the table")
    return keep
