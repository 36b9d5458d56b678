import array
import copy
import mmap
import pickle
import random
import re
import threading
import types

import pytest

import nigh


def least(pattern, text, end):
    """Returns the smallest distance of the pattern from any substring of a text that ends at `end`, by Sellers' recurrence."""
    column = list(range(len(pattern) + 1))
    for symbol in text[:end]:
        above, column[0] = column[0], 0
        for row, wanted in enumerate(pattern, 1):
            step = above + (symbol != wanted)
            above = column[row]
            column[row] = min(step, column[row] + 1, column[row - 1] + 1)
    return column[-1]


def applied(pattern, text, found):
    """Checks the alignment of a match. Returns the number of its edits."""
    at, row, edits = found.start, 0, 0
    number = ""
    for letter in found.cigar:
        if letter.isdigit():
            number += letter
            continue
        for _ in range(int(number)):
            if letter in "=X":
                assert (text[at] == pattern[row]) == (letter == "=")
            at += letter in "=XD"
            row += letter in "=XI"
            edits += letter != "="
        number = ""
    assert (at, row) == (found.end, len(pattern))
    return edits


@pytest.mark.parametrize("letters", ["ab", "aβ", "a🧬é"])
def test_all_matches_are_those_of_the_definition(letters):
    rng = random.Random(15)
    count = 0
    for _ in range(60):
        text = "".join(rng.choice(letters) for _ in range(rng.randrange(40)))
        k = rng.randrange(3)
        pattern = "".join(rng.choice(letters) for _ in range(rng.randrange(k + 1, 8)))
        searcher = nigh.Searcher(pattern, k)
        expected = [(end, least(pattern, text, end)) for end in range(1, len(text) + 1)]
        expected = [(end, distance) for end, distance in expected if distance <= k]
        matches = list(searcher.find_iter(text))
        assert [(found.end, found.distance) for found in matches] == expected
        assert all(applied(pattern, text, found) == found.distance for found in matches)
        assert searcher.count(text) == len(expected)
        assert searcher.is_match(text) == bool(expected)
        count += len(expected)
    assert count > 300


def test_offsets_count_characters_in_str_and_bytes_elsewhere():
    text = "größe: 12 µm"
    searcher = nigh.Searcher("12", 0)
    [in_characters] = searcher.find_iter(text)
    [in_bytes] = searcher.find_iter(text.encode())
    assert text[slice(*in_characters.span)] == "12"
    assert text.encode()[slice(*in_bytes.span)] == b"12"


def test_best_matches_of_several_patterns_in_wide_text():
    text = "größer — größe ≥ 12 µm, grösse ≥ 12 µm"
    found = list(nigh.Searcher(["größe", "≥ 12", "µm"], 1).find_iter(text, best=True))
    assert [text[slice(*one.span)] for one in found if one.distance == 0] == ["größe", "größe", "≥ 12", "µm", "≥ 12", "µm"]


def test_only_text_may_have_wide_characters():
    for alphabet in ["bytes", "dna", "protein"]:
        with pytest.raises(ValueError, match="not ASCII"):
            nigh.Searcher("ACG", 0, alphabet=alphabet).count("ACGé")
        assert nigh.Searcher("ACG", 0, alphabet=alphabet).count("ACG") == 1


def test_an_empty_pattern_is_an_error():
    for patterns in ["", ["abc", ""]]:
        with pytest.raises(ValueError, match="no symbols"):
            nigh.Searcher(patterns, 0)
    assert nigh.Searcher([]).count("abc") == 0


def test_any_buffer_of_bytes_is_searched_where_it_is(tmp_path):
    text = b"a deadlok here"
    path = tmp_path / "text"
    path.write_bytes(text)
    searcher = nigh.Searcher("deadlock")
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        texts = [text, bytearray(text), memoryview(text)[0:], array.array("B", text), mapped]
        for one in texts:
            assert searcher.count(one, best=True) == 1
        del texts, one
    assert searcher.count(b"") == searcher.count(bytearray()) == 0


