"""A real Ceph RGW that tells the real RabbitMQ of every object; needs what `make test-rgw` installs."""

import base64
import hashlib
import hmac
import io
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from minio import Minio
from minio.notificationconfig import NotificationConfig, TopicConfig
from minio.versioningconfig import VersioningConfig

from deploy.local.credentials import Credentials
from deploy.local.object_store import REGION
from deploy.local.ports import settle
from deploy.local.rgw import PORTS, Rgw
from shared.topology import INTAKE, NOTIFICATIONS
from tests.conftest import TestDatabase
from tests.system.conftest import System
from tests.system.conftest import forks as forks
from tests.system.conftest import source as source
from tests.system.forks import Forks
from tests.system.source import Source

GUEST = "guest"


@pytest.fixture(scope="session")
def rgw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rgw]:
    folder = tmp_path_factory.mktemp("rgw")
    running = Rgw(folder, settle({}, PORTS), Credentials(folder / "secrets"))
    running.start(detach=False)
    yield running
    running.stop()


@pytest.fixture
def guest(amqp_url: str, management: Callable[..., Any]) -> Iterator[str]:
    """RGW logs in as guest; for this test it may write to this virtual host's intake, under the stores' own key."""
    vhost = amqp_url.rpartition("/")[2]
    management("PUT", f"users/{GUEST}", {"password": GUEST, "tags": ""})
    # For confirms RGW makes a queue of its own, whose name the broker gives.
    rights = {"configure": r"^amq\.gen", "write": rf"^({INTAKE}|amq\.gen.*)$", "read": r"^amq\.gen"}
    management("PUT", f"permissions/{vhost}/{GUEST}", rights)
    keys = {"exchange": INTAKE, "write": f"^{NOTIFICATIONS}$", "read": "^$"}
    management("PUT", f"topic-permissions/{vhost}/{GUEST}", keys)
    yield vhost
    management("DELETE", f"users/{GUEST}")


class Notifying:
    """All services on RGW, with versions in the input and in the assets, and the input's notifications."""

    def __init__(self, system: System, rgw: Rgw, guest: str, prefix: str) -> None:
        self.system = system
        self.input = system.staging.replace("-staging", "-input")
        self.prefix = prefix
        system.s3.make_bucket(self.input)
        for bucket in (self.input, system.assets):
            system.s3.set_bucket_versioning(bucket, VersioningConfig("Enabled"))
        system.environment |= {"OUTLAST_INPUT_BUCKET": self.input, "OUTLAST_INPUT_PREFIX": prefix}
        broker = urlsplit(system.amqp_url)
        _create_topic(rgw, f"amqp://{broker.hostname}:{broker.port}/{guest}")
        system.s3.set_bucket_notification(
            self.input,
            NotificationConfig(
                topic_config_list=[
                    TopicConfig(["s3:ObjectCreated:*"], "all", topic=f"arn:aws:sns:default::{NOTIFICATIONS}")
                ]
            ),
        )


@pytest.fixture
def notifying(
    tmp_path: Path, database: TestDatabase, amqp_url: str, rgw: Rgw, guest: str, source: Source, forks: Forks
) -> Iterator[Notifying]:
    s3 = {
        "host": "127.0.0.1",
        "port": rgw.port,
        "endpoint": rgw.address(),
        "region": REGION,
        "access_key": rgw.access_key,
        "secret_key": rgw.secret_key,
    }
    running = System(tmp_path, database, amqp_url, s3, source, forks)
    yield Notifying(running, rgw, guest, "jobs/")
    running.stop_all()


def _create_topic(rgw: Rgw, push_endpoint: str) -> None:
    """SNS CreateTopic, which RGW takes only under the old S3 signature; a topic of that name is replaced."""
    attributes = {"push-endpoint": push_endpoint, "amqp-exchange": INTAKE, "amqp-ack-level": "broker"}
    form = {"Action": "CreateTopic", "Name": NOTIFICATIONS}
    for number, (name, value) in enumerate(attributes.items(), 1):
        form |= {f"Attributes.entry.{number}.key": name, f"Attributes.entry.{number}.value": value}
    kind, date = "application/x-www-form-urlencoded", formatdate(usegmt=True)
    text = f"POST\n\n{kind}\n{date}\n/".encode()
    signature = base64.b64encode(hmac.new(rgw.secret_key.encode(), text, hashlib.sha1).digest()).decode()
    headers = {"Content-Type": kind, "Date": date, "Authorization": f"AWS {rgw.access_key}:{signature}"}
    request = urllib.request.Request(f"{rgw.address()}/", urllib.parse.urlencode(form).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200


def put(s3: Minio, bucket: str, key: str, body: bytes) -> str:
    """Put an object with plain S3; returns its version."""
    return str(s3.put_object(bucket, key, io.BytesIO(body), len(body)).version_id)
