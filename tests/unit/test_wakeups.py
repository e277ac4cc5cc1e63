"""Sleeping slots: no wake-up is lost, none is doubled."""

from threading import Thread
from time import monotonic

from shared.wakeups import Wakeups


def sleeper(wakeups: Wakeups) -> Thread:
    thread = Thread(target=wakeups.sleep, daemon=True)
    thread.start()
    return thread


def test_a_wake_up_ends_one_sleep() -> None:
    wakeups = Wakeups()
    threads = [sleeper(wakeups), sleeper(wakeups)]
    first = _wait_until_asleep(wakeups, 2)
    assert first
    assert wakeups.wake()
    _join_one(threads)
    wakeups.close()
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()


def test_a_wake_up_while_nobody_sleeps_is_kept_for_the_next_that_would() -> None:
    wakeups = Wakeups()
    assert not wakeups.wake()
    thread = sleeper(wakeups)
    thread.join(5)
    assert not thread.is_alive()


def test_a_hint_is_answered_at_once_when_a_slot_wakes_and_later_otherwise() -> None:
    wakeups = Wakeups()
    answered: list[str] = []
    wakeups.nudge(lambda: answered.append("late"))
    assert answered == []
    thread = sleeper(wakeups)
    thread.join(5)
    sleeping = sleeper(wakeups)
    assert _wait_until_asleep(wakeups, 1)
    wakeups.nudge(lambda: answered.append("at once"))
    assert answered == ["at once"]
    sleeping.join(5)


def _wait_until_asleep(wakeups: Wakeups, number: int) -> bool:
    end = monotonic() + 5
    while monotonic() < end:
        with wakeups._changed:
            if wakeups._sleeping == number:
                return True
            wakeups._changed.wait(0.01)
    return False


def _join_one(threads: list[Thread]) -> None:
    end = monotonic() + 5
    while monotonic() < end:
        for thread in threads:
            thread.join(0.02)
            if not thread.is_alive():
                return
    raise AssertionError("no slot woke")
