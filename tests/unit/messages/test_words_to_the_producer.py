"""A rejection tells its producer what to mend, in words that hold nothing of the body."""

import json
from typing import Any

import pytest

from shared.messages import EVENTS, Rejected, read_intake

CANARY = "CANARY-f81c"


def event(kind: str = "outlast.output.ready", **changes: Any) -> dict[str, Any]:
    return {"specversion": "1.0", "id": "e1", "source": "tests", "type": kind, **changes}


def ready(**data: Any) -> dict[str, Any]:
    return event(data={"provider": "p", "job_id": "j", **data})


def told(value: object, *, kind: str = "outlast.output.ready") -> str:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    with pytest.raises(Rejected) as rejected:
        read_intake(body, account="studio", event_type=kind)
    assert CANARY not in rejected.value.detail
    assert len(rejected.value.detail) < 2000
    return f"{rejected.value.reason}: {rejected.value.detail}"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ready(sha_256="x"), "data.(unknown field; did you mean sha256?): Extra inputs are not permitted"),
        (ready(jobid="x"), "did you mean job_id?"),
        (ready(**{CANARY: 1}), "data.(unknown field): Extra inputs"),
        (event(data={"provider": "p"}), "data.job_id: Field required"),
        (event(), "data: Field required"),
        (
            event(schemaversion=2),
            "schema version 2 of outlast.output.ready is not understood here; this release understands 1",
        ),
        (event(dataschema="urn:outlast:outlast.output.ready:3"), "schema version 3 of outlast.output.ready"),
        (event(schemaversion=CANARY), "schemaversion: a whole number from 1 is wanted"),
        (event("outlast.output.failed"), "type: the routing key says outlast.output.ready"),
        (event(CANARY), "type: the routing key says outlast.output.ready"),
        ([1], "event: the body must be one JSON object"),
        (b"", "not_json: the body is empty"),
        (b'{"id": }', "not_json: the body is not JSON at line 1, column 8"),
        (b'{"id": "a", "id": "b"}', "duplicate_name: id stands twice in one object; give each name once"),
        (f'{{"{CANARY}": 1, "{CANARY}": 1}}'.encode(), "duplicate_name: a name stands twice"),
        (b"\xef\xbb\xbf{}", "byte order mark; send UTF-8 without one"),
        (b'{"a": Infinity}', "bad_number: NaN and Infinity are no JSON; leave such a value out"),
        (b'{"a": 1e400}', "bad_number: a number is out of range"),
        (b" " * 300_000, "too_large: the body has 300000 bytes; the limit is 262144"),
        (ready(account=CANARY), "not_allowed: account: the event names another account than its routing key"),
        ({**ready(), "account": "other"}, "which speaks for studio"),
        (ready(account={"a": CANARY}), "not_allowed"),
        (ready(provenance={"prompt": "a", "prompt_sha256": "0" * 64}), "give either prompt or prompt_sha256"),
        (ready(provenance={"prompt": "x" * 40_000}), "data.provenance.prompt: String should have at most 32768"),
        (ready(provenance={"parameters": {"a": "x" * 20_000}}), "at most 16384 bytes of UTF-8 are allowed"),
        (ready(provenance={"parameters": {"a": [0] * 600}}), "at most 512 values are allowed"),
        (ready(provenance={"parameters": {"a": [[[[[[1]]]]]]}}), "at most 6 levels are allowed"),
        (ready(provenance={"parameters": {"a": 2**63}}), "a number is out of range"),
        (ready(provenance={"parameters": {"a": "\x00"}}), "control characters are not allowed"),
        (ready(provenance={"source_sha256": ["0" * 64] * 65}), "data.provenance.source_sha256"),
        (ready(derived_from=["ffff9679-95ca-56e3-bc90-372edc256a4a"] * 65), "data.derived_from"),
    ],
)
def test_what_is_wrong_is_told_by_name_and_limit(value: object, words: str) -> None:
    assert words in told(value)


def test_a_body_of_a_hundred_faults_is_told_in_bounded_words() -> None:
    assert "and 92 more" in told(ready(**{f"{CANARY}-{n}": 1 for n in range(100)}))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "data.object: Field required"),
        ({"object": {"bucket": "b1", "key": "studio/x"}}, "version_id or etag is required"),
        ({"object": {"bucket": "b1", "key": "studio/x", "etag": "e", "size": 1}, "expected": {"size": 2}}, "differ"),
        ({"object": {"bucket": "b1", "key": "x" * 1100, "etag": "e"}}, "data.object.key"),
        ({"object": {"bucket": CANARY + "/x", "key": "x", "etag": "e"}}, "data.object.bucket"),
    ],
)
def test_what_is_wrong_with_an_object_is_told_too(data: dict[str, Any], words: str) -> None:
    kind = "outlast.object.created"
    assert words in told(event(kind, data=data), kind=kind)


@pytest.mark.parametrize("kind", EVENTS)
def test_a_future_version_of_any_type_is_told_as_such_whatever_its_fields_are(kind: str) -> None:
    assert told(event(kind, schemaversion=9, data={CANARY: 1}), kind=kind).startswith("future_schema")