@pytest.mark.parametrize("wrong", [None, 3, ["text"], memoryview(b"abcd")[::2], array.array("I", [1])])
def test_other_objects_are_no_text(wrong):
    with pytest.raises(TypeError, match="expected str or a bytes-like object, not"):
        nigh.Searcher("abc").count(wrong)


def test_patterns_are_one_or_many():
    for one in ["abc", b"abc", bytearray(b"abc")]:
        assert repr(nigh.Searcher(one, 0)) == "<nigh.Searcher: 1 patterns, k=0>"
    searcher = nigh.Searcher((pattern for pattern in ["timeout", b"refused"]), 1)
    assert [found.pattern for found in searcher.find_iter("refusd: time-out", best=True)] == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (("ab", 2), {}, "pattern 'ab': 2 edits would match everywhere: the pattern has only 2 symbols$"),
        (("A*", 0), {"notation": "regex", "alphabet": "dna"}, "'\\*' repeats without bound, which is not supported in sequences"),
        (("ab*", 1), {"notation": "regex"}, "1 edit would match everywhere: the pattern matches the short string 'a'"),
        (("ACE", 0), {"alphabet": "dna"}, "'E' is not an IUPAC nucleotide code \\(it is an amino acid code\\)$"),
        (("abc", -1), {}, "k is -1, but must be 0 or more"),
        (("ab\ncd",), {}, r"pattern 'ab\\ncd': it has a line feed, but a match lies within one line"),
        ((["abc", b"a\n"], 0), {"alphabet": "bytes"}, "it has a line feed"),
        (("abc",), {"alphabet": "rna"}, "alphabet is 'rna', not one of 'text', 'bytes', 'dna', 'protein'"),
        (("abc",), {"engine": "gpu"}, "engine is 'gpu', not one of 'auto', 'cpu', 'cuda'"),
        (("abc",), {"strands": "reverse"}, "strands is 'reverse', but only the alphabet 'dna' has strands"),
        (("ACG",), {"alphabet": "dna", "strands": "up"}, "strands is 'up': expected 'both', 'forward' or 'reverse'"),
        (("abc",), {"edits": "few"}, "edits is 'few': expected conditions"),
        (("abc",), {"edits": "2<=e<=1"}, "edits is '2<=e<=1': the minimum number of edits is above the maximum"),
        (("abc", "2..1"), {}, "k: the minimum number of edits is above the maximum"),
        (([("abc", 0)], "1..2"), {}, "no match can have 1 or more edits, since at most 0 are allowed"),
        (([("abc", "1..2")],), {}, "patterns\\[0\\]: a pair is a pattern and its own k, here 'abc' and 1..2; k: expected a number"),
        (("abc",), {"case": "Smart"}, "case is 'Smart'"),
    ],
)
def test_wrong_options_are_value_errors(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        nigh.Searcher(*arguments, **options)


@pytest.mark.parametrize("options", [{"k": "1..2"}, {"edits": "1<=e<=2"}])
def test_a_minimum_number_of_edits_applies_to_the_best_matches(tmp_path, options):
    searcher, text = nigh.Searcher("timeout", **options), "timeout time-out tmeout"
    assert [found.span for found in searcher.find_iter(text, best=True)] == [(8, 16), (17, 23)]
    assert (searcher.count(text, best=True), searcher.is_match("a timeout"), searcher.is_match("a tmeout")) == (2, False, True)
    assert searcher.replace(text, "X") == "timeout X X"
    assert [hit["row"] for hit in searcher.search_column(["timeout", "time-out"], best=True)] == [1]
    path = tmp_path / "log"
    path.write_text(text)
    assert [hit["start"] for hit in searcher.search_file(path, best=True)] == [8, 17]
    assert [len(hits) for hits in searcher.search_file_batches(path, best=True)] == [2]
    assert pickle.loads(pickle.dumps(searcher)).count(text, best=True) == 2
    said = "all matches cannot be used with a minimum number of edits; use best=True"
    for search in [searcher.find_iter, searcher.count, searcher.search_file, searcher.search_file_batches]:
        with pytest.raises(ValueError, match=said):
            search(text)
    with pytest.raises(ValueError, match=said):
        searcher.search_column([text])


def test_patterns_have_names():
    searcher = nigh.Searcher({"forward": "timeout", "back": (b"tuoemit", 0)})
    assert (searcher.patterns, searcher.names) == (["timeout", b"tuoemit"], ["forward", "back"])
    found = list(searcher.find_iter("tuoemit tmeout", best=True))
    assert [(match.pattern, match.name) for match in found] == [(1, "back"), (0, "forward")]
    for copied in [pickle.loads(pickle.dumps(searcher)), nigh.Searcher(types.MappingProxyType({"a": "timeout"}))]:
        assert copied.names in (["forward", "back"], ["a"])
        assert not copied.is_match("tuoemt") and copied.is_match("tmeout")
    assert pickle.loads(pickle.dumps(found)) == found
    assert [match.name for match in pickle.loads(pickle.dumps(found))] == ["back", "forward"]
    unnamed = nigh.Searcher(["timeout", ("refused", 2)])
    assert (unnamed.patterns, unnamed.names) == (["timeout", "refused"], None)
    assert [match.name for match in unnamed.find_iter("refused", best=True)] == [None]


def test_options():
    assert nigh.Searcher("abc", 0, case="insensitive").is_match("ABC")
    assert nigh.Searcher("a.c", 0, notation="regex").is_match("abc")
    assert not nigh.Searcher("a.c", 0).is_match("abc")
    found = nigh.Searcher("error.*time-?out", 1, notation="regex").find_iter("eror at 7: timeout", best=True)
    assert [(match.span, match.distance) for match in found] == [((0, 18), 1)]
    reverse = nigh.Searcher("GATTACA", 0, alphabet="dna", strands="reverse")
    assert [found.strand for found in reverse.find_iter("TGTAATC GATTACA")] == ["-"]
    assert nigh.Searcher("GATTACA", 0, alphabet="dna", engine="auto").count("TGTAATC GATTACA") == 2


@pytest.mark.parametrize(
    ("options", "alphabet", "pattern", "only_with", "only_without"),
    [
        ({"exact_group": True}, "text", "<user> name", "user name", None),
        ({"edits": "d,s,e<=1"}, "dna", "GATTACAT", None, "GATTGACAT"),
        ({"edits": "2i+d+s<=1"}, "dna", "GATTACAT", None, "GATTGACAT"),
        ({"edits": "s<=2"}, "dna", "GATTACAT", "GTTTACTT", "GATACAT"),
        ({"transpositions": True}, "dna", "GATTACAT", "GATATCAT", None),
        ({"word_regexp": True}, "text", "user", None, "theusers"),
        ({"line_regexp": True}, "text", "user name", None, "the user name"),
        ({"within": "..8"}, "dna", "GATTACAT", None, "CCGATTACAT"),
        ({"within": (0, 8)}, "dna", "GATTACAT", None, "CCGATTACAT"),
        ({"within": (None, 8)}, "dna", "GATTACAT", None, "CCGATTACAT"),
        ({"within": (-8, None)}, "dna", "GATTACAT", None, "GATTACATCC"),
        ({"overhang": 0.1}, "dna", "GATTACATT", "GATTACA", None),
        ({"overhang": "10%", "min_overlap": 6}, "dna", "GATTACATT", "GATTACA", None),
        ({"ambiguous": "any"}, "dna", "GATTACAT", "GNTNACAT", None),
        ({"ambiguous": "none:0"}, "dna", "GATNACAT", None, "GATNACAT"),
        ({"k": "2s"}, "dna", "GATTACAT", "GTTTACTT", "GATTACT"),
        ({"k": "auto"}, "text", "user", None, "usar"),
    ],
)
def test_options_of_the_program(options, alphabet, pattern, only_with, only_without):
    searchers = [
        nigh.Searcher(pattern, **options, alphabet=alphabet),
        pickle.loads(pickle.dumps(nigh.Searcher([pattern], **options, alphabet=alphabet))),
    ]
    plain = nigh.Searcher(pattern, alphabet=alphabet)
    for searcher in searchers:
        for text, expected in [(only_with, True), (only_without, False)]:
            if text is not None:
                assert searcher.is_match(text) == expected
                assert plain.is_match(text) != expected


def test_patterns_may_be_near_each_other_and_have_a_bound_of_their_own():
    near = nigh.Searcher(["abc", "xyz"], k=0, near=3)
    assert near.is_match("xyz 1abc") and not near.is_match("xyz 123 abc")
    with pytest.raises(ValueError, match="near: "):
        nigh.Searcher("abc", k=0, near=3)
    searcher = nigh.Searcher([("deadlock", 0), (b"timeout", "2s")], k=1)
    assert not searcher.is_match("deadlok") and searcher.is_match("tineuut")
    again = pickle.loads(pickle.dumps(searcher))
    assert not again.is_match("deadlok") and again.is_match("tineuut")


def test_an_unknown_option_is_a_type_error():
    for option in ["fuzzy", "ignore_case", "max_errors", "strand"]:
        with pytest.raises(TypeError, match=option):
            nigh.Searcher("abc", k=0, **{option: 1})
    with pytest.raises(ValueError, match="best and sites"):
        nigh.Searcher("abc", k=0).count("abc", best=True, sites=True)


def test_no_patterns_match_nothing():
    searcher = nigh.Searcher([])
    assert repr(searcher) == "<nigh.Searcher: 0 patterns, k=1>"
    assert not searcher.is_match("abc") and searcher.count("abc") == 0 and list(searcher.find_iter("abc")) == []


def test_an_alternative_may_have_a_line_feed():
    assert nigh.Searcher("a(b|\n)c", 0, notation="regex").count("abc") == 1


def test_results_can_be_pickled():
    found = list(nigh.Searcher("GATTACA", 1, alphabet="dna").find_iter("TGTAATC GATACA"))
    aligned = nigh.alignment("kitten", "sitting")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps((found, aligned), protocol)) == (found, aligned)
    assert copy.copy(found[0]) == found[0] and {one.strand for one in found} == {"+", "-"}


