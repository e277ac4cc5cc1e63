"""Fresh links from the provider, through whole services: once, in time, bounded, and believed for what they say."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.answers import answer, head
from tests.faults.server import Line, Script
from tests.system.conftest import System, until
from tests.system.provider import Provider, in_order, provider_of, record
from tests.system.source import picture

OLD = "2026-01-01T00:00:00Z"
"""When outputs became ready whose refusals are none of a first moment."""


@pytest.fixture
def acme(system: System) -> Iterator[Provider]:
    with provider_of(system) as provider:
        yield provider


def start(system: System) -> None:
    """What brings bytes into staging."""
    system.start("ingest")
    system.start("downloader")


def dead(system: System, job: str, **more: Any) -> tuple[str, bytes]:
    """The event of an output whose link has ended."""
    return system.event(system.source.link(f"picture/{job}", life=-5), job=job, **{"provider": "acme", **more})


def ends(system: System) -> dict[str, str]:
    return dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks"))


def ended(system: System, number: int) -> bool:
    """Whether so many tasks are staged or stopped."""
    return system.count("state NOT IN ('output_ready', 'downloading', 'download_retry')") == number


def test_fr06_a_dead_link_that_comes_again_is_asked_for_with_pauses_and_not_for_ever(
    system: System, acme: Provider
) -> None:
    old, new = system.source.link("picture/new", life=-5), system.source.link("picture/new")
    acme.jobs |= {"third": in_order(*[record(old)] * 2, record(new)), "never": record(old)}
    start(system)
    system.publish(dead(system, "third"), dead(system, "never"))
    until(lambda: ended(system, 2), "both came to their end")
    assert ends(system) == {"third": "verifying", "never": "url_expired"}
    check_pauses(acme, "/jobs/third")
    check_pauses(acme, "/jobs/never")


def check_pauses(acme: Provider, path: str) -> None:
    """Three questions, with more time between them as they go on."""
    assert acme.asked(path) == 3
    first, second = acme.pauses(path)
    assert first >= 2
    assert second >= 4


@pytest.mark.parametrize(
    ("status", "code", "reason"), [(403, "SignatureDoesNotMatch", "url_refused"), (404, "NoSuchKey", "source_gone")]
)
def test_fr04_a_fresh_link_that_is_denied_too_is_the_last(
    system: System, acme: Provider, status: int, code: str, reason: str
) -> None:
    acme.jobs["same"] = record(acme.link("same"))
    acme.files["same"] = answer(f"<Error><Code>{code}</Code></Error>".encode(), status=status)
    start(system)
    system.publish(system.event(acme.link("same"), job="same", provider="acme", ready_at=OLD))
    until(lambda: ended(system, 1), "it came to its end")
    assert ends(system) == {"same": reason}
    assert (acme.asked("/jobs/same"), acme.asked("/files/same")) == (1, 2)


def test_fr06_the_end_of_a_fresh_link_is_read_from_the_link_and_not_counted_from_the_answer(
    system: System, acme: Provider
) -> None:
    signed = datetime.now(UTC) - timedelta(hours=23)
    link = system.source.link("picture/replayed", life=86400).partition("&X-Amz-Date=")
    acme.jobs["replayed"] = record(f"{link[0]}&X-Amz-Date={signed:%Y%m%dT%H%M%SZ}{link[2][16:]}")
    start(system)
    system.publish(dead(system, "replayed"))
    until(lambda: ended(system, 1), "the bytes are staged")
    ((left,),) = system.rows("SELECT extract(epoch FROM max(expires_at) - now())::float8 FROM sources")
    assert left == pytest.approx(3600, abs=60)


GONE: dict[str, Script] = {
    "404": answer(b'{"error": "no such job"}', status=404),
    "410": answer(b"gone", status=410),
    "unknown": answer(b'{"output": null, "status": "UNKNOWN"}'),
    "empty": answer(b'{"code": 0, "data": []}'),
    "no output": answer(b'{"status": "succeeded", "output": null}'),
    "no url": answer(b'{"status": "succeeded", "outputs": [{"url": null}]}'),
}


def test_fr47_a_job_that_the_provider_forgot_is_said_to_be_after_one_question(system: System, acme: Provider) -> None:
    acme.jobs |= GONE
    start(system)
    system.publish(*(dead(system, job) for job in GONE))
    until(lambda: ended(system, len(GONE)), "all came to their end")
    assert ends(system) == dict.fromkeys(GONE, "job_record_gone")
    assert {job: acme.asked(f"/jobs/{job}") for job in GONE} == dict.fromkeys(GONE, 1)


def test_a_link_about_to_end_is_used_where_no_fresh_one_can_be_had(system: System, acme: Provider) -> None:
    start(system)
    link = system.source.link("picture/last")
    system.publish(system.event(link, job="last", provider="acme", url_expires_at=soon(8), ready_at=soon(-52)))
    until(lambda: ended(system, 1), "it came to its end")
    assert ends(system) == {"last": "verifying"}
    assert acme.asked("/jobs/last") == 1


def soon(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def test_fr48_errors_inside_a_200_and_passing_ones_are_waited_out(system: System, acme: Provider) -> None:
    link = system.source.link("picture/late")
    limited = answer(b'{"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}', "Retry-After: 3")
    too_many = answer(b'{"code": 1303, "message": "parallel task over resource pack limit"}', "Retry-After: soon")
    acme.jobs |= {
        "minimax": in_order(limited, record(link, base_resp={"status_code": 0})),
        "kling": in_order(too_many, record(link, code=0)),
        "busy": in_order(answer(status=429), answer(b"{}", status=500), record(link)),
    }
    png = answer(picture("late"))
    acme.files |= {
        "early": in_order(*[answer(b"no", status=404)] * 2, png),
        "shaky": in_order(*[answer(b"no", status=500)] * 3, png),
        "limited": in_order(answer(b"no", "Retry-After: 3", status=429), png),
    }
    start(system)
    passing = [system.event(acme.link(name), job=name, provider="acme") for name in acme.files]
    system.publish(*(dead(system, job) for job in acme.jobs), *passing)
    until(lambda: ended(system, 6), "all came to their end")
    assert set(ends(system).values()) == {"verifying"}
    assert acme.pauses("/jobs/minimax")[0] >= 3
    assert acme.pauses("/files/limited")[0] >= 3


def cut_after(seconds: float) -> Script:
    """Half of a picture, and after a while the end of the connection."""
    png = picture("cut")

    def lead(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(png)}", 'ETag: "v1"'), png[: len(png) // 2])
        time.sleep(seconds)
        line.reset()

    return lead


def test_case_53_a_link_that_ends_in_mid_stream_is_refreshed_or_said_to_have_ended(
    system: System, acme: Provider
) -> None:
    acme.files["cut"] = cut_after(3)
    acme.jobs["refreshed"] = record(system.source.link("picture/cut"))
    start(system)
    link, end = acme.link("cut"), soon(2.5)
    system.publish(
        system.event(link, job="refreshed", provider="acme", url_expires_at=end),
        system.event(link, job="no way", url_expires_at=end),
    )
    until(lambda: ended(system, 2), "both came to their end")
    assert ends(system) == {"refreshed": "verifying", "no way": "url_expired"}
    assert acme.asked("/files/cut") == 2, "no link is asked again after its end"
    ((evidence,),) = system.rows("SELECT evidence FROM claims WHERE outcome = 'needs_attention'")
    assert evidence["last"] == "truncated"
    assert evidence["wire_bytes"] == len(picture("cut")) // 2


def test_case_63_error_pages_under_a_200_are_refreshed_once_and_never_promoted(system: System, acme: Provider) -> None:
    pages = {
        "html": answer(b"<!doctype html><title>Sign in</title>", "Content-Type: video/mp4"),
        "json": answer(b'{"error": "not ready"}', "Content-Type: image/png"),
        "nothing": answer(b""),
    }
    acme.files |= pages
    acme.jobs |= {name: record(acme.link(name)) for name in pages}
    start(system)
    system.publish(*(system.event(acme.link(name), job=name, provider="acme", ready_at=OLD) for name in pages))
    until(lambda: ended(system, 3), "all came to their end")
    assert ends(system) == {"html": "error_body", "json": "error_body", "nothing": "empty_body"}
    assert {name: acme.asked(f"/jobs/{name}") for name in pages} == dict.fromkeys(pages, 1)
    assert max(acme.asked(f"/files/{name}") for name in pages) <= 5
    assert system.objects(system.staging) == []


def test_two_workers_ask_for_a_fresh_link_once(system: System, acme: Provider) -> None:
    fresh = record(system.source.link("picture/single"))

    def slowly(line: Line) -> None:
        time.sleep(2)
        fresh(line)

    acme.jobs["single"] = slowly
    system.start("ingest")
    for name in ("one", "two"):
        system.start("downloader", name=name)
    system.publish(dead(system, "single"), dead(system, "single"))
    until(lambda: ended(system, 1), "the bytes are staged")
    assert acme.asked("/jobs/single") == 1
    assert system.rows("SELECT refreshes FROM tasks") == [(1,)]
