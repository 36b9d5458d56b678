import gzip
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow
import pytest

import nigh

DATA = Path(__file__).parents[2] / "tests" / "data"


def rows(hits):
    return [tuple(row.values()) for row in pyarrow.table(hits).to_pylist()]


@pytest.fixture
def genome(tmp_path):
    rng = random.Random(3)
    path = tmp_path / "genome.fa"
    with open(path, "w") as file:
        for name, length in [("one", 700_000), ("two", 10), ("three", 400_000)]:
            file.write(f">{name} of a test\n")
            bases = "".join(rng.choices("ACGT", k=length))
            file.writelines(bases[at : at + 70] + "\n" for at in range(0, length, 70))
    return path


@pytest.fixture
def log(tmp_path):
    rng = random.Random(4)
    words = ["deadlok", "deadlock", "größe", "worker", "timeout", "stalled"]
    path = tmp_path / "log"
    path.write_text("".join(" ".join(rng.choices(words, k=8)) + "\n" for _ in range(20_000)))
    return path


def test_records_have_the_matches_of_their_sequence(genome):
    searcher = nigh.Searcher(["ACGTACGTAC", "TTTTGGGG"], 1, alphabet="dna")
    expected = []
    for record in genome.read_text().split(">")[1:]:
        name, sequence = record.split("\n", 1)
        for one in searcher.find_iter(sequence.replace("\n", "")):
            expected.append((name.split()[0], one.start, one.end, one.pattern, one.distance, one.strand, one.cigar))
    found = rows(searcher.search_file(genome))
    assert found == expected and len(found) > 100 and {row[0] for row in found} == {"one", "three"}


def test_offsets_in_text_count_the_bytes_of_the_file(log):
    searcher = nigh.Searcher("deadlock", 1)
    expected = [(None, one.start, one.end, 0, one.distance, "+", one.cigar) for one in searcher.find_iter(log.read_bytes())]
    assert rows(searcher.search_file(str(log), threads=1)) == expected and len(expected) > 1_000


