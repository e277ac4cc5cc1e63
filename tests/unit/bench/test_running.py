"""How rivals are run, and the folder in which a measurement runs."""

import os
from pathlib import Path

import pytest

from bench import place
from bench.rivals import run
from shared.errors import UsageError


def test_a_pipeline_hands_on_what_it_writes(tmp_path: Path) -> None:
    there = tmp_path / "there"
    done = run([["printf", "bytes"], ["dd", f"of={there}", "status=none"]], os.environ)
    assert there.read_text() == "bytes"
    assert done.seconds > 0
    assert done.peak_rss > 0


def test_the_processor_time_of_all_processes_of_a_pipeline_counts() -> None:
    busy = ["sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"]
    one, two = run([busy], os.environ), run([busy, busy], os.environ)
    assert 0 < one.cpu_seconds < two.cpu_seconds


@pytest.mark.parametrize("pipeline", [[["false"], ["cat"]], [["true"], ["false"]]])
def test_a_pipeline_fails_with_any_of_its_processes(pipeline: list[list[str]]) -> None:
    with pytest.raises(RuntimeError, match="false"):
        run(pipeline, os.environ)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_only_one_measurement_runs_at_a_time() -> None:
    with place.fresh_folder(), pytest.raises(UsageError, match="running here"), place.fresh_folder():
        pass


def breaks() -> Path:
    with place.fresh_folder() as folder:
        (folder / "log").write_text("what happened")
        raise RuntimeError("broken")


def test_a_measurement_begins_with_an_empty_folder_and_leaves_one() -> None:
    for _ in range(2):
        with place.fresh_folder() as folder:
            assert list(folder.iterdir()) == []
            (folder / "data").touch()
    assert list(folder.iterdir()) == []


def test_the_logs_of_a_measurement_that_broke_stay_until_the_next_one() -> None:
    with pytest.raises(RuntimeError, match="broken"):
        breaks()
    log = place.RESULTS / "servers" / "log"
    assert log.read_text() == "what happened"
    with place.fresh_folder():
        assert not log.exists()
