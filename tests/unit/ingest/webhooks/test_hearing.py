"""What a webhook says, and that only its provider says it."""

import json
from pathlib import Path

import pytest

from services.ingest.webhooks.receive import Receiver
from shared.providers.report import Said
from shared.telemetry import metrics
from tests.faults.ears import nothing_is_logged
from tests.unit.ingest.webhooks.knocking import (
    SIGNED,
    Followed,
    body,
    knock,
    path,
    receiver,
    registry,
    signed,
)

__all__ = ["nothing_is_logged"]


def test_the_value_of_a_challenge_is_sent_back_and_nothing_else_done(
    app: Receiver, followed: Followed, counted: dict[str, float]
) -> None:
    for value in ("c-1", 17, 'quotes " and ü'):
        told = knock(app, path("minimax2"), json.dumps({"challenge": value}).encode())
        assert (told.status, json.loads(told.text)) == (200, {"challenge": value})
        assert told.headers["content-type"] == "application/json"
    assert followed.notices == []
    assert counted["challenge"] == 3
    for wrong in ({"a": 1}, ["c"], "c" * 1025):
        assert knock(app, path("minimax2"), json.dumps({"challenge": wrong}).encode()).status == 400


def test_fr45_a_challenge_where_webhooks_are_signed_needs_the_signature_too(app: Receiver) -> None:
    tried = b'{"challenge": "c"}'
    assert knock(app, path(), tried).status == 401
    assert knock(app, path(), tried, headers=signed(tried)).text == '{"challenge": "c"}'


def test_fr45_what_is_not_proven_is_refused_counted_and_not_followed(
    app: Receiver, followed: Followed, counted: dict[str, float]
) -> None:
    for headers in (
        {},
        {"x-signature": b""},
        {"x-signature": b"00" * 32},
        {"x-signature": "ü".encode()},
        signed(body() + b" "),
    ):
        told = knock(app, path(), body(), headers=headers)
        assert (told.status, told.text) in {(401, "no_signature\n"), (401, "bad_signature\n")}
    assert counted["unproven"] == 5
    assert followed.notices == []


def test_while_the_secrets_are_away_the_sender_is_asked_to_come_again(tmp_path: Path, app: Receiver) -> None:
    (tmp_path / "default.secret").unlink()
    told = knock(app, path(), body(), headers=signed(body()))
    assert (told.status, told.headers["retry-after"]) == (503, "5")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not_json"),
        (b"\xff", "not_utf8"),
        (b"{", "not_json"),
        (b'{"id": "a", "id": "b"}', "duplicate_name"),
        (b'{"n": NaN}', "bad_number"),
        (b'{"n": ' + b"7" * 5000 + b"}", "bad_number"),
        (b"[" * 5000, "too_deep"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "too_deep"),
        (b"[]", "no job id"),
        (b"null", "no job id"),
        (b'{"id": null}', "no job id"),
        (b'{"id": {}}', "no job id"),
        (b'{"id": ""}', "no job id"),
    ],
)
def test_a_body_that_cannot_be_read_gets_a_clear_word(
    app: Receiver, followed: Followed, counted: dict[str, float], content: bytes, word: str
) -> None:
    told = knock(app, path(), content, headers=signed(content))
    assert (told.status, followed.notices) == (400, [])
    assert told.text.startswith(word)
    assert counted["unreadable"] == 1


@pytest.mark.parametrize(
    ("status", "provider", "text"),
    [
        ("running", "acme", "noted\n"),
        ("odd", "acme", "noted\n"),
        ("running", "luma2", "noted\n"),
        ("odd", "luma2", "stored\n"),
        ("succeeded", "luma2", "stored\n"),
        ("failed", "acme", "stored\n"),
    ],
)
def test_only_news_is_followed(app: Receiver, followed: Followed, status: str, provider: str, text: str) -> None:
    content = body(status=status)
    assert knock(app, path(provider), content, headers=signed(content)).text == text
    assert [notice.is_final for notice in followed.notices] == [provider == "acme"] * (text == "stored\n")


def test_a_status_that_the_entry_does_not_know_is_counted_by_a_bounded_name(app: Receiver) -> None:
    metrics.UNKNOWN_STATUSES.admit(provider=["acme"])

    def count() -> float:
        read = metrics.REGISTER.registry.get_sample_value
        return read("outlast_unknown_statuses_total", {"provider": "acme"}) or 0.0

    before, content = count(), body(status="odd")
    knock(app, path(), content, headers=signed(content))
    assert count() == before + 1


def test_a_body_says_how_it_is_read_and_never_how_it_is_proven(tmp_path: Path, followed: Followed) -> None:
    base = registry(tmp_path, acme=SIGNED)
    entry = base.find("acme")
    assert entry.webhook
    other = {"scheme": "unsigned", "reports": False, "status": "state", "done": ("ok",), "job_id": "job"}
    of_model = entry.model_copy(update={"webhook": entry.webhook.model_copy(update=other)})
    app = receiver(type(base)(base.all(), {"acme": [("odd-*", of_model)]}), followed)
    content = json.dumps({"model": "odd-1", "job": "j", "state": "ok"}).encode()
    assert knock(app, path(), content).status == 401
    assert knock(app, path(), content, headers=signed(content)).status == 200
    [notice] = followed.notices
    assert (notice.job.job_id, notice.report.said, notice.is_word) == ("j", Said.DONE, False)
