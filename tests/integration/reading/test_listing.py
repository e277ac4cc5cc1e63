"""Pages of tasks: complete, in order, without doubles, and bounded in what they look at."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.db import Database, listing
from shared.db.listing import Listing, Page, Wanted, tasks_named
from shared.states import Stage
from tests.conftest import TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import taken
from tests.integration.reading.filled import fill


@pytest.fixture
def reader(as_role: As) -> Database:
    return as_role("reader")


@pytest.fixture
def _small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that a page needs many."""
    monkeypatch.setattr(listing, "FIRST_WINDOW", 3)
    monkeypatch.setattr(listing, "WINDOW", 7)


def all_pages(some: Listing, limit: int) -> Iterator[Page]:
    after = None
    while True:
        page = some.page(limit, after)
        yield page
        if page.end is None:
            return
        after = page.end


def ids(some: Listing, limit: int) -> list[UUID]:
    return [task.task_id for page in all_pages(some, limit) for task in page.tasks]


@pytest.mark.usefixtures("_small_windows")
@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(),
        Wanted(account="account-7"),
        Wanted(state="needs_attention"),
        Wanted(state="complete", provider="provider-3"),
        Wanted(state="abandoned", reason="source_gone"),
        Wanted(account="account-8", state="needs_attention"),
    ],
    ids=str,
)
def test_pages_hold_each_task_that_matches_once_the_newest_first(
    database: TestDatabase, reader: Database, wanted: Wanted
) -> None:
    fill(database, 400)
    found = [task for page in all_pages(Listing(reader, wanted), 9) for task in page.tasks]
    everything = Listing(reader, Wanted()).page(1000).tasks
    asked = {name: value for name, value in vars(wanted).items() if value is not None}
    match = [task for task in everything if all(getattr(task, name) == value for name, value in asked.items())]
    assert found == match
    assert len(everything) == 400
    assert match, "else this shows nothing"
    assert [task.accepted_at for task in found] == sorted((task.accepted_at for task in found), reverse=True)


@pytest.mark.usefixtures("_small_windows")
def test_only_tasks_first_heard_of_since_an_instant_are_told(database: TestDatabase, reader: Database) -> None:
    fill(database, 400)
    since = datetime.now(UTC) - timedelta(seconds=100)
    found = [task.accepted_at for page in all_pages(Listing(reader, Wanted(since=since)), 9) for task in page.tasks]
    assert min(found) >= since
    assert 80 < len(found) <= 100, "one was made for each second"


@pytest.mark.usefixtures("_small_windows")
@pytest.mark.parametrize("urgent", [False, True])
def test_tasks_of_one_instant_are_neither_lost_nor_doubled_between_pages(
    database: TestDatabase, reader: Database, urgent: bool
) -> None:
    fill(database, 1000)
    with psycopg.connect(database.url(), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE tasks SET accepted_at = '2026-12-01Z', urgency = '2026-12-01Z'")
    found = ids(Listing(reader, Wanted(), urgent=urgent), 30)
    assert len(found) == len(set(found)) == (40 if urgent else 1000)


@pytest.mark.usefixtures("_small_windows")
def test_the_most_urgent_output_without_bytes_comes_first(reader: Database, as_role: As, accept: Accept) -> None:
    lives = [50, 5, 40, 20, 30, 3000, 60, 70, 80, 90, 100]
    tasks = {accept(life=life): life for life in lives}
    found = ids(Listing(reader, Wanted(), urgent=True), 2)
    assert [tasks[task_id] for task_id in found] == sorted(lives)


def test_at_risk_are_those_alone_whose_link_is_nearly_over(reader: Database, accept: Accept) -> None:
    now = datetime.now(UTC)
    nearly = accept(ready_at=now - timedelta(seconds=3000), deadline=now + timedelta(seconds=60))
    accept(ready_at=now, deadline=now + timedelta(seconds=100))
    accept(life=3600)
    page = Listing(reader, Wanted(), at_risk=True).page(10)
    assert [(task.task_id, task.at_risk) for task in page.tasks] == [(nearly, True)]


def test_a_search_for_what_is_rare_stops_and_says_how_far_it_came(
    database: TestDatabase, reader: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_LOOKED_AT", 100)
    monkeypatch.setattr(listing, "FIRST_WINDOW", 60)
    fill(database, 400)
    rare = Listing(reader, Wanted(provider="nobody"))
    pages = list(all_pages(rare, 5))
    assert [page.tasks for page in pages] == [()] * len(pages)
    assert [page.stopped_early for page in pages] == [*[True] * (len(pages) - 1), False]
    assert len(pages) > 1


def test_a_page_behind_a_task_that_is_none_is_an_error(reader: Database) -> None:
    with pytest.raises(KeyError):
        Listing(reader, Wanted()).page(5, uuid4())


def named(reader: Database, name: str) -> list[UUID]:
    return [task.task_id for task in tasks_named(reader, name)]


def test_a_task_is_found_by_its_id_the_beginning_of_it_its_job_and_its_operation(
    reader: Database, accept: Accept
) -> None:
    first = accept(job_id="job-1", operation_id="teaser")
    second = accept(job_id="job-1", operation_id="job-1", output_id="1")
    for name in (str(first), str(first).upper(), str(first)[:8], first.hex[:20], "teaser"):
        assert named(reader, name) == [first], name
    assert named(reader, "job-1") == [second, first], "the newest first"
    for name in ("job", str(first)[:7], str(uuid4()), "%", "", "0" * 33):
        assert named(reader, name) == [], name


def test_the_last_trouble_can_be_asked_for(reader: Database, as_role: As, accept: Accept) -> None:
    values: dict[str, Any] = {"to_state": "needs_attention", "reason": "source_gone", "evidence": {"status": 404}}
    task_id = accept()
    claim = taken(as_role("downloader"), Stage.DOWNLOAD)
    as_role("downloader").run("give_up", **claim.token, **values, sources_added=claim.sources_added)
    accept()
    assert ids(Listing(reader, Wanted(reason="source_gone")), 5) == [task_id]
    assert ids(Listing(reader, Wanted(reason="poisoned")), 5) == []