@pytest.mark.parametrize("n", [1, 2, 7])
def test_parts_have_the_hits_of_the_file(genome, log, n):
    for path, searcher in [(genome, nigh.Searcher("ACGTACGT", 1, alphabet="dna")), (log, nigh.Searcher(["deadlock", "größe"]))]:
        packed = path.with_suffix(".gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        expected = rows(searcher.search_file(path))
        for file in [path, packed]:
            parts = nigh.splits(file, n)
            assert [(part.index, part.count) for part in parts] == [(index, n) for index in range(n)]
            found = [rows(searcher.search_file(part, threads=1 + part.index % 2)) for part in parts]
            assert sum(found, []) == expected and all(found)


def test_the_best_matches_of_a_file_are_those_of_its_records(genome, log):
    searcher = nigh.Searcher(["ACGTACGTAC", "TTTTGGGG"], 2, alphabet="dna")
    expected = []
    for record in genome.read_text().split(">")[1:]:
        name, sequence = record.split("\n", 1)
        best = searcher.find_iter(sequence.replace("\n", ""), best=True)
        expected += [(name.split()[0], one.start, one.end, one.pattern, one.distance, one.strand, one.cigar) for one in best]
    assert rows(searcher.search_file(genome, best=True)) == expected and len(expected) > 100
    searcher = nigh.Searcher("deadlock", 2)
    assert len(searcher.search_file(log, best=True)) == searcher.count(log.read_bytes(), best=True)
    with pytest.raises(ValueError, match="the best matches of a part can depend on another part"):
        searcher.search_file(nigh.splits(log, 2)[0], best=True)


def test_batches_are_the_hits_of_the_file_in_order(genome, log):
    dna, text = nigh.Searcher("ACGTA", 1, alphabet="dna"), nigh.Searcher("deadlock", 1)
    for searcher, path, least in [(dna, genome, 2), (text, log, 1)]:
        for options in [{}, {"best": True}, {"threads": 1}]:
            tables = list(searcher.search_file_batches(path, **options))
            assert sum(map(rows, tables), []) == rows(searcher.search_file(path, **options))
            assert len(tables) >= least and all(1 <= len(hits) <= 65_536 for hits in tables)
    part = nigh.splits(log, 2)[1]
    assert sum(map(rows, text.search_file_batches(part)), []) == rows(text.search_file(part))
    assert list(nigh.Searcher("absent", 0).search_file_batches(log)) == []


@pytest.mark.parametrize("best", [False, True])
def test_hits_may_have_their_text(genome, log, best):
    sequences = dict(record.split(" of a test\n") for record in genome.read_text().split(">")[1:])
    sequences = {name: "".join(lines.split()) for name, lines in sequences.items()}
    searcher = nigh.Searcher(["ACGTACGTAC", "TTTTGGGG"], 1, alphabet="dna")
    hits = list(searcher.search_file(genome, best=best, text=True))
    assert all(hit["text"] == sequences[hit["record"]][hit["start"] : hit["end"]] for hit in hits) and len(hits) > 100
    assert sum(map(list, searcher.search_file_batches(genome, best=best, text=True)), []) == hits
    lines = log.read_bytes()
    for alphabet, of_file in [("text", bytes.decode), ("bytes", bytes)]:
        hits = list(nigh.Searcher(["deadlock", "größe"], 1, alphabet=alphabet).search_file(log, best=best, text=True))
        assert all(hit["text"] == of_file(lines[hit["start"] : hit["end"]]) for hit in hits) and len(hits) > 100
    log.write_bytes(b"deadlock \xff deadlock\n")
    [hit] = nigh.Searcher("lock X dead", 1).search_file(log, best=True, text=True)
    assert hit["text"] == "lock \N{REPLACEMENT CHARACTER} dead"


def test_hits_may_have_their_groups(genome, log):
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:1_000]))
    pattern = r"(?<first>\w+)lock (größe)?"
    for alphabet, lines in [("text", log.read_text().splitlines()), ("bytes", log.read_bytes().splitlines())]:
        searcher = nigh.Searcher([pattern, "w(o)(r)k"], 1, notation="regex", alphabet=alphabet, captures=True)
        expected = [list(one.groups()) for line in lines for one in searcher.find_iter(line, best=True)]
        hits = searcher.search_file(log, best=True, text=True, groups=True).to_arrow()
        assert hits["groups"].to_pylist() == expected and len(expected) > 1_000 and hits.column_names[-2:] == ["text", "groups"]
        batches = searcher.search_file_batches(log, best=True, groups=True)
        assert [hit["groups"] for hits in batches for hit in hits] == expected
    assert {len(groups) for groups in expected} == {2} and None in sum(expected, [])
    guides = nigh.Searcher("(AC)GTAC(G[TC])AC", 1, alphabet="dna", notation="regex", captures=True)
    expected = []
    for record in genome.read_text().split(">")[1:]:
        sequence = "".join(record.split("\n")[1:])
        expected += [list(one.groups()) for one in guides.find_iter(sequence)]
    assert [hit["groups"] for hit in guides.search_file(genome, groups=True)] == expected and len(expected) > 100
    with pytest.raises(ValueError, match="groups needs a searcher that keeps groups; make it with captures=True"):
        nigh.Searcher("abc").search_file(log, groups=True)
    literal = nigh.Searcher("deadlock", captures=True).search_file(log, best=True, groups=True)
    assert {tuple(hit["groups"]) for hit in literal} == {()}
    assert list(nigh.Searcher([]).search_file(log, groups=True)) == []


def test_a_search_in_batches_waits_for_the_caller_and_ends_with_the_iterator(genome):
    def threads():
        return set(os.listdir("/proc/self/task"))

    before = threads()
    batches = nigh.Searcher("ACG", 1, alphabet="dna").search_file_batches(genome)
    assert len(next(batches)) == 65_536
    time.sleep(0.3)
    assert threads() - before, "the search has more hits than it may hold"
    del batches
    # The kernel lists a thread for a moment after it has been joined.
    end = time.monotonic() + 5
    while threads() - before and time.monotonic() < end:
        time.sleep(0.01)
    assert not threads() - before


def test_batches_end_with_the_error_of_the_file(log, tmp_path):
    searcher = nigh.Searcher("deadlock", 0)
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes() * 20)[:-20])
    batches = searcher.search_file_batches(packed)
    assert len(next(batches)) > 0
    with pytest.raises(OSError, match="corrupt or truncated gzip data"):
        list(batches)
    assert list(batches) == []
    with pytest.raises(FileNotFoundError, match="absent: No such file or directory"):
        next(searcher.search_file_batches(tmp_path / "absent"))
    with pytest.raises(ValueError, match="the best matches of a part can depend on another part"):
        next(searcher.search_file_batches(nigh.splits(log, 2)[0], best=True))
    path = tmp_path / "old.fa"
    path.write_bytes(b">one\rACGTACGT\rACGT\r")
    with pytest.warns(UserWarning, match="lines end with carriage returns only"):
        assert list(nigh.Searcher("ACGTACGT", alphabet="dna").search_file_batches(path)) == []


