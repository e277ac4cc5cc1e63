"""Many events at once: each confirmed, told by its line, and the same event whenever it is sent again."""

import json
import os
import signal
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from outlast.batch import publish_all
from outlast.publish import PublishError, output_ready
from shared.errors import UsageError
from shared.messages import task_id_of
from tests.conftest import OUTLAST
from tests.integration.broker.proxy import Proxy
from tests.integration.publishing.conftest import Management, vhost

CANARY = "CANARY-b17e"
MISTAKES = [
    '{"provider": "acme"}',
    f"not JSON {CANARY}",
    f'{{"provider": "acme", "job_id": "x", "url": "ftp://{CANARY}/"}}',
]


def line(number: int) -> str:
    return json.dumps({"provider": "acme", "job_id": f"job-{number}", "url": f"https://h/{number}?sig={CANARY}"})


def environment(amqp_url: str) -> dict[str, str]:
    return {**os.environ, "OUTLAST_AMQP_URL": amqp_url}


def command(amqp_url: str, lines: Iterable[str], *more: str) -> subprocess.CompletedProcess[str]:
    words = [OUTLAST, "publish", "--account", "studio", "--lines", "-", *more]
    text = "\n".join(lines) + "\n"
    return subprocess.run(
        words, input=text, env=environment(amqp_url), capture_output=True, text=True, timeout=120, check=False
    )


def queued(management: Management, amqp_url: str) -> list[dict[str, Any]]:
    """The bodies in the intake queue, which stay there."""
    ask = {"count": 5000, "ackmode": "ack_requeue_true", "encoding": "auto"}
    found = management("POST", f"queues/{vhost(amqp_url)}/outlast.intake/get", ask)
    return [json.loads(message["payload"]) for message in found]


def jobs(bodies: Iterable[dict[str, Any]]) -> list[str]:
    return sorted(body["data"]["job_id"] for body in bodies)


def test_every_line_is_an_event_in_the_queue_and_the_rate_is_told(intake: str, management: Management) -> None:
    done = command(intake, [line(number) for number in range(50)])
    assert (done.returncode, done.stdout) == (0, "")
    assert jobs(queued(management, intake)) == sorted(f"job-{number}" for number in range(50))
    assert "50 sent (" in done.stderr
    assert "/s)" in done.stderr


def test_a_bad_line_is_told_by_its_number_and_the_others_go_on(intake: str, management: Management) -> None:
    done = command(intake, [line(0), MISTAKES[0], "", MISTAKES[1], line(1), MISTAKES[2], line(2)])
    assert done.returncode == 1
    assert jobs(queued(management, intake)) == ["job-0", "job-1", "job-2"]
    told = [words.partition(":")[0] for words in done.stderr.splitlines()[:-1]]
    assert told == ["line 2", "line 4", "line 6"]
    assert "3 sent" in done.stderr
    assert "3 bad" in done.stderr
    assert CANARY not in done.stderr


@pytest.mark.parametrize("option", ["--check", "--strict"])
def test_with_a_bad_line_nothing_is_sent_if_so_wished(intake: str, management: Management, option: str) -> None:
    done = command(intake, [line(0), MISTAKES[0], line(1)], option)
    assert done.returncode == 1
    assert "line 2: data.job_id: Field required" in done.stderr
    assert "Nothing was sent" in done.stderr
    assert queued(management, intake) == []


def test_good_lines_pass_the_check_and_are_sent_when_strict(intake: str, management: Management) -> None:
    good = [line(0), line(1)]
    assert command("amqp://u:p@127.0.0.1:1/v", good, "--check").returncode == 0, "the check needs no RabbitMQ"
    assert command(intake, good, "--strict").returncode == 0
    assert jobs(queued(management, intake)) == ["job-0", "job-1"]


def test_as_json_each_line_has_its_event_its_task_or_its_fault(intake: str) -> None:
    done = command(intake, [line(0), MISTAKES[0], line(1)], "--json")
    told = [json.loads(words) for words in done.stdout.splitlines()]
    end = told.pop()
    sent = {row["line"]: row["task_id"] for row in told if "task_id" in row}
    ready = [output_ready(provider="acme", job_id=f"job-{number}") for number in range(2)]
    assert sent == {1: str(task_id_of("studio", ready[0].data)), 3: str(task_id_of("studio", ready[1].data))}
    assert [(row["line"], row["reason"]) for row in told if "reason" in row] == [(2, "wrong_schema")]
    assert (end["sent"], end["bad"]) == (2, 1)
    assert done.stderr == ""


def test_whoever_writes_a_line_may_wait_for_its_answer(intake: str) -> None:
    words = [OUTLAST, "publish", "--account", "studio", "--lines", "-", "--json"]
    with subprocess.Popen(
        words, env=environment(intake), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, text in enumerate([line(0), MISTAKES[0], line(1)], 1):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert json.loads(process.stdout.readline())["sent"] == 2
    assert process.returncode == 1


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--provider", "acme", "--id", "x"], "leave out --provider, --id"),
        (["--wait"], "--lines and --wait do not go together"),
        (["--file", "-"], "--lines and --file do not go together"),
        (["--type", "outlast.nothing"], "--type is one of outlast.generation.started"),
    ],
)
def test_options_that_do_not_go_with_lines_are_refused(words: list[str], fault: str) -> None:
    done = command("amqp://u:p@127.0.0.1:1/v", [line(0)], *words)
    assert done.returncode == 2
    assert fault in done.stderr


