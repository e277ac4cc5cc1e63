"""The findings tell what was so and what was not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.local.demo.proof import endings, no_secret_in, seconds_until_dead
from deploy.local.demo.provider import Offer
from deploy.local.demo.scenario import COMPLETE, LOST, Capture
from deploy.local.demo.signing import Signer
from shared.db.views import PublicTask
from shared.reasons import Reason
from tests.unit.public_tasks import public_task

NOW = datetime.now(UTC)
OFFER = Offer("j", "a.mp4", "video/mp4", b"", 8)
GOOD = Capture("good.mp4", OFFER, None, COMPLETE)
GONE = Capture("gone.mp4", OFFER, None, LOST)
ANY = Capture("any.bin", OFFER, None, None)


def task(state: str, reason: str | None = None) -> PublicTask:
    return public_task(state, reason=reason)


@pytest.mark.parametrize(
    ("capture", "end"),
    [
        (GOOD, task("complete")),
        (GONE, task("needs_attention", Reason.JOB_RECORD_GONE)),
        (ANY, task("complete")),
        (ANY, task("needs_attention", Reason.NOT_MEDIA)),
    ],
)
def test_an_output_that_ended_as_it_must_is_one_good_finding(capture: Capture, end: PublicTask) -> None:
    assert [finding.holds for finding in endings([(capture, end)])] == [True]


@pytest.mark.parametrize(
    ("capture", "end"),
    [
        (GOOD, None),
        (GOOD, task("promoting")),
        (GOOD, task("needs_attention", Reason.URL_EXPIRED)),
        (GONE, task("complete")),
        (GONE, task("needs_attention", Reason.UNDECODABLE)),
        (ANY, task("download_retry")),
        (ANY, task("abandoned", Reason.PROVIDER_FAILED)),
        (ANY, None),
    ],
)
def test_an_output_that_ended_otherwise_is_named(capture: Capture, end: PublicTask | None) -> None:
    good = (GOOD, task("complete"))
    (finding,) = endings([good, (capture, end)])
    assert not finding.holds
    assert capture.label in finding.text


def test_where_any_end_will_do_the_ends_are_counted_and_not_called_right() -> None:
    good, bad = task("complete"), task("needs_attention", Reason.NOT_MEDIA)
    (finding,) = endings([(ANY, good), (ANY, bad), (ANY, bad)])
    assert finding.text == "all 3 outputs came to an end: 1 complete, 2 in need of attention"


def test_a_secret_in_a_log_is_found_and_not_repeated(tmp_path: Path) -> None:
    clean, dirty = tmp_path / "clean.log", tmp_path / "dirty.log"
    clean.write_text("nothing")
    dirty.write_text("GET /x?sig=CANARY-1")
    assert no_secret_in([clean], "CANARY-1").holds
    finding = no_secret_in([clean, dirty], "CANARY-1")
    assert not finding.holds
    assert "dirty.log" in finding.text
    assert "CANARY" not in finding.text


def test_no_log_at_all_proves_nothing() -> None:
    assert not no_secret_in([], "CANARY-1").holds


def test_the_wait_lasts_until_the_last_link_ends() -> None:
    signer = Signer(b"k", "CANARY")
    made = datetime.now(UTC)
    links = [signer.sign("http://h", "/p", made=made, life=life) for life in (5, 3600, 20)]
    assert 3000 < seconds_until_dead(links) <= 3600
    old = signer.sign("http://h", "/p", made=NOW - timedelta(hours=1), life=5)
    assert seconds_until_dead([old]) == 0
