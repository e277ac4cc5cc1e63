"""The doctor on a real store that has little, on a real database and a real broker."""

import base64
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from outlast.custody.doctor.finding import Finding
from outlast.custody.doctor.order import CHECKS, examined
from outlast.custody.doctor.scene import Buckets, Scene
from shared.broker.declare import declare
from shared.errors import UsageError
from shared.objects import Store
from tests.conftest import TestDatabase
from tests.integration.custody.conftest import Command
from tests.integration.objects.heeding import heeding
from tests.integration.objects.proxy import Answer, Proxy, says
from tests.integration.objects.servers import S3

RULE = (
    b"<LifecycleConfiguration><Rule><ID>weekly</ID><Prefix></Prefix><Status>Enabled</Status>"
    b"<Expiration><Days>7</Days></Expiration></Rule></LifecycleConfiguration>"
)
VARIABLES = {role: f"OUTLAST_{role.upper()}_BUCKET" for role in Buckets().all}


@pytest.fixture
def buckets(store: Store) -> Buckets:
    prefix = uuid4().hex[:12]
    made = Buckets(**{role: f"{prefix}-{role}" for role in Buckets().all})
    for bucket in made.all.values():
        store.ensure_bucket(bucket)
    return made


@pytest.fixture
def scene(store: Store, s3: S3, buckets: Buckets) -> Scene:
    return Scene(store, replace(s3, access_key="").open(), buckets)


@pytest.fixture
def behind(scene: Scene, faulty: Store) -> Scene:
    """The same store behind the proxy."""
    return replace(scene, full_store=faulty)


def found(scene: Scene, *only: str) -> dict[str, Finding]:
    return {check.name: finding for check, finding in examined(scene, only)}


def one(scene: Scene, name: str) -> Finding:
    return found(scene, name)[name]


def test_every_check_of_the_store_comes_to_its_end_and_nothing_is_left(scene: Scene) -> None:
    seen = found(scene)
    assert {name: finding.seen for name, finding in seen.items() if finding.level == "error"} == {}
    assert "ignored" in seen["copy-condition"].seen
    assert seen["versions"].level == "warning"
    assert seen["multipart-upload"].level == "ok"
    for bucket in scene.buckets.all.values():
        assert "<Key>" not in scene.store.ask("GET", bucket, query={"list-type": "2"}).body


def test_a_missing_bucket_is_named(scene: Scene) -> None:
    gone = replace(scene, buckets=replace(scene.buckets, assets="there-is-no-such-bucket"))
    finding = one(gone, "buckets-exist")
    assert finding.level == "error"
    assert "there-is-no-such-bucket" in finding.seen


def test_one_bucket_for_two_things_is_told(scene: Scene) -> None:
    same = replace(scene, buckets=replace(scene.buckets, assets=scene.buckets.staging))
    assert one(same, "buckets-differ").level == "warning"
    same = replace(scene, buckets=replace(scene.buckets, assets=scene.buckets.input))
    assert one(same, "buckets-differ").level == "error"
    assert one(replace(same, input_prefix="jobs/"), "buckets-differ").level == "warning"


def test_a_wrong_key_is_an_error_and_no_end(scene: Scene, s3: S3) -> None:
    wrong = replace(scene, full_store=replace(s3, secret_key="another-secret").open())
    finding = one(wrong, "write-read-delete")
    assert finding.level == "error"
    assert "storage_denied" in finding.seen


def test_a_rule_that_lets_staging_expire_is_an_error(behind: Scene, proxy: Proxy) -> None:
    proxy.fault("GET", "lifecycle", lambda _: Answer(200, RULE, {"Content-Type": "application/xml"}))
    finding = one(behind, "lifecycle-spares-staging")
    assert finding.level == "error"
    assert "weekly" in finding.seen


def test_a_condition_that_is_kept_is_told(behind: Scene, proxy: Proxy, store: Store) -> None:
    proxy.fault("PUT", "copy", heeding(store))
    assert one(behind, "copy-condition").level == "ok"


