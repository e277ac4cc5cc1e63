"""Handing over files: their bytes lie in the input before an event names them, and once however often it is done."""

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from outlast.submit import Input, created, put_file, submit
from shared.errors import UsageError
from shared.messages import ObjectCreatedEvent, read_intake, task_id_of
from shared.objects import Store
from tests.conftest import OUTLAST
from tests.integration.publishing.conftest import Management, taken

MIB = 2**20


@pytest.fixture
def place(servers: dict[str, Any]) -> Input:
    """An input bucket of its own."""
    s3 = servers["s3"]
    store = Store.open(s3["endpoint"], s3["region"], s3["access_key"], s3["secret_key"], part_bytes=5 * MIB)
    bucket = f"input-{uuid4().hex[:12]}"
    store.ensure_bucket(bucket)
    return Input(store, bucket, "in/")


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    file = tmp_path / "Clip über Köln.mp4"
    file.write_bytes(os.urandom(3 * MIB))
    return file


def events(management: Management, amqp_url: str) -> list[ObjectCreatedEvent]:
    """The events in the intake queue, as the intake reads them."""
    found = []
    for message in taken(management, amqp_url):
        account, _, event_type = message["routing_key"].partition(".")
        event = read_intake(message["payload"].encode(), account=account, event_type=event_type)
        assert isinstance(event, ObjectCreatedEvent)
        found.append(event)
    return found


def test_the_event_names_exactly_the_bytes_that_lie_in_the_input(
    intake: str, management: Management, place: Input, clip: Path
) -> None:
    task_id = submit(clip, account="studio", amqp_url=intake, place=place, kind="video")
    (event,) = events(management, intake)
    told = event.data.object
    assert task_id == task_id_of("studio", event.data)
    assert (told.bucket, told.key) == (place.bucket, f"in/studio/{sha256(clip.read_bytes()).hexdigest()}")
    found = place.store.digest(told.bucket, told.key, told.version_id)
    assert (found.size, found.sha256) == (told.size, told.sha256) == (3 * MIB, sha256(clip.read_bytes()).hexdigest())
    assert (event.data.display_name, event.data.operation_id) == ("Clip über Köln.mp4", "Clip über Köln")


def test_the_place_is_told_by_the_environment(
    servers: dict[str, Any], intake: str, place: Input, clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(servers["s3"]["secret_key"])
    for name, value in {
        "S3_ENDPOINT": servers["s3"]["endpoint"],
        "S3_ACCESS_KEY": servers["s3"]["access_key"],
        "S3_SECRET_KEY_FILE": str(secret),
        "INPUT_BUCKET": place.bucket,
        "INPUT_PREFIX": "else/",
    }.items():
        monkeypatch.setenv(f"OUTLAST_{name}", value)
    submit(clip, account="studio", amqp_url=intake)
    assert place.store.stat(place.bucket, f"else/studio/{sha256(clip.read_bytes()).hexdigest()}")


def test_the_same_file_again_is_sent_once_and_is_the_same_event(
    intake: str, management: Management, place: Input, clip: Path
) -> None:
    sent: list[int] = []
    for _ in range(2):
        told = put_file(place, "studio", clip, sent.append)
        submit(clip, account="studio", amqp_url=intake, place=place)
    assert sum(sent) == 3 * MIB
    first, second = events(management, intake)
    assert (first.id, first.data) == (second.id, second.data)
    assert first.data.object == told


def test_other_bytes_under_the_same_name_are_another_task(place: Input, clip: Path) -> None:
    first = created(put_file(place, "studio", clip), account="studio", name=clip.name)
    clip.write_bytes(b"other")
    second = created(put_file(place, "studio", clip), account="studio", name=clip.name)
    assert task_id_of("studio", first.data) != task_id_of("studio", second.data)
    assert first.id != second.id


def test_a_file_that_changes_while_it_is_read_is_refused_and_leaves_nothing(place: Input, clip: Path) -> None:
    def change(_count: int) -> None:
        with clip.open("r+b") as file:
            file.seek(2 * MIB)
            file.write(b"changed")

    was = sha256(clip.read_bytes()).hexdigest()
    with pytest.raises(UsageError, match="changed while it was read"):
        put_file(place, "studio", clip, change)
    assert place.store.stat(place.bucket, f"in/studio/{was}") is None


def test_what_is_no_file_for_the_input_is_told(place: Input, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for file, fault in ((tmp_path / "empty", "is empty"), (tmp_path / "none", "No such file"), (tmp_path, "directory")):
        with pytest.raises(UsageError, match=fault):
            put_file(place, "studio", file)
    with pytest.raises(UsageError, match="An account is"):
        put_file(place, "Studio", tmp_path / "empty")


def command(servers: dict[str, Any], intake: str, place: Input, *words: str) -> subprocess.CompletedProcess[str]:
    s3 = servers["s3"]
    environment = {
        **os.environ,
        "OUTLAST_AMQP_URL": intake,
        "OUTLAST_S3_ENDPOINT": s3["endpoint"],
        "OUTLAST_S3_REGION": s3["region"],
        "OUTLAST_S3_ACCESS_KEY": s3["access_key"],
        "OUTLAST_INPUT_BUCKET": place.bucket,
        "OUTLAST_INPUT_PREFIX": place.prefix,
    }
    return subprocess.run(
        [OUTLAST, "submit", *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_command_goes_on_after_a_file_that_cannot_be_read(
    servers: dict[str, Any],
    intake: str,
    management: Management,
    place: Input,
    clip: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(servers["s3"]["secret_key"])
    monkeypatch.setenv("OUTLAST_S3_SECRET_KEY_FILE", str(secret))
    done = command(servers, intake, place, "--account", "studio", "--json", str(tmp_path / "none"), str(clip))
    assert done.returncode == 1, done.stderr
    fault, told = [json.loads(line) for line in done.stdout.splitlines()]
    assert "No such file" in fault["error"]
    (event,) = events(management, intake)
    assert told["event_id"] == event.id
    assert told["task_id"] == str(task_id_of("studio", event.data))
    assert told["object"]["sha256"] == event.data.object.sha256


def test_a_store_that_refuses_the_key_ends_the_command_before_any_event(
    servers: dict[str, Any],
    intake: str,
    management: Management,
    place: Input,
    clip: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("CANARY-wrong-key")
    monkeypatch.setenv("OUTLAST_S3_SECRET_KEY_FILE", str(secret))
    done = command(servers, intake, place, "--account", "studio", str(clip))
    assert done.returncode == 2
    assert "storage_denied" in done.stderr
    assert "CANARY" not in done.stderr
    assert events(management, intake) == []
