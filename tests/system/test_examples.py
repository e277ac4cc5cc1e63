"""The examples of the docs: what each publishes becomes an asset, and what is refused is not taken for a success."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.conftest import ROOT
from tests.system.conftest import System, until
from tests.system.source import CANARY

EXAMPLES = ROOT / "docs" / "examples"
COMMANDS = {
    "pika": [sys.executable, str(EXAMPLES / "pika_publish.py")],
    "kombu": [sys.executable, str(EXAMPLES / "kombu_publish.py")],
    "node": ["node", str(EXAMPLES / "node" / "publish.js")],
    "curl": [str(EXAMPLES / "curl_publish.sh")],
}
Management = Callable[..., Any]


@dataclass(frozen=True)
class Producer:
    """A RabbitMQ user who may speak for the account `studio` alone, as docs/recipes.md makes one."""

    environment: Mapping[str, str]
    vhost: str

    def run(self, example: str, account: str, link: str) -> subprocess.CompletedProcess[str]:
        words = [*COMMANDS[example], account, f"job-{example}", "image"]
        return subprocess.run(
            words, input=link + "\n", env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )


@pytest.fixture
def producer(system: System, management: Management, servers: dict[str, Any], tmp_path: Path) -> Iterator[Producer]:
    assert shutil.which("node"), "the Node example needs node: run deploy/local/bootstrap-examples.sh"
    assert (EXAMPLES / "node/node_modules/amqplib").exists(), "run deploy/local/bootstrap-examples.sh"
    broker, vhost, name = servers["rabbitmq"], urlsplit(system.amqp_url).path[1:], f"producer-{uuid4().hex}"
    management("PUT", f"users/{name}", {"password": "secret", "tags": "management"})
    management("PUT", f"permissions/{vhost}/{name}", {"configure": "^$", "write": "^outlast\\.intake$", "read": "^$"})
    topic = {"exchange": "outlast.intake", "write": "^studio\\.", "read": "^$"}
    management("PUT", f"topic-permissions/{vhost}/{name}", topic)
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {broker['host']} login {name} password secret\n")
    netrc.chmod(0o600)
    environment = {
        "PATH": os.environ["PATH"],
        "OUTLAST_AMQP_URL": f"amqp://{name}:secret@{broker['host']}:{broker['port']}/{vhost}",
        "OUTLAST_MANAGEMENT_URL": broker["management_url"].rstrip("/"),
        "OUTLAST_VHOST": vhost,
        "OUTLAST_NETRC": str(netrc),
    }
    yield Producer(environment, vhost)
    management("DELETE", f"users/{name}")


def test_what_each_example_publishes_becomes_a_proven_asset(system: System, producer: Producer) -> None:
    system.start_all()
    for example in COMMANDS:
        done = producer.run(example, "studio", system.source.link(f"picture/{example}"))
        assert done.returncode == 0, (example, done.stderr)
    until(lambda: system.count("state = 'complete'") == len(COMMANDS), "every example's output is complete")
    found = dict(system.rows("SELECT e.source, t.account FROM events e JOIN tasks t USING (task_id)"))
    assert found == dict.fromkeys(("example/pika", "example/kombu", "example/amqplib", "example/curl"), "studio")


@pytest.mark.parametrize("example", COMMANDS)
def test_an_example_that_may_not_speak_for_an_account_fails_and_sends_nothing(
    system: System, producer: Producer, example: str
) -> None:
    done = producer.run(example, "other", system.source.link("picture/x"))
    assert done.returncode != 0
    assert done.stdout == ""
    assert CANARY not in done.stderr
    assert system.messages("outlast.intake") == []


@pytest.mark.parametrize("example", COMMANDS)
def test_an_example_does_not_take_an_event_that_no_queue_has_for_safe(
    system: System, producer: Producer, management: Management, example: str
) -> None:
    management("DELETE", f"queues/{producer.vhost}/outlast.intake")
    done = producer.run(example, "studio", system.source.link("picture/x"))
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr
    assert CANARY not in done.stderr
