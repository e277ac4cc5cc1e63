"""Parts of the local stack as processes."""

import gc
import os
import signal
import warnings
from pathlib import Path

import pytest

from deploy.local.process import Process


@pytest.mark.parametrize("detach", [True, False])
def test_only_a_part_that_is_meant_to_live_on_is_left_behind_without_a_warning(tmp_path: Path, detach: bool) -> None:
    process = Process("idle", tmp_path)
    process.start(["sleep", "60"], os.environ, detach=detach)
    pid = process.pid()
    assert pid is not None
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            del process
            gc.collect()
        assert bool(heard) is not detach
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
