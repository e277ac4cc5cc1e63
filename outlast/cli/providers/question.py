"""What is asked about an answer of a provider."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from shared.egress import Policy, Refused, parse
from shared.egress.trail import Trail
from shared.providers.keys import Key
from shared.providers.report import DEEPEST
from shared.redaction import redact

Fit = Callable[[str | None], str | None]
"""Makes a text of the provider fit to be shown."""
MOST_TEXTS = 10_000
"""So many texts of an answer are looked at for links."""


@dataclass(frozen=True)
class Question:
    """By which entry and table an answer is read, whose job it is, and where links may lead."""

    provider: str
    table: str
    model: str | None
    account: str | None
    provider_account: str
    job_id: str | None
    policy: Policy
    record_url: str | None = field(default=None, repr=False)
    """The address of the job's record, where it was given: a credential."""
    key: Key | None = None
    """The key that was shown to the provider, which may repeat it."""


def fit_of(document: Any, key: Key | None) -> Fit:
    """For the texts of an answer, as providers repeat the links in it and our key in what they say."""
    trail = Trail()
    for text in islice(_texts(document), MOST_TEXTS):
        with suppress(Refused):  # it is no link; the redaction knows links within a text
            trail.start(parse(text))

    def fit(text: str | None) -> str | None:
        return redact(trail.conceal(key.conceal(text) if key else text)) if text else text

    return fit


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth < DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)
