"""A task of ours that fails waits longer each time, and no other does."""

from uuid import uuid4

from shared.patience import LONGEST_SECONDS, MOST_TASKS, OWN_SECONDS, Patience


def test_each_fault_in_a_row_doubles_the_wait_up_to_five_minutes() -> None:
    patience, task = Patience(), uuid4()
    assert [patience.after_fault(task) for _ in range(3)] == [2.0, 4.0, 8.0]
    assert max(patience.after_fault(task) for _ in range(2000)) == LONGEST_SECONDS
    assert patience.after_fault(uuid4()) == 2.0
    patience.forget(task)
    assert patience.after_fault(task) == 2.0


def test_a_fault_that_one_task_keeps_for_a_quarter_of_an_hour_is_its_own() -> None:
    now = [0.0]
    patience, task, other = Patience(lambda: now[0]), uuid4(), uuid4()
    patience.after_fault(task)
    now[0] = OWN_SECONDS - 1
    patience.after_fault(task)
    patience.after_fault(other)
    assert not patience.is_its_own(task)
    now[0] = OWN_SECONDS
    assert patience.is_its_own(task)
    assert not patience.is_its_own(other)
    patience.forget(task)
    assert not patience.is_its_own(task)


def test_what_is_remembered_is_bounded() -> None:
    patience = Patience()
    for _ in range(2 * MOST_TASKS + 1):
        patience.after_fault(uuid4())
    assert len(patience._faults) <= MOST_TASKS
