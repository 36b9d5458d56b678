import pyarrow
import pytest
import ray
from conftest import expected, rows

import nigh
import nigh.ray


@pytest.fixture(scope="module", autouse=True)
def session():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def table(dataset):
    return pyarrow.concat_tables(ray.get(dataset.to_arrow_refs()))


def test_files_have_the_hits_that_one_process_finds(searches):
    for paths, searcher in searches:
        hits = table(nigh.ray.search_files(paths, searcher, part_bytes=200_000, actors=2))
        assert rows(hits) == expected(paths, searcher) and len(hits) > 100


def test_a_killed_worker_neither_loses_nor_doubles_hits(searches, killed):
    for paths, searcher in searches:
        fragile, marker = killed
        marker.touch()
        hits = table(nigh.ray.search_files(paths, fragile(searcher), part_bytes=200_000, actors=2))
        assert rows(hits) == expected(paths, searcher)
        assert not marker.exists(), "no worker was killed"


def test_columns_have_the_hits_that_one_process_finds(log, killed):
    lines = log.read_text().splitlines()
    searcher = nigh.Searcher(["deadlock", "größe"], 1)
    found = pyarrow.table(searcher.search_column(pyarrow.array(lines), best=True))
    expected = [(row["row"], lines[row["row"]], *list(row.values())[1:]) for row in found.to_pylist()]
    table_of_lines = pyarrow.table({"id": range(len(lines)), "line": lines})
    dataset = ray.data.from_arrow([table_of_lines.slice(at, 2_500) for at in range(0, len(lines), 2_500)])
    fragile, marker = killed
    for one in [searcher, fragile(searcher)]:
        hits = nigh.ray.search_column(dataset, one, "line", keep=["id", "line"], best=True, batch_size=1000, actors=2)
        assert sorted(rows(table(hits))) == sorted(expected)
    assert not marker.exists() and len(expected) > 1_000
    assert len(table(nigh.ray.search_column(dataset, searcher, "line", actors=2))) > len(expected)
    with pytest.raises(ValueError, match="hits already have a column 'start'"):
        nigh.ray.search_column(dataset, searcher, "line", actors=2, keep=["start"])


def test_there_must_be_files():
    with pytest.raises(ValueError, match="no files"):
        nigh.ray.search_files([], nigh.Searcher("abc"))
