"""Following ends when every task has come to an end, and not before."""

from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest

from outlast.following import Unsettled, follow, sentence
from shared.db.views import PublicTask
from shared.errors import Failure
from shared.reasons import Reason
from tests.unit.public_tasks import public_task

ONE, TWO = uuid4(), uuid4()
Look = PublicTask | Failure | None


def task(task_id: UUID, state: str, reason: str | None = None, tries: int = 0) -> PublicTask:
    return public_task(state, task_id=task_id, reason=reason, tries=tries)


def reader(looks: dict[UUID, list[Look]]) -> Callable[[UUID], PublicTask | None]:
    """Gives one look after the other; the last one for ever."""

    def read(task_id: UUID) -> PublicTask | None:
        left = looks[task_id]
        look = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(look, Failure):
            raise look
        return look

    return read


def never() -> bool:
    return False


def after(times: int) -> Callable[[], bool]:
    asked: Iterator[bool] = iter([False] * times)
    return lambda: next(asked, True)


def test_each_change_is_told_once_until_the_task_is_complete() -> None:
    looks: list[Look] = [None, task(ONE, "output_ready"), task(ONE, "output_ready"), task(ONE, "complete")]
    states = [t.state for t in follow(reader({ONE: looks}), [ONE], give_up=never, pause=0)]
    assert states == ["output_ready", "complete"]


def test_all_tasks_are_awaited() -> None:
    looks: dict[UUID, list[Look]] = {
        ONE: [task(ONE, "complete")],
        TWO: [task(TWO, "verifying"), task(TWO, "needs_attention", Reason.NOT_MEDIA)],
    }
    last = {t.task_id: t.state for t in follow(reader(looks), [ONE, TWO], give_up=never, pause=0)}
    assert last == {ONE: "complete", TWO: "needs_attention"}


def test_a_database_that_is_away_for_a_while_is_asked_again() -> None:
    looks: list[Look] = [Failure(Reason.DATABASE), Failure(Reason.DATABASE), task(ONE, "complete")]
    assert [t.state for t in follow(reader({ONE: looks}), [ONE], give_up=never, pause=0)] == ["complete"]


def test_giving_up_names_the_tasks_that_were_on_their_way() -> None:
    looks: dict[UUID, list[Look]] = {ONE: [task(ONE, "complete")], TWO: [task(TWO, "downloading")]}
    with pytest.raises(Unsettled) as caught:
        list(follow(reader(looks), [ONE, TWO], give_up=after(3), pause=0))
    assert caught.value.waiting == {TWO}


def test_a_stop_from_before_the_event_is_not_taken_for_its_outcome() -> None:
    old = task(ONE, "needs_attention", Reason.URL_EXPIRED)
    looks: list[Look] = [old, old, old, task(ONE, "output_ready", tries=1), task(ONE, "complete", tries=1)]
    states = [t.state for t in follow(reader({ONE: looks}), [ONE], give_up=never, before={ONE: old}, pause=0)]
    assert states == ["output_ready", "complete"]


def test_a_stop_that_the_event_does_not_change_ends_the_wait_after_a_while() -> None:
    old = task(ONE, "needs_attention", Reason.URL_EXPIRED)
    told = follow(reader({ONE: [old]}), [ONE], give_up=after(10_000), before={ONE: old}, pause=0.001, patience=0.05)
    assert list(told) == []


def test_a_task_that_was_complete_before_is_complete() -> None:
    old = task(ONE, "complete")
    told = follow(reader({ONE: [old]}), [ONE], give_up=after(3), before={ONE: old}, pause=0)
    assert [t.state for t in told] == ["complete"]


def test_every_reason_has_a_sentence_and_no_reason_has_none() -> None:
    assert sentence(task(ONE, "complete")) == ""
    for reason in Reason:
        assert sentence(task(ONE, "download_retry", reason)) == reason.rule.sentence
        assert sentence(task(ONE, "needs_attention", reason)).startswith(reason.rule.sentence)
    assert "Send a fresh link" in sentence(task(ONE, "needs_attention", Reason.RATE_LIMITED))
