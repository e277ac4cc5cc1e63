"""Ctrl-C comes when work is done that must not be cut, and is never lost."""

import signal
from threading import Thread

import pytest

from outlast.interrupts import uninterrupted


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_ctrl_c_comes_at_the_end_of_the_block() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            interrupt()
            done.append("all")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all"]


def test_a_ctrl_c_comes_also_where_the_work_fails() -> None:
    def work() -> None:
        with uninterrupted():
            interrupt()
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        work()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_one_nothing_is_raised_and_the_handler_is_as_before() -> None:
    with uninterrupted(), uninterrupted():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_somebody_else_and_other_threads_are_left_alone() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with uninterrupted():
            interrupt()
            assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    entered: list[bool] = []

    def enter() -> None:
        with uninterrupted():
            entered.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [True]
