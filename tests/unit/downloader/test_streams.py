"""The stages that a stream passes: pace, content coding, the look at the beginning."""

import gzip
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.coding import coding_of, decoded
from services.downloader.opening import is_error_page, opened, says_error
from services.downloader.pace import paced
from shared.egress import Headers
from shared.errors import Failure
from shared.reasons import Reason

TEXT = bytes(range(256)) * 2000


class Clock:
    """A clock that every block moves on by its own seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def blocks(self, *pairs: tuple[float, int]) -> Iterator[bytes]:
        for seconds, size in pairs:
            self.now += seconds
            yield bytes(size)


def raw_deflate(data: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-15)
    return deflater.compress(data) + deflater.flush()


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def test_fr29_a_window_slower_than_the_least_rate_is_stalled() -> None:
    clock = Clock()
    with pytest.raises(Failure) as failure:
        list(paced(clock.blocks(*[(10.0, 1)] * 10), 1024, 30.0, lambda: clock.now))
    assert failure.value.reason is Reason.STALLED
    assert clock.now == 30.0


def test_fr29_a_fast_beginning_buys_no_slow_end() -> None:
    clock = Clock()
    with pytest.raises(Failure):
        list(paced(clock.blocks((30.0, 10**9), *[(10.0, 1)] * 10), 1024, 30.0, lambda: clock.now))
    assert clock.now == 60.0


def test_a_slow_reader_is_not_the_fault_of_the_source() -> None:
    clock = Clock()
    for _ in paced(clock.blocks(*[(0.001, 100)] * 10), 1024, 30.0, lambda: clock.now):
        clock.now += 1000.0


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
    ],
)
def test_a_coded_body_is_decoded_whatever_its_pieces(coding: str, data: bytes, size: int) -> None:
    assert b"".join(decoded(pieces(data, size), coding, 1000.0)) == TEXT


@given(st.binary(max_size=2000), st.integers(1, 50))
def test_decoding_undoes_coding(data: bytes, size: int) -> None:
    assert b"".join(decoded(pieces(gzip.compress(data), size), "gzip", 1000.0)) == data


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_case_59_a_bomb_is_stopped_by_its_ratio_with_little_unpacked(coding: str) -> None:
    wbits = 31 if coding == "gzip" else 15
    deflater = zlib.compressobj(9, wbits=wbits)
    bomb = b"".join([*(deflater.compress(bytes(2**20)) for _ in range(100)), deflater.flush()])
    pieces_out: list[int] = []
    with pytest.raises(Failure) as failure:
        pieces_out.extend(map(len, decoded(iter([bomb]), coding, 200.0)))
    assert failure.value.reason is Reason.TOO_LARGE
    assert max(pieces_out) <= 256 * 1024
    assert sum(pieces_out) <= 210 * 64 * 1024


@pytest.mark.parametrize("cut", [1, 8, 9, 500])
def test_a_coded_body_without_its_end_is_truncated(cut: int) -> None:
    with pytest.raises(Failure) as failure:
        list(decoded(iter([gzip.compress(TEXT)[:-cut]]), "gzip", 1000.0))
    assert failure.value.reason is Reason.TRUNCATED


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip", b"no gzip at all"),
        ("gzip", gzip.compress(TEXT) + b"and more"),
        ("deflate", zlib.compress(TEXT) + b"more"),
        ("gzip", gzip.compress(TEXT)[:-8] + bytes(8)),
        ("deflate", b"\x78no zlib at all"),
    ],
)
def test_a_broken_coding_is_a_protocol_violation(coding: str, data: bytes) -> None:
    with pytest.raises(Failure) as failure:
        list(decoded(iter([data]), coding, 1000.0))
    assert failure.value.reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    ("values", "coding"),
    [
        ([], None),
        (["identity"], None),
        ([""], None),
        (["GZIP"], "gzip"),
        (["x-gzip"], "gzip"),
        (["identity", "deflate"], "deflate"),
    ],
)
def test_the_coding_is_read_from_the_head(values: list[str], coding: str | None) -> None:
    assert coding_of(Headers([("Content-Encoding", value) for value in values])) == coding


@pytest.mark.parametrize(
    "values", [["br"], ["zstd"], ["gzip\x85"], ["\xa0gzip"], ["gzip, gzip"], ["gzip", "deflate"], ["aws-chunked"]]
)
def test_a_coding_that_is_not_undone_here_is_a_protocol_violation(values: list[str]) -> None:
    with pytest.raises(Failure) as failure:
        coding_of(Headers([("Content-Encoding", value) for value in values]))
    assert failure.value.reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize("size", [1, 5, 512, 4096])
def test_the_look_at_the_beginning_loses_nothing(size: int) -> None:
    first, blocks = opened(pieces(TEXT, size), 512)
    assert first == TEXT[:512]
    assert b"".join(blocks) == TEXT


@pytest.mark.parametrize(
    "first",
    [
        b"<!doctype html><html>",
        b"<!DOCTYPE HTML PUBLIC",
        b"<html lang=en>",
        b"\n\n  <HEAD>",
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x --><Error><Code>",
        b"<Error>",
        b"<script>",
        b"<ListBucketResult xmlns=x>",
        b'{"error": 1}',
        b'\xef\xbb\xbf {\n "error"',
        b"{}",
        b'[{"error": 1}]',
        b"[]",
    ],
)
def test_fr31_and_fr32_an_error_page_is_seen_by_its_first_bytes(first: bytes) -> None:
    assert is_error_page(first)


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"\x00\x00\x00\x20ftypisom",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"RIFF....WEBP",
        b"ID3\x04",
        b"%PDF-1.7",
        b"PK\x03\x04",
        b"<?xml version='1.0'?><svg xmlns='x'>",
        b"<!DOCTYPE svg PUBLIC",
        b"<",
        b"{",
        b"{\x00binary",
        b"[\x00binary",
    ],
)
def test_a_body_that_is_no_error_page_passes(first: bytes) -> None:
    assert not is_error_page(first)


@pytest.mark.parametrize(
    "first",
    [
        b"<!DOCTYPE html><html>",
        b"\xef\xbb\xbf <html>",
        b"<?xml version='1.0'?><Error><Code>AccessDenied</Code>",
        b'<?xml version="1.0"?><!-- a --><ErrorResponse>',
        b'{"error": {"message": "expired"}}',
        b' {"errors": ["x"]}',
    ],
)
def test_fr31_fr32_what_says_an_error_is_one_also_where_text_was_promised(first: bytes) -> None:
    assert says_error(first)
    assert is_error_page(first)


@pytest.mark.parametrize(
    "first",
    [b'{"text": "hello"}', b'{"error": null, "text": 1}', b"[1, 2]", b"<think>so</think>", b"<svg>", b"plain", b""],
)
def test_json_and_text_that_say_no_error_pass_where_text_was_promised(first: bytes) -> None:
    assert not says_error(first)
