"""Searches with Ray Data: files in parts, and columns of datasets.

Actors keep a searcher, so that its patterns are prepared once, and a GPU is opened once. Ray restarts an actor that dies, and
repeats the work that it had not finished; no hit is lost or doubled.

Examples
--------
.. code-block:: python

    import nigh
    import nigh.ray

    guides = nigh.Searcher(["GATTACAGATTACAGATTAC"], k=3, alphabet="dna", engine="auto")
    hits = nigh.ray.search_files(["a.fa", "b.fa.gz"], guides, num_cpus=4, num_gpus=1)
    hits.write_parquet("hits")
"""

from collections.abc import Sequence

import pyarrow
import ray.data

import nigh
from nigh import _tables

__all__ = ["search_column", "search_files"]


class _Files:
    def __init__(self, searcher, threads):
        self.searcher, self.threads = searcher, threads

    def __call__(self, table):
        return pyarrow.concat_tables(
            _tables.hits_in_part(self.searcher, row, self.threads) for row in table.to_pylist()
        )


class _Column:
    def __init__(self, searcher, arguments):
        self.searcher, self.arguments = searcher, arguments

    def __call__(self, table):
        return _tables.hits_in_column(self.searcher, table, *self.arguments)


def search_files(
    paths: _tables.Paths,
    searcher: nigh.Searcher,
    *,
    part_bytes: int = 128 << 20,
    actors: int | tuple[int, int] | None = None,
    num_cpus: int = 1,
    num_gpus: float = 0,
) -> ray.data.Dataset:
    """Searches files, divided into parts.

    Parameters
    ----------
    paths : str, path-like, or iterable of these
        The files, which every node can read under these paths.
    searcher : nigh.Searcher
        The searcher; see :meth:`nigh.Searcher.search_file` for how it reads files.
    part_bytes : int, default 128 MiB
        The approximate size of a part. An actor that dies loses the work on its parts in progress.
    actors : int or tuple of int, optional
        The number of actors, or a pair of the smallest and the largest number. By default, Ray starts as many as there
        are parts and resources.
    num_cpus : int, default 1
        The number of cores, and of threads, of each actor.
    num_gpus : float, default 0
        The number of GPUs of each actor. The engine of the searcher must be "auto" or "cuda".

    Returns
    -------
    ray.data.Dataset
        A row for each hit: ``file``, and the columns of :class:`nigh.Hits`. The rows of a part are adjacent and in
        order; with Ray's option ``preserve_order``, the parts are in order too.
    """
    rows = [_tables.part_row(part) for part in _tables.parts(paths, part_bytes)]
    if not rows:
        raise ValueError("paths is empty: there are no files to search")
    return ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
        _Files,
        fn_constructor_args=(searcher, num_cpus),
        batch_size=1,
        batch_format="pyarrow",
        compute=_pool(actors, len(rows)),
        num_cpus=num_cpus,
        num_gpus=num_gpus,
    )


def search_column(
    dataset: ray.data.Dataset,
    searcher: nigh.Searcher,
    column: str,
    *,
    keep: Sequence[str] = (),
    best: bool = False,
    batch_size: int = 1 << 16,
    actors: int | tuple[int, int] | None = None,
    num_cpus: int = 1,
    num_gpus: float = 0,
) -> ray.data.Dataset:
    """Searches a column of strings or bytes of a dataset.

    Parameters
    ----------
    dataset : ray.data.Dataset
        The dataset.
    searcher : nigh.Searcher
        The searcher; see :meth:`nigh.Searcher.search_column`.
    column : str
        The name of the column.
    keep : sequence of str
        The columns of the dataset that each hit keeps, such as one that identifies the row.
    best : bool, default False
        Whether only the best of overlapping matches is returned, for each pattern and strand.
    batch_size : int, default 65,536
        The number of rows that an actor searches at a time.
    actors, num_cpus, num_gpus
        As for :func:`search_files`. Actors that take all cores leave none for tasks that make the dataset, such as a
        repartition.

    Returns
    -------
    ray.data.Dataset
        A row for each hit: the columns `keep` of its row, and ``start``, ``end``, ``pattern``, ``distance``, ``strand`` and
        ``cigar``.
    """
    return dataset.map_batches(
        _Column,
        fn_constructor_args=(searcher, (column, _tables.check_kept(keep), best, num_cpus)),
        batch_size=batch_size,
        batch_format="pyarrow",
        zero_copy_batch=True,
        compute=_pool(actors, None),
        num_cpus=num_cpus,
        num_gpus=num_gpus,
    )


def _pool(actors, most):
    if actors is None:
        return ray.data.ActorPoolStrategy(min_size=1, max_size=most)
    smallest, largest = actors if isinstance(actors, tuple) else (actors, actors)
    return ray.data.ActorPoolStrategy(min_size=smallest, max_size=largest)
