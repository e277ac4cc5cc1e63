"""The corpus of real files, through the real probe: each gets its verdict, in time and in bounded memory."""

import shutil
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from shared.messages import Kind
from tests.integration.verifier.conftest import RunningProbe

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
MANIFEST = CORPUS / "MANIFEST.toml"
FILES: list[dict[str, Any]] = tomllib.loads(MANIFEST.read_text())["file"] if MANIFEST.exists() else []
SECONDS = 10.0

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not FILES, reason="the corpus of real files (../shared/corpus) is not beside this checkout"),
]


@pytest.mark.parametrize("entry", FILES, ids=[entry["name"] for entry in FILES])
def test_a_real_file_gets_its_verdict(entry: dict[str, Any], probe: RunningProbe) -> None:
    shutil.copy(CORPUS / entry["name"], probe.folder / entry["name"])
    started = time.monotonic()
    verdict = probe.prober.examine(entry["name"], Kind(entry["kind"]))
    assert time.monotonic() - started < SECONDS
    if entry["verdict"] != "bounded":
        assert verdict.accepted == (entry["verdict"] == "accept"), f"{verdict.check}: {verdict.detail}"
    if verdict.facts is not None:
        assert verdict.facts.kind == entry["kind"]


def test_the_same_probe_lives_through_the_whole_corpus(probe: RunningProbe) -> None:
    pid = probe.process.pid
    for entry in FILES:
        shutil.copy(CORPUS / entry["name"], probe.folder / entry["name"])
        probe.prober.examine(entry["name"], None)
    assert probe.process.pid == pid
    good = next(entry for entry in FILES if entry["verdict"] == "accept")
    assert probe.prober.examine(good["name"], Kind(good["kind"])).accepted
