"""The sweeper beside the services: what waits for a service that is away outlasts any sweep."""

from datetime import UTC, datetime, timedelta

from tests.system.conftest import System, until

PICTURES = 4


def swept(system: System, *, days: int) -> str:
    """Run the command as if it were so many days later; returns what it told."""
    now = datetime.now(UTC) + timedelta(days=days)
    environment = {**system.environment, "OUTLAST_SWEEPER_DATABASE_URL": system.database.url("outlast_sweeper")}
    log = system.folder / f"sweep-{days}.log"
    assert system.forks.start(["outlast", "sweep", "--now", now.isoformat()], environment, log).wait(60) == 0
    return log.read_text()


def test_with_the_verifier_away_for_90_days_every_byte_that_waits_is_there_and_all_complete_after_its_start(
    system: System,
) -> None:
    system.start("ingest")
    system.start("downloader")
    system.publish_pictures(PICTURES)
    until(lambda: system.count("state = 'verifying'") == PICTURES, "all wait for the verifier")
    assert f"{PICTURES} kept" in swept(system, days=90)
    system.start("verifier")
    system.start("promoter")
    until(lambda: system.count("state = 'complete'") == PICTURES, "all are complete")
    assert f"{PICTURES} deleted" in swept(system, days=2)
    assert list(system.s3.list_objects(system.staging, recursive=True)) == []
    assert "kept" in swept(system, days=91), "the assets stay"
    assert len(list(system.s3.list_objects(system.assets, recursive=True))) == 2 * PICTURES


def test_fault_82_the_upload_of_a_killed_downloader_is_gone_after_the_grace_time(system: System) -> None:
    system.start("ingest")
    system.start("downloader", OUTLAST_S3_PART_BYTES=str(5 * 2**20))
    system.publish(system.event(system.source.link(f"noise/{2000 * 2**20}"), job="long"))
    until(lambda: system.rows("SELECT FROM claims WHERE upload_id IS NOT NULL"), "the upload is named")
    assert "uploads" not in swept(system, days=90).replace("uploads: 1 kept", ""), "its claim runs"
    system.kill("downloader")
    system.start("verifier")
    system.start("downloader", OUTLAST_S3_PART_BYTES=str(5 * 2**20))
    until(lambda: system.rows("SELECT FROM claims WHERE outcome = 'lapsed'"), "its lease lapsed")
    system.kill("downloader")
    assert "uploads: 1 deleted" in swept(system, days=2)
    assert "1 deleted" not in swept(system, days=3)
