"""One request, one answer: what each sender is told, and how long it is waited for."""

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from services.ingest.webhooks import body as body_module
from services.ingest.webhooks import receive, threads
from services.ingest.webhooks.answer import Answer
from services.ingest.webhooks.receive import Receiver
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.canary import CANARY
from tests.faults.ears import nothing_is_logged
from tests.unit.ingest.webhooks.knocking import (
    KEY,
    MOST_BYTES,
    URL,
    Followed,
    body,
    knock,
    path,
    send,
    signed,
)

__all__ = ["nothing_is_logged"]


def test_a_proven_report_is_followed_and_then_answered(
    app: Receiver, followed: Followed, counted: dict[str, float]
) -> None:
    told = knock(app, path(), body()[:20], body()[20:], headers={"traceparent": b"00-a-b-01", **signed(body())})
    assert (told.status, told.text) == (200, "stored\n")
    [notice] = followed.notices
    assert (notice.job.account, notice.job.provider, notice.job.job_id) == ("studio", "acme", "job-1")
    assert notice.is_final
    assert notice.traceparent == "00-a-b-01"
    assert CANARY not in repr(notice)


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "",
        "*",
        "/in",
        "/in/",
        path().removeprefix("/in"),
        path() + "/",
        path()[:-1],
        path()[:-1] + ("a" if path()[-1] != "a" else "b"),
        path().replace("studio", "studio2"),
        path("nobody"),
        path("generic"),
        "/in/studio/acme/default/" + "%ff" * 32,
        "/in/studio/acme/de%0Afault/x",
        "http://hooks.example" + path(),
    ],
)
def test_every_unknown_address_gets_one_answer_before_its_body_is_read(
    app: Receiver, counted: dict[str, float], target: str
) -> None:
    told = knock(app, target, b"x" * 100)
    assert (told.status, told.text, told.taken) == (404, "unknown address\n", 0)
    assert counted["unknown_address"] == 1


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"])
@pytest.mark.parametrize("target", [path(), "/"])
def test_only_post_is_taken(app: Receiver, method: str, target: str) -> None:
    told = knock(app, target, method=method)
    assert (told.status, told.headers["allow"], told.taken) == (405, "POST", 0)


def test_fr45_a_body_of_the_most_bytes_is_read_and_one_of_one_byte_more_is_not(
    app: Receiver, followed: Followed, counted: dict[str, float]
) -> None:
    fits = body(padding="x" * (MOST_BYTES - len(body(padding=""))))
    assert len(fits) == MOST_BYTES
    assert knock(app, path(), fits, headers=signed(fits)).status == 200
    assert knock(app, path(), fits, b" ", headers=signed(fits + b" ")).status == 413
    told = knock(app, path(), fits, headers={"content-length": b"%d" % (MOST_BYTES + 1)})
    assert (told.status, told.taken) == (413, 0)
    assert counted["too_large"] == 2
    assert len(followed.notices) == 1


def test_fr45_a_packed_body_is_refused_and_one_that_says_that_it_is_not_is_taken(app: Receiver) -> None:
    for coding in (b"gzip", b"br", b"identity, gzip"):
        told = knock(app, path(), body(), headers={"content-encoding": coding, **signed(body())})
        assert (told.status, told.headers["accept-encoding"], told.taken) == (415, "identity", 0)
    assert knock(app, path(), body(), headers={"content-encoding": b"Identity", **signed(body())}).status == 200


def test_a_body_that_does_not_come_is_given_up(app: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "BODY_SECONDS", 0.05)

    async def never() -> None:
        await asyncio.Event().wait()

    told = asyncio.run(send(app, path(), [b"{"], pause=never))
    assert (told.status, told.headers["connection"]) == (408, "close")


def test_a_sender_that_goes_in_the_middle_of_its_body_is_no_fault_of_ours(
    app: Receiver, followed: Followed, counted: dict[str, float]
) -> None:
    assert asyncio.run(send(app, path(), [b'{"id":', None], signed(body()))).status == 400
    assert followed.notices == []
    assert counted["unreadable"] == 1


def test_a_challenge_is_answered_while_every_place_at_the_database_is_taken(
    tmp_path: Path, app: Receiver, followed: Followed
) -> None:
    held = Event()
    followed.work = lambda: Answer(200, "stored", "") if held.wait(30) else Answer(503, "unavailable", "")

    async def all_at_once() -> list[int]:
        waiting = [asyncio.create_task(send(app, path(), [body()], signed(body()))) for _ in range(receive.FOLLOWERS)]
        while len(followed.notices) < receive.FOLLOWERS:
            await asyncio.sleep(0.01)
        late = await send(app, path(), [body()], signed(body()))
        tried = await send(app, path("minimax2"), [b'{"challenge": "c"}'])
        held.set()
        return [late.status, tried.status, *[(await each).status for each in waiting]]

    assert asyncio.run(all_at_once()) == [503, 200, *[200] * receive.FOLLOWERS]


def test_one_request_too_many_is_sent_away_at_once(app: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "MOST_REQUESTS", 1)

    async def two() -> tuple[int, int, str]:
        begun = asyncio.Event()

        async def waiting() -> None:
            begun.set()
            await asyncio.sleep(0.2)

        first = asyncio.create_task(send(app, path(), [body()], signed(body()), pause=waiting))
        await begun.wait()
        second = await send(app, path(), [body()], signed(body()))
        return (await first).status, second.status, second.headers["retry-after"]

    assert asyncio.run(two()) == (200, 503, "1")


def test_work_that_takes_too_long_is_not_waited_for_and_goes_on(
    app: Receiver, followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "ANSWER_SECONDS", 0.05)
    held, done = Event(), Event()

    def work() -> Answer:
        held.wait(30)
        done.set()
        raise Failure(Reason.DATABASE)

    followed.work = work

    async def late() -> int:
        told = await send(app, path(), [body()], signed(body()))
        held.set()
        await asyncio.to_thread(done.wait, 30)
        return told.status

    assert asyncio.run(late()) == 503
    assert done.is_set()


def test_a_fault_of_the_program_leaves_the_webhook_with_its_sender(app: Receiver, followed: Followed) -> None:
    def work() -> Answer:
        raise ZeroDivisionError

    followed.work = work
    assert knock(app, path(), body(), headers=signed(body())).status == 503


def test_no_answer_repeats_anything_of_the_request(app: Receiver) -> None:
    contents: list[Any] = [
        body(status=CANARY),
        body(id={CANARY: 1}),
        f'{{"{CANARY}": 1, "{CANARY}": 2}}'.encode(),
        b"{",
    ]
    for content in contents:
        for headers in ({}, signed(content), {"x-signature": CANARY.encode()}):
            told = knock(app, path(), content, headers=headers)
            assert CANARY not in told.text + str(told.headers)
    assert URL.callback(KEY, "studio", "acme", "default") == "https://hooks.example" + path()
