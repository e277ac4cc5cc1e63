"""What stands in the way of a processor without being its fault or its asset's."""

from collections.abc import Iterator
from contextlib import contextmanager

from shared.errors import Failure


class Unavailable(Exception):  # noqa: N818 (a state of the surroundings)
    """The object store or the database does not do its part now, and nothing was decided.

    Do not ack; try again later. `reason` is one of the words that docs/reasons.md explains.
    """

    def __init__(self, failure: Failure) -> None:
        error = failure.evidence.get("error") or failure.evidence.get("code")
        super().__init__(f"{failure.reason.rule.sentence} ({failure.reason}{f', {error}' if error else ''})")
        self.reason = str(failure.reason)


@contextmanager
def told() -> Iterator[None]:
    """Turn a Failure of the store or the database into Unavailable."""
    try:
        yield
    except Failure as failure:
        raise Unavailable(failure) from None
