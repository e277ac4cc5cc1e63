"""Stored assets are looked at again by the present checks, which names what they would refuse and changes nothing."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any
from uuid import UUID

import psycopg
import pytest
from PIL import Image

from outlast.custody.assets import AssetsWanted
from outlast.custody.reverify import reverifier, reverify
from outlast.custody.variables import ProbeVariables
from shared.objects import Store
from tests.conftest import TestDatabase
from tests.integration.custody.conftest import Command, Staged, complete
from tests.integration.db.conftest import As

OLD = "policy 1; Pillow 12.3"
PAGE = b"<!DOCTYPE html><title>taken for a picture by an older policy</title>"
SINCE = ("reverify", "--since", "1d")


def picture(colour: str) -> bytes:
    data = BytesIO()
    Image.new("RGB", (16, 16), colour).save(data, "PNG")
    return data.getvalue()


@pytest.fixture
def stored(as_role: As, staged: Staged, bucket: str) -> Any:
    def run(body: bytes, *, verifier_version: str = OLD, **event: Any) -> UUID:
        return complete(as_role, staged(body, **event), bucket, kind="image", verifier_version=verifier_version)

    return run


def tasks(database: TestDatabase) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.url()) as connection:
        return connection.execute("SELECT * FROM tasks ORDER BY task_id").fetchall()


def test_what_would_be_refused_now_has_other_bytes_or_is_gone_is_named_and_nothing_is_changed(
    database: TestDatabase, stored: Any, command: Command, store: Store, bucket: str
) -> None:
    good, page, changed, gone, broken = (
        stored(picture("red")),
        stored(PAGE),
        stored(picture("green")),
        stored(picture("blue")),
        stored(picture("white"), expected={"width": 99, "height": 99}),
    )
    with psycopg.connect(database.url()) as connection:
        keys: dict[UUID, str] = dict(connection.execute("SELECT task_id, key FROM assets").fetchall())
    store.put(bucket, keys[changed], picture("black"), content_type="image/png")
    store.delete(bucket, keys[gone])
    before = tasks(database)
    *told, end = command.lines(*SINCE, code=1)
    found = {UUID(line["task_id"]): (line["verdict"], line["reason"]) for line in told}
    assert found[good] == ("same", None)
    assert found[page][0] == "refused"
    assert found[page][1] in ("not_media", "error_body")
    assert (found[changed], found[gone]) == (("corrupt", None), ("lost", None))
    assert found[broken] == ("refused", "expectation_mismatch")
    assert {UUID(row["task_id"]) for row in end["differing"]} == {page, changed, gone, broken}
    assert tasks(database) == before
    assert "looked at again: refused" in command.text("show", page)
    assert "looked at again" not in command.text("show", good)

    text = command.text(*SINCE, code=1)
    assert text.startswith("0 looked at"), "nothing is looked at twice by the same release"
    assert str(page) in text, "but the report names what an earlier run found"


def test_only_wanted_assets_are_looked_at_and_none_twice(stored: Any, as_role: As, store: Store) -> None:
    ids = [stored(picture(colour), account="studio") for colour in ("red", "green", "blue")]
    other = stored(picture("white"), account="other", verifier_version="policy 99; Pillow 13")
    since = datetime.now(UTC) - timedelta(hours=1)

    with reverifier(store, ProbeVariables()) as engine:

        def looked_at(limit: int | None = None, **wanted: Any) -> list[UUID]:
            found = reverify(as_role("operator"), engine, AssetsWanted(since, **wanted), "policy 100", limit)
            return [asset.task_id for asset, outcome in found if outcome.verdict == "same"]

        assert looked_at(account="other", policy_below=99) == []
        assert looked_at(2) == ids[:2], "the oldest first"
        assert looked_at(account="studio") == ids[2:], "where the last run ended"
        assert looked_at(1, again=True) == ids[:1]
        assert looked_at() == [other]
