"""Headers as they come over the wire."""

import pytest

from services.ingest.webhooks import Request, Unproven, Why
from tests.faults.canary import CANARY


def request(*headers: tuple[bytes, bytes]) -> Request:
    return Request.of(headers, b"")


def test_names_of_any_case_are_one_header_whose_values_keep_their_order() -> None:
    found = request((b"X-Sig", b"a"), (b"x-other", b"b"), (b"x-SIG", b"\xff"), (b"x-sig", b""))
    assert found.values("X-sIg") == [b"a", b"\xff"]
    assert found.values("x-nobody") == []


@pytest.mark.parametrize("value", [b"a,b", b"a b", b"a , b", b" a\t\tb ", b",,a,,b,,"])
def test_items_stand_between_commas_and_spaces(value: bytes) -> None:
    assert request((b"x", value)).items("x") == [b"a", b"b"]


def test_items_are_those_of_every_value() -> None:
    assert request((b"x", b"a,b"), (b"x", b""), (b"x", b"c")).items("X") == [b"a", b"b", b"c"]


def test_an_item_of_a_list_is_found_by_its_name() -> None:
    found = request((b"x", b"t=1,v1=a=="), (b"x", b"v1=b, T=2, v1="))
    assert found.values("x:t") == [b"1"]
    assert found.values("X:v1") == [b"a==", b"b"]
    assert found.items("x:v1") == [b"a==", b"b"]
    assert found.only("x:T") == b"2"


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ([], Why.MISSING_HEADER),
        ([(b"x", b"")], Why.MISSING_HEADER),
        ([(b"x", b"1"), (b"x", b"1")], Why.REPEATED_HEADER),
        ([(b"x", b"1"), (b"X", b"2")], Why.REPEATED_HEADER),
    ],
)
def test_the_only_value_is_neither_missing_nor_repeated(headers: list[tuple[bytes, bytes]], why: Why) -> None:
    with pytest.raises(Unproven) as unproven:
        request(*headers).only("x")
    assert unproven.value.why is why


def test_a_name_that_is_not_ascii_hurts_nobody() -> None:
    assert request((b"\xff\xfe", b"1"), (b"x", b"2")).only("x") == b"2"


def test_the_text_of_a_request_tells_nothing_of_it() -> None:
    assert CANARY not in repr(Request.of([(b"authorization", CANARY.encode())], CANARY.encode()))
