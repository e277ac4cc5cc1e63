"""What a store decides without a server."""

import pytest

from shared.errors import UsageError
from shared.objects import Store
from shared.objects.copying import COPY_LIMIT, spans


@pytest.mark.parametrize(
    ("size", "expected"),
    [(10, ["0-9"]), (11, ["0-9", "10-10"]), (30, ["0-9", "10-19", "20-29"]), (25, ["0-9", "10-19", "20-24"])],
)
def test_the_ranges_of_a_copy_cover_every_byte_once(size: int, expected: list[str]) -> None:
    assert list(spans(size, 10)) == [f"bytes={span}" for span in expected]


@pytest.mark.parametrize(("size", "parts"), [(5 * 2**30, 1), (5 * 2**30 + 1, 2)])
def test_fr63_one_request_copies_five_gibibytes_and_no_byte_more(size: int, parts: int) -> None:
    assert len(list(spans(size, COPY_LIMIT))) == parts


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "127.0.0.1:9000",
        "ftp://host",
        "http://",
        "http://host/path",
        "http://u:canary@host",
        "http://host/?a=canary",
    ],
)
def test_a_wrong_endpoint_is_refused_without_repeating_it(endpoint: str) -> None:
    with pytest.raises(UsageError) as caught:
        Store.open(endpoint, "us-east-1", "access", "secret", part_bytes=5 * 2**20)
    assert "canary" not in str(caught.value)


def test_a_store_shows_no_credentials() -> None:
    store = Store.open("https://host/", "us-east-1", "canary-access", "canary-secret", part_bytes=5 * 2**20)
    assert "canary" not in repr(store)
