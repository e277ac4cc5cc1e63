"""The message `asset.complete` as a processor reads it: today's, tomorrow's, and what is none."""

import contextlib
import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast import Asset, NotAnAsset

TASK = UUID(int=7)
SHA256 = "ab" * 32
WHERE = {"bucket": "assets", "key": "video/a b.mp4", "size": 5, "sha256": SHA256}
DATA = {"task_id": str(TASK), "account": "studio", "kind": "video", "object": WHERE}


def message(data: Any) -> bytes:
    return json.dumps({"specversion": "1.0", "type": "outlast.asset.complete", "data": data}).encode()


def test_the_reference_is_read_with_all_that_was_said_beside_it() -> None:
    where = {**WHERE, "version_id": "v1", "new": True}
    asset = Asset.from_message(message({**DATA, "object": where, "flags": {"active_content": False}}))
    assert asset == Asset(TASK, "assets", "video/a b.mp4", "v1", 5, SHA256, "studio", "video")
    assert asset.data["flags"] == {"active_content": False}


def test_a_message_with_the_reference_alone_is_enough() -> None:
    asset = Asset.from_message(message({"task_id": str(TASK), "object": WHERE}))
    assert asset == Asset(TASK, "assets", "video/a b.mp4", None, 5, SHA256)


@pytest.mark.parametrize("version_id", [None, ""])
def test_a_bucket_without_versions_has_none(version_id: str | None) -> None:
    assert Asset.from_message(message({**DATA, "object": {**WHERE, "version_id": version_id}})).version_id is None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        [],
        None,
        "text",
        {**DATA, "task_id": "no uuid"},
        {**DATA, "task_id": 7},
        {**DATA, "object": None},
        {**DATA, "object": [WHERE]},
        *({**DATA, "object": {**WHERE, name: None}} for name in WHERE),
        *({**DATA, "object": {k: v for k, v in WHERE.items() if k != name}} for name in WHERE),
        {**DATA, "object": {**WHERE, "size": -1}},
        {**DATA, "object": {**WHERE, "size": True}},
        {**DATA, "object": {**WHERE, "size": "5"}},
        {**DATA, "object": {**WHERE, "sha256": SHA256.upper()}},
        {**DATA, "object": {**WHERE, "sha256": SHA256 + "\n"}},
        {**DATA, "object": {**WHERE, "key": ""}},
        {**DATA, "object": {**WHERE, "version_id": 3}},
    ],
)
def test_a_message_without_a_whole_reference_is_refused(wrong: Any) -> None:
    with pytest.raises(NotAnAsset):
        Asset.from_message(message(wrong))


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"{", b"[1]", b"null", b"[" * 100_000])
def test_a_body_that_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(NotAnAsset):
        Asset.from_message(body)


ANYTHING = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())
FIELDS = dict.fromkeys((*WHERE, "version_id"), ANYTHING)


@given(
    ANYTHING
    | st.fixed_dictionaries(
        {"task_id": ANYTHING | st.just(str(TASK)), "object": st.fixed_dictionaries({}, optional=FIELDS)}
    )
)
def test_whatever_comes_is_an_asset_or_refused(data: Any) -> None:
    with contextlib.suppress(NotAnAsset):
        assert Asset.from_message(message(data)).size >= 0
