"""What a person is told while a task is on its way."""

import io
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from rich.console import Console

from outlast.cli.waiting import AWAY, UNREAD, Waiting, progress
from shared.db.views import PublicTask
from shared.errors import Failure
from shared.reasons import Reason
from tests.unit.public_tasks import NOW, public_task

ID = uuid4()


@pytest.fixture(autouse=True)
def _unseen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outlast.cli.waiting.UNSEEN_SECONDS", 0.0)


def told(look: PublicTask | Failure | None, before: PublicTask | None = None) -> tuple[PublicTask | None, str]:
    """The outcome and the words of a wait that is over at once, where every look shows the same."""

    def read(_task_id: UUID) -> PublicTask | None:
        if isinstance(look, Failure):
            raise look
        return look

    text = io.StringIO()
    task = Waiting(read, Console(file=text, width=80), 0.0).follow(ID, before)
    return task, text.getvalue()


def test_a_task_that_nobody_sees_points_at_the_readers_of_the_intake() -> None:
    task, text = told(None)
    assert task is None
    assert text.count(UNREAD) == 2, "while it waits, and when it gives up"
    assert "goes on by itself" not in text


def test_a_database_that_is_away_is_not_taken_for_an_intake_that_nobody_reads() -> None:
    _, text = told(Failure(Reason.DATABASE))
    assert AWAY in text
    assert UNREAD not in text


def test_a_task_on_its_way_goes_on_by_itself() -> None:
    _, text = told(public_task("verifying", task_id=ID))
    assert "verifying" in text
    assert "goes on by itself" in text


def test_a_complete_task_ends_the_wait() -> None:
    done = public_task("complete", task_id=ID)
    task, text = told(done, before=done)
    assert task == done
    assert "waited" not in text


def test_before_another_try_reason_and_time_are_told() -> None:
    due = NOW + timedelta(seconds=7)
    waiting = public_task("download_retry", reason=Reason.STALLED, next_try_at=due)
    assert progress(waiting) == (
        f"download_retry: {Reason.STALLED.rule.sentence} (stalled) Another try is due at {due.astimezone():%H:%M:%S}."
    )
    assert progress(public_task("download_retry")) == "download_retry: Another try is due now."
