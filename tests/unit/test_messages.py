"""The intake contract: what is read, what is refused, and that a refusal holds no input."""

import json
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.messages import MAX_INTAKE_BYTES, Rejected, task_id_of
from tests.events import read_ready

CANARY = "CANARY-f81c"


def event(**data: object) -> dict[str, object]:
    return {
        "specversion": "1.0",
        "id": "e1",
        "source": "tests",
        "type": "outlast.output.ready",
        "data": {"provider": "p", "job_id": "j", "url": f"https://h.example/x?sig={CANARY}", **data},
    }


def refused(body: bytes) -> Rejected:
    with pytest.raises(Rejected) as caught:
        read_ready(body)
    assert CANARY not in caught.value.detail + caught.value.reason
    assert caught.value.__cause__ is None
    return caught.value


def test_a_plain_event_is_read_and_its_link_is_masked_when_printed() -> None:
    read = read_ready(json.dumps(event()).encode())
    assert read.data.link == f"https://h.example/x?sig={CANARY}"
    assert CANARY not in repr(read)
    assert CANARY not in str(read.data)


def test_further_cloudevents_attributes_are_ignored() -> None:
    assert read_ready(json.dumps({**event(), "dataschema": "x", "myext": 1}).encode()).id == "e1"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not_json"),
        (b"\xff\xfe{}", "not_utf8"),
        (b"{", "not_json"),
        (f'{{"url": "{CANARY}'.encode(), "not_json"),
        (b"[" * 100_000, "too_deep"),
        (b"[" * 100_000 + b"]" * 100_000, "too_deep"),
        (b"\xef\xbb\xbf" + json.dumps(event()).encode(), "not_json"),
        (json.dumps(event()).encode("utf-16"), "not_utf8"),
        (f'{{"id": "{CANARY}", "id": "x"}}'.encode(), "duplicate_name"),
        (f'{{"data": {{"{CANARY}": 1, "{CANARY}": 2}}}}'.encode(), "duplicate_name"),
        (b'{"data": NaN}', "bad_number"),
        (b'{"data": -Infinity}', "bad_number"),
        (b'{"data": 1e999}', "bad_number"),
        (b'{"data": ' + b"9" * 5000 + b"}", "bad_number"),
        (b'{"data": 0.' + b"3" * 5000 + b"}", "bad_number"),
        (json.dumps(event(expected={"size": 2**63})).encode(), "wrong_schema"),
        (json.dumps(event(expected={"width": 10**30})).encode(), "wrong_schema"),
        (json.dumps({**event(), "schemaversion": 2}).encode(), "future_schema"),
        (json.dumps({**event(), "schemaversion": "2"}).encode(), "future_schema"),
        (json.dumps({**event(), "schemaversion": CANARY}).encode(), "wrong_schema"),
        (json.dumps({**event(), "dataschema": "urn:outlast:outlast.output.ready:7"}).encode(), "future_schema"),
        (json.dumps({**event(), "type": "outlast.output.failed"}).encode(), "wrong_schema"),
        (b"[]", "wrong_schema"),
        (b"null", "wrong_schema"),
        (b'"text"', "wrong_schema"),
        (b" " * (MAX_INTAKE_BYTES + 1), "too_large"),
        (json.dumps({**event(), "specversion": "2.0"}).encode(), "wrong_schema"),
        (json.dumps({**event(), "type": CANARY}).encode(), "wrong_schema"),
        (json.dumps({**event(), "id": ""}).encode(), "wrong_schema"),
        (json.dumps(event(url=7)).encode(), "wrong_schema"),
        (json.dumps(event(job_id=None)).encode(), "wrong_schema"),
        (json.dumps(event(job_id="a\nb")).encode(), "wrong_schema"),
        (json.dumps(event(job_id="a\x00b")).encode(), "wrong_schema"),
        (json.dumps(event(kind="hologram")).encode(), "wrong_schema"),
        (json.dumps(event(url_expires_at="tomorrow")).encode(), "wrong_schema"),
        (json.dumps(event(url_expires_at="2026-01-01T00:00:00")).encode(), "wrong_schema"),
        (json.dumps(event(expected={"sha256": CANARY})).encode(), "wrong_schema"),
        (json.dumps(event(expected={"size": -1})).encode(), "wrong_schema"),
        (json.dumps(event(**{CANARY: 1})).encode(), "wrong_schema"),
        (json.dumps(event(job_id="\ud800")).encode(), "wrong_schema"),
        (json.dumps(event(url="https://h.example/\ud800")).encode(), "wrong_schema"),
        (json.dumps(event(job_id="\u00e9" * 300)).encode(), "wrong_schema"),
        (json.dumps(event(ready_at="0001-01-01T00:00:00+14:00")).encode(), "wrong_schema"),
        (json.dumps(event(ready_at="9999-12-31T23:59:59-14:00")).encode(), "wrong_schema"),
    ],
)
def test_what_is_no_event_is_refused_by_a_word_and_without_its_content(body: bytes, reason: str) -> None:
    assert refused(body).reason == reason


@given(st.binary(max_size=300))
def test_rubbish_is_refused_and_never_raises_anything_else(body: bytes) -> None:
    refused(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


@given(
    st.dictionaries(st.sampled_from(["provider", "job_id", "url", "kind", "expected", "ready_at", "x"]), json_values)
)
def test_any_data_is_read_or_refused(data: dict[str, object]) -> None:
    body = json.dumps({**event(), "data": data}).encode()
    try:
        read_ready(body)
    except Rejected as rejected:
        assert rejected.reason in {"wrong_schema", "not_json", "bad_number", "too_deep"}


def test_the_task_id_depends_on_the_output_and_not_on_its_link() -> None:
    first = read_ready(json.dumps(event()).encode()).data
    again = read_ready(json.dumps(event(url="https://h.example/x?sig=other")).encode()).data
    other = read_ready(json.dumps(event(output_id="1")).encode()).data
    assert task_id_of("a", first) == task_id_of("a", again)
    assert len({task_id_of("a", first), task_id_of("b", first), task_id_of("a", other)}) == 3


def test_the_task_id_of_an_output_never_changes_between_releases() -> None:
    data = read_ready(json.dumps(event()).encode()).data
    assert task_id_of("studio", data) == UUID("ffff9679-95ca-56e3-bc90-372edc256a4a")
