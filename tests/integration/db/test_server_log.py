"""What Postgres writes into its own log when it refuses a row that came with a link: the row, but no link."""

import base64
import os
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from shared.vault import Vault
from tests.faults.canary import CANARY
from tests.faults.logs import ServerLogs
from tests.integration.db.conftest import Accept

# The log holds the beginning of each value alone.
LINK = f"http://{CANARY}/{CANARY}?{CANARY}"


@pytest.mark.parametrize(
    ("broken", "refusal"),
    [
        ({"account": "NO ACCOUNT"}, 'new row for relation "tasks" violates check constraint'),
        ({"host": None}, 'null value in column "host" of relation "sources" violates not-null constraint'),
    ],
)
def test_fault_109_a_row_that_is_refused_is_logged_without_its_link(
    accept: Accept, tmp_path: Path, broken: dict[str, str | None], refusal: str
) -> None:
    ring = tmp_path / "ring"
    ring.write_text("k1:" + base64.b64encode(os.urandom(32)).decode() + "\n")
    log, task_id, source_id = ServerLogs(), uuid4(), uuid4()
    sealed = Vault.open_ring(ring).seal(task_id, source_id, LINK)
    with pytest.raises(psycopg.IntegrityError):
        accept(task_id=task_id, source_id=source_id, sealed=sealed, **broken)
    told = log.new("postgres.log")
    assert refusal in told
    (row,) = [line for line in told.splitlines() if "Failing row contains" in line and str(task_id) in line]
    assert "host" not in broken or sealed.hex()[:40] in row, "what is sealed is in the log"
    assert log.leaks() == []
