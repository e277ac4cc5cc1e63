"""The limit of the rate at which a process takes bytes from sources."""

import pytest

from tests.system.conftest import System, until
from tests.system.source import noise_digest

LIMIT = 1_000_000
SIZES = (1_500_000, 1_600_000, 1_700_000, 1_800_000)


def test_all_transfers_of_a_process_together_keep_its_limit(system: System) -> None:
    system.start("ingest")
    system.publish(*(system.event(system.source.link(f"noise/{size}"), job=str(size)) for size in SIZES))
    until(lambda: system.count("state = 'output_ready'") == len(SIZES), "all are accepted")
    system.start("downloader", OUTLAST_SLOTS="8", OUTLAST_MAX_BYTES_PER_SECOND=str(LIMIT))
    until(lambda: system.count("state = 'verifying'") == len(SIZES), "all are staged")
    assert dict(system.rows("SELECT job_id, h1 FROM tasks")) == {str(size): noise_digest(size) for size in SIZES}
    ((seconds,),) = system.rows("SELECT extract(epoch FROM max(ended_at) - min(started_at))::float8 FROM claims")
    assert sum(SIZES) / seconds / LIMIT == pytest.approx(0.85, abs=0.25)
    assert system.rows("SELECT DISTINCT outcome FROM claims") == [("staged",)]
