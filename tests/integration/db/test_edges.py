"""The database refuses what the design forbids, whoever asks."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from shared.db.version import newest_version
from shared.states import EDGES, Role, Stage, State
from tests.conftest import ROOT, TestDatabase
from tests.integration.db.conftest import Accept, As
from tests.integration.db.moves import SHA, complete, prove, stage_bytes, store, taken

REFUSED = (psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)


def run(database: TestDatabase, role: str, statement: str, **values: object) -> None:
    with psycopg.connect(database.url(role), autocommit=True) as connection:
        connection.execute(statement.encode(), values)


def test_the_database_has_exactly_the_edges_of_the_code(database: TestDatabase) -> None:
    with psycopg.connect(database.url()) as connection:
        rows = connection.execute("SELECT from_state, to_state, role FROM edges").fetchall()
    assert {(e.from_state, e.to_state, e.role) for e in EDGES} == set(rows)


def test_every_state_of_the_code_is_a_state_of_the_database(database: TestDatabase) -> None:
    with psycopg.connect(database.url()) as connection:
        row = connection.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'tasks_state_check'"
        ).fetchone()
    assert row is not None
    assert set(State) == {
        word.strip("'") for word in row[0].replace("::text", "").split("ARRAY[")[1].split("]")[0].split(", ")
    }


@pytest.mark.parametrize("role", [str(role) for role in Role] + ["postgres", "outlast_owner"])
def test_no_role_makes_a_task_complete_without_an_asset(database: TestDatabase, accept: Accept, role: str) -> None:
    task_id = accept()
    with pytest.raises(REFUSED):
        run(
            database,
            role,
            "UPDATE tasks SET state = 'complete', completed_at = now() WHERE task_id = %(id)s",
            id=task_id,
        )


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("durable_uri", None),
        ("size", None),
        ("h3", None),
        ("h3", "b" * 64),
        ("stored_at", None),
        ("facts", None),
    ],
)
def test_the_promoter_cannot_store_without_uri_or_with_unequal_digests(
    database: TestDatabase, as_role: As, accept: Accept, column: str, value: str | None
) -> None:
    task_id = accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    prove(as_role("verifier"), taken(as_role("verifier"), Stage.VERIFY))
    good = {"durable_uri": "s3://a/b", "size": 10, "h3": SHA, "stored_at": datetime.now(UTC)}
    changes = {**good, column: value} if column != "facts" else good
    words = ", ".join(f"{name} = %({name})s" for name in changes)
    statement = f"UPDATE tasks SET state = 'stored', {words} WHERE task_id = %(id)s"
    if column == "facts":
        statement = statement.replace("SET ", "SET facts = NULL, ")
    with pytest.raises(REFUSED):
        run(database, "outlast_promoter", statement, id=task_id, **changes)
    run(
        database,
        "outlast_promoter",
        "UPDATE tasks SET state = 'stored', durable_uri = %(durable_uri)s, size = %(size)s, h3 = %(h3)s, "
        "stored_at = %(stored_at)s WHERE task_id = %(id)s",
        id=task_id,
        **good,
    )


def test_a_stored_task_cannot_have_a_digest_that_differs_from_its_staged_bytes(as_role: As, accept: Accept) -> None:
    accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    prove(as_role("verifier"), taken(as_role("verifier"), Stage.VERIFY))
    claim = taken(as_role("promoter"), Stage.PROMOTE)
    with pytest.raises(psycopg.errors.CheckViolation):
        store(as_role("promoter"), claim, sha256="b" * 64)
    with pytest.raises(psycopg.errors.CheckViolation):
        store(as_role("promoter"), claim, size=11)
    assert store(as_role("promoter"), claim)


@pytest.mark.parametrize(
    ("role", "state"),
    [
        ("outlast_downloader", "promoting"),
        ("outlast_downloader", "stored"),
        ("outlast_verifier", "promoting"),
        ("outlast_verifier", "downloading"),
        ("outlast_promoter", "downloading"),
        ("outlast_ingest", "verifying"),
        ("outlast_operator", "complete"),
        ("outlast_reader", "abandoned"),
        ("outlast_sweeper", "abandoned"),
        ("postgres", "downloading"),
        ("outlast_owner", "downloading"),
    ],
)
def test_an_illegal_edge_or_the_edge_of_another_role_is_refused(
    database: TestDatabase, accept: Accept, role: str, state: str
) -> None:
    task_id = accept()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(
            database,
            role,
            "UPDATE tasks SET state = %(state)s WHERE task_id = %(id)s",
            id=task_id,
            state=state,
        )


@pytest.mark.parametrize("role", ["outlast_verifier", "outlast_promoter", "outlast_ingest", "outlast_operator"])
def test_a_lease_on_a_download_is_refused_to_every_other_role(
    database: TestDatabase, accept: Accept, role: str
) -> None:
    task_id = accept()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(
            database,
            role,
            "UPDATE tasks SET state = 'downloading', lease_id = %(lease)s, lease_worker = 'thief', "
            "leased_at = now(), wake_at = now(), epoch = epoch + 1 WHERE task_id = %(id)s",
            id=task_id,
            lease=uuid4(),
        )


def test_the_downloader_cannot_take_the_lease_of_the_verifier(
    database: TestDatabase, as_role: As, accept: Accept
) -> None:
    task_id = accept()
    stage_bytes(as_role("downloader"), taken(as_role("downloader"), Stage.DOWNLOAD))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(
            database,
            "outlast_downloader",
            "UPDATE tasks SET lease_id = %(lease)s, lease_worker = 'thief', leased_at = now(), wake_at = now(), "
            "epoch = epoch + 1 WHERE task_id = %(id)s",
            id=task_id,
            lease=uuid4(),
        )


@pytest.mark.parametrize("role", ["verifier", "promoter", "ingest", "operator", "reader", "sweeper"])
def test_a_sealed_source_can_be_read_by_the_downloader_alone(database: TestDatabase, accept: Accept, role: str) -> None:
    accept()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(database, f"outlast_{role}", "SELECT sealed FROM sources")
    run(database, "outlast_downloader", "SELECT sealed FROM sources")


def test_half_a_lease_is_refused(database: TestDatabase, accept: Accept) -> None:
    task_id = accept()
    with pytest.raises(psycopg.errors.CheckViolation):
        run(
            database,
            "outlast_downloader",
            "UPDATE tasks SET state = 'downloading', lease_id = %(lease)s, epoch = epoch + 1, wake_at = now() "
            "WHERE task_id = %(id)s",
            id=task_id,
            lease=uuid4(),
        )


def test_a_new_lease_needs_the_next_epoch(database: TestDatabase, accept: Accept) -> None:
    task_id = accept()
    for epoch in ("epoch", "epoch + 2", "epoch - 1"):
        with pytest.raises(psycopg.errors.CheckViolation):
            run(
                database,
                "outlast_downloader",
                "UPDATE tasks SET state = 'downloading', lease_id = %(lease)s, lease_worker = 'w', "
                f"leased_at = now(), wake_at = now(), epoch = {epoch} WHERE task_id = %(id)s",
                id=task_id,
                lease=uuid4(),
            )


def test_a_complete_task_keeps_its_asset_and_its_state(database: TestDatabase, as_role: As, accept: Accept) -> None:
    task_id = complete(as_role, accept)
    for change in (
        "durable_uri = 's3://other/key'",
        "state = 'promoting'",
        "state = 'needs_attention', reason = 'x'",
    ):
        with pytest.raises(REFUSED):
            run(database, "outlast_promoter", f"UPDATE tasks SET {change} WHERE task_id = %(id)s", id=task_id)


@pytest.mark.parametrize("role", [str(role) for role in Role] + ["postgres", "outlast_owner"])
def test_no_role_deletes_a_task_or_inserts_one_that_is_complete(
    database: TestDatabase, accept: Accept, role: str
) -> None:
    task_id = accept()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run(database, role, "DELETE FROM tasks WHERE task_id = %(id)s", id=task_id)
    with pytest.raises(REFUSED):
        run(
            database,
            role,
            "INSERT INTO tasks (task_id, download_key, account, provider, provider_account, job_id, output_id, "
            "operation_id, attempt_id, state, source_lane, urgency, ready_at) VALUES (%(id)s, 'k', 'a', 'p', 'd', "
            "'j', '0', 'o', '1', 'complete', 'l', now(), now())",
            id=uuid4(),
        )


def test_the_diagram_shows_exactly_the_edges_between_states() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    diagram = text.split("stateDiagram-v2", 1)[1].split("```", 1)[0]
    drawn = {
        tuple(part.strip() for part in line.split(":")[0].split("-->"))
        for line in diagram.splitlines()
        if "-->" in line
    }
    wanted = {(e.from_state, e.to_state) for e in EDGES if e.from_state != e.to_state}
    assert {("new" if a == "[*]" else a, b) for a, b in drawn if b != "[*]"} == wanted


def test_every_act_begins_with_a_sentence() -> None:
    for file in sorted(Path(ROOT / "shared/sql").rglob("*.sql")):
        first = file.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("-- "), file
        assert first.endswith("."), file


def test_the_newest_version_is_the_one_a_migrated_database_tells(database: TestDatabase) -> None:
    with psycopg.connect(database.url("outlast_reader")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (newest_version(),)
