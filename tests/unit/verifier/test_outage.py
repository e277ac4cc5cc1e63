"""When a service that cannot be asked for its health counts as away."""

from uuid import uuid4

from services.verifier.hooks.outage import AGAIN_SECONDS, Outage


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_failure_of_the_whole_service_is_an_outage_until_the_next_question_is_due() -> None:
    clock = Clock()
    outage = Outage(clock)
    assert not outage.lasts
    outage.failed(uuid4(), surely=True)
    assert outage.lasts
    clock.now += AGAIN_SECONDS
    assert not outage.lasts, "the next real question is the probe"
    outage.failed(uuid4(), surely=True)
    assert outage.lasts


def test_one_task_that_fails_again_and_again_is_no_outage() -> None:
    outage, task = Outage(Clock()), uuid4()
    for _ in range(5):
        outage.failed(task, surely=False)
        assert not outage.lasts


def test_two_tasks_that_fail_in_a_row_are_an_outage_and_a_good_answer_ends_it() -> None:
    outage = Outage(Clock())
    outage.failed(uuid4(), surely=False)
    outage.ended()
    outage.failed(uuid4(), surely=False)
    assert not outage.lasts, "another one was answered well in between"
    outage.failed(uuid4(), surely=False)
    assert outage.lasts
    outage.ended()
    assert not outage.lasts
