"""Objects of the input, told of by the store itself, end to end."""

import json
from typing import Any
from uuid import uuid4

from tests.rgw.conftest import Notifying, put
from tests.system.conftest import SERVICES, System, until
from tests.system.source import picture

KEY = "jobs/studio/t 1/in put+100%25.png"


def envelope(system: System, told: dict[str, Any]) -> None:
    kind = "outlast.object.created"
    data = {"object": told, "kind": "image", "operation_id": "op-7"}
    event = {"specversion": "1.0", "id": uuid4().hex, "source": "tests", "type": kind, "data": data}
    system.publish((f"studio.{kind}", json.dumps(event).encode()))


def test_an_object_that_is_overwritten_at_once_is_captured_by_its_first_version(notifying: Notifying) -> None:
    system, bucket = notifying.system, notifying.input
    system.start("ingest", OUTLAST_ENVELOPE_SECONDS="20")
    first = put(system.s3, bucket, KEY, picture("first"))
    second = put(system.s3, bucket, KEY, picture("second"))
    until(lambda: system.count("state = 'generating'") == 2, "the store told of both versions")
    assert {row[0] for row in system.rows("SELECT object ->> 'version_id' FROM tasks")} == {first, second}
    assert system.rows("SELECT DISTINCT account, job_id FROM tasks") == [("studio", KEY)]
    envelope(system, {"bucket": bucket, "key": KEY, "version_id": first})
    until(lambda: system.count("state = 'output_ready'") == 1, "the first has its envelope")
    for service in SERVICES[1:]:
        system.start(service)
    until(lambda: system.count("state = 'complete'") == 1, "the first is captured")
    [(uri,)] = system.rows("SELECT durable_uri FROM tasks WHERE state = 'complete'")
    assert system.read(uri) == picture("first")
    until(lambda: system.count("announced_at IS NOT NULL AND state = 'complete'") == 1, "and announced")
    [data] = [json.loads(body)["data"] for key, body in system.messages("outlast.results") if "complete" in key]
    versions = {row[0] for row in system.rows("SELECT version_id FROM assets")}
    assert data["object"]["version_id"] in versions
    until(lambda: system.count("reason = 'no_envelope'") == 1, "nobody said what the second is")


def test_an_envelope_that_knows_the_etag_alone_meets_the_stores_word_of_the_version(notifying: Notifying) -> None:
    system, bucket = notifying.system, notifying.input
    system.start("ingest")
    first = put(system.s3, bucket, KEY, picture("first"))
    etag = str(system.s3.stat_object(bucket, KEY).etag)
    envelope(system, {"bucket": bucket, "key": KEY, "etag": f'"{etag}"'})
    until(lambda: system.rows("SELECT count(*) FROM events") == [(2,)], "envelope and notification are in")
    put(system.s3, bucket, KEY, picture("second"))
    assert system.rows("SELECT object ->> 'version_id' FROM tasks WHERE state = 'output_ready'") == [(first,)]
    for service in SERVICES[1:]:
        system.start(service)
    until(lambda: system.count("state = 'complete'") == 1, "it is captured")
    [(uri,)] = system.rows("SELECT durable_uri FROM tasks WHERE state = 'complete'")
    assert system.read(uri) == picture("first")


def test_a_version_that_is_gone_is_said_to_be_gone(notifying: Notifying) -> None:
    system, bucket = notifying.system, notifying.input
    system.start("ingest")
    first = put(system.s3, bucket, KEY, picture("first"))
    put(system.s3, bucket, KEY, picture("second"))
    system.s3.remove_object(bucket, KEY, version_id=first)
    envelope(system, {"bucket": bucket, "key": KEY, "version_id": first})
    for service in SERVICES[1:]:
        system.start(service)
    until(lambda: system.count("reason = 'source_gone'") == 1, "the first is gone")


def test_three_outputs_that_are_written_beside_the_input_start_nothing(notifying: Notifying) -> None:
    system, bucket = notifying.system, notifying.input
    system.start("ingest")
    for key in ("output/x/poster.jpg", "video/studio/a.mp4", "staging/x/1-y"):
        put(system.s3, bucket, key, picture(key))
    ignored = 'outlast_events_total{outcome="ignored"} 3.0'
    until(lambda: ignored in system.http("ingest", "/metrics")[1], "the store told of all three")
    put(system.s3, bucket, KEY, picture("input"))
    until(lambda: system.count("state = 'generating'") == 1, "what is input waits for its envelope")
    assert system.count() == 1
