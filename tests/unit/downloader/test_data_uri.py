"""`data:` URIs: their bytes, or a reason."""

from base64 import b64encode
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.downloader.data_uri import PIECE_CHARACTERS, content_of, is_data_uri
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.canary import CANARY, check_silent


def content(url: str) -> bytes:
    return b"".join(content_of(url))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("data:image/png;base64,iVBORw0KGgo=", b"\x89PNG\r\n\x1a\n"),
        ("DATA:image/png;charset=x; BASE64 ,iVBORw0KGgo=", b"\x89PNG\r\n\x1a\n"),
        ("data:;base64,QUJD%52A%3D%3D", b"ABCD"),
        ("data:;base64,QU JD\nRA==\n", b"ABCD"),
        ("data:;base64,%2B%2f%2B/", b"\xfb\xff\xbf"),
        ("data:,", b""),
        ("data:;base64,", b""),
        ("data:,a%20b+c,d", b"a b+c,d"),
        ("data:text/plain,%00%ff%zz%", b"\x00\xff%zz%"),
        ("data:,\xe9", "\xe9".encode()),
        ("data:,abc#fragment", b"abc"),
        ("data:;base64;x,QUJD", b"QUJD"),
        ("data:base64,QUJD", b"QUJD"),
    ],
)
def test_fr49_the_bytes_are_those_that_the_standard_says(url: str, expected: bytes) -> None:
    assert is_data_uri(url)
    assert content(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "data:",
        "data:image/png;base64",
        "data:;base64,QUJ",
        "data:;base64,QUJDR",
        "data:;base64,QUJDRA=",
        "data:;base64,QUJDRA",
        "data:;base64,QUJDRA==QUJD",
        "data:;base64,QU-_",
        "data:;base64,QU*D",
        "data:;base64,====",
        "data:;base64,QUJD\xe9===",
        "data:,\ud800",
        "data:;base64," + "QUJD" * (PIECE_CHARACTERS // 4 - 1) + "QQ==" + "QUJD",
    ],
)
def test_a_data_uri_that_is_broken_or_was_cut_gives_no_bytes(url: str) -> None:
    with pytest.raises(Failure) as failure:
        content(url)
    assert (failure.value.reason, failure.value.evidence) == (
        Reason.PROTOCOL_VIOLATION,
        {"violation": "data_uri"},
    )


@pytest.mark.parametrize("broken", ["\ud800", "%", "*"])
def test_no_error_holds_the_content(broken: str) -> None:
    with pytest.raises(Failure) as failure:
        content(f"data:;base64,{CANARY}{broken}===")
    check_silent(failure.value)


@pytest.mark.parametrize(
    "url", ["", "http://a.example/data:", "file:///etc/passwd", "data", "/data/out.mp4", "mydata:,x"]
)
def test_other_text_is_no_data_uri(url: str) -> None:
    assert not is_data_uri(url)


@pytest.mark.parametrize("is_base64", [True, False])
@pytest.mark.parametrize("shift", range(4))
def test_every_byte_comes_back_wherever_the_pieces_are_cut(shift: int, is_base64: bool) -> None:
    data = bytes(range(256)) * 1200
    text = "x" * shift + quote_from_bytes(data, safe="")
    if is_base64:
        text = "".join(f"%{ord(character):02x}" for character in b64encode(data).decode())
        text = "\n" * shift + text
    assert len(text) > 2 * PIECE_CHARACTERS
    assert content("data:" + ";base64" * is_base64 + "," + text) == (b"" if is_base64 else b"x" * shift) + data


@given(st.binary(max_size=400))
def test_decoding_undoes_quoting(data: bytes) -> None:
    assert content("data:," + quote_from_bytes(data, safe="")) == data
    assert content("data:;base64," + quote_from_bytes(b64encode(data))) == data


def test_fr49_no_piece_is_larger_than_what_is_decoded_at_once() -> None:
    pieces = [len(piece) for piece in content_of("data:;base64," + "QUJD" * 2**20)]
    assert sum(pieces) == 3 * 2**20
    assert max(pieces) <= PIECE_CHARACTERS


def test_what_follows_the_padding_is_refused_also_after_blanks() -> None:
    with pytest.raises(Failure) as refused:
        content("data:;base64,QUI=" + " " * (2 * PIECE_CHARACTERS) + "QUI=")
    assert refused.value.reason is Reason.PROTOCOL_VIOLATION
