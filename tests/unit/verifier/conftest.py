"""Examinations inside the test process, set up as the probe sets up its children."""

import io
import warnings
from collections.abc import Callable

import av.logging
import pytest

from services.verifier.checks.image import set_up
from services.verifier.checks.order import prove
from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind

Examine = Callable[..., Verdict]


@pytest.fixture
def examine() -> Examine:
    """`examine(data, promised kind, limits)` gives the verdict about bytes."""
    av.logging.set_level(None)

    def run(data: bytes, promised: Kind | None = None, limits: Limits | None = None) -> Verdict:
        limits = limits or Limits()
        set_up(limits.pixels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return prove(io.BytesIO(data), promised, limits)

    return run


@pytest.fixture
def accepted(examine: Examine) -> Callable[..., Facts]:
    """The facts about bytes that must be accepted."""

    def run(data: bytes, promised: Kind | None = None, limits: Limits | None = None) -> Facts:
        verdict = examine(data, promised, limits)
        assert verdict.facts is not None, f"refused by {verdict.check}: {verdict.reason}, {verdict.detail}"
        return verdict.facts

    return run
