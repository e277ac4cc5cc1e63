"""A secret that every link of the tests carries in its path and its query, and the check that nothing tells it."""

import json
import re
import traceback
from collections.abc import Mapping

from shared.errors import Failure

CANARY = "CANARY7f3a9c"
_HEX = "".join(f"(?:{ord(c):x}|{ord(c.lower()):x})" for c in "CANARY")
_ANY = re.compile(rf"canary-?[0-9a-f]{{4}}|{_HEX}", re.IGNORECASE)
"""Any test's canary, or the beginning of one; in hexadecimal too, as Postgres writes bytes."""
PATH = f"/{CANARY}path/v.mp4"
QUERY = f"?sig={CANARY}query%2B&x=1"
LINK = PATH + QUERY
"""Path and query of a link."""
MOST_EVIDENCE = 16 * 1024
"""Most bytes of one claim's evidence, as JSON."""


def tells(text: str) -> bool:
    """Whether a text holds a canary, in whatever case."""
    return _ANY.search(text) is not None


def excerpts(place: str, text: str) -> list[str]:
    """The place with a few characters around the first canary that its name or text holds; nothing if none does."""
    whole = f"{place}: {text}"
    found = _ANY.search(whole)
    return [f"{place}: ...{whole[max(found.start() - 80, 0) : found.end() + 40]}..."] if found else []


def chain_of(error: BaseException) -> list[BaseException]:
    """An exception and all that led to it."""
    chain: list[BaseException] = []
    while error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__ or error
    return chain


def check_texts(error: BaseException) -> None:
    """Fail when an exception, its traceback or what led to it tells the canary."""
    chain = chain_of(error)
    assert not tells("".join((*traceback.format_exception(chain[0]), *map(repr, chain), *map(str, chain))))


def check_evidence(evidence: Mapping[str, object]) -> None:
    """Fail when evidence tells the canary, is too large, or is not what JSON can hold."""
    text = json.dumps(dict(evidence), allow_nan=False)
    assert not tells(text)
    assert len(text.encode()) <= MOST_EVIDENCE


def check_silent(error: BaseException) -> None:
    """Fail when an exception, its traceback, what led to it, or its evidence tells the canary."""
    check_texts(error)
    for link in chain_of(error):
        if isinstance(link, Failure):
            check_evidence(link.evidence)
