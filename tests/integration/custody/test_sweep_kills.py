"""Several sweepers at once, and sweepers that are killed anywhere: each object goes once, and what is needed stays."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import psycopg
import pytest

from outlast.custody.sweep import Fate, Ground, Step, sweep
from shared.db import Database
from tests.conftest import TestDatabase
from tests.integration.custody.sweeping import Sweeping, sweeping
from tests.integration.objects.proxy import Answer, Proxy, Request, says
from tests.integration.objects.servers import S3

__all__ = ["sweeping"]

LOST = 20
KILLS = 200 if os.environ.get("OUTLAST_DRILLS") == "full" else 20
FORKS = get_context("fork")


@pytest.fixture
def needed(sweeping: Sweeping) -> set[str]:
    """The keys that tasks need, beside those of claims that lost."""
    claim, _ = sweeping.claimed()
    for _ in range(LOST - 1):
        sweeping.retried(claim)
        claim, _ = sweeping.again()
    sweeping.retried(claim)
    waiting, key = sweeping.again()
    sweeping.staged(waiting, key)
    return {key}


def test_of_three_sweepers_at_once_each_deletes_what_no_other_one_tells(
    database: TestDatabase, sweeping: Sweeping, needed: set[str]
) -> None:
    ground = sweeping.ground()
    assert ground.database
    with ThreadPoolExecutor(3) as pool:
        found = [one for each in pool.map(lambda _: list(sweep(ground)), range(3)) for one in each]
    deleted = Counter(one.name for one in found if one.fate is Fate.DELETED)
    assert len(deleted) == LOST
    assert set(deleted.values()) == {1}
    assert sweeping.held() == needed
    assert open_deletions(database) == (LOST, 0)


def test_whenever_a_sweeper_is_killed_the_next_one_ends_what_it_began(
    database: TestDatabase, sweeping: Sweeping, needed: set[str]
) -> None:
    url, ground = database.url("outlast_sweeper"), sweeping.ground()
    lost = sweeping.held() - needed
    began = time.monotonic()
    assert run(lambda: swept(ground, url)) == 0
    took, chance = time.monotonic() - began, random.Random(min(lost))
    for _ in range(KILLS):
        for key in lost:
            sweeping.put(key)
        killed(lambda: swept(ground, url), after=chance.uniform(0.0, took))
        assert needed <= sweeping.held()
    assert run(lambda: swept(ground, url)) == 0
    assert sweeping.held() == needed
    assert open_deletions(database)[1] == 0


@pytest.mark.parametrize("arrives", [False, True])
def test_a_sweeper_that_is_killed_at_a_deletion_has_begun_it_and_the_next_one_ends_it(
    database: TestDatabase, sweeping: Sweeping, needed: set[str], proxy: Proxy, s3: S3, arrives: bool
) -> None:
    def kill(request: Request) -> Answer | None:
        if arrives:
            request.forward()
        os.kill(process.pid or 0, signal.SIGKILL)
        return None

    ground = sweeping.ground()
    behind = Ground(**{**vars(ground), "store": s3.by_way_of(proxy.endpoint).open()})
    proxy.fault("DELETE", sweeping.staging, kill)
    process = FORKS.Process(target=swept, args=(behind, database.url("outlast_sweeper")))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert open_deletions(database) == (LOST, LOST)
    found = [one for one in sweep(ground) if one.fate is not Fate.KEPT]
    assert [one.step for one in found] == [Step.STAGING] * LOST
    assert sweeping.held() == needed
    assert open_deletions(database) == (LOST, 0)


def test_an_object_that_comes_back_goes_again(sweeping: Sweeping) -> None:
    claim, key = sweeping.claimed()
    sweeping.retried(claim)
    assert len(sweeping.sweep()) == 1
    sweeping.put(key)
    assert [found.name for found in sweeping.sweep()] == [key]


def test_an_object_that_the_store_does_not_give_up_stops_no_other(
    sweeping: Sweeping, needed: set[str], proxy: Proxy, s3: S3
) -> None:
    stubborn: list[str] = []

    def refuse(request: Request) -> Answer | None:
        stubborn.append(request.target)
        return says(403, "AccessDenied")(request) if request.target == stubborn[0] else request.forward()

    proxy.fault("DELETE", sweeping.staging, refuse)
    behind = Ground(**{**vars(sweeping.ground()), "store": s3.by_way_of(proxy.endpoint).open()})
    fates = Counter(found.fate for found in sweep(behind) if found.step is Step.STAGING)
    assert fates == {Fate.FAILED: 1, Fate.DELETED: LOST - 1, Fate.KEPT: 1}
    assert len(sweeping.sweep()) == 1


def swept(ground: Ground, url: str) -> None:
    """Sweep in a process of its own."""
    database = Database(url, connections=1)
    list(sweep(Ground(**{**vars(ground), "database": database})))
    database.close()


def run(target: Callable[[], None]) -> int | None:
    process = FORKS.Process(target=target)
    process.start()
    process.join(60)
    return process.exitcode


def killed(target: Callable[[], None], *, after: float) -> None:
    process = FORKS.Process(target=target)
    process.start()
    process.join(after)
    process.kill()
    process.join(60)


def open_deletions(database: TestDatabase) -> tuple[int, int]:
    """How many deletions were begun, and how many of them are not ended."""
    with psycopg.connect(database.url()) as connection:
        row = connection.execute("SELECT count(*), count(*) FILTER (WHERE deleted_at IS NULL) FROM swept").fetchone()
    assert row is not None
    return row[0], row[1]
