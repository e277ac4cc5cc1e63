"""Output in base64 inside JSON: found by its path and decoded, whatever the text looks like and wherever it is cut."""

import json
import tracemalloc
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, cycle, pairwise, repeat, takewhile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.downloader import base64_body
from services.downloader.base64_body import NoString, output_in
from services.downloader.json_path import string_at
from services.downloader.json_text import MOST_DEPTH
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.canary import CANARY, check_silent

PATH = "response.videos[1].bytes"
MIB = 2**20


def cut(text: bytes, size: int) -> Iterator[bytes]:
    """The text in blocks."""
    return (text[start : start + size] for start in range(0, len(text), size))


def output(text: bytes | str, path: str = "b", size: int = 7) -> bytes:
    encoded = text.encode() if isinstance(text, str) else text
    return b"".join(output_in(cut(encoded, size), path))


def failure(text: bytes | str, path: str = "b", size: int = 7) -> Failure:
    with pytest.raises(Failure) as failed:
        output(text, path, size)
    check_silent(failed.value)
    return failed.value


def found(text: str, path: str = "b") -> str:
    with pytest.raises(NoString) as nothing:
        output(text, path)
    return nothing.value.found


@st.composite
def written(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Bytes, and a document in which they stand at PATH, written as differently as writers do."""
    data = draw(st.binary(max_size=200))
    text = b64encode(data, draw(st.sampled_from([b"+/", b"-_"]))).decode()
    text = text.rstrip("=") if draw(st.booleans()) else text
    if width := draw(st.sampled_from([0, 4, 76])):
        text = draw(st.sampled_from(["\n", "\r\n", " \t"])).join(
            text[start : start + width] for start in range(0, len(text), width)
        )
    text = draw(st.sampled_from(["", "data:image/png;base64,", "data:;x=y; base64 ,"])) + text
    escaped = draw(st.sets(st.sampled_from("/+-AQg=\n")))
    string = "".join(f"\\u{ord(c):04{draw(st.sampled_from('xX'))}}" if c in escaped else c for c in json.dumps(text))
    string = string.replace("/", draw(st.sampled_from(["/", "\\/"])))
    beside = draw(st.dictionaries(st.text().filter(lambda name: name != "bytes"), VALUES, max_size=3))
    members = [json.dumps({name: value})[1:-1] for name, value in beside.items()]
    members.insert(draw(st.integers(0, len(members))), f'"bytes" : {string}')
    space = draw(st.sampled_from(["", " ", "\n\t"]))
    videos = f"[{json.dumps(draw(VALUES))},{space}{{{f',{space}'.join(members)}}}{space}]"
    return data, f'{space}{{"x":{json.dumps(draw(VALUES))},"response":{{"videos":{videos}}}}}{space}'.encode()


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(written(), st.lists(st.integers(0, 60), min_size=1, max_size=8).filter(any))
def test_whatever_the_writing_and_wherever_the_cuts_the_bytes_come_back(
    document: tuple[bytes, bytes], sizes: list[int]
) -> None:
    data, text = document
    ends = takewhile(lambda end: end < len(text), accumulate(cycle(sizes)))
    blocks = [text[start:end] for start, end in pairwise((0, *ends, len(text)))]
    assert b"".join(output_in(iter(blocks), PATH)) == data


@given(VALUES, st.booleans(), st.sampled_from([None, 2]), st.integers(1, 9))
@example('é\U0001f600"\x7f', True, None, 1)
@example("\\/\\n\n\\u0041", True, None, 100)
@example(["a string beside"], True, None, 1)
def test_strings_are_what_the_json_module_reads_there(
    value: Any, ascii_only: bool, indent: int | None, size: int
) -> None:
    text = json.dumps({"a": [value, {"b": value}]}, ensure_ascii=ascii_only, indent=indent).encode(errors="replace")
    if isinstance(value, str):
        read = json.loads(text)["a"][1]["b"]
        told = b"".join(string_at(cut(text, size), "a[1].b"))
        assert [c for c in told if c < 128] == [ord(c) for c in read if ord(c) < 128]
        assert all(c < 128 for c in told) == read.isascii()
    else:
        with pytest.raises(NoString):
            list(string_at(cut(text, size), "a[1].b"))


@given(written(), st.integers(0, 10**6))
def test_a_document_that_ends_early_is_truncated_wherever_it_ends(document: tuple[bytes, bytes], where: int) -> None:
    text = document[1].rstrip()
    assert failure(text[: where % len(text)], PATH).reason is Reason.TRUNCATED


@given(written(), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_document_never_breaks_the_reader(
    document: tuple[bytes, bytes], damage: list[tuple[int, int]]
) -> None:
    text = bytearray(document[1])
    for place, byte in damage:
        text[place % len(text)] = byte
    try:
        output(bytes(text), PATH)
    except Failure as failed:
        assert failed.reason in (Reason.TRUNCATED, Reason.PROTOCOL_VIOLATION)
    except NoString as nothing:
        assert nothing.found


@given(st.binary(max_size=60))
def test_any_bytes_at_all_never_break_the_reader(text: bytes) -> None:
    with suppress(Failure, NoString):
        output(b'{"b":[' + text, "b[0]", 3)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"b": null}', "null"),
        ('{"b": 12.5e3}', "a number"),
        ('{"b": -1}', "a number"),
        ('{"b": true}', "a boolean"),
        ('{"b": {"c": "QUJD"}}', "an object"),
        ('{"b": ["QUJD"]}', "an array"),
        ('{"c": "QUJD"}', "absent"),
        ("{}", "absent"),
        ('["QUJD"]', "absent"),
        ('[{"b": "QUJD"}]', "absent"),
    ],
)
def test_what_stands_in_place_of_the_string_is_told(text: str, what: str) -> None:
    assert found(text) == what


def test_either_alphabet_counts_and_no_mixture_of_them_means_anything_else() -> None:
    assert output('{"b": "-_+/"}') == output('{"b": "+\\/-_"}') == b"\xfb\xff\xbf"
    assert output('{"b": "-w"}') == output('{"b": "+w=="}') == b"\xfb"


@pytest.mark.parametrize("size", [1, 1500])
def test_nothing_follows_padding_wherever_the_cut_is(size: int) -> None:
    text = '{"b": "' + "QUJD" * 400
    assert output(text + 'QQ=="}', size=size) == b"ABC" * 400 + b"A"
    assert output(text + 'QQ== \\n"}', size=size) == b"ABC" * 400 + b"A"
    assert failure(text + 'QQ==QUJD"}', size=size).evidence == {"violation": "base64"}


def test_an_index_beyond_the_end_is_absent_and_names_are_no_indices() -> None:
    assert found('{"v": ["QUJD"]}', "v[1]") == "absent"
    assert found('{"v": []}', "v[0]") == "absent"
    assert found('{"v": {"0": "QUJD"}}', "v[0]") == "absent"
    assert output('{"v": {"0": "QUJD"}}', "v.0") == b"ABC"


def test_only_the_wanted_place_counts() -> None:
    text = '{"x": {"b": "WFhY"}, "v": [{"b": "WFhY"}, {"a": {"b": "WFhY"}, "b": "QUJD"}], "b": "WFhY"}'
    assert output(text, "v[1].b") == b"ABC"
    assert output('{"\\u0062": "QUJD", "\\u0162": "WFhY", "bb": "WFhY"}') == b"ABC"
    assert output('\ufeff {"b": "QUJD"} \r\n') == b"ABC"


@pytest.mark.parametrize(
    "text", ['{"b": "QUJD", "b": "WFhY"}', '{"b": null, "b": "QUJD"}', '{"b": "QUJD", "\\u0062": 1}']
)
def test_a_name_that_stands_twice_on_the_way_is_refused_as_readers_differ(text: str) -> None:
    assert failure(text).evidence == {"violation": "json_repeated_name"}
    assert output('{"a": 1, "a": 2, "b": "QUJD"}') == b"ABC", "beside the way it does no harm"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"b": "QUJD"} {}', "json_surplus"),
        ('{"b": "QUJD"}}', "json_surplus"),
        ('{"b": "QUJD"]', "json_mark"),
        ('{"b": "QUJD" "c": 1}', "json_mark"),
        ('{"b" "QUJD"}', "json_mark"),
        ('{b: "QUJD"}', "json_mark"),
        ('{"a": [}, "b": "QUJD"}', "json_mark"),
        ('{"a": ], "b": "QUJD"}', "json_mark"),
        ('{"a":, "b": "QUJD"}', "json_mark"),
        ('{"b": }', "json_value"),
        ('{"b": QUJD}', "json_value"),
        ('{"b": "QU\\x4aD"}', "json_escape"),
        ('{"b": "QU\\u00zz"}', "json_escape"),
        ('{"a": "\\x", "b": "QUJD"}', "json_escape"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_is_no_json_is_refused(text: str, what: str, size: int) -> None:
    assert failure(text, size=size).evidence == {"violation": what}


@pytest.mark.parametrize(
    "text",
    [
        "QUJDR", "QUJD=", "QUJD==", "====", "=QUJ", "QQ==QQ==", "QQ==QQ", "QQ=\\u0003", "QU*D", "QUJD,", "Q=UJD",
        "QUJDé", "QU\\u00e9D", "data:image/png,QUJD", "data:text/plain;charset=x,QUJD", "QUJDdata:;base64,QUJD",
        CANARY + "*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_no_base64_is_refused_and_not_told(text: str, size: int) -> None:
    failed = failure(f'{{"b": "{text}"}}', size=size)
    assert (failed.reason, failed.evidence) == (Reason.PROTOCOL_VIOLATION, {"violation": "base64"})


@pytest.mark.parametrize("text", ["", " \\n", "data:image/png;base64,"])
def test_an_empty_string_gives_no_bytes(text: str) -> None:
    assert output(f'{{"b": "{text}"}}') == b""


def test_nesting_has_a_limit_that_no_real_document_reaches() -> None:
    def nested(depth: int) -> str:
        return '{"a": ' + '{"a": [' * (depth // 2) + "]}" * (depth // 2) + ', "b": "QUJD"}'

    assert output(nested(MOST_DEPTH)) == b"ABC"
    assert failure(nested(MOST_DEPTH + 2)).evidence == {"violation": "json_nesting"}
    assert failure('{"a":' + "[" * 10**6).evidence == {"violation": "json_nesting"}


def test_a_document_that_is_mostly_something_else_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base64_body, "MOST_BESIDE_BYTES", 10_000)
    data = bytes(100_000)
    escaped = "".join(f"\\u{c:04x}" for c in b64encode(data))
    assert output(f'{{"b": "{escaped}"}}', size=100) == data
    for beside in (f'{{"a": "{"x" * 10_100}"', f'{{"b": "{" " * 10_100}"', '{"a":[' + "1," * 5100, "{" + " " * 10_100):
        assert failure(beside).evidence["limit"] == "beside_output"


BLOCK = b"QUJD" * (MIB // 16)
HUGE = [
    pytest.param([b'{"b": "', *repeat(BLOCK, 256), b'"}'], 48 * MIB, id="the output"),
    pytest.param([b'{"a": "', *repeat(BLOCK, 64), b'", "b": "QUJD"}'], 3, id="a string before it"),
    pytest.param([b'{"', *repeat(BLOCK, 64), b'": 1, "b": "QUJD"}'], 3, id="a name before it"),
    pytest.param([b'{"a": ', *repeat(b"1" * len(BLOCK), 64), b', "b": "QUJD"}'], 3, id="a number before it"),
    pytest.param([b'{"a": [0', *repeat(b",[1],2" * (len(BLOCK) // 6), 64), b'], "b": "QUJD"}'], 3, id="a list"),
    pytest.param([b'{"b": "QUJD"', *repeat(b" " * len(BLOCK), 64), b"}"], 3, id="white space after it"),
    pytest.param([b'{"b": "', *repeat(b"\\n" * (len(BLOCK) // 2), 64), b'QUJD"}'], 3, id="white space in it"),
]


@pytest.mark.parametrize(("blocks", "size"), HUGE)
def test_fr61_memory_is_flat_whichever_part_of_a_document_is_huge(blocks: list[bytes], size: int) -> None:
    tracemalloc.start()
    try:
        assert sum(map(len, output_in(iter(blocks), "b"))) == size
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()
