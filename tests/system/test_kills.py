"""Fault 65: SIGKILL at every named step of every service; after a restart the outcome is the same one asset.

Every run takes the steps that matter most; with OUTLAST_DRILLS=full it takes all of them.
"""

import os
import random
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from minio.error import MinioException

from tests.faults.answers import answer, head
from tests.faults.server import Line, Script
from tests.integration.objects.proxy import Proxy
from tests.media.pictures import chunk
from tests.system.conftest import System, until
from tests.system.halts import Halts, Held, halts_in
from tests.system.provider import Provider, in_order, provider_of, record
from tests.system.soundness import ILLEGAL, check_sound, until_announced
from tests.system.source import picture

FULL = os.environ.get("OUTLAST_DRILLS") == "full"
PART = 5 * 2**20


@dataclass(frozen=True)
class Act:
    """A step that ends in a commit. `shared`: two tasks come to it at once; `quick`: it is in every run."""

    service: str
    name: str
    link: str = "good"
    shared: bool = True
    quick: bool = True


ACTS = (
    Act("ingest", "accept", shared=False),
    Act("downloader", "claim", shared=False, quick=False),
    Act("downloader", "refreshed", link="dead", quick=False),
    Act("downloader", "uploading", link="large", quick=False),
    Act("downloader", "retry", link="shaky", quick=False),
    Act("downloader", "wake", link="shaky", shared=False, quick=False),
    Act("downloader", "release", link="slow", quick=False),
    Act("downloader", "lapse", link="slow", shared=False, quick=False),
    Act("downloader", "staged"),
    Act("verifier", "claim", shared=False, quick=False),
    Act("verifier", "proven"),
    Act("verifier", "rejected", link="odd", quick=False),
    Act("promoter", "claim", shared=False, quick=False),
    Act("promoter", "placing"),
    Act("promoter", "stored", quick=False),
    Act("promoter", "complete", quick=False),
    Act("promoter", "announced", shared=False),
)


@dataclass(frozen=True)
class Call:
    """A step in the object store: a request of a service with a method, on a bucket, with a part in its target."""

    service: str
    name: str
    method: str
    bucket: str
    part: str = ""
    uploads: int | None = None
    """Multipart uploads that stay behind; None: the bodies are too small to need any."""
    quick: bool = True


CALLS = (
    Call("downloader", "put", "PUT", "staging", "staging/"),
    Call("downloader", "start of the upload", "POST", "staging", "uploads", uploads=2, quick=False),
    Call("downloader", "first part", "PUT", "staging", "partNumber=1", uploads=3, quick=False),
    Call("downloader", "last part", "PUT", "staging", "partNumber=2", uploads=3, quick=False),
    Call("downloader", "completion", "POST", "staging", "uploadId=", uploads=1),
    Call("downloader", "look after the completion", "HEAD", "staging", "staging/", uploads=0, quick=False),
    Call("verifier", "read-back", "GET", "staging", "staging/", quick=False),
    Call("promoter", "look before the copy", "HEAD", "assets", "image/", quick=False),
    Call("promoter", "copy", "PUT", "assets", "image/"),
    Call("promoter", "read-back", "GET", "assets", "image/", quick=False),
    Call("promoter", "file of facts", "PUT", "assets", ".outlast.json", quick=False),
)


def chosen(steps: tuple[Act, ...] | tuple[Call, ...]) -> list[object]:
    """The steps of this run, each with its name."""
    return [pytest.param(step, id=f"{step.service}-{step.name}") for step in steps if step.quick or FULL]


@pytest.fixture
def acme(system: System) -> Iterator[Provider]:
    system.environment |= {
        "OUTLAST_S3_PART_BYTES": str(PART),
        "OUTLAST_SLOTS": "8",
        "OUTLAST_SLOTS_PER_LANE": "8",
        # On a busy machine a kill may come late, and no slow source shall be given up before.
        "OUTLAST_MIN_BYTES_PER_SECOND": "0",
    }
    with provider_of(system) as provider:
        yield provider


@pytest.fixture
def halts(system: System) -> Iterator[Halts]:
    with halts_in(system.database) as halts:
        yield halts


@pytest.fixture
def proxy(system: System) -> Iterator[Proxy]:
    """The store as the services see it."""
    proxy = Proxy(system.environment["OUTLAST_S3_ENDPOINT"])
    system.environment["OUTLAST_S3_ENDPOINT"] = proxy.endpoint
    yield proxy
    proxy.close()


def body_of(job: str, link: str) -> bytes:
    """A picture; a large one takes two parts, most of it a chunk that no reader knows."""
    png = picture(job)
    return png[:-12] + chunk(b"ouTl", random.Random(job).randbytes(6 * 2**20)) + png[-12:] if link == "large" else png


def slowly(body: bytes) -> Script:
    """A body that takes minutes."""

    def lead(line: Line) -> None:
        line.send(head(200, f"Content-Length: {len(body)}"))
        line.drip(body, 1.0, 100)

    return lead


def send(system: System, acme: Provider, link: str, *jobs: str) -> dict[str, bytes]:
    """Publish outputs: `good`, `large`, `bad`, with a link that is `dead`, or first `shaky`, `slow` or `odd`."""
    bodies = {job: body_of(job, link) for job in jobs}
    for job, body in bodies.items():
        damaged = answer(body[:-20] + bytes(20))
        first = {"shaky": answer(status=500), "slow": slowly(body), "odd": damaged, "bad": damaged}.get(link)
        acme.files[job] = in_order(first, damaged if link == "bad" else answer(body)) if first else answer(body)
        acme.jobs[job] = record(acme.link(job))
        url = system.source.link("gone", life=-5) if link == "dead" else acme.link(job)
        system.publish(system.event(url, job=job, provider="acme", kind="image"))
    return bodies