def test_a_store_that_anybody_may_read_is_an_error(scene: Scene) -> None:
    assert one(replace(scene, anonymous=scene.full_store), "strangers-read").level == "error"
    assert one(replace(scene, anonymous=scene.full_store), "strangers-list").level == "error"


def test_a_role_with_too_little_and_one_with_too_much(scene: Scene, behind: Scene, proxy: Proxy) -> None:
    assert one(replace(scene, roles={"promoter": scene.store}), "rights-of-roles").level == "warning"
    proxy.fault("GET", "rights", says(403, "AccessDenied"))
    finding = one(replace(scene, roles={"verifier": behind.store}), "rights-of-roles")
    assert finding.level == "error"
    assert "verifier may not read staging" in finding.seen


def test_the_database_and_its_grants(scene: Scene, database: TestDatabase) -> None:
    told = replace(scene, database_url=database.url("outlast_reader"))
    assert {name: finding.level for name, finding in found(told, "database", "clock-of-database").items()} == {
        "clock-of-database": "ok",
        "schema-version": "ok",
        "database-roles": "ok",
        "database-grants": "ok",
    }
    with psycopg.connect(database.url(), autocommit=True) as connection:
        connection.execute("GRANT SELECT ON sources TO outlast_reader")
        assert "outlast_reader SELECT on sources" in one(told, "database-grants").seen
        connection.execute("REVOKE INSERT ON assets FROM outlast_promoter")
        assert one(told, "database-grants").level == "error"
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    assert one(told, "schema-version").level == "error"


def test_a_database_that_does_not_answer_is_an_error(scene: Scene) -> None:
    away = replace(scene, database_url="postgresql://reader@127.0.0.1:1/outlast")
    assert one(away, "schema-version").seen == "It came to no end: database (PoolTimeout)."


def test_the_broker_and_who_listens(scene: Scene, amqp_url: str) -> None:
    told = replace(scene, amqp_url=amqp_url)
    assert "outlast.intake is missing" in one(told, "exchanges-and-queues").meaning
    declare(amqp_url)
    assert one(told, "exchanges-and-queues").level == "ok"
    assert one(told, "consumers").seen == "Nobody takes events from outlast.intake."


@pytest.fixture
def run(command: Command, buckets: Buckets) -> Callable[..., Any]:
    command.variables.update({VARIABLES[role]: name for role, name in buckets.all.items()})
    return command.run


def test_the_command_tells_each_check_and_ends_by_its_errors(run: Callable[..., Any]) -> None:
    done = run("doctor", "--only", "objects", "--only", "database")
    assert done.exit_code == 0, done.output
    assert "write-read-delete" in done.stdout
    away = run("doctor", "--only", "services-ready", "--service", "ingest=http://127.0.0.1:1")
    assert away.exit_code == 1
    assert "Not ready: ingest (no answer: ConnectionRefusedError)." in away.stdout
    with pytest.raises(UsageError, match="no check telepathy"):
        run("doctor", "--only", "telepathy")
    with pytest.raises(UsageError, match="no role king"):
        run("doctor", "--role", "king=KEY:file")


def test_the_key_ring_seals_and_opens(scene: Scene, tmp_path: Path) -> None:
    ring = tmp_path / "ring"
    ring.write_text(f"k1:{base64.b64encode(bytes(32)).decode()}\n")
    ring.chmod(0o600)
    assert one(replace(scene, keyring=ring), "keyring").level == "ok"
    ring.chmod(0o644)
    assert one(replace(scene, keyring=ring), "keyring").level == "warning"
    ring.write_text("canary")
    finding = one(replace(scene, keyring=ring), "keyring")
    assert finding.level == "error"
    assert "canary" not in f"{finding}"


def test_the_command_as_json(command: Command, run: Callable[..., Any]) -> None:
    told = command.lines("doctor", "--only", "conditions")
    assert [line["check"] for line in told] == [check.name for check in CHECKS if check.group == "conditions"]
    assert set(told[0]) == {"check", "group", "level", "seen", "meaning"}
