"""The published files are what the code does."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from outlast.contract.__main__ import files
from outlast.contract.asyncapi import document
from outlast.contract.schemas import schemas
from shared.messages import ANNOUNCEMENTS, EVENTS
from shared.topology import EXCHANGES, INTAKE, NOTIFICATIONS, RESULTS, Announcement, intake_key, results_key
from tests.conftest import ROOT

CONTRACT = ROOT / "docs/contract"


@pytest.mark.parametrize("path", files())
def test_a_committed_file_is_what_the_code_generates(path: str) -> None:
    assert (CONTRACT / path).read_text(encoding="utf-8") == files()[path], "run `make contract`"


def test_no_schema_of_a_message_that_is_gone_is_published() -> None:
    assert {f"schemas/{path.name}" for path in (CONTRACT / "schemas").iterdir()} == set(files()) - {"asyncapi.json"}


def test_every_message_of_both_edges_has_a_channel_with_its_routing_key() -> None:
    found = {
        (channel["bindings"]["amqp"]["exchange"]["name"], channel["address"].replace("{account}", "studio"))
        for channel in document()["channels"].values()
    }
    assert {(INTAKE, intake_key("studio", name)) for name in EVENTS} <= found
    assert {(RESULTS, results_key(word, "studio")) for word in Announcement} <= found
    assert (INTAKE, NOTIFICATIONS) in found
    assert {exchange for exchange, _ in found} == {exchange.name for exchange in EXCHANGES}


def test_every_announcement_has_its_schema() -> None:
    assert {f"outlast.{word}" for word in Announcement} == set(ANNOUNCEMENTS)


@pytest.mark.parametrize("name", [*schemas(), "asyncapi.json"])
def test_every_reference_leads_somewhere(name: str) -> None:
    whole = document() if name == "asyncapi.json" else schemas()[name]
    for reference in _references(whole):
        if reference.startswith("./"):
            assert json.loads((CONTRACT / reference).read_text())["$id"]
        else:
            found: Any = whole
            for part in reference.removeprefix("#/").split("/"):
                found = found[part]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references(item)


@pytest.mark.parametrize("name", EVENTS)
def test_no_text_list_or_number_of_an_event_is_without_a_bound(name: str) -> None:
    definitions = {**schemas()[name]["definitions"], "event": schemas()[name]}
    for of, definition in definitions.items():
        for field, schema in definition.get("properties", {}).items():
            for kind in schema.get("anyOf", [schema]):
                assert _bounded(field, kind), f"{of}.{field}"


def _bounded(field: str, schema: dict[str, Any]) -> bool:
    # A link is as long as the body lets it be, and parameters have bounds of their own.
    if field in ("url", "dataschema", "parameters") or {"const", "enum", "$ref", "format", "pattern"} & set(schema):
        return True
    bound = {"string": "maxLength", "array": "maxItems", "integer": "maximum", "number": "maximum"}
    return schema["type"] in ("null", "boolean") or bound[schema["type"]] in schema


def test_the_policy_names_the_version_that_is_read() -> None:
    text = (CONTRACT / "README.md").read_text(encoding="utf-8")
    assert f"reads version {document()['info']['version'].split('.')[0]}" in text
