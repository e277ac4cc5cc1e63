"""Events from JSON: what they are called, and what is refused before anything is sent."""

import json
from typing import Any
from uuid import UUID

import pytest

from outlast.cli.events import event_from
from outlast.publish import event_body
from shared.messages import MAX_INTAKE_BYTES, OutputFailedEvent, Rejected
from tests.events import read_ready

CANARY = "CANARY-5eed"
LINK = f"https://cdn.example/out.mp4?sig={CANARY}"
DATA: dict[str, Any] = {"provider": "acme", "job_id": "job-42", "url": LINK}


def named(data: dict[str, Any], account: str = "studio", **options: str) -> str:
    return event_from(json.dumps(data).encode(), account=account, **options).id


def test_the_same_content_is_the_same_event_however_it_is_written() -> None:
    first = named(DATA)
    assert UUID(first).version == 5
    for same in (
        dict(reversed(DATA.items())),
        {**DATA, "output_id": "0", "attempt_id": "1", "kind": None, "expected": {}},
        {**DATA, "account": "studio"},
    ):
        assert named(same) == first


def test_another_account_type_output_or_link_is_another_event() -> None:
    failed = {"provider": "acme", "job_id": "job-42"}
    ids = [
        named(DATA),
        named(DATA, account="other"),
        named({**DATA, "output_id": "1"}),
        named({**DATA, "url": LINK + "&fresh"}),
        named({**DATA, "kind": "video"}),
        named({**DATA, "expected": {"size": 7}}),
        named(failed),
        named(failed, event_type="outlast.output.failed"),
        named(failed, event_type="outlast.generation.started"),
    ]
    assert len(set(ids)) == len(ids)


def test_an_id_never_changes_from_one_release_to_the_next() -> None:
    assert named(DATA) == "647c5def-883e-576a-9a84-97e7f772ff3c"


def test_data_alone_is_the_event_that_the_intake_reads() -> None:
    event = event_from(json.dumps(DATA).encode(), account="studio")
    read = read_ready(event_body(event))
    assert (read.id, read.source, read.data.link) == (event.id, "outlast.cli", LINK)
    assert read.time is not None


def test_an_envelope_keeps_its_id_source_and_type() -> None:
    whole = {"specversion": "1.0", "id": "mine", "source": "acme", "type": "outlast.output.failed"}
    event = event_from(json.dumps({**whole, "data": {"provider": "acme", "job_id": "j"}}).encode(), account="studio")
    assert isinstance(event, OutputFailedEvent)
    assert (event.id, event.source) == ("mine", "acme")


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        (f"{CANARY} {LINK}", "not_json", "line 1, column 1"),
        (f'["{CANARY}"]', "wrong_schema", "one JSON object"),
        (json.dumps({"provider": CANARY}), "wrong_schema", "data.job_id: Field required"),
        (json.dumps({**DATA, "sha_256": CANARY}), "wrong_schema", "did you mean sha256"),
        (json.dumps({**DATA, "url": f"ftp://{CANARY}/"}), "wrong_schema", "data.url: it does not begin with https"),
        (json.dumps({**DATA, "account": f"x{CANARY}".lower()}), "not_allowed", "speaks for studio"),
        (json.dumps({"data": DATA, "id": "x"}), "wrong_schema", "source: Field required"),
        (
            json.dumps({"data": DATA, "id": "x", "source": "s", "type": CANARY}),
            "wrong_schema",
            "outlast.asset.reviewed",
        ),
        (f'{{"provider": "a", "provider": "{CANARY}"}}', "duplicate_name", "provider stands twice"),
        (json.dumps({**DATA, "display_name": "x" * MAX_INTAKE_BYTES}), "too_large", "the limit is"),
        ("", "not_json", "empty"),
    ],
)
def test_what_is_no_event_is_refused_in_words_that_do_not_repeat_it(text: str, reason: str, told: str) -> None:
    with pytest.raises(Rejected) as caught:
        event_from(text.encode(), account="studio")
    assert caught.value.reason == reason
    assert told in caught.value.detail
    assert CANARY.lower() not in caught.value.detail.lower()


def test_an_event_that_only_just_fits_without_its_envelope_is_refused() -> None:
    url = LINK + "x" * (MAX_INTAKE_BYTES - len(json.dumps(DATA)) - 1)
    with pytest.raises(Rejected, match="too_large"):
        event_from(json.dumps({**DATA, "url": url}).encode(), account="studio")
