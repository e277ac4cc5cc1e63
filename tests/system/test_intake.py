"""The intake from outside: the real broker, ingest as a process, and whatever anybody may send there."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pika
import pytest
from pika.exceptions import ChannelClosedByBroker

from shared.messages import EVENTS, MAX_INTAKE_BYTES, Fault, binary_headers
from shared.topology import INTAKE, NOTIFICATIONS, RESULTS
from tests.system.conftest import System, until

CANARY = "CANARY-5d1f"
READY = "studio.outlast.output.ready"


@pytest.fixture
def ingest(system: System) -> System:
    """Only the door is open: nothing is fetched."""
    system.environment["OUTLAST_INPUT_PREFIX"] = "jobs/"
    system.start("ingest")
    return system


def event(kind: str = "outlast.output.ready", *, id: str | None = None, **changes: Any) -> dict[str, Any]:  # noqa: A002
    data = {"provider": "tests", "job_id": "j", "url": f"https://h.example/x?sig={CANARY}"}
    return {"specversion": "1.0", "id": id or uuid4().hex, "source": "tests", "type": kind, "data": data, **changes}


def ready(**data: Any) -> dict[str, Any]:
    whole = event()
    return {**whole, "data": {**whole["data"], **data}}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def created(bucket: str, key: str, **data: Any) -> tuple[str, bytes]:
    kind = "outlast.object.created"
    told = {"bucket": bucket, "key": key, "etag": CANARY}
    return f"studio.{kind}", body(event(kind, data={"object": told, **data}))


def reviewed(**data: Any) -> tuple[str, bytes]:
    kind = "outlast.asset.reviewed"
    return f"studio.{kind}", body(event(kind, data={"verdict": "approved", "reviewed_by": CANARY, **data}))


MALFORMED: list[tuple[str, bytes, str]] = [
    (READY, b"", "not_json"),
    (READY, b"\xff\xfe\x00" + CANARY.encode(), "not_utf8"),
    (READY, b"\xef\xbb\xbf" + body(event()), "not_json"),
    (READY, b'{"id": "' + CANARY.encode(), "not_json"),
    (READY, body([event()]), "wrong_schema"),
    (READY, body(None), "wrong_schema"),
    (READY, b"[" * 200_000, "too_deep"),
    (READY, b'{"a":' * 20 + b"1" + b"}" * 20, "too_deep"),
    (READY, body(event())[:-1] + b', "id": "again"}', "duplicate_name"),
    (READY, body(event())[:-1] + b', "time": NaN}', "bad_number"),
    (READY, body(event())[:-1] + b', "n": ' + b"7" * 9000 + b"}", "bad_number"),
    (READY, body(event(schemaversion=2)), "future_schema"),
    (READY, body(event(dataschema="urn:outlast:outlast.output.ready:2")), "future_schema"),
    (READY, body(event(specversion="0.3")), "wrong_schema"),
    (READY, body(event("outlast.output.failed")), "wrong_schema"),
    (READY, body(ready(sha_256=CANARY)), "wrong_schema"),
    (READY, body(ready(job_id=f"{CANARY}\x00")), "wrong_schema"),
    (READY, body(ready(job_id="\ud800")), "wrong_schema"),
    (READY, body(ready(account="other")), "not_allowed"),
    (READY, body({**event(), "account": "other"}), "not_allowed"),
    (READY, b" " * (MAX_INTAKE_BYTES + 1), "too_large"),
    (READY, b"x" * (20 * 2**20), "too_large"),
    ("studio.outlast.output.done", body(event()), "bad_routing_key"),
    ("Studio.outlast.output.ready", body(event()), "bad_account"),
    (*reviewed(task_id=str(uuid4())), "unknown_task"),
    (*reviewed(task_id=CANARY), "wrong_schema"),
    (*created("elsewhere", "jobs/studio/x"), "not_input"),
    (*created("outlast-input", "studio/x"), "not_input"),
    (*created("outlast-input", "jobs/other/x"), "not_allowed"),
    (*created("outlast-input", "jobs/studio/x", task_id=str(uuid4())), "wrong_schema"),
    (NOTIFICATIONS, b"{", "not_json"),
    (NOTIFICATIONS, body({"Records": CANARY}), "wrong_schema"),
]


def test_fr60_and_fault_13_every_malformed_message_is_told_what_to_mend_and_the_reader_lives(ingest: System) -> None:
    ingest.publish(*((key, content) for key, content, _ in MALFORMED))
    # One that is right in everything but its id, after one that was stored.
    ingest.publish((READY, body(event(id="twice"))), (READY, body({**ready(output_id="7"), "id": "twice"})))
    until(lambda: ingest.count() == 1, "the good event is a task")
    words = sorted([reason for *_, reason in MALFORMED] + ["id_conflict"])
    until(lambda: _rejected(ingest) == words, "every other one is a rejection of its own")
    found = _announced(ingest, len(words))
    assert sorted(data["reason"] for data in found) == words
    assert all(data["detail"] for data in found)
    assert {Fault(word) for word in words} == set(Fault) - {Fault.WRONG_CONTENT, Fault.REDELIVERED, Fault.UNSTORABLE}
    for place in (str(found), ingest.log("ingest"), str(ingest.rows("SELECT * FROM rejected_events"))):
        assert CANARY not in place
    assert ingest.rows("SELECT count(*) FROM redeliveries") == [(0,)]


def _rejected(system: System) -> list[str]:
    return sorted(row[0] for row in system.rows("SELECT reason FROM rejected_events"))


def _announced(system: System, number: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def enough() -> bool:
        found.extend(json.loads(content)["data"] for _, content in system.messages(RESULTS))
        return len(found) >= number

    until(enough, "all rejections are announced")
    return found


def test_another_accounts_routing_key_is_refused_by_the_broker(
    ingest: System, management: Callable[..., Any], servers: dict[str, Any]
) -> None:
    vhost = ingest.amqp_url.rpartition("/")[2]
    user = f"producer-{uuid4().hex}"
    management("PUT", f"users/{user}", {"password": "p", "tags": ""})
    try:
        management("PUT", f"permissions/{vhost}/{user}", {"configure": "^$", "write": f"^{INTAKE}$", "read": "^$"})
        allowed = {"exchange": INTAKE, "write": r"^studio\.", "read": "^$"}
        management("PUT", f"topic-permissions/{vhost}/{user}", allowed)
        server = servers["rabbitmq"]
        url = f"amqp://{user}:p@{server['host']}:{server['port']}/{quote(vhost, safe='')}"
        for key in ("other.outlast.output.ready", "studio2.outlast.output.ready", NOTIFICATIONS):
            with pytest.raises(ChannelClosedByBroker) as closed:
                _publish(url, key, body(event()))
            assert closed.value.reply_code == 403
        _publish(url, READY, body(event()))
        until(lambda: ingest.count("account = 'studio'") == 1, "its own account's event is a task")
        assert ingest.count() == 1
    finally:
        management("DELETE", f"users/{user}")


def _publish(url: str, key: str, content: bytes, properties: pika.BasicProperties | None = None) -> None:
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_publish(INTAKE, key, content, properties, mandatory=True)


def test_an_event_in_binary_mode_is_taken_as_any_other(ingest: System) -> None:
    for number, prefix in enumerate(("cloudEvents:", "cloudEvents_")):
        whole = ready(job_id=f"binary-{number}")
        data = whole.pop("data")
        headers = {name.replace("cloudEvents:", prefix): value for name, value in binary_headers(whole).items()}
        properties = pika.BasicProperties(headers=headers, content_type="application/json")
        _publish(ingest.amqp_url, READY, body(data), properties)
    structured = pika.BasicProperties(content_type="application/cloudevents+json")
    _publish(ingest.amqp_url, READY, body(ready(job_id="structured")), structured)
    until(lambda: ingest.count("state = 'output_ready'") == 3, "all three are tasks")
    batch = pika.BasicProperties(content_type="application/cloudevents-batch+json")
    _publish(ingest.amqp_url, READY, body([ready()]), batch)
    until(lambda: _rejected(ingest) == ["wrong_content"], "a batch is refused")


def test_every_type_of_event_is_read_from_the_queue(ingest: System) -> None:
    job = {"provider": "tests", "job_id": "types"}
    ingest.publish(("studio.outlast.generation.started", body(event("outlast.generation.started", data=job))))
    until(lambda: ingest.count("state = 'generating'") == 1, "a job is waited for")
    ingest.publish(
        ("studio.outlast.output.failed", body(event("outlast.output.failed", data={**job, "failure": "filtered"})))
    )
    until(lambda: ingest.count("reason = 'provider_filtered'") == 1, "its failure is known")
    ingest.publish((READY, body(ready(job_id="types"))))
    until(lambda: ingest.count("state = 'output_ready'") == 1, "its output all the same")
    [(task_id,)] = ingest.rows("SELECT task_id FROM tasks")
    verdict = {"task_id": str(task_id), "verdict": "approved", "reviewed_by": "kim"}
    ingest.publish(("studio.outlast.asset.reviewed", body(event("outlast.asset.reviewed", data=verdict))))
    until(lambda: ingest.rows("SELECT verdict FROM reviews") == [("approved",)], "the verdict is kept")
    told = {"object": {"bucket": "outlast-input", "key": "jobs/studio/a", "version_id": "1"}}
    ingest.publish(("studio.outlast.object.created", body(event("outlast.object.created", data=told))))
    until(lambda: ingest.count("provider = 'object'") == 1, "an object is a task")
    assert {name for (name,) in ingest.rows("SELECT type FROM events")} == set(EVENTS)


def test_notifications_in_three_dialects_wait_for_their_envelopes_and_our_own_objects_start_nothing(
    ingest: System,
) -> None:
    def record(bucket: str, key: str, source: str = "ceph:s3") -> dict[str, Any]:
        told = {"bucket": {"name": bucket}, "object": {"key": key, "eTag": "e", "versionId": "1", "size": 1}}
        return {"eventSource": source, "eventName": "ObjectCreated:Put", ("oss" if source == "acs:oss" else "s3"): told}

    ours = [("staging", "staging/x/1"), ("assets", "video/studio/x"), ("output", "output/x")]
    ingest.publish(
        (NOTIFICATIONS, body({"Records": [record("outlast-input", "jobs/studio/a b", "ceph:s3")]})),
        (NOTIFICATIONS, body({"Records": [record("outlast-input", "jobs%2Fstudio%2Fc+d", "minio:s3")]})),
        (NOTIFICATIONS, body({"events": [record("outlast-input", "jobs/studio/e f", "acs:oss")]})),
        (NOTIFICATIONS, body({"Records": [record(f"outlast-{bucket}", key) for bucket, key in ours]})),
        (NOTIFICATIONS, body({"Records": [record("outlast-input", "studio/beside the prefix")]})),
    )
    until(lambda: ingest.count("state = 'generating'") == 3, "three objects wait")
    until(
        lambda: 'outlast_events_total{outcome="ignored"} 4.0' in ingest.http("ingest", "/metrics")[1],
        "four are counted",
    )
    told = {"object": {"bucket": "outlast-input", "key": "jobs/studio/c d", "version_id": "1"}, "kind": "pdf"}
    ingest.publish(("studio.outlast.object.created", body(event("outlast.object.created", data=told))))
    until(lambda: ingest.count("state = 'output_ready' AND promised_kind = 'pdf'") == 1, "one has its envelope")
    assert ingest.count() == 3
    assert _rejected(ingest) == []


def test_ingest_refuses_a_configuration_in_which_its_own_work_would_start_more(system: System) -> None:
    system.environment["OUTLAST_INPUT_BUCKET"] = system.assets
    name = system._launch("ingest", "ingest", {})
    assert system.processes[name].wait(30) == 2
    assert "Give the input a bucket or a prefix of its own" in system.log(name)