def test_the_same_lines_again_are_the_same_events(intake: str, management: Management) -> None:
    for _ in range(2):
        assert command(intake, [line(number) for number in range(5)]).returncode == 0
    ids = [body["id"] for body in queued(management, intake)]
    assert len(ids) == 10
    assert len(set(ids)) == 5


def test_one_event_from_a_file_is_data_or_a_whole_envelope(intake: str, management: Management, tmp_path: Path) -> None:
    envelope = {"specversion": "1.0", "id": "mine", "source": "acme", "type": "outlast.output.failed"}
    for name, body in (
        ("data", json.loads(line(0))),
        ("whole", {**envelope, "data": {"provider": "p", "job_id": "j"}}),
    ):
        (tmp_path / name).write_text(json.dumps(body, indent=2))
        words = [OUTLAST, "publish", "--account", "studio", "--file", str(tmp_path / name), "--json"]
        done = subprocess.run(words, env=environment(intake), capture_output=True, text=True, timeout=60, check=True)
        assert json.loads(done.stdout)["event_id"]
    found = {body["type"]: body for body in queued(management, intake)}
    assert found["outlast.output.ready"]["data"]["job_id"] == "job-0"
    assert found["outlast.output.failed"]["id"] == "mine"


def test_interrupted_it_says_what_is_safe_and_that_it_can_be_run_again(
    intake: str, management: Management, tmp_path: Path
) -> None:
    lines = tmp_path / "lines"
    lines.write_text("".join(line(number) + "\n" for number in range(20_000)))
    words = [OUTLAST, "publish", "--account", "studio", "--lines", str(lines), "--json"]
    with subprocess.Popen(words, env=environment(intake), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(100)]
        process.send_signal(signal.SIGINT)
        # Not by `communicate`, which loses what `readline` has read ahead.
        rest = process.stdout.readlines()
    assert process.returncode == 130
    told = [json.loads(words) for words in first + rest]
    assert "Run the same command again" in told[-1]["end"]
    assert told[-1]["sent"] == len(told) - 1 < 20_000
    safe = {body["id"] for body in queued(management, intake)}
    assert {row["event_id"] for row in told[:-1]} <= safe


def test_a_broker_that_is_away_ends_it_within_the_time_of_one_event() -> None:
    done = command(f"amqp://u:{CANARY}@127.0.0.1:1/v", [line(number) for number in range(100)])
    assert done.returncode == 2
    assert "127.0.0.1:1 cannot be reached" in done.stderr
    assert "Run the same command again" in done.stderr
    assert CANARY not in done.stderr


def ready(numbers: Iterable[int]) -> Sequence[Any]:
    return [output_ready(provider="p", job_id=f"job-{number}") for number in numbers]


def test_from_python_ids_come_in_the_order_of_the_events(intake: str) -> None:
    events = ready(range(200))
    found = list(publish_all(events, account="a", amqp_url=intake))
    assert found == [task_id_of("a", event.data) for event in events]


def test_what_concerns_one_job_keeps_its_order_whatever_its_outputs_are(intake: str, management: Management) -> None:
    events = [
        output_ready(provider="p", job_id=f"job-{n % 7}", output_id=str(n), event_id=f"{n:04}") for n in range(210)
    ]
    assert len(list(publish_all(events, account="a", amqp_url=intake))) == 210
    seen: dict[str, list[str]] = {}
    for body in queued(management, intake):
        seen.setdefault(body["data"]["job_id"], []).append(body["id"])
    assert len(seen) == 7
    for ids in seen.values():
        assert ids == sorted(ids)


def test_an_account_that_is_not_allowed_ends_it_at_the_first_event(one_account: str) -> None:
    with pytest.raises(PublishError, match="does not let this user publish"):
        list(publish_all(ready(range(100)), account="other", amqp_url=one_account))
    with pytest.raises(UsageError):
        list(publish_all(ready(range(1)), account="No Account", amqp_url=one_account))


def test_connections_that_are_cut_all_the_time_lose_nothing(intake: str, management: Management) -> None:
    proxy = Proxy(intake)
    try:
        events, confirmed = ready(range(400)), 0
        for _ in publish_all(events, account="a", amqp_url=proxy.url):
            confirmed += 1
            if confirmed in (50, 150, 250):
                proxy.cut()
    finally:
        proxy.close()
    assert confirmed == 400
    assert set(jobs(queued(management, intake))) == {f"job-{number}" for number in range(400)}


def test_closing_the_generator_sends_no_more(intake: str, management: Management) -> None:
    taken = []

    def endless() -> Iterable[Any]:
        number = 0
        while True:
            taken.append(number)
            yield output_ready(provider="p", job_id=f"job-{number}")
            number += 1

    confirmed = publish_all(endless(), account="a", amqp_url=intake)
    for _ in range(20):
        next(confirmed)
    confirmed.close()
    before = len(queued(management, intake))
    assert 20 <= before <= len(taken) < 2500, "it reads ahead by a bounded number"
    assert len(queued(management, intake)) == before