def test_searchers_and_parts_can_be_pickled(log):
    searcher = nigh.Searcher(["DEADLOCK", b"gr.\xc3\x9fe"], 1, notation="regex", case="insensitive")
    copy, parts = pickle.loads(pickle.dumps((searcher, nigh.splits(log, 2))))
    assert repr(copy) == repr(searcher) and parts == nigh.splits(log, 2) and len({*parts, *nigh.splits(log, 2)}) == 2
    assert rows(copy.search_file(parts[1])) == rows(searcher.search_file(parts[1]))
    part = parts[0]
    assert eval(repr(part), {"Split": nigh.Split}) == part


def test_unreadable_files_are_os_errors(log, tmp_path):
    searcher = nigh.Searcher("deadlock")
    with pytest.raises(FileNotFoundError, match="absent: No such file or directory"):
        searcher.search_file(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        nigh.splits(tmp_path / "absent", 2)
    with pytest.raises(OSError, match="Is a directory"):
        searcher.search_file(tmp_path)
    with pytest.raises(OSError, match="not a regular file"):
        nigh.splits(tmp_path, 2)
    part = nigh.splits(log, 2)[1]
    log.write_text("deadlock\n")
    with pytest.raises(OSError, match="when it was split, but has 9 now; split it again"):
        searcher.search_file(part)
    log.write_bytes(gzip.compress(b"deadlock " * 1_000)[:-20])
    with pytest.raises(OSError, match="corrupt or truncated gzip data"):
        searcher.search_file(log)


@pytest.mark.parametrize("wrong", [None, 3, ["path"]])
def test_other_objects_are_no_files(wrong):
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object"):
        nigh.Searcher("abc").search_file(wrong)


def test_there_is_no_part_without_a_number(log):
    for n in [0, 10**12]:
        with pytest.raises(ValueError, match=f"n is {n}, but must be between 1 and 1048576"):
            nigh.splits(log, n)
    with pytest.raises(ValueError, match="the index is 2, but there are 2 parts"):
        nigh.Split(log, 2, 2, 10, 10)


def test_unusual_files_give_a_warning(tmp_path):
    path = tmp_path / "old.fa"
    path.write_bytes(b">one\rACGTACGT\rACGT\r")
    with pytest.warns(UserWarning, match="lines end with carriage returns only"):
        assert len(nigh.Searcher("ACGTACGT", alphabet="dna").search_file(path)) == 0


def test_a_search_can_be_interrupted(tmp_path):
    path = tmp_path / "large.fa"
    path.write_text(">one\n" + ("ACGT" * 20 + "\n") * 500_000)
    search = f"""
import nigh
searcher = nigh.Searcher("ACGTTGCA" * 50, 250, alphabet="dna")
print("ready", flush=True)
searcher.search_file({str(path)!r})
"""
    program = subprocess.Popen(
        [sys.executable, "-c", search], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert program.stdout.readline() == "ready\n"
    os.kill(program.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in program.communicate(timeout=60)[1]


def test_a_path_may_be_bytes(tmp_path):
    path = tmp_path / "log"
    path.write_text("abc\n")
    searcher = nigh.Searcher("abc", 0)
    assert len(searcher.search_file(os.fsencode(path))) == len(searcher.search_file(path)) == 1
    assert nigh.splits(os.fsencode(path), 2) == nigh.splits(path, 2)
    assert list(searcher.search_file(path))[0]["record"] is None
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not int"):
        searcher.search_file(3)


def test_escape_sequences_are_no_part_of_the_text(tmp_path):
    path = tmp_path / "log"
    path.write_text("job \x1b[31mfai\x1b[mled\n")
    searcher = nigh.Searcher("failed", 0)
    assert len(searcher.search_file(path)) == 0
    assert [(row["start"], row["text"]) for row in searcher.search_file(path, ignore_ansi=True, text=True)] == [(4, "failed")]
    assert [len(hits) for hits in searcher.search_file_batches(path, ignore_ansi=True)] == [1]
