"""A review hook by script, and what the verifier makes of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from services.verifier.hooks import Opinion, Subject
from services.verifier.hooks.chosen import chosen_hooks
from services.verifier.hooks.review import Review
from shared.errors import Failure
from shared.objects import Store
from tests.faults.answers import answer
from tests.faults.canary import CANARY, check_silent
from tests.faults.server import FaultServer, Script

PASS = answer(b'{"verdict": "pass"}')


def review_at(url: str, store: Store, secret_file: Path | None = None, seconds: float = 5.0) -> Review:
    """The hook as the settings make it."""
    told = {"clamd": "", "review_url": SecretStr(url), "review_secret_file": secret_file}
    settings = SimpleNamespace(**told, review_seconds=seconds, connect_seconds=2.0)
    (hook,) = chosen_hooks(settings, store)  # type: ignore[arg-type]
    assert isinstance(hook, Review)
    return hook


def asked(script: Script, subject: Subject, store: Store, secret_file: Path | None = None) -> tuple[Opinion, Any]:
    with FaultServer(script) as server:
        opinion = review_at(server.url(f"/hook?token={CANARY}"), store, secret_file).judge(subject)
    return opinion, server.requests[0]


def failure_of(script: Script, subject: Subject, store: Store, seconds: float = 5.0) -> Failure:
    with FaultServer(script) as server, pytest.raises(Failure) as caught:
        review_at(server.url(f"/hook?token={CANARY}"), store, seconds=seconds).judge(subject)
    check_silent(caught.value)
    return caught.value
