"""Metadata on the wire."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.objects.metadata import TOTAL_BYTES, VALUE_BYTES, encoded, headers_of, metadata_of


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_a_value_comes_back_as_it_went(value: str) -> None:
    headers = headers_of("a/b", {"name": value})
    assert metadata_of(headers) == ({} if "://" in value else {"name": value})


@given(st.text())
def test_a_value_on_the_wire_is_bounded_and_printable_ascii(value: str) -> None:
    assert re.fullmatch(r"[!-~]*", encoded(value))
    assert len(encoded(value)) <= VALUE_BYTES


def test_a_long_value_is_cut_between_characters() -> None:
    assert metadata_of(headers_of("a/b", {"name": "é" * 200})) == {"name": "é" * (VALUE_BYTES // 6)}


@pytest.mark.parametrize("value", ["https://host/x?sig=canary", "see s3://bucket/key", ""])
def test_a_url_is_no_metadata(value: str) -> None:
    assert headers_of("a/b", {"name": value}) == {"Content-Type": "a/b"}


def test_more_than_the_store_takes_is_refused() -> None:
    names = [f"name-{number}" for number in range(TOTAL_BYTES // VALUE_BYTES)]
    with pytest.raises(ValueError, match="more than 2048 bytes"):
        headers_of("a/b", dict.fromkeys(names, "x" * VALUE_BYTES))


def test_response_headers_are_read_in_any_case() -> None:
    assert metadata_of({"X-Amz-Meta-Kind": "vid%C3%A9o", "ETag": "x"}) == {"kind": "vidéo"}
