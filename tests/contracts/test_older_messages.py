"""Messages that were once right are read for ever; add files to `v1`, and never change one."""

import json
from pathlib import Path
from typing import Any

import pytest

from outlast.asset import Asset
from shared.messages import EVENTS, read_intake, task_id_of
from shared.topology import account_of

V1 = Path(__file__).parent / "v1"
INTAKE = sorted((V1 / "intake").glob("*.json"))
RESULTS = sorted((V1 / "results").glob("*.json"))


@pytest.mark.parametrize("path", INTAKE, ids=lambda path: path.stem)
def test_an_older_event_is_read_and_is_still_about_the_same_task(path: Path) -> None:
    message: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    account = account_of(message["routing_key"], tuple(EVENTS))
    event = read_intake(
        json.dumps(message["body"]).encode(),
        account=account,
        event_type=message["routing_key"].removeprefix(f"{account}."),
        headers=message.get("headers", {}),
        content_type=message.get("content_type"),
    )
    assert str(task_id_of(account, event.data)) == message["task_id"]


@pytest.mark.parametrize("event_type", EVENTS)
def test_every_type_of_event_has_a_message_that_must_stay_readable(event_type: str) -> None:
    assert any(json.loads(path.read_text())["routing_key"].endswith(f".{event_type}") for path in INTAKE)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_an_older_announcement_is_read_by_processors(path: Path) -> None:
    asset = Asset.from_message(path.read_bytes())
    assert (asset.size, asset.account, asset.kind, asset.version_id) == (7, "studio", "image", None)
