import pyarrow
import pytest
from conftest import expected, rows
from pyspark.sql import SparkSession

import nigh
import nigh.spark


@pytest.fixture(scope="module")
def spark():
    # Two workers, and four attempts for each task.
    builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_files_have_the_hits_that_one_process_finds(spark, searches):
    for paths, searcher in searches:
        hits = nigh.spark.search_files(spark, paths, searcher, part_bytes=200_000)
        assert hits.rdd.getNumPartitions() > 3
        assert sorted(rows(hits.toArrow()), key=repr) == sorted(expected(paths, searcher), key=repr)


def test_a_killed_worker_neither_loses_nor_doubles_hits(spark, searches, killed):
    for paths, searcher in searches:
        fragile, marker = killed
        marker.touch()
        hits = nigh.spark.search_files(spark, paths, fragile(searcher), part_bytes=200_000)
        assert sorted(rows(hits.toArrow()), key=repr) == sorted(expected(paths, searcher), key=repr)
        assert not marker.exists(), "no worker was killed"


def test_columns_have_the_hits_that_one_process_finds(spark, log, killed):
    lines = log.read_text().splitlines()
    searcher = nigh.Searcher(["deadlock", "größe"], 1)
    found = pyarrow.table(searcher.search_column(pyarrow.array(lines), best=True))
    expected = [(row["row"], lines[row["row"]], *list(row.values())[1:]) for row in found.to_pylist()]
    frame = spark.createDataFrame(list(enumerate(lines)), "id bigint, line string").repartition(4)
    fragile, marker = killed
    for one in [searcher, fragile(searcher)]:
        hits = nigh.spark.search_column(frame, one, "line", keep=["id", "line"], best=True)
        assert sorted(rows(hits.toArrow())) == sorted(expected)
    assert not marker.exists() and len(expected) > 1_000
    assert len(nigh.spark.search_column(frame, searcher, "line").toArrow()) > len(expected)
    with pytest.raises(ValueError, match="hits already have a column 'start'"):
        nigh.spark.search_column(frame, searcher, "line", keep=["start"])


def test_there_may_be_no_files(spark):
    assert nigh.spark.search_files(spark, [], nigh.Searcher("abc")).count() == 0
