"""CloudEvents in both content modes of the AMQP binding."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.messages import OutputReadyEvent, Rejected, binary_headers, read_intake

KIND = "outlast.output.ready"
DATA = {"provider": "p", "job_id": "j", "url": "https://h.example/x?sig=y"}
ATTRIBUTES = {"specversion": "1.0", "id": "e1", "source": "tests", "type": KIND}


def read(body: object, headers: dict[str, Any] | None = None, content_type: str | None = None) -> OutputReadyEvent:
    event = read_intake(
        json.dumps(body).encode(), account="studio", event_type=KIND, headers=headers or {}, content_type=content_type
    )
    assert isinstance(event, OutputReadyEvent)
    return event


@pytest.mark.parametrize("prefix", ["cloudEvents:", "cloudEvents_"])
@pytest.mark.parametrize(
    "content_type", [None, "application/json", "application/json; charset=utf-8", "APPLICATION/JSON"]
)
def test_an_event_in_binary_mode_is_the_same_event(prefix: str, content_type: str | None) -> None:
    headers = {prefix + name: value for name, value in ATTRIBUTES.items()}
    assert read(DATA, headers, content_type) == read({**ATTRIBUTES, "data": DATA})


def test_our_own_headers_are_read_back() -> None:
    headers = binary_headers(ATTRIBUTES)
    assert set(headers) == {f"cloudEvents:{name}" for name in ATTRIBUTES}
    assert read(DATA, headers).id == "e1"


def test_amqps_own_types_are_read_as_their_text() -> None:
    headers = {
        **binary_headers(ATTRIBUTES),
        "cloudEvents:time": datetime(2026, 1, 2, 3, 4, 5),  # noqa: DTZ001
        "cloudEvents:schemaversion": 1,
    }
    assert read(DATA, headers).time == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "content_type", ["application/cloudevents+json", "application/cloudevents+json; charset=UTF-8"]
)
def test_the_content_type_of_structured_mode_wins_over_headers(content_type: str) -> None:
    headers = {f"cloudEvents:{name}": "other" for name in ATTRIBUTES}
    assert read({**ATTRIBUTES, "data": DATA}, headers, content_type).id == "e1"


@pytest.mark.parametrize("content_type", [None, "application/json", "text/plain", "application/octet-stream"])
def test_a_body_without_headers_is_a_whole_event_whatever_its_type_is_called(content_type: str | None) -> None:
    assert read({**ATTRIBUTES, "data": DATA}, {"x-other": "1", "cloudEvents": "1"}, content_type).id == "e1"


@pytest.mark.parametrize(
    ("headers", "content_type"),
    [
        ({}, "application/cloudevents-batch+json"),
        ({}, "application/cloudevents+avro"),
        (binary_headers(ATTRIBUTES), "application/xml"),
        ({**binary_headers(ATTRIBUTES), "cloudEvents_id": "another"}, None),
        ({**binary_headers(ATTRIBUTES), "cloudEvents:id": [1]}, None),
        ({**binary_headers(ATTRIBUTES), "cloudEvents:id": b"\xff"}, None),
    ],
)
def test_what_no_mode_is_is_told(headers: dict[str, Any], content_type: str | None) -> None:
    with pytest.raises(Rejected) as rejected:
        read(DATA, headers, content_type)
    assert rejected.value.reason == "wrong_content"


def test_a_missing_attribute_is_named() -> None:
    headers = binary_headers({name: value for name, value in ATTRIBUTES.items() if name != "source"})
    with pytest.raises(Rejected, match="wrong_schema") as rejected:
        read(DATA, headers)
    assert "source: Field required" in rejected.value.detail
