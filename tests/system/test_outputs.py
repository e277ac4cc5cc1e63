"""Outputs as they come: announced twice, several of a job, good and bad, and in any shape."""

import base64
import io
import json
import random
from collections.abc import Iterator
from functools import partial

import pytest
from PIL import Image

from tests.faults.answers import answer
from tests.system.conftest import System, until
from tests.system.provider import Provider, provider_of, without_link
from tests.system.source import picture


@pytest.fixture
def acme(system: System) -> Iterator[Provider]:
    with provider_of(system) as provider:
        yield provider


def test_fr08_a_second_event_with_another_signature_is_the_same_asset_and_only_extends_its_life(
    system: System,
) -> None:
    system.start("ingest")
    for read, (life, known) in enumerate(((3600, 3600), (7200, 7200), (60, 7200)), 1):
        system.publish(system.event(system.source.link("picture/one", life=life), job="one", kind="image"))
        until(partial(events_are, system, read), "the event is read")
        ((left,),) = system.rows("SELECT extract(epoch FROM url_expires_at - now())::float8 FROM tasks")
        assert left == pytest.approx(known, abs=30)
    for service in ("downloader", "verifier", "promoter"):
        system.start(service)
    until(lambda: system.count("state = 'complete'") == 1, "it is complete")
    system.publish(system.event(system.source.link("picture/one"), job="one", kind="image"))
    until(partial(events_are, system, 4), "a late one is read")
    assert system.count() == len(system.asset_names()) == 1
    assert system.rows("SELECT count(*) FROM claims WHERE stage = 'download'") == [(1,)]


def events_are(system: System, number: int) -> bool:
    return system.rows("SELECT count(*) FROM events") == [(number,)]


def test_fr41_of_several_outputs_the_good_ones_are_captured_and_the_bad_one_says_why(
    system: System, acme: Provider
) -> None:
    """Two of them even have the same bytes."""
    link = system.source.link("picture/same")
    outputs = [{"url": link}, {"code": "DataInspectionFailed", "message": "no"}, {"url": link}, None]
    acme.jobs["four"] = answer(json.dumps({"status": "succeeded", "outputs": outputs}).encode())
    system.start_all()
    with_link = [system.event(link, job="four", output_id=n, provider="acme", kind="image") for n in ("0", "2")]
    system.publish(*with_link, *(without_link(system, "four", n) for n in ("1", "3")))
    until(lambda: system.count("state IN ('complete', 'abandoned', 'needs_attention')") == 4, "all came to their end")
    assert system.rows("SELECT output_id, state, reason FROM tasks ORDER BY output_id") == [
        ("0", "complete", None),
        ("1", "abandoned", "provider_failed"),
        ("2", "complete", None),
        ("3", "needs_attention", "job_record_gone"),
    ]
    said = system.rows("SELECT evidence ->> 'provider_error' FROM claims WHERE reason = 'provider_failed'")
    assert said == [("DataInspectionFailed",)]
    assert len(system.asset_names()) == 2
    assert captured(system) == [picture("same")] * 2


def captured(system: System) -> list[bytes]:
    """The bytes of all assets, by their outputs."""
    rows = system.rows("SELECT durable_uri FROM tasks WHERE state = 'complete' ORDER BY output_id")
    return [system.read(uri) for (uri,) in rows]


def large_picture() -> bytes:
    """A picture of over ten megabytes."""
    buffer = io.BytesIO()
    Image.frombytes("RGB", (1900, 1900), random.Random("large").randbytes(1900 * 1900 * 3)).save(buffer, "PNG")
    return buffer.getvalue()


def test_fr49_outputs_of_any_shape_are_captured_or_refused_and_never_read_from_here(
    system: System, acme: Provider
) -> None:
    large = large_picture()
    assert len(large) > 10**7
    inside = "data:image/png;base64," + base64.b64encode(large).decode()
    shapes = [system.source.link("picture/shape"), "just text", inside, "file:///etc/passwd", "/data/out.mp4", 5]
    acme.jobs["shapes"] = answer(json.dumps({"status": "succeeded", "outputs": shapes}).encode())
    system.start_all()
    system.publish(*(without_link(system, "shapes", str(n)) for n in range(len(shapes))))
    until(lambda: system.count("state IN ('complete', 'needs_attention')") == len(shapes), "all came to their end")
    blocked, gone = "blocked_address", "job_record_gone"
    found = dict(system.rows("SELECT output_id, coalesce(reason, state) FROM tasks"))
    assert found == {"0": "complete", "1": blocked, "2": "complete", "3": blocked, "4": blocked, "5": gone}
    assert captured(system) == [picture("shape"), large]