def test_a_closed_memory_map_is_named():
    closed = mmap.mmap(-1, 10)
    closed.close()
    with pytest.raises(ValueError, match="mmap closed"):
        nigh.Searcher("abc").count(closed)


def test_matches_are_values():
    searcher = nigh.Searcher("abc", 1)
    first, second = (list(searcher.find_iter("xabcx")) for _ in range(2))
    assert first == second and len({*first, *second}) == 3
    assert eval(repr(first[1]), {"Match": dict})["distance"] == 0
    with pytest.raises(AttributeError):
        first[0].start = 5
    matches = searcher.find_iter("xabcx")
    assert iter(matches) is matches and matches.__length_hint__() == 3


def test_threads_share_a_searcher():
    searcher = nigh.Searcher("ACGTACGTAC", 2, alphabet="dna")
    rng = random.Random(1)
    text = "".join(rng.choice("ACGT") for _ in range(200_000)).encode()
    expected = searcher.count(text)
    found = []
    threads = [threading.Thread(target=lambda: found.append(searcher.count(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert expected > 0 and found == [expected] * 4


def test_another_thread_runs_during_a_search():
    searcher = nigh.Searcher("ACGTACGTACGTACGTACGT", 6, alphabet="dna")
    text = b"ACGT" * 2_000_000
    progress, is_done = [], threading.Event()

    def search():
        searcher.count(text)
        is_done.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not is_done.is_set():
        progress.append(1)
        is_done.wait(0.001)
    thread.join()
    assert len(progress) > 2


def test_near_relates_any_two_patterns_that_follow_each_other():
    text = "x ab\nab  cde\ncde fgh\ncde     fgh"
    patterns = ["ab", "cde", "fgh"]
    first = nigh.Searcher(patterns, 0, near=2)
    assert [found.span for found in first.find_iter(text) if found.pattern < 2] == [(5, 7), (9, 12)]
    second = nigh.Searcher(patterns, 0, near=2, near_patterns=(1, 2))
    for searcher in [second, pickle.loads(pickle.dumps(second))]:
        assert [found.span for found in searcher.find_iter(text)] == [(2, 4), (5, 7), (13, 16), (17, 20)]
    for wrong in [(0, 2), (2, 1), (2, 3), (1, 1), (-1, 0), 1, "ab"]:
        with pytest.raises(ValueError, match="near_patterns is .*one directly after the other"):
            nigh.Searcher(patterns, 0, near=2, near_patterns=wrong)
    with pytest.raises(ValueError, match="near_patterns needs near"):
        nigh.Searcher(patterns, 0, near_patterns=(0, 1))
    with pytest.raises(ValueError, match="near: give it once, between two patterns"):
        nigh.Searcher(["ab"], 0, near=2)


def test_a_match_has_its_text():
    for text in ["größte Größe", b"grosste Grosse", memoryview(b"grosste Grosse")]:
        searcher = nigh.Searcher("Grösse" if isinstance(text, str) else b"Grosse", 2)
        matches = list(searcher.find_iter(text, best=True))
        for found in matches:
            assert found.text == text[found.start:found.end] and len(found.text) > 3
            restored = pickle.loads(pickle.dumps(found))
            assert restored == found and hash(restored) == hash(found) and restored.text is None
        assert len(matches) > 0


def test_options_that_mean_nothing_are_refused():
    guide = nigh.Searcher(["GATTACA<NGG>", "GATTACA"], 1, alphabet="dna")
    for call in [guide.find_iter, guide.count]:
        with pytest.raises(ValueError, match="sites needs an exact group at the start or the end of each pattern"):
            call("GATTACATGG", sites=True)
    for alphabet in ["text", "protein"]:
        with pytest.raises(ValueError, match="only the alphabet 'dna' has strands"):
            nigh.Searcher("GATTACA", alphabet=alphabet, strands="forward")


def test_values_that_are_wrong_are_named():
    with pytest.raises(ValueError, match="k is 1000000000000000000000000000000, but must be from 0 to"):
        nigh.Searcher("abc", 10**30)
    with pytest.raises(TypeError, match=r"k must be an int or a str, not list"):
        nigh.Searcher("abc", [1])
    with pytest.raises(TypeError, match="expected a list or a column of strings, not one str"):
        nigh.distances("abc", "abd")
    with pytest.raises(TypeError, match="the name of a pattern must be a str, not int"):
        nigh.Searcher({1: "GATTACA"}, alphabet="dna")
    pair = r"patterns\[0\]: a pair is a pattern and its own k, here 'g1' and "
    with pytest.raises(ValueError, match=pair + "GATTACA; k: "):
        nigh.Searcher([("g1", "GATTACA")], alphabet="dna")
    with pytest.raises(TypeError, match=pair + r"b'GATTACA'; k must be an int or a str, not bytes"):
        nigh.Searcher([("g1", b"GATTACA")], alphabet="dna")
    with pytest.raises(ValueError, match=r"within is '\(0, 8, 9\)': "):
        nigh.Searcher("GATTACA", alphabet="dna", within=(0, 8, 9))
    end = nigh.Searcher("GATTACAT", 1, alphabet="dna", overhang="right:10%")
    assert end.is_match("CCGATTA") and not end.is_match("TTACATCC")
    third = nigh.Searcher("GATTACAT", 1, alphabet="dna", overhang=1 / 3)
    assert third.count("TTACATGG") == nigh.Searcher("GATTACAT", 1, alphabet="dna", overhang="0.333333").count("TTACATGG")


def test_groups_are_those_of_the_module_re():
    searcher = nigh.Searcher(["größe", r"(?<wörd>ü\w+)(: (nein))?: (ja)"], 1, notation="regex", captures=True)
    text = "größe — übel: jq — größe"
    found = [one for one in searcher.find_iter(text, best=True) if one.pattern == 1][0]
    assert found.group() == found[0] == found.text == "übel: jq"
    assert found.group("wörd", 2, 4) == ("übel", None, "jq")
    assert found["wörd"] == found.group(1) == text[slice(*found.group_span(1))]
    assert found.groups() == ("übel", None, None, "jq")
    assert found.groups("") == ("übel", "", "", "jq")
    assert found.groupdict() == {"wörd": "übel"}
    assert found.group_span() == found.span and found.group_span(2) is None
    for wrong in [5, "word", -1]:
        with pytest.raises(IndexError, match="no such group"):
            found.group(wrong)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.group_span("wörd") == found.group_span(1)
    assert pickle.loads(pickle.dumps(searcher)).replace("übel: ja", "$4") == "ja"
    [found] = searcher.find_iter("übel: ja".encode(), best=True)
    assert found["wörd"] == "übel".encode() and found.group_span(4) == (7, 9)


def test_groups_have_the_ranges_of_re_without_edits():
    pattern = r"(a+)(?:-(b*))?(?P<last>c|d)"
    searcher = nigh.Searcher(pattern, 0, notation="regex", captures=True)
    rng = random.Random(9)
    for _ in range(500):
        text = "".join(rng.choices("abcd-é", k=rng.randrange(30)))
        for found in searcher.find_iter(text, best=True):
            expected = re.fullmatch(pattern, found.text)
            assert found.groups() == expected.groups() and found.groupdict() == expected.groupdict()
            spans = [found.group_span(group) for group in range(4)]
            moved = [(a + found.start, b + found.start) if a >= 0 else None for a, b in map(expected.span, range(4))]
            assert spans == moved


def test_groups_have_the_direction_of_the_pattern():
    searcher = nigh.Searcher("(?<umi>GG)(A)?(TT)", 0, alphabet="dna", notation="regex", captures=True)
    [found] = searcher.find_iter("TTAacCTT")
    assert (found.strand, found.text, found.group_span("umi")) == ("-", "AacC", (4, 6))
    assert (found["umi"], found.group(0), found.groups()) == ("Gg", "GgtT", ("Gg", None, "tT"))
    [found] = searcher.find_iter(b"TTAa\ncCTT")
    assert found.groups() == (b"Gg", None, b"tT")
    [found] = searcher.find_iter("AAGgtTAA")
    assert (found.strand, found.groups()) == ("+", ("Gg", None, "tT"))


def test_matches_are_replaced():
    assert nigh.Searcher(["größe", "maß"], 1).replace("größa, maß", "<$0>") == "<größa>, <maß>"
    assert nigh.Searcher("abc", 1, alphabet="bytes").replace(b"xabd\xff", b"$$") == b"x$\xff"
    dna = nigh.Searcher("(AC)(GTA)", 0, alphabet="dna", notation="regex", captures=True)
    assert dna.replace("CCACGTACC", "[$2]") == "CC[GTA]CC"
    with pytest.raises(ValueError, match="the searcher keeps none; make it with captures=True"):
        nigh.Searcher("abc").replace("abc", "$1")
    with pytest.raises(IndexError, match="make it with captures=True"):
        next(nigh.Searcher("abc").find_iter("abc", best=True)).group(1)
