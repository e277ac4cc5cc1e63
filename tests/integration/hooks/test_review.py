"""The review hook: what it is asked, and what its answers do."""

import base64
import json
import os
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from services.verifier.hooks import Subject
from shared.objects import Store
from shared.reasons import Reason
from tests.faults.answers import answer
from tests.faults.server import Line
from tests.integration.hooks.reviewing import PASS, asked, failure_of

SECRET = "whsec_" + base64.b64encode(os.urandom(24)).decode()


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text(SECRET + "\n")
    return tmp_path / "secret"


def test_the_question_has_what_is_documented_and_a_link_that_gives_the_bytes(
    staged: Subject, store: Store, secret_file: Path
) -> None:
    got: list[bytes] = []

    def look(line: Line) -> None:
        with urllib.request.urlopen(json.loads(line.request.body)["url"], timeout=10) as found:
            got.append(found.read())
        PASS(line)

    _, request = asked(look, staged, store, secret_file)
    question = json.loads(request.body)
    link = question.pop("url")
    assert got == [b"the staged bytes"]
    assert parse_qs(urlsplit(link).query)["X-Amz-Expires"] == ["600"]
    assert question == {
        "task_id": str(staged.claim.task_id),
        "account": "studio",
        "kind": "image",
        "content_type": "image/png",
        "size": 16,
        "sha256": staged.sha256,
        "facts": json.loads(staged.facts.model_dump_json(exclude_none=True)),
    }
    assert request.method == "POST"


def test_a_question_is_signed_by_standard_webhooks(staged: Subject, store: Store, secret_file: Path) -> None:
    _, request = asked(PASS, staged, store, secret_file)
    Webhook(SECRET).verify(request.body, request.headers)
    assert request.headers["webhook-id"] == f"{staged.claim.task_id}.1"
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(request.body.replace(b"studio", b"others"), request.headers)


def test_without_a_secret_nothing_is_signed(staged: Subject, store: Store) -> None:
    _, request = asked(PASS, staged, store)
    assert not [name for name in request.headers if name.startswith("webhook-")]


def test_a_pass_and_a_hold_bring_their_flags_and_their_note(staged: Subject, store: Store) -> None:
    for verdict in ("pass", "hold"):
        body = {"verdict": verdict, "flags": ["personal_data", "needs_redaction"], "note": "two faces"}
        opinion, _ = asked(answer(json.dumps(body).encode(), status=201), staged, store)
        assert (opinion.hold, opinion.flags) == (verdict == "hold", ("personal_data", "needs_redaction"))
        assert opinion.evidence["note"] == "two faces"


def test_a_reject_refuses_the_file(staged: Subject, store: Store) -> None:
    failure = failure_of(answer(b'{"verdict": "reject", "flags": ["secrets"]}'), staged, store)
    assert (failure.reason, failure.evidence["flags"]) == (Reason.REVIEW_REJECTED, ["secrets"])


def test_a_link_that_the_note_tells_back_is_left_out(staged: Subject, store: Store) -> None:
    def echo(line: Line) -> None:
        link = json.loads(line.request.body)["url"]
        signature = parse_qs(urlsplit(link).query)["X-Amz-Signature"][0]
        answer(json.dumps({"verdict": "pass", "note": f"saw {signature} at {urlsplit(link).path}"}).encode())(line)

    opinion, _ = asked(echo, staged, store)
    assert opinion.evidence["note"] == "saw [cut] at [cut]"
