"""How often a statement waits for a server that is far away."""

import socket
from collections.abc import Callable, Iterator
from threading import Thread
from time import monotonic, sleep
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest

from shared.db import Database
from shared.db.database import Steps
from shared.errors import Failure
from tests.conftest import TestDatabase
from tests.integration.db.test_leases import read

DELAY_SECONDS = 0.1


class FarAway:
    """A way to a real server on which everything that is sent there takes its time."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        Thread(target=self._take, daemon=True).start()

    def close(self) -> None:
        self._door.close()

    def _take(self) -> None:
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            server = socket.create_connection(self._server)
            Thread(target=self._carry, args=(caller, server, DELAY_SECONDS), daemon=True).start()
            Thread(target=self._carry, args=(server, caller, 0.0), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, sink: socket.socket, delay: float) -> None:
        with source, sink:
            try:
                while data := source.recv(65536):
                    sleep(delay)
                    sink.sendall(data)
            except OSError:
                return


@pytest.fixture
def far_away(database: TestDatabase) -> Iterator[Database]:
    url = urlsplit(database.url("outlast_ingest"))
    way = FarAway(database.host, database.port)
    found = Database(urlunsplit(url._replace(netloc=url.netloc.replace(str(database.port), str(way.port)))))
    found.check()
    yield found
    found.close()
    way.close()


def trips(work: Callable[[], object]) -> float:
    """Round trips that some work takes; the least of three, as the machine may be busy."""

    def took() -> float:
        began = monotonic()
        work()
        return (monotonic() - began) / DELAY_SECONDS

    return min(took() for _ in range(3))


def test_many_steps_of_one_transaction_wait_no_longer_than_one_statement(far_away: Database) -> None:
    one = trips(lambda: far_away.run("now"))
    steps: Steps = [("lock_job", {"job": "j"}), ("hold_task", {"task_id": uuid4()}), ("now", {})]
    all_of_them = trips(lambda: far_away.run_all(steps))
    assert all_of_them < one + 0.7


def test_a_transaction_whose_last_step_fails_leaves_nothing_and_its_connection_works_on(
    database: TestDatabase, far_away: Database
) -> None:
    steps: Steps = [
        ("reject_event", {"account": "studio", "body_sha256": "0" * 64, "body_bytes": 1, "reason": "x", "detail": "y"}),
        # A table on which this role has no right.
        ("processing", {"task_id": uuid4(), "version_id": "", "sha256": "", "processor_version": "1"}),
    ]
    with pytest.raises(Failure):
        far_away.run_all(steps)
    assert far_away.run("now")
    assert read(database, "SELECT FROM rejected_events") == []
    far_away.run_all([*steps[:1], *steps[:1]])
    assert read(database, "SELECT times FROM rejected_events") == [(2,)]
