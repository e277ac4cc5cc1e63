"""Links that end sooner than they say, before anyone could try them, or that only seem to have ended."""

import re
import time
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from urllib.parse import quote

from tests.system.conftest import System, until
from tests.system.provider import provider_of, record
from tests.system.source import CANARY, Reply, Trouble, picture

EXPIRED_TOKEN = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
ENDED = "state IN ('verifying', 'needs_attention')"
WEEK = 7 * 86400
LONG_READY = "2026-01-01T00:00:00Z"
"""When outputs became ready whose refusals are none of a first moment."""


def azure_link(system: System, path: str, life: int) -> str:
    """A shared access signature that began an hour ago."""
    now = datetime.now(UTC)
    begin, end = (
        quote(f"{each:%Y-%m-%dT%H:%M:%SZ}") for each in (now - timedelta(hours=1), now + timedelta(seconds=life))
    )
    return f"http://{system.source.pair}/{path}?sv=2024-11-04&st={begin}&se={end}&sr=b&sp=r&sig={CANARY}"


def session_link(system: System, path: str, life: int = WEEK) -> str:
    """A link whose credentials may end long before it says."""
    return system.source.link(path, life=life, **{"X-Amz-Security-Token": CANARY})


def heals(status: int, body: bytes, *, seconds: float) -> Trouble:
    """Refuses for so long from the first request on."""
    return lambda since: (status, {}, body) if since < seconds else None


def ends(system: System) -> dict[str, str]:
    return dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks"))


def metric(system: System, service: str, name: str) -> float:
    (value,) = re.findall(rf"^{name} (\S+)$", system.http(service, "/metrics")[1], re.M)
    return float(value)


def test_fr02_and_case_54_a_link_that_ended_while_it_waited_costs_no_request(system: System) -> None:
    system.start("ingest")
    system.publish(
        system.event(azure_link(system, "picture/azure", 2), job="azure"),
        system.event(system.source.link("picture/aws", life=2), job="aws"),
    )
    gone = time.monotonic() + 3
    until(lambda: system.count("state = 'output_ready'") == 2, "both are accepted")
    until(lambda: time.monotonic() > gone, "both links have ended")
    system.start("downloader")
    until(lambda: system.count(ENDED) == 2, "both came to their end")
    assert ends(system) == {"azure": "url_expired", "aws": "url_expired"}
    assert system.source.asked("picture/azure") == system.source.asked("picture/aws") == 0
    assert system.rows("SELECT DISTINCT epoch, tries, refreshes FROM tasks") == [(1, 0, 0)]
    assert metric(system, "downloader", "outlast_expired_unasked_total") == 2
    assert metric(system, "downloader", "outlast_expired_answers_total") == 0


def test_fr03_and_case_54_credentials_that_end_before_their_link_end_the_task_after_one_try(system: System) -> None:
    """Promised for a week, dead at the first try; until then the order is that of an unknown life."""
    system.source.trouble("picture/session", lambda _: (400, {}, EXPIRED_TOKEN))
    system.start("ingest")
    system.publish(
        system.event(system.source.link("picture/day", life=86400), job="day"),
        system.event(session_link(system, "picture/session"), job="session"),
        system.event(session_link(system, "picture/short", life=60), job="short"),
    )
    until(lambda: system.count("state = 'output_ready'") == 3, "all are accepted")
    assert [job for (job,) in system.rows("SELECT job_id FROM tasks ORDER BY urgency")] == ["short", "session", "day"]
    assert system.rows("SELECT urgency - ready_at <= interval '1 hour' FROM tasks WHERE job_id = 'session'") == [
        (True,)
    ]
    assert system.rows(
        f"SELECT url_expires_at - ready_at > interval '{WEEK - 60} s' FROM tasks WHERE job_id = 'session'"
    ) == [(True,)]
    system.start("downloader")
    until(lambda: system.count(ENDED) == 3, "all came to their end")
    assert ends(system) == {"day": "verifying", "short": "verifying", "session": "url_expired"}
    assert system.source.asked("picture/session") == 1
    assert metric(system, "downloader", "outlast_expired_answers_total") == 1
    assert system.rows("SELECT provider, shortest_seconds FROM lives") == [("other", 86400.0)]


def test_fr03_credentials_that_ended_are_answered_with_a_fresh_link_where_the_provider_has_one(system: System) -> None:
    system.source.trouble("picture/old", lambda _: (400, {}, EXPIRED_TOKEN))
    with provider_of(system) as acme:
        acme.jobs["session"] = record(session_link(system, "picture/new"))
        system.start("ingest")
        system.start("downloader")
        link = session_link(system, "picture/old")
        system.publish(system.event(link, job="session", provider="acme", ready_at=LONG_READY))
        until(lambda: system.count(ENDED) == 1, "it came to its end")
        assert ends(system) == {"session": "verifying"}
        asked = [system.source.asked(f"picture/{each}") for each in ("old", "new")]
        assert [*asked, acme.asked("/jobs/session")] == [1, 1, 1]
        soon = "urgency < statement_timestamp() + interval '2 hours'"
        assert system.rows(f"SELECT refreshes, {soon} FROM tasks") == [(1, True)]


