"""The head of an answer: strict where leniency could mistake the length of a body."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.egress.head import MAX_HEAD, Head, framing, read_head
from shared.errors import Failure
from shared.reasons import Reason


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("Content-Length: 5", ("length", 5)),
        ("content-length:5", ("length", 5)),
        ("Content-Length: 5\r\nContent-Length: 5", ("length", 5)),
        ("Content-Length: 5, 5", ("length", 5)),
        ("Transfer-Encoding: Chunked", ("chunked", None)),
        ("X: y", ("close", None)),
    ],
)
def test_the_framing_is_read_from_the_fields(fields: str, expected: tuple[str, int | None]) -> None:
    assert framing(_head(fields)) == expected


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: -1",
        "Content-Length: +5",
        "Content-Length: 5.0",
        "Content-Length: 0x5",
        "Content-Length: 1_0",
        "Content-Length: five",
        "Content-Length:",
        "Content-Length: \u0665",
        "Content-Length: 9999999999999999999999",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding:",
    ],
)
def test_a_conflicting_or_broken_length_is_a_protocol_violation(fields: str) -> None:
    with pytest.raises(Failure) as failure:
        framing(_head(fields))
    assert failure.value.reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize("space", [b"\x85", b"\xa0", b"\x0b", b"\x0c", b"\x1f"])
@pytest.mark.parametrize("field", [b"Content-Length: %b5", b"Content-Length: 5%b", b"Transfer-Encoding: %bchunked"])
def test_what_only_python_takes_for_white_space_is_a_part_of_the_value(field: bytes, space: bytes) -> None:
    with pytest.raises(Failure) as failure:
        framing(_read(b"HTTP/1.1 200 OK\r\n" + field % space + b"\r\n\r\n"))
    assert failure.value.reason is Reason.PROTOCOL_VIOLATION


def test_chunked_in_http_1_0_is_a_protocol_violation() -> None:
    with pytest.raises(Failure):
        framing(_read(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_none_whatever_the_fields_say(status: int) -> None:
    head = _read(b"HTTP/1.1 %d x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" % status)
    assert framing(head) == ("length", 0)


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/0.9 200 OK\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 099 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1  200 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n folded first\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\rContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * MAX_HEAD,
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * MAX_HEAD,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 10000,
    ],
)
def test_a_broken_head_is_a_protocol_violation(head: bytes) -> None:
    with pytest.raises(Failure) as failure:
        _read(head)
    assert failure.value.reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize("cut", [b"", b"HTTP", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nX: y\r\n"])
def test_a_head_that_ends_early_is_an_unavailable_source(cut: bytes) -> None:
    with pytest.raises(Failure) as failure:
        _read(cut)
    assert failure.value.reason is Reason.SOURCE_UNAVAILABLE


def test_interim_answers_are_skipped_and_folded_fields_joined() -> None:
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    head = _read(early + b"HTTP/1.1 200\r\nX: a\r\n\t b  \r\nx: c\r\n\r\nbody")
    assert (head.status, head.headers.getlist("X"), "link" in head.headers) == (200, ["a b", "c"], False)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_head_or_a_failure(data: bytes) -> None:
    reasons = []
    try:
        framing(_read(b"HTTP/1.1 200 OK\r\n" + data))
    except Failure as failure:
        reasons.append(failure.reason)
    assert set(reasons) <= {Reason.PROTOCOL_VIOLATION, Reason.SOURCE_UNAVAILABLE}


def _head(fields: str) -> Head:
    return _read(b"HTTP/1.1 200 OK\r\n" + fields.encode("utf-8") + b"\r\n\r\n")


def _read(data: bytes) -> Head:
    return read_head(io.BufferedReader(io.BytesIO(data)))
