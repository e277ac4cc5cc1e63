"""Publishing to a real RabbitMQ: the event is safe there, or an exception says why not."""

import json
import os
import subprocess
from typing import Any
from uuid import UUID

import pytest

from outlast.publish import Producer, PublishError, output_ready, publish
from shared.errors import UsageError
from shared.messages import task_id_of
from tests.conftest import OUTLAST
from tests.events import read_ready
from tests.integration.publishing.conftest import Management, taken, vhost

CANARY = "CANARY-91d2"
LINK = f"https://cdn.example/out.mp4?X-Amz-Signature={CANARY}"
AWAY = f"amqp://user:{CANARY}@127.0.0.1:1/v"


def test_a_published_event_lies_whole_in_the_intake_queue(intake: str, management: Management) -> None:
    task_id = publish(account="studio-7", amqp_url=intake, provider="p", job_id="j", url=LINK, event_id="e-1")
    (message,) = taken(management, intake)
    assert message["routing_key"] == "studio-7.outlast.output.ready"
    assert message["properties"]["message_id"] == "e-1"
    assert message["properties"]["delivery_mode"] == 2
    read = read_ready(message["payload"].encode())
    assert read.data.link == LINK
    assert task_id == task_id_of("studio-7", read.data)


def test_one_producer_sends_many_events_in_their_order(intake: str, management: Management) -> None:
    events = [output_ready(provider="p", job_id=f"j{number}", url=LINK) for number in range(5)]
    with Producer(intake) as producer:
        ids = {producer.publish(event, account="a") for event in events}
    assert len(ids) == 5
    sent = [message["properties"]["message_id"] for message in taken(management, intake)]
    assert sent == [event.id for event in events]


def test_an_account_that_is_none_is_refused_before_anything_is_sent(intake: str, management: Management) -> None:
    for account in ("", "Studio", "a.b", "a#", "x" * 64):
        with pytest.raises(UsageError):
            publish(account=account, amqp_url=intake, provider="p", job_id="j", url=LINK)
    assert taken(management, intake) == []


def test_without_a_queue_the_error_says_what_to_do(intake: str, management: Management) -> None:
    management("DELETE", f"queues/{vhost(intake)}/outlast.intake", None)
    with pytest.raises(PublishError, match="outlast migrate"):
        publish(account="a", amqp_url=intake, provider="p", job_id="j", url=LINK)


def test_a_user_publishes_for_its_own_account_only(one_account: str) -> None:
    fields: dict[str, Any] = {"provider": "p", "job_id": "j", "url": LINK}
    publish(account="mine", amqp_url=one_account, **fields)
    with pytest.raises(PublishError, match="does not let this user publish") as caught:
        publish(account="other", amqp_url=one_account, **fields)
    assert CANARY not in str(caught.value)


def test_a_broker_that_is_away_is_an_error_within_the_time_limit() -> None:
    with pytest.raises(PublishError, match=r"127\.0\.0\.1:1 cannot be reached") as caught:
        publish(account="a", amqp_url=AWAY, timeout=1, provider="p", job_id="j", url=LINK)
    assert CANARY not in f"{caught.value!r} {caught.value.__cause__}"


def command(amqp_url: str, *more: str, link: str = LINK) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OUTLAST_AMQP_URL": amqp_url}
    words = [OUTLAST, "publish", "--url", "-", "--account", "a", "--provider", "p", "--job", "j", *more]
    return subprocess.run(words, input=link, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_reads_the_link_from_standard_input_and_prints_only_its_result(
    intake: str, management: Management
) -> None:
    more = ["--kind", "video", "--size", "7", "--id", "mine", "--json", "--sha256", "AB" * 32]
    done = command(intake, *more, link=LINK + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    (message,) = taken(management, intake)
    read = read_ready(message["payload"].encode())
    assert (read.data.link, read.data.kind) == (LINK, "video")
    assert (read.data.expected.size, read.data.expected.sha256) == (7, "ab" * 32)
    assert told == {"task_id": str(task_id_of("a", read.data)), "event_id": "mine"}
    assert UUID(command(intake).stdout.strip()) == task_id_of("a", read.data)


def test_the_command_refuses_wrong_input_in_one_text_without_the_link() -> None:
    done = command(AWAY, "--ready-at", "yesterday")
    assert done.returncode == 2
    assert "--ready-at" in done.stderr
    assert "2026-12-01T10:00:00Z" in done.stderr, "an example of the form"
    assert command(AWAY, link="\n").returncode == 2
    assert CANARY not in done.stderr + done.stdout
