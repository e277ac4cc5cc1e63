"""Every test here also watches that nothing tells its link: no log line, no evidence, no exception."""

from collections.abc import Iterator
from functools import wraps

import pytest

from services.downloader.transfer import Received, transfer
from tests.faults.canary import check_evidence, check_silent
from tests.faults.ears import nothing_is_logged
from tests.integration.downloader import acts

__all__ = ["nothing_is_logged"]


@pytest.fixture(autouse=True)
def no_transfer_tells_its_link(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """The evidence of every transfer of a test, and what it raised, holds nothing of its link."""
    ends: list[Received | BaseException] = []

    @wraps(transfer)
    def watched(*arguments: object, **more: object) -> Received:
        try:
            received = transfer(*arguments, **more)  # type: ignore[arg-type]
        except BaseException as error:
            ends.append(error)
            raise
        ends.append(received)
        return received

    for module in (acts, request.module):
        if getattr(module, "transfer", None) is transfer:
            monkeypatch.setattr(module, "transfer", watched)
    yield
    for end in ends:
        if isinstance(end, BaseException):
            check_silent(end)
        else:
            check_evidence(end.evidence)
