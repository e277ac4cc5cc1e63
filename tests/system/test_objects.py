"""Events of every kind through all services: objects as sources, events out of order, and what is announced."""

import io
import json
from hashlib import sha256
from typing import Any
from uuid import uuid4

import pika

from outlast.asset import Asset
from shared.messages import AssetComplete, object_key, task_id_from
from tests.media.documents import pdf
from tests.system.conftest import System, until
from tests.system.source import picture


def put(system: System, key: str, body: bytes) -> dict[str, Any]:
    """Put an object into the input; its reference as an envelope names it."""
    bucket = system.environment["OUTLAST_INPUT_BUCKET"]
    system.s3.put_object(bucket, key, io.BytesIO(body), len(body))
    return {"bucket": bucket, "key": key, "etag": system.s3.stat_object(bucket, key).etag}


def with_input(system: System) -> System:
    bucket = f"{uuid4().hex[:12]}-input"
    system.s3.make_bucket(bucket)
    system.environment["OUTLAST_INPUT_BUCKET"] = bucket
    return system


def say(system: System, kind: str, data: dict[str, Any], account: str = "studio") -> None:
    event = {"specversion": "1.0", "id": uuid4().hex, "source": "tests", "type": f"outlast.{kind}", "data": data}
    system.publish((f"{account}.outlast.{kind}", json.dumps(event).encode()))


def announced(system: System) -> list[dict[str, Any]]:
    return [json.loads(body)["data"] for key, body in system.messages("outlast.results") if "asset" in key]


def test_an_object_with_its_envelope_becomes_an_asset_and_its_announcement_tells_all_of_it(system: System) -> None:
    with_input(system).start_all()
    body = pdf(2)
    told = put(system, "studio/scans/in put.pdf", body)
    source = "ffff9679-95ca-56e3-bc90-372edc256a4a"
    provenance = {"prompt": "a poem", "model": "writer-2", "source_sha256": ["0" * 64], "rights": "our own text"}
    described = {"operation_id": "op-7", "attempt_id": "2", "variant": "print", "retention_class": "derivative"}
    say(
        system,
        "object.created",
        {
            "object": {**told, "size": len(body), "sha256": sha256(body).hexdigest()},
            "processor_version": "ocr/2",
            "kind": "pdf",
            "expected": {"pages": 2},
            "derived_from": [source],
            "provenance": provenance,
            **described,
        },
    )
    until(lambda: system.count("state = 'complete'") == 1, "the object is captured")
    until(lambda: system.count("announced_at IS NOT NULL") == 1, "and announced")
    [data] = announced(system)
    whole = AssetComplete.model_validate(data)
    assert system.read(whole.uri) == body
    assert str(whole.task_id) == str(
        task_id_from(object_key("studio", told["bucket"], told["key"], told["etag"], "ocr/2"))
    )
    assert {name: data[name] for name in described} == described
    assert (data["kind"], data["processor_version"], data["derived_from"]) == ("pdf", "ocr/2", [source])
    assert data["provenance"] == {**provenance, "prompt_sha256": sha256(b"a poem").hexdigest()}
    assert data["flags"] == {"active_content": False, "contains": [], "review": None}
    assert (data["media"]["pages"], data["object"]["size"], data["object"]["version_id"]) == (2, len(body), None)
    assert Asset.from_message(json.dumps({"data": data}).encode()).sha256 == sha256(body).hexdigest()
    # A verdict announces nothing, and goes along with whatever is announced later.
    say(system, "asset.reviewed", {"task_id": data["task_id"], "verdict": "approved", "reviewed_by": "kim"})
    until(lambda: system.rows("SELECT count(*) FROM reviews") == [(1,)], "the verdict is kept")
    assert announced(system) == []
    say(system, "object.created", {"object": told, "processor_version": "ocr/2"})
    until(
        lambda: bool(again := announced(system)) and again[0]["flags"]["review"]["reviewed_by"] == "kim", "told again"
    )


