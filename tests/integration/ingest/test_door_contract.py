"""Whatever an OpenAPI description of the door lets in or not: every answer is described, and none is a 5xx but 503."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis.checks import content_type_conformance, status_code_conformance

from services.ingest.events import Events
from shared.vault import Vault
from tests.faults.ears import nothing_is_logged
from tests.integration.db.conftest import As
from tests.integration.ingest.doorway import Doorway, entries, open_doorway
from tests.system.conftest import until
from tests.unit.ingest.webhooks.knocking import path

__all__ = ["nothing_is_logged"]

# The pool of connections, in another thread, draws its waits by chance.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
EXAMPLES = 50

TEXT = {"text/plain": {"schema": {"type": "string", "maxLength": 1000}}}
TRIED = {"application/json": {"schema": {"type": "object", "required": ["challenge"]}}}
ANSWERS: dict[str, Any] = {
    "200": {
        "description": "Stored, noted, or the job is asked for; or the value of a challenge.",
        "content": TEXT | TRIED,
    },
    **{
        code: {"description": meaning, "content": TEXT}
        for code, meaning in {
            "400": "Not readable, or malformed.",
            "401": "Not proven.",
            "404": "No such address.",
            "405": "Not POST.",
            "408": "Too slow.",
            "413": "Too large.",
            "415": "Packed.",
            "503": "Come again.",
        }.items()
    },
}
LINK = {"type": "string", "format": "uri"}
RECORD = {
    "type": "object",
    "required": ["id", "status"],
    "properties": {
        "id": {"type": ["string", "integer"]},
        "status": {"enum": ["succeeded", "failed", "moderated", "lost", "running", "odd"]},
        "model": {"type": "string"},
        "challenge": {"type": "string"},
        "outputs": {"anyOf": [{"type": "array", "items": {"properties": {"url": LINK}}}, LINK, {"type": "null"}]},
    },
}
NAMES = ("account", "provider", "provider_account", "token")
DOOR = "/in/{account}/{provider}/{provider_account}/{token}"
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "The webhook door", "version": "1"},
    "paths": {
        DOOR: {
            "post": {
                "parameters": [
                    *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in NAMES),
                    {"name": "X-Signature", "in": "header", "schema": {"type": "string"}},
                    {"name": "Content-Encoding", "in": "header", "schema": {"enum": ["identity", "gzip"]}},
                    {"name": "traceparent", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": {"content": {"application/json": {"schema": RECORD}}},
                "responses": ANSWERS,
            }
        }
    },
}
OPERATION = schemathesis.openapi.from_dict(DESCRIPTION)[DOOR]["POST"]
MODES = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
RIGHT = {provider: dict(zip(NAMES, path(provider).split("/")[2:], strict=True)) for provider in ("acme", "luma2")}


def callings(provider: str | None = None) -> st.SearchStrategy[schemathesis.Case[Any]]:
    """Requests that the description allows, and such that it does not."""
    place = RIGHT[provider] if provider else None
    return st.one_of(*(OPERATION.as_strategy(mode, path_parameters=place) for mode in MODES))


@pytest.fixture
def doorway(as_role: As, vault: Vault, tmp_path: Path) -> Iterator[Doorway]:
    registry = entries(tmp_path)
    database = as_role("ingest")
    opened = open_doorway(database, Events(database, vault, registry, lambda _: None), registry)
    until(lambda: opened.door.problems() == [], "the door is open", 10)
    yield opened
    opened.stop()


def check(doorway: Doorway, case: schemathesis.Case[Any]) -> int:
    """Send a request; its answer must be one that is described."""
    checks = [status_code_conformance, content_type_conformance]
    answer = case.call_and_validate(base_url=f"http://127.0.0.1:{doorway.door.port}", checks=checks, timeout=20)
    assert answer.status_code == 503 or answer.status_code < 500
    return answer.status_code


@pytest.mark.parametrize(
    ("provider", "statuses"), [(None, {404}), ("acme", {400, 401, 415}), ("luma2", {200, 400, 415})]
)
def test_every_request_gets_an_answer_that_is_described(
    doorway: Doorway, provider: str | None, statuses: set[int]
) -> None:
    found: Counter[int] = Counter()

    @settings(max_examples=EXAMPLES)
    @given(callings(provider))
    def ask(case: schemathesis.Case[Any]) -> None:
        found[check(doorway, case)] += 1

    ask()
    assert found.keys() >= statuses - {400, 415}, found
    assert found.keys() <= statuses | {405}, found


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.fixed_dictionaries(
    {
        "id": st.integers() | st.text(max_size=10) | VALUES,
        "status": st.sampled_from(["succeeded", "failed", "lost"]) | VALUES,
    },
    optional={"outputs": VALUES | st.lists(st.fixed_dictionaries({"url": VALUES})), "model": VALUES, "is_bad": VALUES},
)
BODIES = RECORDS.map(lambda found: json.dumps(found).encode()) | st.binary(max_size=200)


@pytest.mark.parametrize("provider", ["acme", "luma2"])
def test_whatever_a_proven_body_holds_it_is_stored_or_refused(doorway: Doorway, provider: str) -> None:
    found: Counter[int] = Counter()

    @settings(max_examples=2 * EXAMPLES)
    @given(BODIES)
    def ask(content: bytes) -> None:
        found[doorway.send(content, provider)[0]] += 1

    ask()
    assert found.keys() == {200, 400}, found
