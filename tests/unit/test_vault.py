"""Sealed sources open for their own row alone."""

import base64
import os
from pathlib import Path
from uuid import uuid4

import pytest

from shared.errors import UsageError
from shared.vault import Unsealable, Vault

URL = "https://h.example/x?sig=CANARY-1a2b"
TASK, SOURCE = uuid4(), uuid4()


def ring(folder: Path, *names: str) -> Path:
    path = folder / "ring"
    known = dict(line.split(":") for line in path.read_text().split()) if path.exists() else {}
    keys = {name: known.get(name) or base64.b64encode(os.urandom(32)).decode() for name in names}
    path.write_text("".join(f"{name}:{key}\n" for name, key in keys.items()))
    return path


def test_what_was_sealed_opens_for_the_same_task_and_source(tmp_path: Path) -> None:
    vault = Vault.open_ring(ring(tmp_path, "k1"))
    sealed = vault.seal(TASK, SOURCE, URL)
    assert b"CANARY" not in sealed
    assert vault.unseal(TASK, SOURCE, sealed) == URL
    assert vault.seal(TASK, SOURCE, URL) != sealed


def test_a_sealed_source_copied_to_another_row_does_not_open(tmp_path: Path) -> None:
    """Fault 111."""
    vault = Vault.open_ring(ring(tmp_path, "k1"))
    sealed = vault.seal(TASK, SOURCE, URL)
    for task, source in ((uuid4(), SOURCE), (TASK, uuid4())):
        with pytest.raises(Unsealable) as caught:
            vault.unseal(task, source, sealed)
        assert "CANARY" not in str(caught.value)


def test_keys_are_rotated_while_old_sources_still_open(tmp_path: Path) -> None:
    """Fault 112."""
    old = Vault.open_ring(ring(tmp_path, "k1")).seal(TASK, SOURCE, URL)
    both = Vault.open_ring(ring(tmp_path, "k2", "k1"))
    assert both.unseal(TASK, SOURCE, old) == URL
    new = both.seal(TASK, SOURCE, URL)
    only_new = Vault.open_ring(ring(tmp_path, "k2"))
    assert only_new.unseal(TASK, SOURCE, new) == URL
    with pytest.raises(Unsealable):
        only_new.unseal(TASK, SOURCE, old)


@pytest.mark.parametrize("rubbish", [b"", b"k1", b"k1\0", b"k1\0short", b"\xff\0" + b"x" * 40, b"k1\0" + b"x" * 40])
def test_rubbish_does_not_open(tmp_path: Path, rubbish: bytes) -> None:
    with pytest.raises(Unsealable):
        Vault.open_ring(ring(tmp_path, "k1")).unseal(TASK, SOURCE, rubbish)


@pytest.mark.parametrize("text", ["", "k1", "k1:short", "k1:!!!", ":" + "A" * 44, "k1:" + "A" * 20])
def test_a_wrong_ring_is_refused_without_showing_its_keys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ring"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        Vault.open_ring(path)
    assert "AAAA" not in str(caught.value)


def test_a_missing_ring_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="OUTLAST_KEYRING_FILE"):
        Vault.open_ring(None)
    with pytest.raises(UsageError, match="Cannot read"):
        Vault.open_ring(tmp_path / "none")