def test_fr09_x_oss_expires_is_read_by_its_version_and_rubbish_is_an_unknown_end(system: System) -> None:
    signed = datetime.now(UTC).replace(microsecond=0)
    later = int(signed.timestamp()) + 7200
    v2, v4 = (
        "x-oss-signature-version=OSS2",
        f"x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-date={signed:%Y%m%dT%H%M%SZ}",
    )
    forms: dict[str, tuple[str, datetime | None]] = {
        "v2-instant": (f"{v2}&x-oss-expires=1900000000", datetime.fromtimestamp(1900000000, UTC)),
        "v4-duration": (f"{v4}&x-oss-expires=3600", signed + timedelta(hours=1)),
        "v4-instant": (f"{v4}&x-oss-expires={later}", datetime.fromtimestamp(later, UTC)),
        "words": (f"{v4}&x-oss-expires=abc", None),
        "negative": (f"{v4}&x-oss-expires=-3600", None),
    }
    system.start("ingest")
    system.start("downloader")
    system.publish(
        *(
            system.event(f"http://{system.source.pair}/picture/{job}?{query}&x-oss-signature={CANARY}", job=job)
            for job, (query, _) in forms.items()
        )
    )
    until(lambda: system.count(ENDED) == len(forms), "all came to their end")
    assert ends(system) == dict.fromkeys(forms, "verifying")
    found = dict(system.rows("SELECT job_id, url_expires_at FROM tasks"))
    assert found == {job: expires for job, (_, expires) in forms.items()}
    assert system.rows("SELECT urgency - ready_at FROM tasks WHERE job_id = 'words'") == [(timedelta(hours=1),)]


def test_fr10_a_short_link_in_a_queue_is_marked_and_counted_before_it_is_lost(system: System) -> None:
    """The alarm comes while there is time, and trying goes on."""
    system.start("ingest")
    ago = (datetime.now(UTC) - timedelta(seconds=300)).isoformat()
    system.publish(
        system.event(system.source.link("picture/near", life=60), job="near", ready_at=ago),
        system.event(system.source.link("picture/far", life=3600), job="far"),
    )
    until(lambda: system.count() == 2, "both are accepted")
    assert system.rows("SELECT job_id FROM public_tasks WHERE at_risk AND url_expires_at > now()") == [("near",)]
    until(lambda: metric(system, "ingest", "outlast_tasks_at_risk") == 1, "the metric tells of it", 10)
    system.start("downloader")
    until(lambda: system.count("state = 'verifying'") == 2, "both are saved", 30)
    until(lambda: metric(system, "ingest", "outlast_tasks_at_risk") == 0, "nothing is at risk any longer", 15)


def test_case_55_a_wish_to_wait_is_cut_to_the_life_of_the_link(system: System) -> None:
    def once(path: str, status: int, wish: str) -> tuple[str, bytes]:
        asked: list[str] = []

        def trouble(_: float) -> Reply | None:
            asked.append(path)
            return (status, {"Retry-After": wish}, b"") if len(asked) == 1 else None

        system.source.trouble(f"picture/{path}", trouble)
        return system.event(system.source.link(f"picture/{path}", life=30), job=path)

    system.start("ingest")
    system.start("downloader")
    past = "Sun, 01 Mar 2020 12:00:00 GMT"
    system.publish(once("past-429", 429, past), once("past-503", 503, past))
    until(lambda: system.count("state = 'verifying'") == 2, "a past wish is no wish", 20)
    system.publish(once("long-429", 429, "21600"), once("long-503", 503, "21600"))
    until(lambda: system.count("state = 'download_retry' AND wake_at IS NOT NULL") == 2, "both wait", 10)
    waits = "SELECT wake_at - url_expires_at BETWEEN interval '-4 s' AND interval '-2 s' FROM tasks"
    assert system.rows(f"{waits} WHERE state = 'download_retry'") == [(True,)] * 2
    until(lambda: system.count("state = 'verifying'") == 4, "they are saved before their links end", 35)
    assert system.rows("SELECT DISTINCT tries, staged_at < url_expires_at FROM tasks") == [(1, True)]


def test_case_56_refusals_that_heal_after_5_seconds_are_tried_again_and_others_are_classified(system: System) -> None:
    system.source.trouble("picture/heals-403", heals(403, DENIED, seconds=5))
    system.source.trouble("picture/heals-404", heals(404, b"", seconds=5))
    system.source.trouble("picture/stays-403", lambda _: (403, {}, DENIED))
    system.start("ingest")
    system.start("downloader")
    names = ("heals-403", "heals-404", "stays-403")
    system.publish(*(system.event(system.source.link(f"picture/{name}"), job=name) for name in names))
    until(lambda: system.count(ENDED) == 3, "all came to their end")
    assert ends(system) == {"heals-403": "verifying", "heals-404": "verifying", "stays-403": "url_refused"}
    reasons = "SELECT DISTINCT h.reason FROM history h JOIN tasks USING (task_id) WHERE act = 'retry' AND job_id ="
    assert system.rows(f"{reasons} 'heals-403'") == [("url_refused",)]
    assert system.rows(f"{reasons} 'heals-404'") == [("early_not_found",)]
    assert system.source.asked("picture/stays-403") == 4
    assert sha256(picture("heals-403")).hexdigest() in {h1 for (h1,) in system.rows("SELECT h1 FROM tasks")}