def test_an_object_that_was_overwritten_before_it_was_read_is_not_taken_for_its_successor(system: System) -> None:
    """Without versions nothing keeps the first bytes: they are gone, and that is said."""
    with_input(system)
    system.start("ingest")
    told = put(system, "studio/a.png", picture("first"))
    say(system, "object.created", {"object": told, "kind": "image"})
    until(lambda: system.count() == 1, "the object is known")
    second = put(system, "studio/a.png", picture("second"))
    for service in ("downloader", "verifier", "promoter"):
        system.start(service)
    until(lambda: system.count("state = 'needs_attention'") == 1, "the first is given up")
    assert system.rows("SELECT reason FROM tasks") == [("source_gone",)]
    say(system, "object.created", {"object": second, "kind": "image"})
    until(lambda: system.count("state = 'complete'") == 1, "the second is a task of its own")


def test_fr44_events_out_of_order_lose_nothing_and_a_late_failure_is_visible(system: System) -> None:
    system.start_all()
    job = {"provider": "tests", "job_id": "job-1"}
    url = system.source.link("picture/one")
    say(system, "output.failed", {**job, "output_id": "0", "message": "first"})
    until(lambda: system.count("state = 'abandoned'") == 1, "it failed")
    say(system, "output.ready", {**job, "url": url, "kind": "image"})
    say(system, "generation.started", job)
    until(lambda: system.count("state = 'complete'") == 1, "it is captured all the same")
    say(system, "output.failed", {**job, "output_id": "0", "message": "late"})
    until(lambda: system.rows("SELECT count(*) FROM history WHERE act = 'conflict'") == [(1,)], "the conflict is kept")
    assert system.rows("SELECT state, reason FROM tasks") == [("complete", None)]
    assert system.rows("SELECT reason, detail FROM history WHERE act = 'conflict'") == [
        ("provider_failed", {"message": "late"})
    ]
    assert len(system.asset_names()) == 1


def test_case_12_to_15_hints_of_any_kind_and_order_change_nothing_but_the_moment(system: System) -> None:
    system.start_all()
    task_id = str(uuid4())
    forged = [b"", b"\xff", b"{", b"[1]", b"x" * (10 * 2**20), json.dumps({"task_id": task_id, "schema": 99}).encode()]
    forged += [json.dumps({"task_id": "no id", "object": {"key": "../../etc"}, "schema": 1}).encode()]
    _hint(system, [(stage, body) for stage in ("promote", "verify", "download") for body in forged])
    say(system, "output.ready", {"provider": "tests", "job_id": "j", "url": system.source.link("picture/one")})
    until(lambda: system.count() == 1, "the task is there")
    [(task_id,)] = system.rows("SELECT task_id::text FROM tasks")
    hint = json.dumps({"task_id": task_id, "object": None, "schema": 1}).encode()
    _hint(system, [(stage, hint) for _ in range(100) for stage in ("verify", "promote", "download")])
    until(lambda: system.count("state = 'complete'") == 1, "it is captured")
    assert system.rows("SELECT stage, count(*) FROM claims GROUP BY 1 ORDER BY 1") == [
        ("download", 1),
        ("promote", 1),
        ("verify", 1),
    ]
    until(lambda: _waiting(system) == [0, 0, 0], "no hint is left")
    for service in ("downloader", "verifier", "promoter"):
        assert '"level": "error"' not in system.log(service)
        assert system.http(service, "/readyz")[0] == 200


def _hint(system: System, hints: list[tuple[str, bytes]]) -> None:
    with pika.BlockingConnection(pika.URLParameters(system.amqp_url)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        for stage, body in hints:
            channel.basic_publish("outlast.tasks", stage, body, mandatory=True)


def _waiting(system: System) -> list[int]:
    with pika.BlockingConnection(pika.URLParameters(system.amqp_url)) as connection:
        channel = connection.channel()
        queues = [
            channel.queue_declare(f"outlast.{stage}", passive=True) for stage in ("download", "verify", "promote")
        ]
        return [queue.method.message_count for queue in queues]
