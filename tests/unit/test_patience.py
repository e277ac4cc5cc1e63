"""A task of ours that fails waits longer each time, and no other does."""

from uuid import uuid4

from shared.patience import LONGEST_SECONDS, MOST_TASKS, Patience


def test_each_fault_in_a_row_doubles_the_wait_up_to_five_minutes() -> None:
    patience, task = Patience(), uuid4()
    assert [patience.after_fault(task) for _ in range(3)] == [2.0, 4.0, 8.0]
    assert max(patience.after_fault(task) for _ in range(2000)) == LONGEST_SECONDS
    assert patience.after_fault(uuid4()) == 2.0
    patience.forget(task)
    assert patience.after_fault(task) == 2.0


def test_what_is_remembered_is_bounded() -> None:
    patience = Patience()
    for _ in range(2 * MOST_TASKS + 1):
        patience.after_fault(uuid4())
    assert len(patience._faults) <= MOST_TASKS
