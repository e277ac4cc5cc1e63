"""What the downloader leaves in the store when it is killed, and what it survives of the store and the database."""

from pathlib import Path

import psycopg

from tests.system.conftest import System, until

PART = 5 * 2**20


def test_a_killed_downloader_leaves_an_upload_that_the_database_names(system: System) -> None:
    system.start("ingest")
    system.start("downloader", OUTLAST_S3_PART_BYTES=str(PART))
    system.publish(system.event(system.source.link(f"noise/{2000 * 2**20}"), job="long"))
    until(lambda: system.rows("SELECT FROM claims WHERE upload_id IS NOT NULL"), "the upload is named")
    system.kill("downloader")
    [(key, upload_id, lapsed)] = system.rows("SELECT staging_key, upload_id, ended_at IS NOT NULL FROM claims")
    assert key.startswith("staging/")
    assert not lapsed
    assert system.s3._list_parts(system.staging, key, upload_id).object_name == key
    system.s3._abort_multipart_upload(system.staging, key, upload_id)


def test_a_transfer_goes_on_while_its_upload_cannot_be_named(system: System) -> None:
    with psycopg.connect(system.database.url(), autocommit=True) as administrator:
        administrator.execute("REVOKE UPDATE (upload_id) ON claims FROM outlast_downloader")
    system.start("ingest")
    system.start("downloader", OUTLAST_S3_PART_BYTES=str(PART))
    system.publish(system.event(system.source.link(f"noise/{3 * PART}"), job="long"))
    until(lambda: system.count(f"state = 'verifying' AND staged_size = {3 * PART}") == 1, "the bytes are staged")
    assert "upload_id_not_recorded" in system.log("downloader")
    assert system.rows("SELECT upload_id, outcome FROM claims") == [(None, "staged")]


def test_case_71_a_secret_that_is_put_right_needs_no_restart(system: System) -> None:
    file = Path(system.environment["OUTLAST_S3_SECRET_KEY_FILE"])
    right = file.read_text()
    file.write_text("a-secret-that-has-ended")
    system.start("ingest")
    system.start("downloader")
    system.publish_pictures(3)
    until(lambda: "storage_denied" in system.log("downloader"), "the store refuses the old secret")
    assert system.count("state IN ('verifying', 'needs_attention', 'abandoned')") == 0
    file.write_text(right)
    until(lambda: system.count("state = 'verifying'") == 3, "all are staged", 90)
    assert system.rows("SELECT max(tries), max(strikes) FROM tasks") == [(0, 0)]
    assert right not in system.log("downloader")
