"""How a task is printed."""

import io
import json
from datetime import timedelta
from uuid import UUID, uuid4

from rich.console import Console

from outlast.cli.outcome import facts, print_outcome
from shared.db.views import PublicTask
from shared.reasons import Reason
from tests.unit.public_tasks import NOW, public_task

ID = uuid4()
LONG_URI = "s3://outlast-assets/video/demo/" + "operation/" * 20 + "0-abc.mp4"


def task(state: str, **fields: object) -> PublicTask:
    return public_task(state, task_id=ID, **fields)


def printed(shown: PublicTask | None, *, as_json: bool = False, task_id: UUID = ID) -> str:
    text = io.StringIO()
    print_outcome(Console(file=text, width=80), task_id, shown, as_json=as_json)
    return text.getvalue()


DONE = task(
    "complete",
    kind="video",
    durable_uri=LONG_URI,
    size=56776,
    sha256="ab" * 32,
    media={"width": 640, "height": 360},
)
STOPPED = task("needs_attention", reason="error_body")


def test_a_complete_task_shows_its_asset_in_words_that_can_be_copied() -> None:
    text = printed(DONE)
    assert LONG_URI in text, "an address is never broken into lines"
    assert "ab" * 32 in text
    assert "56,776 bytes" in text
    assert "640 x 360" in text


def test_a_stopped_task_shows_its_reason_and_the_sentence() -> None:
    text = printed(STOPPED)
    assert "error_body" in text
    assert Reason.ERROR_BODY.rule.sentence in text


def test_an_unknown_task_is_said_to_be_unknown() -> None:
    assert "not seen yet" in printed(None)
    assert json.loads(printed(None, as_json=True)) == {"task_id": str(ID), "state": None}


def test_whose_it_is_what_was_tried_and_when_it_ends_are_shown() -> None:
    text = printed(
        task(
            "download_retry",
            account="studio",
            provider="acme",
            job_id="job-42",
            output_id="3",
            tries=2,
            refreshes=1,
            url_expires_at=NOW + timedelta(hours=1),
            next_try_at=NOW + timedelta(seconds=5),
        )
    )
    for line in (
        "Account   studio",
        "Provider  acme",
        "Job       job-42",
        "Output    3",
        "Ready     2026-12-01 00:00:00 UTC",
        "Expires   2026-12-01 01:00:00 UTC",
        "Next try  2026-12-01 00:00:05 UTC",
        "Tries     2 failed, 1 links refreshed",
    ):
        assert line in text.splitlines()


def test_a_task_at_risk_is_marked_and_no_other() -> None:
    assert "At risk   no byte is here" in printed(task("download_retry", at_risk=True))
    assert "At risk" not in printed(task("download_retry"))


def test_evidence_is_a_line_for_each_fact_and_bounded() -> None:
    evidence = {"status": 403, "body": "Access \x1b[31mDenied", "headers": {"server": "x" * 1000}}
    lines = printed(task("needs_attention", reason="url_refused", evidence=evidence)).splitlines()
    assert "Evidence  status: 403" in lines
    assert "          body: Access ?[31mDenied" in lines
    assert max(map(len, lines)) < 400
    many = printed(task("needs_attention", reason="url_refused", evidence={f"k{n}": n for n in range(1000)}))
    assert len(many.splitlines()) < 50
    assert "more; --json shows all" in many


def test_json_holds_every_field_and_the_sentence() -> None:
    told = json.loads(printed(STOPPED, as_json=True))
    assert set(PublicTask.model_fields) | {"sentence"} == set(told)
    assert told["sentence"] == Reason.ERROR_BODY.rule.sentence
    assert json.loads(printed(DONE, as_json=True))["durable_uri"] == LONG_URI


def test_what_comes_from_outside_is_not_read_as_markup() -> None:
    assert "[bold]" in printed(task("complete", durable_uri="s3://b/[bold]", size=1))


def test_facts_leave_out_what_is_not_known() -> None:
    video = {
        "content_type": "video/mp4",
        "duration_seconds": 4.017,
        "width": 640,
        "height": 360,
        "codecs": ["h264", "aac"],
    }
    assert facts({**video, "pages": None, "checks": ["signature"]}) == "video/mp4, 4.02 s, 640 x 360, h264 aac"
    assert facts({"content_type": "application/pdf", "pages": 4, "codecs": []}) == "application/pdf, 4 pages"
    assert facts({"pages": 1}) == "1 page"
    assert facts(None) == ""


def test_what_the_hooks_found_in_it_is_shown_where_they_found_anything() -> None:
    assert "Flags     needs_redaction secrets" in printed(
        task("complete", size=1, flags=("needs_redaction", "secrets"))
    )
    assert "Flags" not in printed(task("complete", size=1, flags=()))
