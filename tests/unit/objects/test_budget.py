"""How many parts the uploads of a process may hold, and how a SlowDown changes it."""

import pytest

from shared.errors import Failure, UsageError
from shared.objects.budget import HALVING_SECONDS, RECOVERY_SECONDS, PartBudget
from shared.objects.buffers import MOST, Buffers
from shared.objects.errors import SlowDown, refused
from shared.reasons import Reason
from shared.settings import load_settings


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def begun(budget: PartBudget, uploads: int) -> None:
    for _ in range(uploads):
        budget.take_first()


def taken(budget: PartBudget) -> int:
    """Take every further part that there is room for."""
    count = 0
    while budget.take_further():
        count += 1
    return count


def taken_back(budget: PartBudget, most: int) -> int:
    return sum(budget.take_back() for _ in range(most))


def slow_down(budget: PartBudget) -> None:
    with pytest.raises(SlowDown), budget.listening():
        raise SlowDown(Reason.STORAGE_UNAVAILABLE)


def test_further_parts_are_what_the_first_parts_leave() -> None:
    budget = PartBudget(8)
    begun(budget, 3)
    assert taken(budget) == 5
    assert budget.held == 8


def test_an_upload_always_has_its_first_part_and_the_others_give_further_ones_back() -> None:
    budget = PartBudget(4)
    begun(budget, 1)
    assert taken(budget) == 3
    begun(budget, 2)
    assert budget.held == 6
    assert taken_back(budget, 3) == 2
    assert (budget.held, taken(budget)) == (4, 0)


def test_nothing_is_taken_back_while_there_is_room() -> None:
    budget = PartBudget(4)
    begun(budget, 1)
    taken(budget)
    assert not budget.take_back()


def test_the_parts_of_an_upload_that_ended_are_free() -> None:
    budget = PartBudget(4)
    begun(budget, 2)
    taken(budget)
    budget.end(3)
    assert (budget.held, taken(budget)) == (1, 3)


def test_a_slow_down_halves_the_further_parts_in_use(clock: Clock) -> None:
    budget = PartBudget(16, clock)
    begun(budget, 4)
    for _ in range(4):
        assert budget.take_further()
    slow_down(budget)
    assert taken_back(budget, 4) == 2
    assert taken(budget) == 0


def test_many_refusals_at_once_halve_once(clock: Clock) -> None:
    budget = PartBudget(9, clock)
    begun(budget, 1)
    assert taken(budget) == 8
    for _ in range(5):
        slow_down(budget)
        clock.now += HALVING_SECONDS / 10
    assert taken_back(budget, 8) == 4
    clock.now += HALVING_SECONDS
    slow_down(budget)
    assert taken_back(budget, 4) == 2


def test_refusals_for_ever_leave_each_upload_its_first_part(clock: Clock) -> None:
    budget = PartBudget(9, clock)
    begun(budget, 2)
    held = taken(budget)
    for _ in range(4):
        slow_down(budget)
        held -= taken_back(budget, held)
        clock.now += HALVING_SECONDS
    assert (held, budget.held) == (0, 2)


def test_quiet_gives_one_further_part_after_another_back(clock: Clock) -> None:
    budget = PartBudget(9, clock)
    begun(budget, 1)
    taken(budget)
    slow_down(budget)
    assert taken_back(budget, 8) == 4
    for _ in range(4):
        clock.now += RECOVERY_SECONDS * 0.99
        assert taken(budget) == 0
        clock.now += RECOVERY_SECONDS * 0.01
        assert taken(budget) == 1
    clock.now += 100 * RECOVERY_SECONDS
    assert (taken(budget), budget.held) == (0, 9)


def test_the_quiet_begins_anew_with_each_refusal(clock: Clock) -> None:
    budget = PartBudget(9, clock)
    begun(budget, 1)
    taken(budget)
    slow_down(budget)
    taken_back(budget, 8)
    clock.now += HALVING_SECONDS * 0.9
    slow_down(budget)
    clock.now += RECOVERY_SECONDS - HALVING_SECONDS * 0.5
    assert taken(budget) == 0


def test_other_failures_halve_nothing() -> None:
    budget = PartBudget(4)
    begun(budget, 1)
    taken(budget)
    with pytest.raises(Failure), budget.listening():
        raise Failure(Reason.STORAGE_DENIED)
    assert not budget.take_back()


@pytest.mark.parametrize(
    ("status", "code", "is_slow_down"),
    [
        (503, "SlowDown", True),
        (503, "SlowDownWrite", True),
        (503, "", True),
        (429, "TooManyRequests", True),
        (200, "SlowDown", True),
        (500, "InternalError", False),
        (403, "AccessDenied", False),
        (507, "", False),
    ],
)
def test_each_form_of_a_slow_down_is_known(status: int, code: str, is_slow_down: bool) -> None:
    assert isinstance(refused("b", "k", status, code), SlowDown) is is_slow_down


def test_an_upload_holds_three_buffers_at_most() -> None:
    budget = PartBudget(10)
    buffers = Buffers(budget, 4096)
    buffers.first()
    assert [buffers.take() is not None for _ in range(4)] == [True, True, False, False]
    assert budget.held == MOST
    buffers.close()
    buffers.close()
    assert budget.held == 0


def test_an_upload_lets_go_of_a_buffer_that_another_needs_and_never_of_its_last() -> None:
    budget = PartBudget(3)
    buffers = Buffers(budget, 4096)
    first, second, third = buffers.first(), buffers.take(), buffers.take()
    assert second is not None
    assert third is not None
    others = [Buffers(budget, 4096).first() for _ in range(3)]
    assert budget.held == 3 + len(others)
    buffers.put(first)
    buffers.put(second)
    assert buffers.take() is None
    buffers.put(third)
    assert buffers.take() is third
    assert budget.held == 4


@pytest.mark.parametrize(("part", "budget", "is_refused"), [(2**23, 2**23, False), (2**23, 2**23 - 1, True)])
def test_a_budget_under_one_part_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, part: int, budget: int, is_refused: bool
) -> None:
    monkeypatch.setenv("OUTLAST_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("OUTLAST_AMQP_URL", "amqp://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("OUTLAST_S3_PART_BYTES", str(part))
    monkeypatch.setenv("OUTLAST_BYTES_IN_FLIGHT", str(budget))
    if is_refused:
        with pytest.raises(UsageError, match="OUTLAST_BYTES_IN_FLIGHT is under one part; set it to OUTLAST_S3_PART"):
            load_settings()
    else:
        assert load_settings().bytes_in_flight == budget
