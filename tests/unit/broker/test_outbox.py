import time
from threading import Thread

from shared.broker.letter import Letter
from shared.broker.outbox import Outbox


def hint(name: str = "") -> Letter:
    return Letter("tasks", name, b"", {}, lambda word, seen: None)


def send(name: str = "", *, seconds: float = 60) -> Letter:
    return Letter("results", name, b"", {}, lambda word, seen: None, "id", time.monotonic() + seconds)


def test_sends_go_before_hints_and_each_in_its_order() -> None:
    outbox = Outbox(10)
    letters = [hint("h1"), send("s1"), hint("h2"), send("s2")]
    for letter in letters:
        assert outbox.add(letter) is None
    taken = [outbox.take(0) for _ in letters]
    assert [letter.routing_key for letter in taken if letter] == ["s1", "s2", "h1", "h2"]
    assert outbox.take(0) is None


def test_the_oldest_hint_gives_way_and_no_send_ever_does() -> None:
    outbox = Outbox(2)
    first, second, third = hint(), hint(), hint()
    sends = [send() for _ in range(5)]
    assert [outbox.add(letter) for letter in (first, second, *sends)] == [None] * 7
    assert outbox.add(third) is first
    assert outbox.drain() == [*sends, second, third]


def test_a_letter_given_back_is_the_next_one() -> None:
    outbox = Outbox(2)
    first = hint()
    outbox.add(first)
    outbox.add(hint())
    taken = outbox.take(0)
    assert taken is first
    assert outbox.give_back(first)
    assert outbox.take(0) is first


def test_a_hint_given_back_to_a_full_outbox_is_the_oldest_and_gives_way() -> None:
    outbox = Outbox(1)
    outbox.add(hint())
    assert not outbox.give_back(hint())


def test_a_send_that_nobody_waits_for_any_more_is_not_taken_back() -> None:
    outbox = Outbox(1)
    assert not outbox.give_back(send(seconds=-1))
    assert outbox.take(0) is None


def test_a_withdrawn_send_is_gone_and_withdrawing_twice_is_harmless() -> None:
    outbox = Outbox(1)
    letter = send()
    outbox.add(letter)
    outbox.withdraw(letter)
    outbox.withdraw(letter)
    assert outbox.take(0) is None


def test_a_closed_outbox_takes_nothing_more_and_still_hands_out_what_it_has() -> None:
    outbox = Outbox(1)
    inside, late = hint(), send()
    outbox.add(inside)
    outbox.close()
    assert outbox.add(late) is late
    assert outbox.take(60) is inside
    assert outbox.take(60) is None


def test_whoever_waits_is_woken_by_a_letter() -> None:
    outbox = Outbox(1)
    taken: list[Letter | None] = []
    waiter = Thread(target=lambda: taken.append(outbox.take(60)))
    waiter.start()
    letter = hint()
    outbox.add(letter)
    waiter.join(10)
    assert taken == [letter]