@pytest.mark.parametrize("act", chosen(ACTS))
def test_killed_before_and_after_the_commit_of_an_act(system: System, acme: Provider, halts: Halts, act: Act) -> None:
    """Before: the backend is ended too, so that the act never was. After: it was, and the service never heard of it."""
    system.start_all()
    bodies: dict[str, bytes] = {}
    for jobs in (["before", "after"],) if act.shared else (["before"], ["after"]):
        if act.name != "lapse":
            halts.at(act.service, act.name)
        bodies |= send(system, acme, act.link, *jobs)
        bring_on(system, acme, halts, act, jobs)
        kill_at(system, halts, act, jobs)
        if act.name == "announced":
            hasten_announcements(system)
        until_announced(system, len(bodies))
    check_sound(system, bodies)
    # Of the sources that failed once, the one whose failure was never recorded is not charged for it.
    assert system.count("tries > 0") == {"retry": 1, "wake": 2}.get(act.name, 0), "a kill charges nothing"


def test_killed_before_and_after_bytes_are_refused_for_good(system: System, acme: Provider, halts: Halts) -> None:
    system.start_all()
    halts.at("verifier", "refused")
    send(system, acme, "bad", "before", "after")
    kill_at(system, halts, Act("verifier", "refused"), ["before", "after"])
    until(lambda: system.count("state = 'needs_attention' AND announced_at IS NOT NULL") == 2, "both are told")
    assert system.rows("SELECT DISTINCT reason, verifications, tries FROM tasks") == [("undecodable", 1, 0)]
    assert len(system.messages("outlast.results")) >= 2
    kept = system.rows("SELECT key FROM rejected ORDER BY key")
    assert [key for (key,) in kept] == sorted(system.objects(system.staging)), (
        "both transfers of both, each marked once"
    )
    assert system.rows(ILLEGAL) == []
    assert system.rows("SELECT count(*) FROM claims WHERE outcome IS NULL") == [(0,)]


def kill_at(system: System, halts: Halts, act: Act, jobs: list[str]) -> None:
    """Kill the service when all jobs wait at the act, let the act be or not, and start the service again."""
    until(lambda: len(halts.waiting(act.service)) == len(jobs), "the service waits at the act")
    waiting = halts.waiting(act.service)
    system.kill(act.service)
    halts.go(waiting, ending=waiting[:1] if "before" in jobs else [])
    system.start(act.service)


def bring_on(system: System, acme: Provider, halts: Halts, act: Act, jobs: list[str]) -> None:
    """What brings a service to an act that does not come by itself."""
    if act.link != "slow":
        return
    until(lambda: all(acme.asked(f"/files/{job}") for job in jobs), "the transfers are under way")
    if act.name == "release":
        system.signal(act.service, signal.SIGTERM)
    else:
        system.kill(act.service)
        halts.at(act.service, act.name)
        system.start(act.service)


def hasten_announcements(system: System) -> None:
    """One that was taken and not closed is due again after half a minute, or now."""
    with psycopg.connect(system.database.url(), autocommit=True) as connection:
        connection.execute("SET ROLE outlast_promoter")
        connection.execute("UPDATE tasks SET announce_at = now() WHERE announce_at IS NOT NULL")


@pytest.mark.parametrize("call", chosen(CALLS))
def test_killed_while_a_request_to_the_store_is_lost_done_or_late(
    system: System, proxy: Proxy, acme: Provider, call: Call
) -> None:
    """One task's request never arrives, the next one's answer never does, the third one's request comes too late.

    A multipart upload of a killed claim stays in the store until a sweep; its claim names it, unless the kill came
    between the store's answer and the note of it.
    """
    system.start_all()
    bucket = {"staging": system.staging, "assets": system.assets}[call.bucket]
    held = Held(proxy, call.method, bucket, call.part)
    bodies = send(system, acme, "good" if call.uploads is None else "large", "lost", "done", "late")
    until(lambda: held.arrived == 3, "all three requests are held")
    until(lambda: begun_uploads_are_named(system, call), "and the uploads that they belong to are noted")
    system.kill(call.service)
    held.killed()
    system.start(call.service)
    until(lambda: system.count("state = 'complete'") == 3, "all three are complete", 90)
    held.late.set()
    until(lambda: held.over, "the late request has come")
    check_sound(system, bodies)
    assert system.rows("SELECT max(tries) FROM tasks") == [(0,)], "a kill charges nothing"
    check_uploads(system, call)


def begun_uploads_are_named(system: System, call: Call) -> bool:
    """Whether the claims name their uploads by now; of one whose beginning is held nobody knows the name."""
    noted = system.rows("SELECT count(upload_id) FROM claims")[0][0]
    return call.uploads is None or call.name == "start of the upload" or noted >= 3


def check_uploads(system: System, call: Call) -> None:
    """Uploads that are left in the store are named by their claims, but for those whose beginning nobody heard of."""
    left = uploads_in(system)
    named = {upload_id for (upload_id,) in system.rows("SELECT upload_id FROM claims WHERE outcome = 'lapsed'")}
    assert len(left) == (call.uploads or 0)
    assert left <= named or call.name == "start of the upload"


def uploads_in(system: System) -> set[str]:
    """The unfinished uploads of the staging bucket, read here as rclone names no namespace in its list."""
    try:
        answer = system.s3._execute("GET", system.staging, query_params={"uploads": ""})
    except MinioException as error:
        assert "NoSuchUpload" in str(error)
        return set()
    return set(re.findall("<UploadId>([^<]+)<", answer.data.decode()))
