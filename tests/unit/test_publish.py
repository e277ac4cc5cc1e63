"""The event that a producer sends: made from fields, complete on the wire, and silent about its link in errors."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from outlast.publish import event_body, output_ready
from shared.errors import UsageError
from shared.messages import EVENTS, MAX_INTAKE_BYTES, task_id_of
from tests.events import read_ready

CANARY = "CANARY-c0de"
LINK = f"https://cdn.example/out.mp4?X-Amz-Signature={CANARY}%2B"


def test_the_body_is_what_intake_reads_with_the_link_unchanged() -> None:
    event = output_ready(
        provider="p", job_id="j", url=LINK, kind="video", display_name="Flug über Köln.mp4", expected={"size": 7}
    )
    read = read_ready(event_body(event))
    assert read == event
    assert read.data.link == LINK


def test_the_address_of_the_job_record_goes_along_unchanged_too() -> None:
    data = {"provider": "p", "job_id": "j", "record_url": LINK}
    event = EVENTS["outlast.generation.started"].model_validate({"id": "1", "source": "s", "data": data})
    assert json.loads(event_body(event))["data"]["record_url"] == LINK
    assert CANARY not in repr(event)


def test_an_event_without_a_link_has_none_on_the_wire() -> None:
    assert "url" not in json.loads(event_body(output_ready(provider="p", job_id="j")))["data"]


def test_every_event_has_its_own_id_unless_one_is_given() -> None:
    first, second = (output_ready(provider="p", job_id="j", url=LINK) for _ in range(2))
    assert first.id != second.id
    assert UUID(first.id).version == 4
    assert output_ready(event_id="mine", provider="p", job_id="j", url=LINK).id == "mine"


def test_the_event_says_when_and_by_whom_it_was_made() -> None:
    event = output_ready(provider="p", job_id="j", url=LINK)
    assert event.time is not None
    assert abs((datetime.now(UTC) - event.time).total_seconds()) < 60
    assert output_ready(provider="p", job_id="j", source="studio").source == "studio"


def test_the_task_id_does_not_depend_on_event_or_link() -> None:
    first = output_ready(provider="p", job_id="j", url=LINK)
    second = output_ready(provider="p", job_id="j", url=LINK + "2")
    assert task_id_of("a", first.data) == task_id_of("a", second.data) != task_id_of("b", first.data)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"provider": "p", "url": LINK}, "job_id"),
        ({"provider": "p", "job_id": "j", "url": LINK, "ready_at": "2026-12-01T10:00:00"}, "ready_at"),
        ({"provider": "p", "job_id": "j", "url": [LINK]}, "url"),
        ({"provider": "p", "job_id": "j", LINK: LINK}, "unknown field"),
        ({"provider": "p", "job_id": "j", "url": LINK, "kind": LINK}, "kind"),
        ({"provider": "p", "job_id": "j", "url": LINK, "expected": {"sha256": LINK}}, "sha256"),
    ],
)
def test_a_wrong_field_is_named_and_no_value_is_repeated(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        output_ready(**fields)
    assert named in str(caught.value)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_event_that_intake_would_refuse_for_its_size_is_refused_here() -> None:
    event = output_ready(provider="p", job_id="j", url=LINK + "x" * MAX_INTAKE_BYTES)
    with pytest.raises(UsageError) as caught:
        event_body(event)
    assert CANARY not in str(caught.value)


def test_a_printed_event_does_not_show_its_link() -> None:
    event = output_ready(provider="p", job_id="j", url=LINK)
    assert CANARY not in repr(event) + str(event)


def test_a_producer_sees_no_log_of_ours_on_its_standard_output() -> None:
    program = (
        "import structlog\n"
        "from outlast.publish import PublishError, publish\n"
        "try: publish(account='a', amqp_url='amqp://u:CANARY@127.0.0.1:1/v', timeout=1, provider='p', job_id='j')\n"
        "except PublishError as error: print(error)\n"
        "structlog.get_logger('mine').info('own_event')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    told, own = done.stdout.splitlines()
    assert told.startswith("RabbitMQ at 127.0.0.1:1 cannot be reached (ConnectionRefusedError).")
    assert "own_event" in own, "what the producer itself logs is left as it was"
    assert "CANARY" not in done.stdout + done.stderr
