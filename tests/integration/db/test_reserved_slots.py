"""A quarter of the download slots wait for what is urgent, however much else there is to do."""

from collections.abc import Iterator
from threading import Event

import pytest

from shared.states import Stage
from shared.tasks.recorder import Recorder
from shared.worker import Lease, Worker
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import claims
from tests.integration.db.test_leases import until

SLOTS = 4


class Handling:
    """A handler that works on every task until it is told to end."""

    def __init__(self) -> None:
        self.begun: list[Lease] = []
        self.all_slots_work = Event()
        self.end = Event()

    def __call__(self, lease: Lease) -> None:
        self.begun.append(lease)
        if len(self.begun) >= SLOTS:
            self.all_slots_work.set()
        self.end.wait(60)


@pytest.fixture
def handling() -> Handling:
    return Handling()


@pytest.fixture
def worker(as_role: As, handling: Handling) -> Iterator[Worker]:
    """The downloader's worker, started when the test says so."""
    running = Worker(
        Stage.DOWNLOAD,
        claims(as_role("downloader"), Stage.DOWNLOAD),
        Recorder(as_role("downloader"), Event()),
        handling,
        slots=SLOTS,
        slots_per_lane=SLOTS,
        renew_seconds=5.0,
        poll_seconds=0.1,
        check=lambda: None,
        hint=lambda claim: None,
    )
    yield running
    handling.end.set()
    running.stop(10.0)


def test_a_reserved_slot_is_free_for_an_urgent_task_while_all_others_work(
    worker: Worker, handling: Handling, accept: Accept
) -> None:
    for _ in range(SLOTS + 2):
        accept(life=3600.0)
    worker.start()
    until(lambda: len(handling.begun) == SLOTS - 1)
    assert not handling.all_slots_work.wait(2.0), "the reserved slot took a task that can wait"
    urgent = accept(life=200.0)
    until(lambda: len(handling.begun) == SLOTS)
    assert handling.begun[-1].claim.task_id == urgent
