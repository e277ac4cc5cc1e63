"""A secret that every link of the tests carries in its path and its query, and the check that nothing tells it."""

import json
import traceback
from collections.abc import Iterator

import pytest

from shared.errors import Failure

CANARY = "CANARY7f3a9c"
PATH = f"/{CANARY}path/v.mp4"
QUERY = f"?sig={CANARY}query%2B&x=1"
LINK = PATH + QUERY
"""Path and query of a link."""


def check_silent(error: BaseException) -> None:
    """Fail when an exception, its traceback, what led to it, or its evidence tells the canary."""
    chain: list[BaseException] = []
    while error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__ or error
    evidence = [json.dumps(dict(link.evidence)) for link in chain if isinstance(link, Failure)]
    told = "".join((*traceback.format_exception(chain[0]), *map(repr, chain), *map(str, chain), *evidence))
    assert CANARY not in told


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No log line of any library, at any level, tells the canary."""
    caplog.set_level(0)
    yield
    assert CANARY not in caplog.text
