"""A question to a provider for a fresh link, over real sockets."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from shared.egress import Policy
from shared.errors import Failure
from shared.providers import Provider, Refresh
from shared.providers.asking import RECORD_BYTES
from shared.providers.entry import Credential
from shared.providers.keys import OTHER_KEY, Keys
from shared.providers.record import FreshLink
from shared.providers.refresh import refresh
from shared.reasons import Reason
from tests.faults.answers import answer, raw, redirect
from tests.faults.canary import CANARY, LINK, check_silent
from tests.faults.server import FaultServer, Script

KEY = f"{CANARY}-key"
FRESH = "https://cdn.acme.example" + LINK
NOW = datetime.now(UTC)
Entry = dict[str, Any]


def record(**changes: Any) -> dict[str, Any]:
    return {"status": "succeeded", "outputs": [{"id": "0", "url": FRESH}], **changes}


def says(value: object, *fields: str, status: int = 200) -> Script:
    return answer(json.dumps(value).encode(), "Content-Type: application/json", *fields, status=status)


def ask(
    script: Script, output: str = "0", /, *, keys: Keys | None = None, folder: Path | None = None, **entry: Any
) -> FreshLink:
    """The link that a provider gives whose answers `script` makes; with a folder it knows the key of `main`."""
    with FaultServer(script) as server:
        credential = Credential(header="X-Key", file=f"{folder}/{{provider_account}}.key") if folder else None
        url = server.url("/v1/jobs/{job_id}")
        provider = Provider(name="acme", credential=credential, refresh=Refresh(url=url, **entry))
        key = (keys or Keys()).of_account(provider, "main", NOW)
        policy = Policy(allow=frozenset({server.pair}), http=True, connect_seconds=2.0, idle_seconds=2.0)
        link = refresh(provider, key, "job/1", output, policy, monotonic() + 10)
        assert server.requests[0].target == "/v1/jobs/job%2F1"
        return link


def refused(script: Script, output: str = "0", /, **options: Any) -> Failure:
    with pytest.raises(Failure) as failure:
        ask(script, output, **options)
    check_silent(failure.value)
    return failure.value


def test_the_link_and_its_end_are_the_ones_of_the_output_that_was_asked_for() -> None:
    outputs = [{"id": 7, "url": "https://other.example/"}, {"id": 8, "url": FRESH, "ends": 1_900_000_000}]
    found = ask(says(record(outputs=outputs)), "8", output_id="id", output_expires_at="ends")
    assert found == FreshLink(FRESH, datetime.fromtimestamp(1_900_000_000, UTC))


@pytest.mark.parametrize(
    ("script", "entry"),
    [
        (says({"error": "no such job"}, status=404), {}),
        (answer(b"gone", status=410), {}),
        (says({"output": {"task_status": "UNKNOWN"}}), {"status": "output.task_status", "gone": ["UNKNOWN"]}),
        (says({"code": 0, "data": []}), {"status": "data[0].status", "error": "code"}),
        (
            says({"code": 0, "data": []}),
            {"status": "length(data) == `0` && 'none' || data[0].status", "gone": ["none"]},
        ),
        (says(record(outputs=None)), {}),
        (says(record(outputs=[])), {}),
        (says(record(outputs=[{"id": "0", "url": None}])), {}),
        (says(record(outputs=[{"id": "0", "url": ""}])), {}),
        (says(record(outputs=[{"id": "1", "url": FRESH}])), {"output_id": "id"}),
        (says(record(outputs=[None])), {"output_url": "@"}),
    ],
)
def test_fr47_a_job_that_the_provider_no_longer_knows_is_gone_at_once(script: Script, entry: Entry) -> None:
    assert refused(script, **entry).reason is Reason.JOB_RECORD_GONE


MINIMAX: Entry = {
    "status": "status",
    "done": ["Success"],
    "error": "base_resp.status_code",
    "limited": [1002],
    "refused": [1004],
}
KLING: Entry = {
    "status": "data.task_status",
    "done": ["succeed"],
    "failed": ["failed"],
    "error": "code",
    "limited": [1303],
}

GEMINI: Entry = {"status": "done", "done": [True], "error": "error.code"}
ATLAS: Entry = {"status": "payload.status || status", "done": ["OK"]}


@pytest.mark.parametrize(
    ("said", "entry", "reason"),
    [
        ({"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, MINIMAX, Reason.RATE_LIMITED),
        ({"base_resp": {"status_code": 1004}, "status": "Success"}, MINIMAX, Reason.CREDENTIAL_REFUSED),
        ({"base_resp": {"status_code": 1000}, "status": "Success"}, MINIMAX, Reason.SOURCE_UNAVAILABLE),
        ({"code": 1303, "message": "parallel task over limit"}, KLING, Reason.RATE_LIMITED),
        ({"code": "1303"}, KLING, Reason.RATE_LIMITED),
        ({"code": 0, "data": {"task_status": "failed"}}, KLING, Reason.PROVIDER_FAILED),
        ({"code": 0, "data": {"task_status": "paused"}}, KLING, Reason.SOURCE_UNAVAILABLE),
        ({"done": True, "error": {"code": 8}}, GEMINI, Reason.SOURCE_UNAVAILABLE),
        ({"status": "OK", "payload": {"status": "failed"}}, ATLAS, Reason.PROVIDER_FAILED),
        ({"status": "moderated"}, {"filtered": ["moderated"]}, Reason.PROVIDER_FILTERED),
        ({"message": "no status and no word for errors"}, {}, Reason.SOURCE_UNAVAILABLE),
    ],
)
def test_fr48_an_error_inside_a_200_is_what_the_entry_says_of_it(
    said: dict[str, Any], entry: Entry, reason: Reason
) -> None:
    assert refused(says({"outputs": [{"url": FRESH}], **said}), **entry).reason is reason


def test_fr48_an_envelope_without_an_error_is_none() -> None:
    envelope = {"base_resp": {"status_code": 0}, "status": "Success", "outputs": [{"url": FRESH}]}
    assert ask(says(envelope), **MINIMAX).url == FRESH
    assert ask(says({**envelope, "done": True}), **GEMINI).url == FRESH


@pytest.mark.parametrize(
    ("wish", "seconds"), [("120", 120.0), ("in two minutes", 120.0), ("yesterday", 0.0), ("soon", None), (None, None)]
)
@pytest.mark.parametrize("status", [200, 429, 503])
def test_fr48_a_wish_to_wait_is_handed_on_also_from_inside_an_envelope(
    wish: str | None, seconds: float | None, status: int
) -> None:
    now = datetime.now(UTC)
    dates = {"in two minutes": now + timedelta(seconds=120), "yesterday": now - timedelta(days=1)}
    field = f"Retry-After: {format_datetime(dates[wish]) if wish in dates else wish}" if wish else "X: y"
    failure = refused(says({"base_resp": {"status_code": 1002}}, field, status=status), **MINIMAX)
    assert failure.reason is (Reason.SOURCE_UNAVAILABLE if status == 503 else Reason.RATE_LIMITED)
    assert failure.retry_after == (None if seconds is None else pytest.approx(seconds, abs=20))


RESULTS = [{"url": FRESH}, {"code": "InternalError", "message": "no"}, {"url": FRESH + "&n=2"}, None]


def test_fr41_of_several_outputs_each_has_its_own_end() -> None:
    script = says(record(outputs=RESULTS))
    entry: Entry = {"output_error": "code"}
    assert [ask(script, n, **entry).url for n in ("0", "2")] == [FRESH, FRESH + "&n=2"]
    failure = refused(script, "1", **entry)
    assert (failure.reason, failure.evidence) == (Reason.PROVIDER_FAILED, {"provider_error": "InternalError"})
    assert refused(script, "3", **entry).reason is Reason.JOB_RECORD_GONE
    assert refused(script, "4", **entry).reason is Reason.JOB_RECORD_GONE


DATA = "data:image/png;base64," + "A" * (14 * 2**20)
SHAPES = {"video": FRESH, "all": [FRESH, "text", DATA, "file:///etc/passwd", 5]}


def test_fr49_an_output_of_any_shape_is_a_text_for_the_guard_or_nothing() -> None:
    """What is no link is refused by the guard, see the tests of whole processes."""
    script = says({"status": "succeeded", "output": SHAPES})
    entry: Entry = {"outputs": "output.all", "output_url": "@"}
    links = [FRESH, "text", DATA, "file:///etc/passwd"]
    assert [ask(script, str(number), **entry).url for number in range(4)] == links
    assert refused(script, "4", **entry).reason is Reason.JOB_RECORD_GONE
    assert ask(script, outputs="output.video", output_url="@").url == FRESH


def test_fr49_a_record_that_is_too_large_is_said_to_be() -> None:
    failure = refused(says({"status": "succeeded", "outputs": "x" * RECORD_BYTES}))
    assert failure.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b'"\\ud800"', b"null", b"[]", b"5", b"\xff"])
def test_a_record_that_is_none_is_asked_again(body: bytes) -> None:
    assert refused(answer(body)).reason is Reason.SOURCE_UNAVAILABLE


def test_a_link_that_no_wire_can_carry_is_asked_again() -> None:
    script = raw(b'HTTP/1.1 200 OK\r\n\r\n{"status": "succeeded", "outputs": [{"url": "\\ud800"}]}')
    assert refused(script).reason is Reason.SOURCE_UNAVAILABLE


def test_fr76_a_job_unknown_to_a_key_that_changed_meanwhile_is_not_called_lost(tmp_path: Path) -> None:
    """The key file is written anew after NOW, when the output was ready."""
    file = tmp_path / "main.key"
    file.write_text(KEY)
    keys = Keys([Provider(name="acme", credential=Credential(header="X", file=str(file)))])
    unknown: list[tuple[Script, Entry]] = [
        (answer(status=404), {}),
        (says({"status": "UNKNOWN"}), {"gone": ["UNKNOWN"]}),
    ]
    for script, entry in unknown:
        assert refused(script, keys=keys, folder=tmp_path, **entry).reason is Reason.JOB_RECORD_GONE
    file.write_text(KEY + "2")
    for script, entry in unknown:
        failure = refused(script, keys=keys, folder=tmp_path, **entry)
        assert failure.reason is Reason.CREDENTIAL_REFUSED
        assert failure.evidence["why"] == OTHER_KEY
    # A job that is known, but without this output, is this key's own.
    assert refused(says(record(outputs=[])), keys=keys, folder=tmp_path).reason is Reason.JOB_RECORD_GONE


def test_fr12_the_key_goes_to_the_job_record_and_over_no_redirect_to_another_origin(tmp_path: Path) -> None:
    (tmp_path / "main.key").write_text(KEY)
    with FaultServer(says(record())) as other, FaultServer(redirect(other.url())) as api:
        credential = Credential(header="Authorization", prefix="Bearer ", file=str(tmp_path / "main.key"))
        provider = Provider(name="acme", credential=credential, refresh=Refresh(url=api.url("/jobs/{job_id}")))
        policy = Policy(allow=frozenset({api.pair, other.pair}), http=True)
        key = Keys().of_account(provider, "main", NOW)
        assert refresh(provider, key, "1", "0", policy, monotonic() + 10).url == FRESH
        assert api.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY.encode() not in other.requests[0].head
