"""The review hook that is away, answers nonsense, leads elsewhere, or is set up wrong."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest

from services.verifier.hooks import Subject
from shared.egress import Policy, fetch
from shared.errors import Failure, Stopping, UsageError
from shared.objects import Store
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, raw, redirect
from tests.faults.canary import CANARY, check_silent
from tests.faults.server import FaultServer, Line, Script
from tests.integration.hooks.reviewing import PASS, failure_of, review_at


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"ok",
        b"[]",
        b'{"verdict": "maybe"}',
        b'{"flags": []}',
        b'{"verdict": "pass", "flag": ["secrets"]}',
        b'{"verdict": "pass", "flags": ["Two Words"]}',
        b'{"verdict": "pass", "flags": ["' + b"a" * 41 + b'"]}',
        b'{"verdict": "pass", "flags": ' + json.dumps([f"f{n}" for n in range(33)]).encode() + b"}",
        b'{"verdict": "pass", "note": "' + b"x" * 501 + b'"}',
        b'{"verdict": "pass"}' + b" " * 20_000,
        f'{{"verdict": "{CANARY}", "{CANARY}"'.encode(),
    ],
)
def test_an_answer_that_is_no_verdict_is_our_fault_and_none_of_it_is_kept(
    staged: Subject, store: Store, body: bytes
) -> None:
    for script in (answer(body), chunked(body) if body else answer(body)):
        assert failure_of(script, staged, store).reason is Reason.REVIEWER


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        (answer(status=503), "the review hook answered 503: it has a fault"),
        (answer(status=401), "the review hook answered 401: its address or our secret may be wrong"),
        (answer(b'{"verdict": "pass"}', status=404), "the review hook answered 404: its address or our secret"),
        (redirect("/elsewhere"), "the review hook cannot be asked"),
        (raw(b"no http\r\n\r\n"), "the review hook cannot be asked"),
        (Line.reset, "the review hook cannot be asked"),
        (lambda line: line.hold(), "the review hook cannot be asked"),
        (lambda line: line.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n" + b" " * 19, 0.05), "cannot be asked"),
    ],
)
def test_a_hook_that_does_not_answer_well_is_our_fault_and_away_for_a_while(
    staged: Subject, store: Store, script: Script, detail: str
) -> None:
    with FaultServer(script) as server:
        review = review_at(server.url(f"/hook?token={CANARY}"), store, seconds=0.6)
        review.check()
        with pytest.raises(Failure) as caught:
            review.judge(staged)
        with pytest.raises(Failure) as away:
            review.check()
    check_silent(caught.value)
    assert (caught.value.reason, away.value.reason) == (Reason.REVIEWER, Reason.REVIEWER)
    assert detail in str(caught.value.evidence["detail"])


def test_a_redirect_is_not_followed(staged: Subject, store: Store) -> None:
    with FaultServer(PASS) as other:
        failure = failure_of(redirect(other.url("/hook"), 307), staged, store)
        assert other.connections == 0
    assert failure.evidence["cause"] == "redirect_refused"


@pytest.mark.parametrize("script", [answer(status=500), answer(b"?")])
def test_one_file_that_the_hook_cannot_take_is_no_outage_but_two_are(
    staged: Subject, store: Store, script: Script
) -> None:
    with FaultServer(script) as server:
        review = review_at(server.url("/hook"), store)
        for _ in range(2):
            with pytest.raises(Failure):
                review.judge(staged)
            review.check()
        other = replace(staged, claim=SimpleNamespace(**{**vars(staged.claim), "task_id": uuid4()}))  # type: ignore[arg-type]
        with pytest.raises(Failure):
            review.judge(other)
        with pytest.raises(Failure):
            review.check()


def test_a_question_that_nobody_waits_for_any_more_ends(staged: Subject, store: Store) -> None:
    with FaultServer(lambda line: line.hold()) as server, pytest.raises(Stopping):
        review_at(server.url("/hook"), store, seconds=20.0).judge(replace(staged, stopping=lambda: True))


def test_only_the_origin_that_the_operator_named_is_reached_in_spite_of_the_deny_table() -> None:
    with FaultServer(PASS) as server, FaultServer(PASS) as other:
        policy = Policy(origin=("http", server.host, server.port))
        with fetch(server.url("/"), policy) as found:
            assert found.status == 200
        for url in (other.url("/"), f"https://{server.host}:{server.port}/", f"http://127.0.0.2:{server.port}/"):
            with pytest.raises(Failure) as caught, fetch(url, policy):
                pass
            assert caught.value.reason is Reason.BLOCKED_ADDRESS
        assert other.connections == 0


@pytest.mark.parametrize("url", ["ftp://h.test/", "https://user@h.test/", f"nonsense {CANARY}", "https://"])
def test_an_address_that_cannot_be_asked_is_said_at_the_start_and_not_shown(store: Store, url: str) -> None:
    with pytest.raises(UsageError, match="OUTLAST_REVIEW_URL") as caught:
        review_at(url, store)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("secret", ["whsec_", "whsec_!!!", "ä"])
def test_a_secret_that_signs_nothing_is_said_at_the_start(store: Store, tmp_path: Path, secret: str) -> None:
    (tmp_path / "bad").write_text(secret)
    with pytest.raises(UsageError, match="OUTLAST_REVIEW_SECRET_FILE"):
        review_at("https://h.test/", store, tmp_path / "bad")
