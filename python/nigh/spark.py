"""Searches with Spark: files in parts, and columns of data frames.

Spark repeats a task whose worker dies; no hit is lost or doubled.

Examples
--------
.. code-block:: python

    import nigh
    import nigh.spark

    phrases = nigh.Searcher(["connection refused", "deadlock"], k=2)
    hits = nigh.spark.search_column(spark.read.text("logs"), phrases, "value", keep=["value"], best=True)
    hits.groupBy("pattern").count().show()
"""

from collections.abc import Sequence

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import nigh
from nigh import _tables

__all__ = ["search_column", "search_files"]


def search_files(
    spark: SparkSession, paths: _tables.Paths, searcher: nigh.Searcher, *, part_bytes: int = 128 << 20, threads: int = 1
) -> DataFrame:
    """Searches files, divided into parts.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        The session.
    paths : str, path-like, or iterable of these
        The files, which every node can read under these paths.
    searcher : nigh.Searcher
        The searcher; see :meth:`nigh.Searcher.search_file` for how it reads files.
    part_bytes : int, default 128 MiB
        The approximate size of a part. Each part is a partition.
    threads : int, default 1
        The number of threads of each task; set Spark's ``spark.task.cpus`` to the same number.

    Returns
    -------
    pyspark.sql.DataFrame
        A row for each hit: ``file``, and the columns of :class:`nigh.Hits`.
    """
    rows = [_tables.part_row(part) for part in _tables.parts(paths, part_bytes)]

    def search(batches):
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from _tables.hits_in_part(searcher, rows[number], threads).to_batches()

    # A partition for each part.
    return spark.range(0, len(rows), 1, max(1, len(rows))).mapInArrow(search, _ddl(_tables.FILE_COLUMNS))


def search_column(
    frame: DataFrame,
    searcher: nigh.Searcher,
    column: str,
    *,
    keep: Sequence[str] = (),
    best: bool = False,
    threads: int = 1,
) -> DataFrame:
    """Searches a column of strings or bytes of a data frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The data frame.
    searcher : nigh.Searcher
        The searcher; see :meth:`nigh.Searcher.search_column`.
    column : str
        The name of the column.
    keep : sequence of str
        The columns of the data frame that each hit keeps, such as one that identifies the row.
    best : bool, default False
        Whether only the best of overlapping matches is returned, for each pattern and strand.
    threads : int, default 1
        As for :func:`search_files`.

    Returns
    -------
    pyspark.sql.DataFrame
        A row for each hit: the columns `keep` of its row, and ``start``, ``end``, ``pattern``, ``distance``, ``strand`` and
        ``cigar``.
    """
    keep = _tables.check_kept(keep)

    def search(batches):
        for batch in batches:
            table = pyarrow.Table.from_batches([batch])
            yield from _tables.hits_in_column(searcher, table, column, keep, best, threads).to_batches()

    kept = frame.select(keep).schema
    schema = StructType([*kept, *StructType.fromDDL(_ddl(_tables.HIT_COLUMNS))])
    return frame.select(*dict.fromkeys([column, *keep])).mapInArrow(search, schema)


def _ddl(columns):
    return ", ".join(f"{name} {kind}" for name, kind in columns)
