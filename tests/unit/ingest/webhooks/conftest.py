"""The application behind the door, with three providers: one signs, one does not, and one tries the door first."""

from pathlib import Path

import pytest

from services.ingest.webhooks.receive import Receiver
from shared.telemetry import metrics
from tests.unit.ingest.webhooks.knocking import SIGNED, Followed, receiver, registry

HINTING = {"scheme": "unsigned", "reports": False, "job_id": "id"}
TRYING = {"scheme": "challenge", "reports": False, "job_id": "id", "challenge": "challenge"}


@pytest.fixture
def followed() -> Followed:
    return Followed()


@pytest.fixture
def app(tmp_path: Path, followed: Followed) -> Receiver:
    return receiver(registry(tmp_path, acme=SIGNED, luma2=HINTING, minimax2=TRYING), followed)


@pytest.fixture
def counted() -> dict[str, float]:
    """How often each outcome was counted, once the test is over the block."""

    def now() -> dict[str, float]:
        words = metrics.WEBHOOKS.declared.labels["outcome"]
        read = metrics.REGISTER.registry.get_sample_value
        return {word: read("outlast_webhooks_total", {"outcome": word}) or 0.0 for word in words}

    before = now()

    class Counted(dict[str, float]):
        def __missing__(self, word: str) -> float:
            return now()[word] - before[word]

    return Counted()
